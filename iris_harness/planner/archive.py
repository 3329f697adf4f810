"""Planned days as bytes, exactly: what is stored can be loaded, shown and planned again."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import types
import typing

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.contracts.day import DailyPlan, PlannedDay
from iris_harness.errors import StorageError
from iris_harness.planner.build import build_daily_plan

FORMAT = 1
"""Raised when a stored day can no longer be read by an older program."""


def dump_planned_day(day: PlannedDay) -> bytes:
    """Return canonical JSON (RFC 8785) of the format's number and all of `day`.

    Raises:
        CanonicalError: `day` holds a naive time or text that is not valid Unicode.
    """
    return canonical_bytes({"format": FORMAT, "planned_day": day})


def load_planned_day(data: bytes) -> PlannedDay:
    """Return the day that `dump_planned_day` wrote; times come with the offsets they had.

    A field that was added since it was written has its default.

    Raises:
        StorageError: the bytes are of another format or damaged.
    """
    try:
        stored = json.loads(data)
        found, content = stored["format"], stored["planned_day"]
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError("the stored plan is damaged: it is no plan at all") from error
    if found != FORMAT:
        raise StorageError(
            f"the stored plan has format {found}; this program reads format {FORMAT}",
            hint="make the plan again",
        )
    try:
        return typing.cast("PlannedDay", _Decoder().decode(PlannedDay, content))
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"the stored plan is damaged: {error}") from error


def recompute(day: PlannedDay) -> DailyPlan:
    """Return the plan that this program makes of what `day` was made of.

    It equals ``day.plan`` unless the algorithm's version has changed.
    """
    return build_daily_plan(day.snapshot, day.preferences)


class _Decoder:
    """Reads JSON values back into the types that a dataclass's annotations name."""

    def __init__(self) -> None:
        self._hints: dict[type, dict[str, object]] = {}

    def decode(self, kind: object, value: object) -> object:
        """Return `value` as `kind`: a dataclass, an enum, a time, a union, a tuple or a scalar."""
        if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
            return self._decode_union(typing.get_args(kind), value)
        if typing.get_origin(kind) is tuple:
            return tuple(self.decode(typing.get_args(kind)[0], item) for item in _items(value))
        if not isinstance(kind, type):
            raise TypeError(f"no way to read {kind!r}")
        if dataclasses.is_dataclass(kind):
            return self._decode_dataclass(kind, value)
        if issubclass(kind, enum.Enum):
            return kind(value)
        if issubclass(kind, dt.date | dt.time):
            return kind.fromisoformat(_text(value))
        if type(value) is not kind:
            raise TypeError(f"{value!r} is no {kind.__name__}")
        return value

    def _decode_union(self, kinds: tuple[object, ...], value: object) -> object:
        if value is None and types.NoneType in kinds:
            return None
        rest = [kind for kind in kinds if kind is not types.NoneType]
        if set(rest) == {dt.date, dt.datetime}:  # only an instant has a "T"
            return self.decode(dt.datetime if "T" in _text(value) else dt.date, value)
        if len(rest) == 1:
            return self.decode(rest[0], value)
        raise TypeError(f"no way to tell which of {kinds} {value!r} is")

    def _decode_dataclass(self, kind: type, value: object) -> object:
        if not isinstance(value, dict):
            raise TypeError(f"{value!r} is no {kind.__name__}")
        if kind not in self._hints:
            self._hints[kind] = typing.get_type_hints(kind)
        hints = self._hints[kind]
        return kind(**{name: self.decode(hints[name], item) for name, item in value.items()})


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is no list")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
