"""JSON that readers could understand differently is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.jobs.strict_json import DEEPEST, read_strict_json


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}', '[{"b": {"a": 1, "\\u0061": 2}}]', "NaN", "[Infinity]", "[-Infinity]",
        "1e999", "-1e999", "9" * 5_000, '"\\ud800"', '{"\\udfff": 1}', "[" * 100_000,
        "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "", "{", "{} {}", "'a'",
        b"\xff", b'"\xed\xa0\x80"',
    ],
)  # fmt: skip
def test_what_is_no_sound_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_strict_json(text)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)  # fmt: skip


@given(_VALUES)
def test_sound_json_is_read_as_it_was_written(value: object) -> None:
    assert read_strict_json(json.dumps(value)) == value
    assert read_strict_json(json.dumps(value, ensure_ascii=False).encode()) == value
