"""Turn what pydantic says about a settings tree into one clear `ConfigError` per mistake."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from iris_harness.config.document import KeyPath, dotted
from iris_harness.config.layers import Merged
from iris_harness.config.schema import Config
from iris_harness.config.sections import SAID
from iris_harness.errors import ConfigError

_UNKNOWN = "extra_forbidden"
_CLOSE = 0.75  # of 1; below it a suggestion confuses more than it helps


def explain_errors(error: ValidationError, merged: Merged) -> list[ConfigError]:
    """Return one problem per mistake, in pydantic's order, each with its place and a way out."""
    mistakes = error.errors(include_url=False)
    misspelled = {details["loc"][:-1] for details in mistakes if details["type"] == _UNKNOWN}
    return [
        _explain(details, merged)
        for details in mistakes
        if details["type"] != "missing" or details["loc"][:-1] not in misspelled
    ]


def _explain(details: ErrorDetails, merged: Merged) -> ConfigError:
    context = details.get("ctx", {})
    path = (*details["loc"], *context.get("at", ()))
    if details["type"] == _UNKNOWN:
        return _unknown_key(_only_leaf(path, details["input"]), merged)
    if details["type"] == SAID:
        return _at(path, merged, str(context["said"]), nearest=context.get("nearest"))
    if details["type"] == "missing":
        return _at(path, merged, "missing")
    return _at(path, merged, f"{_described(details['input'])} is not accepted")


def _at(path: KeyPath, merged: Merged, message: str, nearest: str | None = None) -> ConfigError:
    origin = merged.origin(path)
    return ConfigError(
        message,
        file=origin.place if origin else "",
        line=origin.line if origin else None,
        key=dotted(path),
        expected=expected_at(path),
        nearest=nearest,
    )


def _described(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "an empty list"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _only_leaf(path: KeyPath, value: object) -> KeyPath:
    """Follow a mapping with a single key down to the one value that was meant."""
    while isinstance(value, dict) and len(value) == 1:
        ((key, value),) = value.items()
        path = (*path, str(key))
    return path


def _unknown_key(path: KeyPath, merged: Merged) -> ConfigError:
    nearest = nearest_key(path)
    origin = merged.origin(path)
    return ConfigError(
        "unknown key",
        file=origin.place if origin else "",
        line=origin.line if origin else None,
        key=dotted(path),
        expected="" if nearest else f"one of: {', '.join(_known_keys(path))}",
        nearest=nearest,
    )


def nearest_key(path: KeyPath) -> str | None:
    """Return the valid key that `path` most likely means; None when nothing is close.

    A key of the same section first, then the whole dotted key, then the same last word elsewhere.
    """
    section = path[:-1] if _model_at(path[:-1]) is not None else ()
    beside = {dotted((*section, key)): None for key in _keys_beside(path)}
    known = [dotted(key) for key in _all_keys(Config) if key != path[: len(key)]]
    same_word = [key for key in known if key.rpartition(".")[2] == str(path[-1])]
    close = [
        *difflib.get_close_matches(dotted(path), list(beside), n=1, cutoff=_CLOSE),
        *difflib.get_close_matches(dotted(path), known, n=1, cutoff=_CLOSE),
        *same_word,
    ]
    return close[0] if close else None


def _keys_beside(path: KeyPath) -> list[str]:
    model = _model_at(path[:-1])
    return list(model.model_fields) if model is not None else []  # a section nobody knows


def _known_keys(path: KeyPath) -> list[str]:
    """Return the keys of the section of `path`, or of the nearest one around it that there is."""
    while path and not _keys_beside(path):
        path = path[:-1]
    return _keys_beside(path)


def _all_keys(model: type[BaseModel], path: KeyPath = ()) -> Iterator[KeyPath]:
    for name, field in model.model_fields.items():
        yield (*path, name)
        below = _model_of(field)
        if below is not None and not _is_list(field):
            yield from _all_keys(below, (*path, name))


def expected_at(path: KeyPath) -> str:
    """Return what the schema expects at `path`, from the nearest field that says so."""
    found = ""
    model: type[BaseModel] | None = Config
    for part in path:
        field = model.model_fields.get(str(part)) if model is not None else None
        if field is None:
            if isinstance(part, int):
                continue
            break
        extra = field.json_schema_extra
        found = str(extra.get("expected", found)) if isinstance(extra, dict) else found
        model = _model_of(field)
    return found


def _model_at(path: KeyPath) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Config
    for part in path:
        if isinstance(part, int) or model is None:
            continue
        field = model.model_fields.get(part)
        model = _model_of(field) if field is not None else None
    return model


def _model_of(field: FieldInfo) -> type[BaseModel] | None:
    for kind in (field.annotation, *get_args(field.annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _is_list(field: FieldInfo) -> bool:
    return bool(get_args(field.annotation))
