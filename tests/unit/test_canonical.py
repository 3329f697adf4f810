"""Canonical JSON: one value, one text; and nothing that could differ between machines."""

from __future__ import annotations

import datetime as dt
import enum
import json
import string
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from zoneinfo import ZoneInfo

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.canonical import Json, canonical_bytes, digest, to_json
from iris_harness.errors import CanonicalError
from iris_harness.testing import make_event


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@dataclass(frozen=True, kw_only=True)
class Point:
    y: int
    x: int


def test_keys_are_sorted_by_utf_16_units_without_white_space() -> None:
    # RFC 8785 section 3.2.3: U+1F600 is a pair that starts with D83D, before U+FB33
    value = {"\ufb33": 1, "\U0001f600": 2, "b": 3, "a": 4, "": 5, "A": 6, "\u00f6": 7}
    text = canonical_bytes(value).decode()
    assert text == '{"":5,"A":6,"a":4,"b":3,"\u00f6":7,"\U0001f600":2,"\ufb33":1}'


def test_text_is_escaped_only_where_it_must_be() -> None:
    # RFC 8785 section 3.2.2.2
    value = '\u20ac$\x0f\nA\'B"\\\\"/\x7f'
    assert canonical_bytes(value).decode() == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f"'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (-7, "-7"),
        (2**53 - 1, "9007199254740991"),
        (-(2**53) + 1, "-9007199254740991"),
        (Decimal("1.10"), '"1.10"'),
        (Decimal("-0"), '"-0"'),
        ((), "[]"),
        ([1, (2,)], "[1,[2]]"),
        (Colour.RED, '"red"'),
        (Level.HIGH, "3"),
        (dt.date(2025, 3, 1), '"2025-03-01"'),
        (dt.time(9, 30), '"09:30:00"'),
        (dt.datetime(2025, 3, 1, 9, tzinfo=dt.UTC), '"2025-03-01T09:00:00+00:00"'),
        (Point(y=1, x=2), '{"x":2,"y":1}'),
        (MappingProxyType({"k": Point(y=1, x=2)}), '{"k":{"x":2,"y":1}}'),
    ],
    ids=repr,
)
def test_each_kind_of_value_has_its_one_form(value: object, text: str) -> None:
    assert canonical_bytes(value).decode() == text


def test_an_instant_keeps_the_offset_of_its_moment() -> None:
    zone = ZoneInfo("Europe/Berlin")
    summer = dt.datetime(2025, 10, 26, 2, 30, tzinfo=zone)
    assert to_json(summer) == "2025-10-26T02:30:00+02:00"
    assert to_json(summer.replace(fold=1)) == "2025-10-26T02:30:00+01:00"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (1.0, "$"),
        ({"a": [0, float("nan")]}, "$.a[1]"),
        ({"a": 2**53}, "$.a"),
        (-(2**53), "$"),
        ([dt.datetime(2025, 1, 1)], "$[0]"),  # noqa: DTZ001 - naive on purpose
        ({"a": {1: "x"}}, "$.a"),
        (({"b": {1, 2}},), "$[0].b"),
        (b"bytes", "$"),
        (Point, "$"),
        ({"p": Point(y=1, x=0.5)}, "$.p.x"),  # type: ignore[arg-type]  # that is the point
    ],
    ids=repr,
)
def test_what_could_differ_between_machines_is_refused_with_its_place(
    value: object, path: str
) -> None:
    with pytest.raises(CanonicalError) as caught:
        canonical_bytes(value)
    assert caught.value.path == path


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(CanonicalError):
        canonical_bytes("\ud800")


def test_the_digest_is_that_of_the_bytes() -> None:
    empty_object = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert digest({}) == empty_object


def test_a_change_in_any_field_changes_the_digest() -> None:
    day = dt.datetime(2025, 3, 3, 9, tzinfo=dt.UTC)
    assert digest(make_event("Stand-up", day)) == digest(make_event("Stand-up", day))
    assert digest(make_event("Stand-up", day)) != digest(make_event("Stand-up", day, busy=False))


PLAIN: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(string.printable, max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(PLAIN)
def test_canonical_json_reads_back_as_the_value_and_is_its_own_canonical_form(value: Json) -> None:
    once = canonical_bytes(value)
    assert json.loads(once) == value
    assert canonical_bytes(json.loads(once)) == once


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@given(st.recursive(PLAIN, lambda inner: st.dictionaries(ANY_TEXT, inner, max_size=6)))
def test_the_bytes_are_those_of_another_implementation(value: Json) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


def test_an_object_that_stands_in_a_value_many_times_is_written_each_time() -> None:
    point = Point(y=1, x=2)
    assert canonical_bytes([point, point]).decode() == '[{"x":2,"y":1},{"x":2,"y":1}]'


@given(st.dictionaries(st.text(string.ascii_letters), st.integers(0, 9)), st.randoms())
def test_the_order_of_insertion_does_not_matter(value: dict[str, int], random: object) -> None:
    items = list(value.items())
    random.shuffle(items)  # type: ignore[attr-defined]  # hypothesis' own Random
    assert canonical_bytes(dict(items)) == canonical_bytes(value)
