from __future__ import annotations

import string

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.config.document import Value, dotted, parse_document

PLAIN = {
    "no": "no",
    "on": "on",
    "true": True,
    "FALSE": False,
    "5": 5,
    "-5": -5,
    "007": "007",
    "1_000": "1_000",
    "0x1f": "0x1f",
    "09:00": "09:00",
    "12:30:45": "12:30:45",
    "2025-01-01": "2025-01-01",
    "1.5": 1.5,
    "1e3": "1e3",
    ".inf": ".inf",
    "'5'": "5",
    '"true"': "true",
    "null": None,
    "~": None,
    "": None,
    "99999999999999999999": "99999999999999999999",
}


@pytest.mark.parametrize(("text", "value"), PLAIN.items(), ids=PLAIN.keys())
def test_a_plain_value_is_what_it_looks_like(text: str, value: Value) -> None:
    document = parse_document(f"key: {text}\n", "file")
    assert document.value == {"key": value}
    assert document.problems == ()


def test_every_key_and_entry_knows_its_line() -> None:
    document = parse_document("a:\n  b: 1\n  c:\n  - x\n  - y: 2\n", "file")
    lines = {dotted(path): origin.line for path, origin in document.origins.items() if path}
    assert lines == {"a": 1, "a.b": 2, "a.c": 3, "a.c.0": 4, "a.c.1": 5, "a.c.1.y": 5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &x [*x]\n", "file:1: a.0: the value contains itself"),
        ("a: !!python/object:os.system x\n", "means nothing here"),
        ("? [a]\n: 1\n", "a key is a list or a mapping"),
        ("a: 1\n---\nb: 1\n", "not valid YAML: but found another document"),
        ("a: \x07\n", "not valid YAML: special characters are not allowed"),
        ("[" * 5000, "nested too deep"),
        ("a:\n\t- b\n", "not valid YAML: found character '\\t'"),
    ],
    ids=["itself", "tag", "key", "documents", "control", "depth", "tab"],
)
def test_what_settings_cannot_say_is_a_problem(text: str, message: str) -> None:
    (problem,) = parse_document(text, "file").problems
    assert message in str(problem)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_no_text_makes_the_parser_raise(text: str) -> None:
    parse_document(text, "file")


@given(st.text(alphabet=string.printable, max_size=40))
def test_any_text_in_quotes_is_that_text(text: str) -> None:
    quoted = yaml.safe_dump({"key": text}, default_style='"')
    assert parse_document(quoted, "file").value == {"key": text}
