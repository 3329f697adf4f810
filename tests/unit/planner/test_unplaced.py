from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.contracts.day import DailyPlan, DayPreferences
from iris_harness.planner import build_daily_plan
from tests.unit.planner.samples import DAY, at, blocks_of, event, preferences, snapshot, todo

SATURDAY = dt.date(2025, 3, 15)
OFFICE = preferences(("09:00", "17:00"))


def explained(plan: DailyPlan) -> list[tuple[str, str, str]]:
    return [(item.summary, item.reason, item.would_fit_if) for item in plan.unplaced]


def test_what_does_not_fit_says_its_need_the_longest_gap_and_what_would_help() -> None:
    plan = build_daily_plan(
        snapshot(
            [event("Workshop", "09:45", "16:30")],
            [todo("report", DAY, minutes=120)],
        ),
        OFFICE,
    )

    assert explained(plan) == [
        (
            "report",
            "it needs 2 h; the longest gap left for it is 45 min",
            "it took 45 min at most or you worked until 18:30",
        )
    ]


def test_each_change_that_is_named_would_do_by_itself() -> None:
    todos = [
        todo("first", DAY, priority=1, minutes=60),
        todo("second", DAY, priority=2, minutes=30),
    ]

    plan = build_daily_plan(snapshot([event("Workshop", "09:00", "17:00")], todos), OFFICE)

    assert explained(plan) == [
        (
            "first",
            "it needs 1 h and no working time is left for it",
            "you worked until 18:00",
        ),
        (
            "second",
            "it needs 30 min and no working time is left for it",
            "you worked until 17:30",
        ),
    ]


def test_after_hours_overtime_begins_now() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("call", DAY, minutes=20)], now=at("18:02")), OFFICE
    )

    assert explained(plan) == [
        (
            "call",
            "it needs 20 min and no working time is left for it",
            "you worked until 18:25",
        )
    ]


@pytest.mark.parametrize(("now", "name"), [(SATURDAY, "today"), (DAY, "that day")])
def test_a_day_off_is_left_a_day_off(now: dt.date, name: str) -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("call", SATURDAY)], day=SATURDAY, now=at("07:00", now)),
        DayPreferences(),
    )

    assert plan.is_day_off
    assert plan.working_hours == ()
    assert explained(plan) == [("call", f"no working hours {name}", "")]


def test_every_todo_that_waits_says_how_many_minutes_are_missing() -> None:
    todos = [todo("long", DAY, minutes=301), todo("unknown", DAY)]
    plan = build_daily_plan(
        snapshot([event("Fair", "09:00", "17:00")], todos), preferences(("09:00", "17:00"))
    )

    # Lengths are rounded up to the grid; one that is not known is the preferred one.
    assert [(item.summary, item.missing_minutes) for item in plan.unplaced] == [
        ("long", 305),
        ("unknown", 30),
    ]


def test_where_no_change_would_help_none_is_named() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("everything", DAY, minutes=100_000)], now=at("23:58")), OFFICE
    )

    assert explained(plan) == [
        ("everything", "it needs 1666 h 40 min and no working time is left for it", "")
    ]


def test_working_until_midnight_is_called_so() -> None:
    plan = build_daily_plan(
        snapshot([event("Party", "17:00", "23:30")], [todo("call", DAY)], now=at("17:30")),
        OFFICE,
    )

    assert [item.would_fit_if for item in plan.unplaced] == ["you worked until midnight"]


def test_a_start_of_its_own_is_part_of_why_it_does_not_fit() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("visit", DAY, start=at("16:20"), minutes=60)]), OFFICE
    )

    assert explained(plan) == [
        (
            "visit",
            "it needs 1 h; the longest gap left for it from 16:20 on is 40 min",
            "it took 40 min at most or you worked until 17:20",
        )
    ]


def test_what_does_not_fit_leaves_its_room_to_what_does() -> None:
    plan = build_daily_plan(
        snapshot(
            todos=[
                todo("too long", DAY, priority=1, minutes=600),
                todo("short", DAY, priority=2, minutes=30),
            ]
        ),
        OFFICE,
    )

    assert blocks_of(plan) == [("short", "09:00", "09:30")]
    assert [item.summary for item in plan.unplaced] == ["too long"]


def test_overtime_is_named_that_helps_when_others_move_for_it() -> None:
    busy = event("Workshop", "09:00", "16:40")
    todos = [
        todo("long", DAY, priority=1, minutes=60, start=at("16:50")),
        todo("middle", DAY, priority=2, minutes=20),
        todo("short", DAY, priority=3, minutes=10),
    ]

    plan = build_daily_plan(snapshot([busy], todos), OFFICE)

    assert blocks_of(plan) == [("middle", "16:40", "17:00")]
    assert [(item.summary, item.would_fit_if) for item in plan.unplaced] == [
        ("long", "you worked until 17:50"),
        ("short", "you worked until 17:10"),
    ]
