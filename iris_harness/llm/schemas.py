"""Whether a JSON value is what a JSON Schema says: the part of the standard that models are given.

A grammar or a server's own mode should see to it already; none does in full (llama.cpp's converter
leaves out the bounds of integers). Source: json-schema.org, draft 2020-12, validation.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from iris_harness.errors import ModelRefusedError

Schema: TypeAlias = Mapping[str, Any]

_DEEPEST = 64
_SAYS_NOTHING = frozenset(
    {"$schema", "$id", "$defs", "$comment", "title", "description", "default", "examples", "format"}
)


def is_number(value: object) -> bool:
    """Return whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_number(value) and float(value).is_integer(),  # type: ignore[arg-type]
    "number": is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def find_problem(value: object, schema: Schema) -> str:
    """Return the first thing in `value` that `schema` does not allow, and where; empty: none.

    Raises:
        ModelRefusedError: the schema says something that this does not know, so that nothing can
            be promised.
    """
    return next(_Checker(schema).problems(value, schema, "$", 0), "")


class _Checker:
    def __init__(self, root: Schema) -> None:
        self._root = root

    def problems(self, value: object, schema: object, at: str, depth: int) -> Iterator[str]:
        if schema is True:
            return
        if schema is False or depth > _DEEPEST:
            yield f"{at} is not allowed" if schema is False else f"{at} is nested too deep"
            return
        if not isinstance(schema, Mapping):
            raise _unknown("a schema that is no object")
        for keyword, given in schema.items():
            if keyword in _SAYS_NOTHING:
                continue
            check = _CHECKS.get(keyword)
            if check is None:
                raise _unknown(keyword)
            yield from check(self, value, given, schema, (at, depth + 1))

    def fits(self, value: object, schema: object, place: tuple[str, int]) -> bool:
        return next(self.problems(value, schema, *place), None) is None

    def resolve(self, reference: object) -> object:
        found: object = self._root
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise _unknown(f"$ref {reference}")
        for part in reference.removeprefix("#").split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or name not in found:
                raise _unknown(f"$ref {reference}")
            found = found[name]
        return found


_Place: TypeAlias = tuple[str, int]
"""Where the value is, as in ``$.workers[3]``, and how deep."""
_Given: TypeAlias = Any
"""What stands behind a keyword: written by a programmer, in the form the keyword has."""
_Check: TypeAlias = Callable[["_Checker", object, _Given, Schema, _Place], Iterator[str]]


def _unknown(what: str) -> ModelRefusedError:
    return ModelRefusedError(f"the schema uses {what}, which is not checked here")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"  # noqa: PLR2004 - a line's worth


def _type(_: _Checker, value: object, given: _Given, __: Schema, place: _Place) -> Iterator[str]:
    kinds = given if isinstance(given, list) else [given]
    if unknown := [kind for kind in kinds if kind not in _TYPES]:
        raise _unknown(f"type {unknown[0]}")
    if not any(_TYPES[kind](value) for kind in kinds):
        yield f"{place[0]} is {_shown(value)}, not of type {' or '.join(kinds)}"


def _enum(_: _Checker, value: object, given: _Given, __: Schema, place: _Place) -> Iterator[str]:
    if not any(equal(value, one) for one in given):
        yield f"{place[0]} is {_shown(value)}, not one of {_shown(given)}"


def _const(_: _Checker, value: object, given: _Given, __: Schema, place: _Place) -> Iterator[str]:
    if not equal(value, given):
        yield f"{place[0]} is {_shown(value)}, not {_shown(given)}"


