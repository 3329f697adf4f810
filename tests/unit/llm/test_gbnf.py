"""Grammars: literals are kept to the letter. `tests/contract` has llama.cpp read them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.llm.gbnf import (
    choice,
    choice_grammar,
    dag_grammar,
    grammar,
    json_literal,
    literal,
)

_ESCAPE = re.compile(r"\\(?:u([0-9A-F]{4})|U([0-9A-F]{8})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def read(expression: str) -> str:
    """Return the text of a literal, as llama.cpp's parser reads it."""
    body = expression[1:-1]
    assert expression == f'"{body}"'
    assert not re.sub(_ESCAPE, "", body).count('"')
    return _ESCAPE.sub(
        lambda found: _NAMED[found[3]] if found[3] else chr(int(found[1] or found[2], 16)), body
    )


@given(TEXTS)
def test_a_literal_is_read_as_the_text_it_was_made_of(text: str) -> None:
    written = literal(text)
    assert written.isascii()
    assert written.isprintable()
    assert read(written) == text


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_no_grammar_can_hold_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        literal(text)


def test_a_text_of_json_is_written_in_one_spelling() -> None:
    assert read(json_literal('a "b" ü')) == '"a \\"b\\" ü"'


def test_a_choice_needs_something_to_choose_from() -> None:
    assert choice(["a", "b"]) == '"a" | "b"'
    with pytest.raises(ValueError, match="choose"):
        choice([])


def test_a_grammar_begins_with_root_and_has_names_that_are_names() -> None:
    assert choice_grammar(["a"]) == 'root ::= "a"\n'
    with pytest.raises(ValueError, match="root"):
        grammar({"leaf": '"a"'})
    with pytest.raises(ValueError, match="'b c'"):
        grammar({"root": "b", "b c": '"a"'})


@pytest.mark.parametrize("ids", [[], ["a", "a"]])
def test_a_graph_has_nodes_with_different_ids(ids: list[str]) -> None:
    with pytest.raises(ValueError, match="ids"):
        dag_grammar(ids, {})


def test_every_rule_of_a_graph_is_there_and_none_is_idle() -> None:
    text = dag_grammar([f"w{n}" for n in range(12)], {"task": '"x"'})
    rules = dict(line.split(" ::= ", 1) for line in text.splitlines())
    bare = {name: re.sub(r'"(?:[^"\\]|\\.)*"', "", rule) for name, rule in rules.items()}
    used = set(re.findall(r"[a-z]+(?:-\d+)+", " ".join(bare.values()))) | {"root"}
    assert used == set(rules)
    assert len(rules) < 12 * 12
