"""What the router is trained on that stands in the repository."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_router.builtin import KNOWN_INTENTS
from router_training.own import own_rows
from router_training.phrases import sample_phrases
from router_training.rows import Row, without_source
from router_training.typos import mishear, misspell

SEEDS = st.integers(0, 1000)


def slips(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - sampling, no secret


def test_the_rows_are_the_same_each_time() -> None:
    assert own_rows() == own_rows()


def test_every_intent_has_many_and_none_is_unknown() -> None:
    counts = Counter(row.intent for row in own_rows())
    assert set(counts) == set(KNOWN_INTENTS)
    assert min(counts.values()) >= 150
    assert counts.most_common(1)[0][0] == OUT_OF_SCOPE


def test_every_choice_of_a_phrase_was_made() -> None:
    rows = sample_phrases(3)
    assert all(row.text and not set(row.text) & set("()[]|") for row in rows)
    assert not [row.text for row in rows if "<" in row.text]


def test_more_sentences_are_others_and_keep_the_ones_before() -> None:
    few, many = ({row.text for row in sample_phrases(count)} for count in (2, 5))
    assert few < many


@given(text=st.text(max_size=60), seed=SEEDS)
def test_a_slip_of_the_finger_is_at_most_two_letters(text: str, seed: int) -> None:
    wrong = misspell(text, slips(seed))
    assert abs(len(wrong) - len(text)) <= 2
    assert wrong == misspell(text, slips(seed))


@given(seed=SEEDS)
def test_a_slip_of_the_ear_changes_one_word(seed: int) -> None:
    text = "buy milk for the meeting today"
    wrong = mishear(text, slips(seed))
    kept = sum(word in wrong.split() for word in text.split())
    assert wrong != text
    assert kept >= len(text.split()) - 1
    assert mishear("xyz", slips(seed)) == "xyz"


def test_a_source_can_be_left_out() -> None:
    rows = [Row(text="a", intent="chat", source=source) for source in ("leon", "own", "leon")]
    assert [row.source for row in without_source(rows, "leon")] == ["own"]


def test_what_is_right_as_well_is_accepted() -> None:
    row = Row(text="a", intent="planner", source="own", also=("todo.query",))
    assert [row.accepts(name) for name in ("planner", "todo.query", "chat")] == [True, True, False]
