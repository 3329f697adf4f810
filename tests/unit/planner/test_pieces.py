from __future__ import annotations

import dataclasses
import datetime as dt

import pytest

from iris_harness.contracts.day import DayPreferences, EnergyWindow, TimeSpan, Todo
from iris_harness.planner import build_daily_plan, build_range
from tests.unit.planner.samples import (
    DAY,
    at,
    block_called,
    blocks_of,
    event,
    preferences,
    snapshot,
    todo,
)

OFFICE = preferences(("09:00", "17:00"))
MIDDAY = event("Meeting", "10:00", "16:00")


def splittable(summary: str, minutes: int, chunk: int, due: dt.date | None = DAY) -> Todo:
    return dataclasses.replace(todo(summary, due, minutes=minutes), chunk_minutes=chunk)


def high(*spans: tuple[str, str]) -> DayPreferences:
    hours = tuple(
        TimeSpan(start=dt.time.fromisoformat(start), end=dt.time.fromisoformat(end))
        for start, end in spans
    )
    return dataclasses.replace(OFFICE, energy_windows=(EnergyWindow(energy="high", spans=hours),))


def test_a_todo_is_split_only_where_it_fits_in_no_gap_as_a_whole() -> None:
    whole = build_daily_plan(snapshot(todos=[splittable("a", 120, 30)]), OFFICE)
    split = build_daily_plan(snapshot([MIDDAY], [splittable("a", 120, 30)]), OFFICE)

    assert blocks_of(whole) == [("a", "09:00", "11:00")]
    assert blocks_of(split) == [("a", "09:00", "10:00"), ("a", "16:00", "17:00")]
    assert [one.reason for one in split.blocks] == [
        "due today; part 1 of 2",
        "due today; part 2 of 2",
    ]


def test_no_piece_is_shorter_than_the_least_one() -> None:
    gaps = [event("A", "09:20", "16:00"), event("B", "16:45", "17:00")]
    plan = build_daily_plan(snapshot(gaps, [splittable("a", 60, 30)]), OFFICE)

    assert blocks_of(plan) == [("a", "16:00", "16:30")]
    assert plan.unplaced[0].missing_minutes == 30


def test_what_has_no_room_is_given_what_there_is_and_the_rest_is_listed() -> None:
    plan = build_daily_plan(snapshot([MIDDAY], [splittable("a", 600, 30)]), OFFICE)

    assert blocks_of(plan) == [("a", "09:00", "10:00"), ("a", "16:00", "17:00")]
    (item,) = plan.unplaced
    assert item.reason == "there is room for 2 h of the 10 h it needs"
    assert item.missing_minutes == 480
    assert item.would_fit_if == "it took 2 h at most"


def test_the_preferred_piece_is_for_todos_that_say_nothing() -> None:
    wishes = dataclasses.replace(OFFICE, chunk_minutes=30)
    todos = [todo("a", DAY, minutes=120), splittable("b", 120, 0)]

    plan = build_daily_plan(snapshot([MIDDAY], todos), wishes)

    assert {block[0] for block in blocks_of(plan)} == {"a"}


def test_a_range_goes_on_with_what_is_left() -> None:
    days = [
        snapshot(todos=[splittable("a", 600, 60, None)], day=DAY.replace(day=day), now=at("07:00"))
        for day in (12, 13)
    ]

    first, second = (day.plan for day in build_range(days, OFFICE))

    assert blocks_of(first) == [("a", "09:00", "17:00")]
    assert blocks_of(second) == [("a", "09:00", "11:00")]


@pytest.mark.parametrize(
    ("earliest", "latest", "block"),
    [
        (dt.time(10), None, ("10:00", "11:00")),
        (None, dt.time(10), ("09:00", "10:00")),
        (dt.time(13, 7), dt.time(15), ("13:10", "14:10")),
        (None, dt.time(0), ("09:00", "10:00")),
    ],
)
def test_a_todo_keeps_to_its_own_times_of_day(
    earliest: dt.time | None, latest: dt.time | None, block: tuple[str, str]
) -> None:
    given = dataclasses.replace(todo("a", DAY, minutes=60), earliest=earliest, latest=latest)

    plan = build_daily_plan(snapshot(todos=[given]), OFFICE)

    assert blocks_of(plan) == [("a", *block)]


def test_its_times_are_part_of_why_a_block_is_there() -> None:
    given = dataclasses.replace(
        todo("a", DAY, minutes=60), earliest=dt.time(10), latest=dt.time(12)
    )

    plan = build_daily_plan(snapshot(todos=[given]), OFFICE)

    assert block_called(plan, "a").reason == "due today; not before 10:00, done by 12:00"


def test_a_todo_that_can_be_done_before_a_time_only_is_not_placed_after_it() -> None:
    given = dataclasses.replace(todo("a", DAY, minutes=60), latest=dt.time(10))

    plan = build_daily_plan(snapshot([event("Call", "09:00", "09:30")], [given]), OFFICE)

    assert plan.unplaced[0].reason == (
        "it needs 1 h; the longest gap left for it before 10:00 is 30 min"
    )


def test_energy_is_done_in_its_hours() -> None:
    given = dataclasses.replace(todo("think", DAY, minutes=60), energy="high")

    plan = build_daily_plan(
        snapshot(todos=[given, todo("sort", DAY, priority=9)]), high(("10:00", "12:00"))
    )

    assert blocks_of(plan) == [("sort", "09:00", "09:30"), ("think", "10:00", "11:00")]
    assert block_called(plan, "think").reason == "due today; in high energy hours"


def test_an_energy_without_hours_is_placed_anywhere_and_said_once() -> None:
    todos = [dataclasses.replace(todo(name, DAY), energy="low") for name in "ab"]

    plan = build_daily_plan(snapshot(todos=todos), OFFICE)

    assert [block[0] for block in blocks_of(plan)] == ["a", "b"]
    (warning,) = plan.warnings
    assert warning == (
        '"a" and "b" ask for low energy, for which no hours are set (planning.energy), '
        "so any time will do"
    )


def test_an_energy_with_no_time_at_all_is_never_placed_and_that_is_said() -> None:
    given = dataclasses.replace(todo("think", DAY), energy="high")

    plan = build_daily_plan(snapshot(todos=[given]), high())

    assert plan.blocks == ()
    assert plan.warnings == ('"think" can be done at no time of this day: in high energy hours',)
