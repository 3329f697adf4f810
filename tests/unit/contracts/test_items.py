from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.items import find_item, item_number

GENERIC = frozenset({"the", "my", "appointment", "todo"})


@dataclass(frozen=True)
class Thing:
    title: str
    keys: tuple[str, ...] = ()


THINGS = (
    Thing("Buy milk", ("uid-1", "line 1")),
    Thing("Buy bread"),
    Thing("Milk the cow"),
    Thing("Café Müller"),
    Thing("Plan"),
    Thing("Plan the party"),
    Thing("Dentist"),
)


def titles(words: str) -> list[str]:
    return [thing.title for thing in find_item(words, THINGS, GENERIC).found]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("uid-1", ["Buy milk"]),
        ("line 1", ["Buy milk"]),
        ("buy MILK", ["Buy milk"]),
        ("  buy   milk ", ["Buy milk"]),
        ("plan", ["Plan"]),  # a whole title goes before titles that only begin so
        ("party", ["Plan the party"]),
        ("bread buy", ["Buy bread"]),
        ("bu br", ["Buy bread"]),
        ("cafe muller", ["Café Müller"]),
        ("CAFÉ MUELLER", ["Café Müller"]),
        ("mueller", ["Café Müller"]),
        ("my dentist appointment", ["Dentist"]),
        ("the bread", ["Buy bread"]),
        ("buy", ["Buy milk", "Buy bread"]),
        ("milk", ["Buy milk", "Milk the cow"]),  # its beginning is no better than a word of it
        ("the", ["Milk the cow", "Plan the party"]),
        ("read", []),
        ("", []),
        ("  ", []),
        ("?!", []),
    ],
)
def test_words_mean_what_they_fit_by_the_first_rule_that_fits_anything(
    words: str, found: list[str]
) -> None:
    assert titles(words) == found


def test_whole_words_go_before_beginnings_and_generic_words_tell_nothing() -> None:
    things = (Thing("Call Anna"), Thing("Callback form"), Thing("The form"), Thing("My plan!"))

    def meant(words: str) -> list[str]:
        return [thing.title for thing in find_item(words, things, GENERIC).found]

    assert meant("call") == ["Call Anna"]
    assert meant("cal") == ["Call Anna", "Callback form"]
    assert meant("form") == ["The form"]
    assert meant("the plan") == ["My plan!"]


def test_what_fits_nothing_names_the_most_similar() -> None:
    assert find_item("buy mlik", THINGS).nearest[0].title == "Buy milk"
    assert [thing.title for thing in find_item("dentits", THINGS).nearest] == ["Dentist"]
    assert find_item("zzz", THINGS).nearest == ()


@pytest.mark.parametrize(
    ("words", "number"),
    [("3", 3), ("#3", 3), (" 12 ", 12), ("3 eggs", None), ("", None), ("-3", None), ("²", None),
     ("9999999", None)],
)  # fmt: skip
def test_a_number_is_a_number_alone(words: str, number: int | None) -> None:
    assert item_number(words) == number


@given(st.lists(st.text(), max_size=8), st.text())
def test_any_text_is_answered_and_a_whole_title_always_fits(names: list[str], words: str) -> None:
    things = tuple(map(Thing, names))
    match = find_item(words, things)
    assert set(match.found) <= set(things)
    for thing in things:
        if thing.title.strip():
            assert thing in find_item(thing.title, things).found
