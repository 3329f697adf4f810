from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.contracts.day import DailyPlan, DayPreferences, Todo
from iris_harness.planner import build_daily_plan
from tests.unit.planner.samples import DAY, at, snapshot, todo

MARCH = DAY.replace


def planned(*todos: Todo, now: dt.datetime | None = None, day: dt.date = DAY) -> DailyPlan:
    return build_daily_plan(snapshot(todos=todos, now=now, day=day), DayPreferences())


def due(plan: DailyPlan) -> list[str]:
    return [item.todo.summary for item in plan.todos]


def reason(item: Todo, now: dt.datetime | None = None, day: dt.date = DAY) -> str:
    plan = planned(item, now=now or at("07:00"), day=day)
    (listed,) = [*plan.todos, *plan.backlog]
    return listed.reason


def test_todos_are_those_due_by_the_end_of_the_day_and_the_rest_is_backlog() -> None:
    plan = planned(
        todo("last year", dt.date(2024, 3, 12)),
        todo("today", DAY),
        todo("tonight", at("23:59")),
        todo("at midnight", at("00:00", MARCH(day=13))),
        todo("tomorrow", MARCH(day=13)),
        todo("some day"),
    )

    assert due(plan) == ["last year", "tonight", "today"]
    assert [item.todo.summary for item in plan.backlog] == ["at midnight", "tomorrow", "some day"]


def test_among_todos_due_on_a_date_priority_decides_and_undefined_comes_last() -> None:
    plan = planned(
        todo("undefined", DAY),
        todo("four", DAY, priority=4),
        todo("nine", DAY, priority=9),
        todo("one", DAY, priority=1),
    )

    assert due(plan) == ["one", "four", "nine", "undefined"]


def test_priority_zero_and_out_of_range_are_undefined() -> None:
    plan = planned(todo("a", DAY, priority=0), todo("b", DAY, priority=12))

    assert [item.todo.priority for item in plan.todos] == [None, None]


def test_overdue_comes_before_due_and_a_due_time_before_the_end_of_the_day() -> None:
    plan = planned(
        todo("by tonight", DAY, priority=1),
        todo("at three", at("15:00")),
        todo("yesterday", MARCH(day=11)),
        todo("last week", MARCH(day=5)),
    )

    assert due(plan) == ["last week", "yesterday", "at three", "by tonight"]


def test_equal_todos_stand_by_age_then_summary_then_source() -> None:
    plan = planned(
        todo("b", DAY, list_name="z", uid="1"),
        todo("b", DAY, list_name="a", uid="2"),
        todo("a", DAY),
        todo("young", DAY, created_on=MARCH(day=2)),
        todo("old", DAY, created_on=MARCH(day=1)),
    )

    assert [(item.todo.summary, item.todo.list_name) for item in plan.todos] == [
        ("old", "list"),
        ("young", "list"),
        ("a", "list"),
        ("b", "a"),
        ("b", "z"),
    ]


