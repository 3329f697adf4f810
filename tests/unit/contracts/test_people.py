"""Who is who: merging cards of one person, and finding whom a name means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.people import merge_contacts
from iris_harness.contracts.resolution import Match, resolve_name
from iris_harness.testing import make_contact

ADA = make_contact("Ada King", nicknames=["Countess"], emails=["ada@example.org"])
ADAM = make_contact("Adam Berg")
JOERG = make_contact("Jörg Müller")
LUKASZ = make_contact("Łukasz Nowak")
ANNE = make_contact("Anne-Marie O'Brien")
JOSE = make_contact("José Ruiz")
JOSEFA = make_contact("Jose Lopez")
EVERYBODY = (ADA, ADAM, JOERG, LUKASZ, ANNE, JOSE, JOSEFA)


@pytest.mark.parametrize(
    ("said", "match", "names"),
    [
        ("Ada King", Match.EXACT, ["Ada King"]),
        ("  ada   KING ", Match.EXACT, ["Ada King"]),
        ("countess", Match.EXACT, ["Ada King"]),
        ("ADA@example.org", Match.EXACT, ["Ada King"]),
        ("Jo\u0308rg Mu\u0308ller", Match.EXACT, ["Jörg Müller"]),
        ("jorg muller", Match.UNIQUE, ["Jörg Müller"]),
        ("Joerg Mueller", Match.UNIQUE, ["Jörg Müller"]),
        ("Lukasz", Match.UNIQUE, ["Łukasz Nowak"]),
        ("ada", Match.UNIQUE, ["Ada King"]),
        ("King, Ada", Match.UNIQUE, ["Ada King"]),
        ("berg", Match.UNIQUE, ["Adam Berg"]),
        ("Marie", Match.UNIQUE, ["Anne-Marie O'Brien"]),
        ("anne marie obrien", Match.UNIQUE, ["Anne-Marie O'Brien"]),
        ("Ki", Match.UNIQUE, ["Ada King"]),
        ("a ki", Match.UNIQUE, ["Ada King"]),
        ("ad", Match.AMBIGUOUS, ["Ada King", "Adam Berg"]),
        ("jose", Match.AMBIGUOUS, ["Jose Lopez", "José Ruiz"]),
        ("Ada Berg", Match.UNIQUE, ["Adam Berg"]),
        ("Ada Nowak", Match.UNKNOWN, []),
        ("ng", Match.UNKNOWN, []),
        ("bea@example.org", Match.UNKNOWN, []),
        ("", Match.UNKNOWN, []),
        ("?!", Match.UNKNOWN, []),
    ],
)
def test_a_name_means_whom_it_fits_best_and_nobody_by_guess(
    said: str, match: Match, names: list[str]
) -> None:
    found = resolve_name(said, EVERYBODY)
    assert (found.match, [contact.name for contact in found.candidates]) == (match, names)
    assert found.name == said
    assert found.contact == (found.candidates[0] if len(names) == 1 else None)


def test_two_people_of_the_same_name_are_never_picked_from() -> None:
    old, young = (
        make_contact("Karl Gruber", birthday=(1950, 5, 1), uid="1"),
        make_contact("Karl Gruber", birthday=(1980, 5, 1), uid="2"),
    )
    found = resolve_name("Karl Gruber", (young, old))
    assert (found.match, found.candidates) == (Match.AMBIGUOUS, (old, young))


def _names(*cards: Contact) -> list[str]:
    return [contact.name for contact in merge_contacts(cards)]


def test_one_person_in_two_books_is_one_with_all_that_both_say() -> None:
    here = make_contact(
        "Ada King", birthday=(None, 12, 10), emails=["ada@example.org"], book="a", uid="1"
    )
    there = make_contact(
        "ADA KING",
        birthday=(1990, 12, 10),
        emails=["ADA@example.org", "k@example.org"],
        book="b",
        uid="2",
    )
    (merged,) = merge_contacts([there, here])
    assert (merged.name, merged.source.source) == ("Ada King", "a")
    assert merged.emails == ("ada@example.org", "k@example.org")
    assert [(date.year, date.month, date.day) for date in merged.dates] == [(1990, 12, 10)]


def test_what_two_cards_share_decides_whether_they_are_one_person() -> None:
    def ada(**more: object) -> Contact:
        return replace(make_contact("Ada King", uid=""), **more)  # type: ignore[arg-type]  # any field

    born = make_contact("X", birthday=(1990, 12, 10)).dates
    other_source = make_contact("X", book="b").source
    assert _names(ada(uid="1"), ada(uid="1", source=other_source)) == ["Ada King"]
    assert _names(ada(dates=born), ada(dates=born, source=other_source)) == ["Ada King"]
    assert len(_names(ada(), ada(source=other_source))) == 2
    assert len(_names(ada(uid="1"), ada(uid="2", source=other_source))) == 2
    renamed = replace(ada(uid="1", dates=born, source=other_source), name="Ada Byron")
    assert _names(ada(uid="1", dates=born), renamed) == ["Ada Byron"]
    assert len(_names(ada(uid="1"), renamed)) == 2
    assert len(_names(ada(uid="2", dates=born), renamed)) == 2


def test_a_person_who_changed_names_is_found_by_both() -> None:
    before = make_contact("Ada Byron", birthday=(1990, 12, 10), book="a", uid="1")
    after = make_contact("Ada King", birthday=(1990, 12, 10), book="b", uid="1")
    people = merge_contacts([before, after])
    assert len(people) == 1
    assert resolve_name("Ada King", people).contact == people[0]
    assert resolve_name("Ada Byron", people).contact == people[0]


def test_father_and_son_with_one_name_and_day_stay_two_whatever_a_third_card_leaves_open() -> None:
    cards = [
        make_contact("Karl Gruber", birthday=(year, 5, 1), uid=str(year))
        for year in (1950, 1980, None)
    ]
    assert len(merge_contacts(cards)) == 3
    assert len(merge_contacts(cards[1:])) == 1
