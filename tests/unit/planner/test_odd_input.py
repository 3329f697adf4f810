"""The bad input that people, their programs and their clocks produce: a plan that verifies, and
words that say what was odd.
"""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest

from iris_harness.contracts.day import (
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    EnergyWindow,
    NoticeKind,
    TimeSpan,
    Todo,
)
from iris_harness.contracts.sources import SourceKind
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.verify import verify_plan
from tests.unit.planner.samples import (
    DAY,
    at,
    blocks_of,
    event,
    preferences,
    snapshot,
    status,
    todo,
)

OFFICE = preferences(("09:00", "17:00"))
READ = (status("home"), status("list", SourceKind.TODO))


def proved(given: DaySnapshot, wishes: DayPreferences = OFFICE) -> DailyPlan:
    day = build_planned_day(dataclasses.replace(given, sources=READ), wishes)

    assert verify_plan(day.snapshot, wishes, day.plan) == ()
    return day.plan


@pytest.mark.parametrize("minutes", [-5, 0, -(10**9)])
def test_a_length_that_is_none_counts_as_unknown_and_the_block_says_so(minutes: int) -> None:
    plan = proved(snapshot(todos=[todo("a", DAY, minutes=minutes)]))

    assert blocks_of(plan) == [("a", "09:00", "09:30")]
    assert plan.blocks[0].reason == "due today; no estimate, so 30 min"


@pytest.mark.parametrize("minutes", [600, 10**6, 10**15])
def test_a_length_beyond_the_day_is_listed_with_what_it_misses(minutes: int) -> None:
    plan = proved(snapshot(todos=[todo("a", DAY, minutes=minutes), todo("b", DAY)]))

    assert [block[0] for block in blocks_of(plan)] == ["b"]
    assert plan.unplaced[0].reason.endswith("the longest gap left for it is 7 h 30 min")
    assert plan.workload is not None
    assert plan.workload.is_overcommitted


@pytest.mark.parametrize("chunk", [-30, 0, 10**12])
def test_an_absurd_least_piece_keeps_a_todo_in_one_piece(chunk: int) -> None:
    given = dataclasses.replace(todo("a", DAY, minutes=120), chunk_minutes=chunk)

    plan = proved(snapshot([event("Meeting", "10:00", "16:00")], [given]))

    assert plan.blocks == ()
    assert plan.unplaced[0].missing_minutes == 120


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (TimeSpan(start=dt.time(22), end=dt.time(6)), "22:00-06:00"),
        (TimeSpan(start=dt.time(17), end=dt.time(9)), "17:00-09:00"),
        (TimeSpan(start=dt.time(9), end=dt.time(9)), "09:00-09:00"),
    ],
    ids=["across midnight", "backwards", "empty"],
)
def test_working_hours_that_end_before_they_start_are_no_hours_and_said(
    span: TimeSpan, said: str
) -> None:
    plan = proved(snapshot(todos=[todo("a", DAY)]), DayPreferences(working_hours=((span,),) * 7))

    assert plan.is_day_off
    assert [notice.kind for notice in plan.notices] == [NoticeKind.HOURS]
    assert plan.warnings == (f"the working hours {said} end before they start and are not counted",)


def test_one_odd_span_costs_the_others_nothing() -> None:
    hours = (
        TimeSpan(start=dt.time(9), end=dt.time(12)),
        TimeSpan(start=dt.time(18), end=dt.time(2)),
    )

    plan = proved(snapshot(todos=[todo("a", DAY)]), DayPreferences(working_hours=(hours,) * 7))

    assert blocks_of(plan) == [("a", "09:00", "09:30")]
    assert len(plan.warnings) == 1


def test_working_hours_that_overlap_count_once() -> None:
    hours = tuple(TimeSpan(start=dt.time(9 + n), end=dt.time(12 + n)) for n in range(3))

    plan = proved(snapshot(), DayPreferences(working_hours=(hours,) * 7))

    assert [(f"{one.start:%H:%M}", f"{one.end:%H:%M}") for one in plan.free] == [("09:00", "14:00")]