@pytest.mark.parametrize(
    ("due_by", "now", "day", "overdue"),
    [
        pytest.param(DAY, at("23:59"), DAY, False, id="a-date-not-before-its-day-is-over"),
        pytest.param(at("15:00"), at("15:00"), DAY, False, id="a-time-not-at-the-time-itself"),
        pytest.param(at("15:00"), at("15:01"), DAY, True, id="a-time-a-minute-later"),
        pytest.param(MARCH(day=11), at("07:00"), DAY, True, id="yesterday"),
        pytest.param(
            MARCH(day=13), at("07:00"), MARCH(day=14), True, id="by-the-start-of-a-day-to-come"
        ),
        pytest.param(
            MARCH(day=14), at("07:00"), MARCH(day=14), False, id="on-the-day-to-come-itself"
        ),
        pytest.param(MARCH(day=10), at("07:00"), MARCH(day=10), True, id="a-past-day-as-of-now"),
    ],
)
def test_overdue_is_as_of_now_or_of_the_start_of_a_day_to_come(
    due_by: dt.date, now: dt.datetime, day: dt.date, *, overdue: bool
) -> None:
    (item,) = planned(todo("it", due_by), now=now, day=day).todos

    assert item.overdue is overdue


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (todo("it", at("15:00"), priority=1), "due today at 15:00, priority 1"),
        (todo("it", DAY), "due today"),
        (todo("it", MARCH(day=11)), "overdue since yesterday"),
        (todo("it", MARCH(day=3), priority=2), "overdue since Mon 3 March, priority 2"),
        (todo("it", dt.date(2023, 12, 31)), "overdue since Sun 31 December 2023"),
        (todo("it", at("06:30")), "overdue since today at 06:30"),
        (todo("it", MARCH(day=13)), "due tomorrow"),
        (todo("it", at("09:00", MARCH(day=20))), "due on Thu 20 March at 09:00"),
        (todo("it"), "no due date"),
        (todo("it", created_on=MARCH(day=1)), "no due date, noted on Sat 1 March"),
        (todo("it", start=MARCH(day=14)), "not before Fri 14 March, no due date"),
        (
            todo("it", MARCH(day=20), start=at("08:00", MARCH(day=13))),
            "not before tomorrow at 08:00, due on Thu 20 March",
        ),
    ],
)
def test_each_todo_says_why_it_stands_where_it_stands(item: Todo, expected: str) -> None:
    assert reason(item) == expected


@pytest.mark.parametrize(
    ("item", "now", "expected"),
    [
        pytest.param(todo("it", DAY), MARCH(day=10), "due that day", id="the-day-itself"),
        pytest.param(
            todo("it", at("12:00"), priority=1),
            MARCH(day=11),
            "due that day at 12:00, priority 1",
            id="a-time-of-the-day-itself",
        ),
        pytest.param(
            todo("it", MARCH(day=11)),
            MARCH(day=11),
            "due on Tue 11 March, overdue by that day",
            id="late-between-now-and-the-day",
        ),
        pytest.param(
            todo("it", MARCH(day=10)),
            MARCH(day=11),
            "overdue since Mon 10 March",
            id="late-already",
        ),
        pytest.param(
            todo("it", MARCH(day=13), start=at("08:00", MARCH(day=13))),
            MARCH(day=11),
            "not before Thu 13 March at 08:00, due on Thu 13 March",
            id="the-day-after-it",
        ),
        pytest.param(
            todo("it", created_on=MARCH(day=11)),
            MARCH(day=11),
            "no due date, noted on Tue 11 March",
            id="noted-today",
        ),
        pytest.param(todo("it", DAY), MARCH(day=13), "overdue since that day", id="a-past-day"),
        pytest.param(
            todo("it", MARCH(day=14)), MARCH(day=13), "due on Fri 14 March", id="after-a-past-day"
        ),
    ],
)
def test_the_plan_of_another_day_names_no_day_that_could_be_taken_for_its_own(
    item: Todo, now: dt.date, expected: str
) -> None:
    assert reason(item, now=at("07:00", now)) == expected


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Honolulu"])
def test_which_day_is_today_is_seen_in_the_users_zone(zone: str) -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("it", DAY)], now=at("23:30", zone=zone), zone=zone), DayPreferences()
    )

    assert [item.reason for item in plan.todos] == ["due today"]


def test_what_may_not_start_yet_is_listed_last_in_the_backlog() -> None:
    plan = planned(todo("later", MARCH(day=13), start=MARCH(day=13)), todo("any time"))

    assert [item.todo.summary for item in plan.backlog] == ["any time", "later"]


def test_a_due_date_at_the_end_of_the_calendar_is_as_good_as_never() -> None:
    plan = planned(todo("never", dt.date.max), todo("no date"), todo("soon", MARCH(day=13)))

    assert [item.todo.summary for item in plan.backlog] == ["soon", "never", "no date"]
