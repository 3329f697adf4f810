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
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final, TypeAlias

import rfc8785

from iris_harness.errors import CanonicalError

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"

ADDED: Final = MappingProxyType({"added": True})
"""Metadata of a dataclass field that is left out of the canonical form while it has its default."""

_LARGEST_INTEGER = 2**53 - 1


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
            return {
                field.name: to_json(item, f"{path}.{field.name}")
                for field in dataclasses.fields(value)
                if (item := getattr(value, field.name)) != field.default or not field.metadata
            }
        case _:
            raise CanonicalError(
                f"{type(value).__name__} at {path} has no canonical form", path=path
            )


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
        return rfc8785.dumps(to_json(value))
    except rfc8785.CanonicalizationError as error:
        raise CanonicalError(f"no canonical form: {error}") from error


def digest(value: object) -> str:
    """Return the lower-case hexadecimal SHA-256 of the canonical bytes of `value`."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()
