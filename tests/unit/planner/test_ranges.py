from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence

from iris_harness.contracts.day import (
    BlockKind,
    DailyPlan,
    DaySnapshot,
    Event,
    ShownBlock,
    ShownPlan,
    Todo,
)
from iris_harness.planner import build_range
from tests.unit.planner.samples import DAY, at, blocks_of, event, preferences, snapshot, todo

OFFICE = preferences(("09:00", "17:00"))
NEXT = DAY + dt.timedelta(days=1)


def two_days(
    todos: Sequence[Todo], events: Sequence[Event] = (), shown: ShownPlan | None = None
) -> list[DailyPlan]:
    """The plans of a day and the next; `events` are of the next, as is what was shown of it."""
    days: list[DaySnapshot] = [
        snapshot(todos=todos),
        dataclasses.replace(snapshot(events, todos, day=NEXT, now=at("07:00")), shown=shown),
    ]
    return [day.plan for day in build_range(days, OFFICE)]


def test_what_is_due_on_a_day_without_time_is_done_on_the_day_before() -> None:
    full = event("Fair", at("08:00", NEXT), at("18:00", NEXT))
    due = todo("report", NEXT, priority=9, minutes=360)
    rather = todo("garden", priority=1, minutes=360)

    first, second = two_days([due, rather], [full])

    assert blocks_of(first) == [("report", "09:00", "15:00")]
    assert (second.blocks, second.unplaced) == ((), ())


def test_what_another_day_has_says_so() -> None:
    due = [todo("today", DAY, minutes=360), todo("tomorrow", NEXT, minutes=360)]

    first, second = two_days(due)

    assert [block[0] for block in blocks_of(first)] == ["today"]
    assert [item.reason for item in first.backlog] == ["planned for a later day, due tomorrow"]
    assert [block[0] for block in blocks_of(second)] == ["tomorrow"]
    assert [item.reason for item in second.todos] == [
        "due that day",
        "already planned on an earlier day, due on Wed 12 March, overdue by that day",
    ]


def test_what_is_due_and_left_to_a_later_day_is_listed_as_not_fitting() -> None:
    due = [todo("a", DAY, priority=1, minutes=360), todo("b", DAY, priority=2, minutes=360)]

    first, second = two_days(due)

    assert [block[0] for block in blocks_of(first)] == ["a"]
    assert [(one.summary, one.reason, one.missing_minutes) for one in first.unplaced] == [
        ("b", "there is no room for it, and a later day has it", 360)
    ]
    assert [block[0] for block in blocks_of(second)] == ["b"]


def test_a_due_todo_in_pieces_says_what_later_days_have_of_it() -> None:
    long = dataclasses.replace(todo("long", DAY, minutes=600), chunk_minutes=60)

    first, second = two_days([long])

    assert blocks_of(first) == [("long", "09:00", "17:00")]
    assert [(one.reason, one.missing_minutes) for one in first.unplaced] == [
        ("there is no room for all of it, and later days have 2 h of it", 120)
    ]
    assert blocks_of(second) == [("long", "09:00", "11:00")]


def test_what_is_pinned_on_a_later_day_is_not_done_before() -> None:
    gym = todo("Gym", minutes=60)
    pin = ShownBlock(
        kind=BlockKind.TODO,
        title="Gym",
        start=at("12:00", NEXT),
        end=at("13:00", NEXT),
        pinned=True,
        source=gym.source,
    )

    first, second = two_days([gym], shown=ShownPlan(blocks=(pin,)))

    assert first.blocks == ()
    assert blocks_of(second) == [("Gym", "12:00", "13:00")]


def test_a_range_of_very_many_todos_takes_each_day_as_it_comes() -> None:
    todos = [todo(f"t{number:04}", minutes=60) for number in range(1_200)]

    first, second = two_days(todos)

    assert (len(first.blocks), len(second.blocks)) == (8, 8)
    assert {one.source for one in first.blocks}.isdisjoint(one.source for one in second.blocks)