def test_odd_hours_of_an_energy_are_said() -> None:
    odd = EnergyWindow(energy="high", spans=(TimeSpan(start=dt.time(12), end=dt.time(9)),))
    given = dataclasses.replace(todo("a", DAY), energy="high")

    plan = proved(snapshot(todos=[given]), dataclasses.replace(OFFICE, energy_windows=(odd,)))

    assert [notice.kind for notice in plan.notices] == [NoticeKind.HOURS, NoticeKind.TIMES]


def test_a_todo_whose_own_times_contradict_each_other_is_said() -> None:
    given = dataclasses.replace(todo("a", DAY), earliest=dt.time(15), latest=dt.time(9))

    plan = proved(snapshot(todos=[given]))

    assert plan.blocks == ()
    assert plan.warnings == (
        '"a" can be done at no time of this day: not before 15:00, done by 09:00',
    )
    assert plan.unplaced[0].reason == (
        "it needs 30 min and no working time is left for it between 15:00 and 09:00"
    )


def test_a_day_without_free_time_places_nothing_and_says_how_much_work_there_is() -> None:
    plan = proved(snapshot([event("Fair", "08:00", "18:00")], [todo("a", DAY, minutes=90)]))

    assert plan.blocks == ()
    assert plan.workload is not None
    assert (plan.workload.work_minutes, plan.workload.free_minutes) == (90, 0)
    assert plan.unplaced[0].reason == "it needs 1 h 30 min and no working time is left for it"


def test_five_thousand_todos_are_listed_and_as_many_placed_as_there_is_room_for() -> None:
    todos = [todo(f"t{number:04}", DAY, minutes=15) for number in range(5000)]

    plan = proved(snapshot(todos=todos))

    assert len(plan.todos) == 5000
    assert len(plan.blocks) == 32
    assert len(plan.unplaced) == 5000 - 32


def test_todos_that_were_all_due_yesterday_are_all_overdue_and_none_is_called_late() -> None:
    yesterday = DAY - dt.timedelta(days=1)
    todos = [todo(f"t{number}", yesterday, minutes=60) for number in range(12)]

    plan = proved(snapshot(todos=todos))

    assert len(plan.blocks) == 8
    assert all(item.overdue for item in plan.todos)
    assert not any("after it is due" in block.reason for block in plan.blocks)
    assert plan.workload is not None
    assert (plan.workload.work_minutes, plan.workload.free_minutes) == (720, 480)


@pytest.mark.parametrize(
    ("day", "hours"), [(dt.date(2025, 3, 30), 23), (dt.date(2025, 10, 26), 25)]
)
def test_days_of_23_and_25_hours_are_planned_by_their_own_length(day: dt.date, hours: int) -> None:
    night = preferences(("00:00", "00:00"))
    todos = [todo("long", day, minutes=60 * hours)]

    plan = proved(snapshot(todos=todos, day=day, now=at("00:00", day)), night)

    (block,) = plan.blocks
    assert block.end - block.start == dt.timedelta(hours=hours)
    assert plan.unplaced == ()


@pytest.mark.parametrize("day", [dt.date(2025, 3, 30), dt.date(2025, 10, 26)])
def test_times_of_day_hold_on_days_on_which_the_clock_changes(day: dt.date) -> None:
    given = dataclasses.replace(
        todo("a", day, minutes=30), earliest=dt.time(2, 30), latest=dt.time(4)
    )

    plan = proved(
        snapshot(todos=[given], day=day, now=at("00:00", day)), preferences(("00:00", "09:00"))
    )

    (block,) = plan.blocks
    assert dt.time(2, 30) <= block.start.time() <= dt.time(3, 30)


def test_the_same_todo_twice_with_other_content_is_planned_twice() -> None:
    one: Todo = todo("a", DAY, minutes=30, uid="same")
    other = dataclasses.replace(one, estimate_minutes=60, chunk_minutes=30)

    plan = proved(snapshot(todos=[one, other]))

    assert len(plan.blocks) == 2
