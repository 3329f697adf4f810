"""Frozen values read back from JSON, by the types that their fields are annotated with."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import reprlib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

ValueT = TypeVar("ValueT")

_SAID = reprlib.Repr()  # of a strange value a message shows no more than that
_SAID.maxstring = _SAID.maxother = 120


def from_json(kind: type[ValueT], value: object) -> ValueT:
    """Return JSON values as the frozen dataclass `kind`, with all that stands in it.

    Fields may be dataclasses, enums, dates, times, paths, tuples of one kind, mappings (taken as
    they are), scalars, and any of these or None. A field that is missing has its default.

    Raises:
        TypeError: a value is not what its field says, or a field is unknown or missing.
        ValueError: a text is no such date, time or member of an enum.
    """
    return typing.cast("ValueT", _Decoder().decode(kind, value))


class _Decoder:
    """Reads JSON values back into the types that a dataclass's annotations name."""

    def __init__(self) -> None:
        self._hints: dict[type, dict[str, object]] = {}

    def decode(self, kind: object, value: object) -> object:  # noqa: PLR0911 - a case per type
        """Return `value` as `kind`: a dataclass, an enum, a time, a union, a tuple or a scalar."""
        if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
            return self._decode_union(typing.get_args(kind), value)
        if typing.get_origin(kind) is tuple:
            return tuple(self.decode(typing.get_args(kind)[0], item) for item in _items(value))
        if typing.get_origin(kind) in {Mapping, dict}:
            return _mapping(value)
        if not isinstance(kind, type):
            raise TypeError(f"no way to read {kind!r}")
        if dataclasses.is_dataclass(kind):
            return self._decode_dataclass(kind, value)
        if issubclass(kind, enum.Enum):
            return kind(value)
        if issubclass(kind, dt.date | dt.time):
            return kind.fromisoformat(_text(value))
        if issubclass(kind, Path):
            return kind(_text(value))
        if type(value) is not kind:
            raise TypeError(f"{_said(value)} is no {kind.__name__}")
        return value

    def _decode_union(self, kinds: tuple[object, ...], value: object) -> object:
        if value is None and types.NoneType in kinds:
            return None
        rest = [kind for kind in kinds if kind is not types.NoneType]
        if set(rest) == {dt.date, dt.datetime}:  # only an instant has a "T"
            return self.decode(dt.datetime if "T" in _text(value) else dt.date, value)
        if len(rest) == 1:
            return self.decode(rest[0], value)
        raise TypeError(f"no way to tell which of {kinds} {_said(value)} is")

    def _decode_dataclass(self, kind: type, value: object) -> object:
        if not isinstance(value, dict):
            raise TypeError(f"{_said(value)} is no {kind.__name__}")
        if kind not in self._hints:
            self._hints[kind] = typing.get_type_hints(kind)
        hints = self._hints[kind]
        if unknown := sorted(set(value) - set(hints)):
            raise TypeError(f"{kind.__name__} has no {_said(unknown[0])}")
        return kind(**{name: self.decode(hints[name], item) for name, item in value.items()})


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"{_said(value)} is no list")
    return value


def _mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"{_said(value)} is no mapping")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{_said(value)} is no text")
    return value


def _said(value: object) -> str:
    """Return a value as a message shows it: short, however large or deep it is."""
    return _SAID.repr(value)
