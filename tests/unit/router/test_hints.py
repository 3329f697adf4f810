from __future__ import annotations

import re

import pytest

from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_router.hints import parse_hints
from iris_router.loading import load_known_intents


def test_fragments_continuations_and_comments_are_resolved() -> None:
    text = (
        "# note\n<part> = (?:morning|\n  noon)\n<mine> = my <part>\n\n[a.b]\n^<mine>\n  $\n[c]\nx\n"
    )
    rules = parse_hints(text)
    assert [rule.pattern for rule in rules["a.b"]] == ["^my (?:morning|noon)$"]
    assert [rule.pattern for rule in rules["c"]] == ["x"]


@pytest.mark.parametrize("text", ["[a]\n<unknown>", "pattern before a section"])
def test_a_broken_file_of_hints_is_refused(text: str) -> None:
    with pytest.raises(KeyError):
        parse_hints(text)


def test_all_intents_of_the_corpus_have_names_and_patterns_that_compile() -> None:
    known = load_known_intents()
    assert {one.name for one in known} == {
        "planner", "plan.explain", "calendar.query", "calendar.create", "calendar.change",
        "todo.query", "todo.add", "todo.change", "reminder.set", "email.query", "email.send",
        "finance.query", "time.query", "weather.query", "job.submit", "chat", OUT_OF_SCOPE,
    }  # fmt: skip
    for one in known:
        assert one.rules
        assert all(re.compile(rule.pattern) for rule in one.rules)
        assert bool(one.description) == bool(one.agent) == (one.name != OUT_OF_SCOPE)
    assert [one.priority for one in known] == sorted((one.priority for one in known), reverse=True)
