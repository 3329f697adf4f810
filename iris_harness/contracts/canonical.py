"""Canonical JSON (RFC 8785) of frozen values, and the SHA-256 that names them.

The subset is stricter than the RFC, so that no value depends on how a machine prints it: no
floats at all, integers below 2^53, `Decimal` as a string, instants aware and in ISO 8601.

A field that was added to a value after values were kept is marked `ADDED`. While it has its default
it is left out, so that a kept value keeps its bytes and its digest.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import hashlib
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from iris_harness.errors import CanonicalError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"

ADDED: Final = MappingProxyType({"added": True})
"""Metadata of a dataclass field that is left out of the canonical form while it has its default."""

_LARGEST_INTEGER = 2**53 - 1
_SCALARS = frozenset({type(None), bool, int, Decimal, dt.datetime, dt.date, dt.time})
"""Types that are quickly known to be scalars; most values are of one of them."""
# In this subset Python's own writer escapes exactly what section 3.2.2.2 escapes.
_scalar = json.JSONEncoder(ensure_ascii=False).encode
_text = json.encoder.encode_basestring


def to_json(value: object, path: str = "$") -> Json:  # noqa: PLR0911 - a case per type
    """Turn a value made of frozen dataclasses, tuples, mappings and scalars into plain JSON.

    Dataclasses become objects with their fields (see `ADDED`), enums their value, dates and aware
    instants ISO 8601 text (with the offset they carry), `Decimal` its text. Tuples become arrays.

    Raises:
        CanonicalError: a float, an integer of 2^53 or more, a naive time, a key that is no
            text, or an unknown type; `path` tells where.
    """
    match value:
        case None | bool() | str() if not isinstance(value, enum.Enum):
            return value
        case enum.Enum():
            return to_json(value.value, path)
        case int():
            if abs(value) > _LARGEST_INTEGER:
                raise CanonicalError(f"the integer at {path} is 2^53 or more", path=path)
            return value
        case Decimal():
            return str(value)
        case dt.datetime() | dt.date() | dt.time():
            return _time_text(value, path)
        case tuple() | list():
            return [to_json(item, f"{path}[{index}]") for index, item in enumerate(value)]
        case Mapping():
            return {_key(key, path): to_json(item, f"{path}.{key}") for key, item in value.items()}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {name: to_json(item, f"{path}.{name}") for name, item in _members(value)}
        case _:
            raise CanonicalError(
                f"{type(value).__name__} at {path} has no canonical form", path=path
            )


def _members(value: DataclassInstance) -> Iterator[tuple[str, object]]:
    for field in dataclasses.fields(value):
        item = getattr(value, field.name)
        if not field.metadata or item != field.default:  # see `ADDED`
            yield field.name, item


def _time_text(value: dt.date | dt.time, path: str) -> str:
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        raise CanonicalError(f"the instant at {path} has no offset", path=path)
    return value.isoformat()


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise CanonicalError(f"a key at {path} is not text: {key!r}", path=path)
    return key


def canonical_bytes(value: object) -> bytes:
    """Return the RFC 8785 bytes (UTF-8, sorted keys, no white space) of `value`.

    Raises:
        CanonicalError: as `to_json`, or text that is not valid Unicode (a lone surrogate).
    """
    try:
        return _Writer().text(value, ("$", None)).encode()
    except UnicodeEncodeError as error:
        raise CanonicalError("no canonical form: text that is not valid Unicode") from error


_Place: TypeAlias = "tuple[str | int, _Place | None]"
"""A step to a value, and where the step starts; made a text only where one is needed."""


class _Member(NamedTuple):
    """What is written of a field of a class."""

    name: str
    key: str
    """The name as it is written, with a colon."""
    is_added: bool
    """Whether it is left out while it has its default (see `ADDED`)."""
    default: object


class _Writer:
    """Writes one value as RFC 8785 has it.

    A plan names the same few events hundreds of times: of each object it is remembered what was
    written of it, and of each class which members it has.
    """

    def __init__(self) -> None:
        self._written: dict[int, tuple[object, str]] = {}  # the object, so that it lives on
        self._members: dict[type, tuple[_Member, ...]] = {}

    def text(self, value: object, place: _Place) -> str:
        if type(value) is str:
            return _text(value)
        if type(value) in _SCALARS:
            return _scalar_text(value, place)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            written = self._written.get(id(value))
            if written is None:
                written = self._written[id(value)] = value, self._object(value, place)
            return written[1]
        if isinstance(value, tuple | list):
            items = [self.text(item, (index, place)) for index, item in enumerate(value)]
            return f"[{','.join(items)}]"
        if isinstance(value, Mapping):
            return self._mapping(value, place)
        return _scalar_text(value, place)

    def _object(self, value: DataclassInstance, place: _Place) -> str:
        kind = type(value)
        if kind not in self._members:
            self._members[kind] = _members_of(value)
        items = []
        for name, key, is_added, default in self._members[kind]:
            item = getattr(value, name)
            if not is_added or item != default:
                items.append(key + self.text(item, (name, place)))
        return f"{{{','.join(items)}}}"

    def _mapping(self, value: Mapping[object, object], place: _Place) -> str:
        keys = {_key(key, _path(place)): item for key, item in value.items()}
        items = (
            f"{_text(key)}:{self.text(keys[key], (key, place))}"
            for key in sorted(keys, key=_utf_16_units)
        )
        return f"{{{','.join(items)}}}"


def _members_of(value: DataclassInstance) -> tuple[_Member, ...]:
    """Return the members of a value's class, by name."""
    found = (
        _Member(field.name, f"{_text(field.name)}:", bool(field.metadata), field.default)
        for field in dataclasses.fields(value)
    )
    return tuple(sorted(found))


def _utf_16_units(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _scalar_text(value: object, place: _Place) -> str:
    if type(value) is dt.datetime and value.tzinfo is not None:
        return f'"{value.isoformat()}"'  # one in four values of a plan
    return _scalar(_plain(value, place))


def _plain(value: object, place: _Place) -> Json:
    try:
        return to_json(value)
    except CanonicalError:
        return to_json(value, _path(place))  # raises again, and says where


def _path(place: _Place) -> str:
    step, origin = place
    if origin is None:
        return str(step)
    return _path(origin) + (f"[{step}]" if isinstance(step, int) else f".{step}")


def digest(value: object) -> str:
    """Return the lower-case hexadecimal SHA-256 of the canonical bytes of `value`."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()
