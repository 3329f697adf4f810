"""JSON as RFC 8259 means it: what readers understand differently is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Final

from iris_harness.contracts.unicode import well_formed

DEEPEST: Final = 64
"""Levels of lists and objects; more is nobody's plan, and too much for who reads it next."""


def read_strict_json(text: str | bytes) -> object:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is none; a key stands twice in an object; a number is not finite or has
            thousands of digits; a text is no Unicode; or it is nested deeper than `DEEPEST`.
    """
    try:
        value: object = json.loads(
            text, object_pairs_hook=_members, parse_constant=_no_number, parse_float=_finite
        )
    except RecursionError as error:
        raise _too_deep() from error
    _check_depth(value)
    return value


def _members(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:64]!r} stands twice in it")
        found[key] = value
    return found


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:32]} is too large")
    return value


def _check_depth(value: object) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [item for one in level for item in _items(one)]
        if not level:
            return
    raise _too_deep()


def _items(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return (*value.keys(), *value.values())
    if isinstance(value, str) and well_formed(value) != value:
        raise ValueError("a text in it is no valid Unicode")
    return value if isinstance(value, list) else ()


def _too_deep() -> ValueError:
    return ValueError(f"it is nested deeper than {DEEPEST} levels")
