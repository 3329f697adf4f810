from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from iris_harness.contracts.contacts import Contact, PersonDate
from iris_harness.contracts.day import DayPreferences, OccasionKind
from iris_harness.contracts.ports import SourcePorts
from iris_harness.contracts.sources import SourceState
from iris_harness.planner import build_daily_plan
from iris_harness.planner.birthdays import find_birthdays
from iris_harness.planner.snapshot import read_snapshots
from iris_harness.testing import MemoryContacts, make_contact
from tests.unit.planner.samples import DAY, VIENNA, at, birthday, snapshot

MARCH_12 = DAY  # 2025, a common year


def _years(born: tuple[int | None, int, int], day: dt.date) -> list[int | None]:
    return [found.years for found in find_birthdays([make_contact("Ada", birthday=born)], day)]


@pytest.mark.parametrize(
    ("born", "day", "years"),
    [
        ((1990, 3, 12), "2025-03-12", [35]),
        ((None, 3, 12), "2025-03-12", [None]),
        ((2025, 3, 12), "2025-03-12", [0]),
        ((2026, 3, 12), "2025-03-12", []),
        ((1990, 3, 12), "2025-03-11", []),
        ((1990, 3, 12), "2025-04-12", []),
        ((1992, 2, 29), "2024-02-29", [32]),
        ((1992, 2, 29), "2024-02-28", []),
        ((1992, 2, 29), "2024-03-01", []),
        ((1992, 2, 29), "2025-02-28", [33]),
        ((1992, 2, 29), "2025-03-01", []),
        ((None, 2, 29), "1900-02-28", [None]),
        ((None, 2, 29), "2000-02-28", []),
        ((1990, 12, 31), "9999-12-31", [8009]),
    ],
)
def test_a_birthday_falls_on_its_day_and_29_february_never_gets_lost(
    born: tuple[int | None, int, int], day: str, years: list[int | None]
) -> None:
    assert _years(born, dt.date.fromisoformat(day)) == years


def test_all_days_of_a_person_are_listed_each_with_what_it_is() -> None:
    kinds = (OccasionKind.OTHER, OccasionKind.ANNIVERSARY, OccasionKind.BIRTHDAY)
    dates = tuple(PersonDate(kind=kind, month=3, day=12, label=kind.value) for kind in kinds)
    found = find_birthdays([replace(make_contact("Ada"), dates=dates)], MARCH_12)
    assert [(one.kind, one.label) for one in found] == [
        (OccasionKind.BIRTHDAY, "birthday"),
        (OccasionKind.ANNIVERSARY, "anniversary"),
        (OccasionKind.OTHER, "other"),
    ]


def _ada(book: str, uid: str) -> Contact:
    return make_contact("Ada King", birthday=(1990, 3, 12), book=book, uid=uid)


def test_a_person_of_two_books_is_listed_once_and_every_book_says_how_it_was_read() -> None:
    ports = SourcePorts(
        contacts=(
            MemoryContacts(name="b", contacts=(_ada("b", "1"),), warnings=("b: odd",)),
            MemoryContacts(name="a", contacts=(_ada("a", "2"),)),
            MemoryContacts(name="c", failure="does not exist"),
        )
    )
    days = [DAY, DAY.replace(day=13)]
    today, tomorrow = read_snapshots(ports, days, VIENNA, at("08:00"))
    plan = build_daily_plan(today, DayPreferences())
    assert [(one.person, str(one.source)) for one in plan.birthdays] == [("Ada King", "a: 2")]
    assert [(one.name, one.state) for one in plan.sources] == [
        ("a", SourceState.OK),
        ("b", SourceState.OK),
        ("c", SourceState.FAILED),
    ]
    assert plan.warnings == ("b: odd",)
    assert tomorrow.birthdays == ()


def test_birthdays_are_part_of_the_plans_id_and_their_order_is_not() -> None:
    both = [birthday("Ada"), birthday("Bea", year=1990)]
    plans = [
        build_daily_plan(snapshot(birthdays=given), DayPreferences())
        for given in (both, [*reversed(both), birthday("Ada")], both[:1])
    ]
    assert plans[0] == plans[1]
    assert plans[0].plan_id != plans[2].plan_id
    assert [one.person for one in plans[0].birthdays] == ["Ada", "Bea"]


def test_who_lives_comes_before_who_is_remembered() -> None:
    given = [birthday("Ada", is_deceased=True), birthday("Bea")]
    plan = build_daily_plan(snapshot(birthdays=given), DayPreferences())
    assert [one.person for one in plan.birthdays] == ["Bea", "Ada"]
