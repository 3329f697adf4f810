"""The checker of schemas beside jsonschema, the peer."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.errors import ModelRefusedError
from iris_harness.llm.schemas import find_problem
from tests.support import examples

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from("abc"),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    kinds = st.sampled_from("null boolean integer number string array object".split())  # noqa: SIM905 - shorter
    small = st.integers(0, 3)
    several = st.lists(inner, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(kinds, st.lists(kinds, min_size=1, max_size=3, unique=True)),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "minimum": st.integers(-2, 2),
            "exclusiveMaximum": st.integers(-2, 2),
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "minLength": small,
            "maxLength": small,
            "pattern": st.sampled_from(["a", "^b$", "[ab]c"]),
            "minItems": small,
            "maxItems": small,
            "uniqueItems": st.booleans(),
            "items": inner,
            "prefixItems": several,
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "minProperties": small,
            "maxProperties": small,
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "description": st.just("words"),
        },
    )


SCHEMAS = st.recursive(st.one_of(st.booleans(), _schemas(st.booleans())), _schemas, max_leaves=4)


@settings(max_examples=examples(300))
@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)), VALUES)
def test_it_allows_what_jsonschema_allows(schema: dict[str, Any], value: object) -> None:
    allowed = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert (find_problem(value, schema) == "") == allowed


PLAN: dict[str, Any] = {
    "$defs": {"id": {"type": "string", "pattern": "^w[0-9]$"}},
    "type": "object",
    "properties": {
        "workers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"$ref": "#/$defs/id"},
                    "depends_on": {"type": "array", "items": {"$ref": "#/$defs/id"}},
                },
                "required": ["id"],
                "additionalProperties": False,
            },
        }
    },
}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"workers": [{"id": "w1"}]}, ""),
        ({"workers": [{"id": "w1"}, {}]}, "$.workers[1] has no id"),
        ({"workers": {}}, "$.workers is {}, not of type array"),
        ({"workers": [{"id": "x"}]}, '$.workers[0].id is "x", which does not match ^w[0-9]$'),
        ({"workers": [{"id": "w1", "n": 1}]}, "$.workers[0].n is not allowed"),
    ],
)
def test_a_problem_says_where_and_what(value: object, problem: str) -> None:
    assert find_problem(value, PLAN) == problem


@pytest.mark.parametrize(
    "schema",
    [{"if": {}}, {"type": "text"}, {"$ref": "http://example.org"}, {"$ref": "#/$defs/x"}],
)
def test_a_schema_that_is_not_understood_promises_nothing(schema: dict[str, Any]) -> None:
    with pytest.raises(ModelRefusedError, match="not checked"):
        find_problem("x", schema)


def test_a_schema_that_never_ends_is_a_problem_not_a_crash() -> None:
    assert "deep" in find_problem(1, {"allOf": [{"$ref": "#"}]})