def equal(one: object, other: object) -> bool:
    """Return whether two JSON values are the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    return one == other


def _bound(
    measured: Callable[[object], float | None], allowed: Callable[[float, float], bool], said: str
) -> _Check:
    def check(
        _: _Checker, value: object, given: _Given, __: Schema, place: _Place
    ) -> Iterator[str]:
        size = measured(value)
        if size is not None and not allowed(size, given):
            yield f"{place[0]} {said.format(given)}"

    return check


def _number(value: object) -> float | None:
    return value if is_number(value) else None  # type: ignore[return-value] # told by is_number


def _length_of(kind: type) -> Callable[[object], float | None]:
    return lambda value: len(value) if isinstance(value, kind) else None  # type: ignore[arg-type] # sized


def _multiple(number: float, of: float) -> bool:
    return math.isclose(number / of, round(number / of), abs_tol=1e-9)


def _pattern(_: _Checker, value: object, given: _Given, __: Schema, place: _Place) -> Iterator[str]:
    if isinstance(value, str) and not re.search(given, value):
        yield f"{place[0]} is {_shown(value)}, which does not match {given}"


def _properties(
    checker: _Checker,
    value: object,
    given: _Given,
    _: Schema,
    place: _Place,
) -> Iterator[str]:
    if isinstance(value, dict):
        for name in given:
            if name in value:
                yield from checker.problems(
                    value[name], given[name], f"{place[0]}.{name}", place[1]
                )


def _required(
    _: _Checker, value: object, given: _Given, __: Schema, place: _Place
) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{place[0]} has no {name}" for name in given if name not in value)


def _additional(
    checker: _Checker,
    value: object,
    given: _Given,
    schema: Schema,
    place: _Place,
) -> Iterator[str]:
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in (name for name in value if name not in known):
            yield from checker.problems(value[name], given, f"{place[0]}.{name}", place[1])


def _items(
    checker: _Checker,
    value: object,
    given: _Given,
    schema: Schema,
    place: _Place,
) -> Iterator[str]:
    if isinstance(value, list):
        first = len(schema.get("prefixItems", ()))
        for index, item in enumerate(value[first:], first):
            yield from checker.problems(item, given, f"{place[0]}[{index}]", place[1])


def _prefix_items(
    checker: _Checker,
    value: object,
    given: _Given,
    _: Schema,
    place: _Place,
) -> Iterator[str]:
    if isinstance(value, list):
        for index, (item, schema) in enumerate(zip(value, given, strict=False)):
            yield from checker.problems(item, schema, f"{place[0]}[{index}]", place[1])


def _unique(_: _Checker, value: object, given: _Given, __: Schema, place: _Place) -> Iterator[str]:
    if given and isinstance(value, list):
        twice = any(equal(one, other) for at, one in enumerate(value) for other in value[:at])
        if twice:
            yield f"{place[0]} holds something twice"


def _any_of(
    checker: _Checker,
    value: object,
    given: _Given,
    _: Schema,
    place: _Place,
) -> Iterator[str]:
    if not any(checker.fits(value, one, place) for one in given):
        yield f"{place[0]} is {_shown(value)}, which fits none of the forms allowed"


def _one_of(
    checker: _Checker,
    value: object,
    given: _Given,
    _: Schema,
    place: _Place,
) -> Iterator[str]:
    fitting = sum(checker.fits(value, one, place) for one in given)
    if fitting != 1:
        many = "none" if fitting == 0 else "more than one"
        yield f"{place[0]} is {_shown(value)}, which fits {many} of the forms allowed"


def _all_of(
    checker: _Checker,
    value: object,
    given: _Given,
    _: Schema,
    place: _Place,
) -> Iterator[str]:
    for one in given:
        yield from checker.problems(value, one, *place)


def _reference(
    checker: _Checker,
    value: object,
    given: _Given,
    _: Schema,
    place: _Place,
) -> Iterator[str]:
    yield from checker.problems(value, checker.resolve(given), *place)


_CHECKS: Mapping[str, _Check] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _bound(_number, lambda n, bound: n >= bound, "is below {}"),
    "maximum": _bound(_number, lambda n, bound: n <= bound, "is above {}"),
    "exclusiveMinimum": _bound(_number, lambda n, bound: n > bound, "is not above {}"),
    "exclusiveMaximum": _bound(_number, lambda n, bound: n < bound, "is not below {}"),
    "multipleOf": _bound(_number, _multiple, "is no multiple of {}"),
    "minLength": _bound(_length_of(str), lambda n, bound: n >= bound, "is shorter than {}"),
    "maxLength": _bound(_length_of(str), lambda n, bound: n <= bound, "is longer than {}"),
    "pattern": _pattern,
    "minItems": _bound(_length_of(list), lambda n, bound: n >= bound, "has fewer than {} items"),
    "maxItems": _bound(_length_of(list), lambda n, bound: n <= bound, "has more than {} items"),
    "uniqueItems": _unique,
    "items": _items,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "minProperties": _bound(
        _length_of(dict), lambda n, bound: n >= bound, "has fewer than {} keys"
    ),
    "maxProperties": _bound(_length_of(dict), lambda n, bound: n <= bound, "has more than {} keys"),
    "anyOf": _any_of,
    "oneOf": _one_of,
    "allOf": _all_of,
    "$ref": _reference,
}
