from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence

from iris_harness.contracts.day import (
    BlockKind,
    BreakWish,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    Event,
    NoticeKind,
    ShownBlock,
    ShownPlan,
    SkippedTodo,
    TimeSpan,
    Todo,
)
from iris_harness.contracts.sources import SourceKind, SourceRef
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.shown import as_shown
from iris_harness.planner.verify import verify_plan
from tests.unit.planner.samples import (
    DAY,
    at,
    block_called,
    blocks_of,
    event,
    preferences,
    snapshot,
    status,
    todo,
)

OFFICE = preferences(("09:00", "17:00"))
LUNCH = dataclasses.replace(
    OFFICE,
    breaks=(
        BreakWish(title="Lunch", window=TimeSpan(start=dt.time(12), end=dt.time(14)), minutes=30),
    ),
)
READ = (status("home"), status("list", SourceKind.TODO))


def proved(given: DaySnapshot, wishes: DayPreferences = OFFICE) -> DailyPlan:
    day = build_planned_day(dataclasses.replace(given, sources=READ), wishes)

    assert verify_plan(day.snapshot, wishes, day.plan) == ()
    return day.plan


def again(
    before: DailyPlan,
    now: str,
    todos: Sequence[Todo],
    events: Sequence[Event] = (),
    wishes: DayPreferences = OFFICE,
) -> DailyPlan:
    """The plan of the same day at a later "now"."""
    given = dataclasses.replace(snapshot(events, todos, now=at(now)), shown=as_shown(before))
    return proved(given, wishes)


def pinned(of: Todo, start: str, end: str) -> ShownBlock:
    return ShownBlock(
        kind=BlockKind.TODO,
        title=of.summary,
        start=at(start),
        end=at(end),
        pinned=True,
        source=of.source,
    )


def with_marks(
    todos: Sequence[Todo],
    *blocks: ShownBlock,
    events: Sequence[Event] = (),
    skipped: Sequence[Todo] = (),
    now: str = "08:00",
) -> DaySnapshot:
    marks = tuple(SkippedTodo(title=one.summary, source=one.source) for one in skipped)
    shown = ShownPlan(blocks=blocks, skipped=marks)
    return dataclasses.replace(snapshot(events, todos, now=at(now)), shown=shown)


def said(plan: DailyPlan) -> list[tuple[NoticeKind, str]]:
    return [(notice.kind, notice.text) for notice in plan.notices]


def test_nothing_moves_where_nothing_changed() -> None:
    todos = [todo("a", DAY, minutes=60), todo("b", DAY, minutes=30), todo("c", minutes=45)]
    morning = proved(snapshot(todos=todos), LUNCH)

    later = again(morning, "09:00", todos, wishes=LUNCH)

    assert blocks_of(later) == blocks_of(morning)


def test_a_block_that_has_begun_stays_and_the_rest_goes_on_around_it() -> None:
    todos = [todo("a", DAY, minutes=60), todo("b", DAY, minutes=60)]
    morning = proved(snapshot(todos=todos))

    later = again(morning, "09:20", todos)

    assert blocks_of(later) == [("a", "09:00", "10:00"), ("b", "10:00", "11:00")]
    assert "already begun, so it stays" in block_called(later, "a").reason
    assert not block_called(later, "a").pinned


def test_a_new_meeting_moves_only_what_it_takes_the_time_of() -> None:
    todos = [todo(name, DAY, minutes=60) for name in "abcd"]
    morning = proved(snapshot(todos=todos))

    later = again(morning, "08:00", todos, [event("Call", "10:15", "10:45")])

    assert blocks_of(later) == [
        ("a", "09:00", "10:00"),
        ("c", "11:00", "12:00"),
        ("d", "12:00", "13:00"),
        ("b", "13:00", "14:00"),
    ]


def test_a_done_todo_leaves_its_time_and_the_others_stay() -> None:
    todos = [todo(name, DAY, minutes=60) for name in "abc"]
    morning = proved(snapshot(todos=todos))

    later = again(morning, "08:30", todos[1:])

    assert blocks_of(later) == [("b", "10:00", "11:00"), ("c", "11:00", "12:00")]


def test_what_is_over_is_history_and_what_is_still_open_is_work_again() -> None:
    todos = [todo("a", DAY, minutes=60), todo("b", DAY, minutes=60)]
    morning = proved(snapshot(todos=todos))

    later = again(morning, "10:05", todos)

    assert [(one.title, one.start) for one in later.history] == [("a", at("09:00"))]
    assert blocks_of(later) == [("b", "10:00", "11:00"), ("a", "11:00", "12:00")]
    assert said(later) == [
        (
            NoticeKind.STILL_OPEN,
            '"a" had its time (09:00-10:00) and is still open, so it is work again',
        )
    ]


def test_history_is_handed_on_from_plan_to_plan() -> None:
    todos = [todo("a", DAY, minutes=60), todo("b", DAY, minutes=60), todo("c", DAY, minutes=60)]
    plan = proved(snapshot(todos=todos))
    plan = again(plan, "10:00", todos[1:])

    plan = again(plan, "11:30", todos[2:])

    assert [one.title for one in plan.history] == ["a", "b"]
    assert blocks_of(plan) == [("c", "11:00", "12:00")]


def test_what_is_over_of_a_todo_in_pieces_counts_as_done() -> None:
    long = dataclasses.replace(todo("long", DAY, minutes=180), chunk_minutes=30)
    meeting = event("Meeting", "10:00", "15:30")
    morning = proved(snapshot([meeting], [long]))
    assert [one[1:] for one in blocks_of(morning)] == [("09:00", "10:00"), ("15:30", "17:00")]

    later = again(morning, "10:30", [long], [meeting])

    assert [one[1:] for one in blocks_of(later)] == [("15:30", "17:00")]
    assert later.unplaced[0].missing_minutes == 30
    assert later.notices == ()


def test_a_pinned_block_stays_even_over_a_meeting_and_that_is_said() -> None:
    report = todo("Report", DAY, minutes=60)

    plan = proved(
        with_marks(
            [report], pinned(report, "10:00", "11:00"), events=[event("Call", "10:30", "11:30")]
        )
    )

    assert blocks_of(plan) == [("Report", "10:00", "11:00")]
    assert block_called(plan, "Report").pinned
    assert "pinned by you" in block_called(plan, "Report").reason
    assert said(plan) == [
        (NoticeKind.PIN_OVERLAP, '"Report" is pinned at 10:00-11:00, over "Call"')
    ]


def test_two_pins_that_overlap_both_stay_and_that_is_said() -> None:
    one, other = todo("one", DAY, minutes=60), todo("other", DAY, minutes=60)

    plan = proved(
        with_marks([one, other], pinned(one, "10:00", "11:00"), pinned(other, "10:30", "11:30"))
    )

    assert blocks_of(plan) == [("one", "10:00", "11:00"), ("other", "10:30", "11:30")]
    assert said(plan) == [(NoticeKind.PIN_OVERLAP, '"other" is pinned at 10:30-11:30, over "one"')]
    assert plan.workload is not None
    assert plan.workload.work_minutes == 120


def test_a_pin_outside_the_working_hours_stays_and_that_is_said() -> None:
    gym = todo("Gym", DAY, minutes=60)

    plan = proved(with_marks([gym], pinned(gym, "19:00", "20:00")))

    assert blocks_of(plan) == [("Gym", "19:00", "20:00")]
    assert said(plan) == [
        (NoticeKind.PIN_OUTSIDE, '"Gym" is pinned at 19:00-20:00, outside the working hours')
    ]


def test_a_pin_on_what_is_no_longer_open_is_let_go_and_said() -> None:
    plan = proved(with_marks([], pinned(todo("gone"), "10:00", "11:00")))

    assert plan.blocks == ()
    assert [notice.kind for notice in plan.notices] == [NoticeKind.PIN_GONE]
    assert plan.warnings == (
        '"gone" is pinned at 10:00-11:00, but there is no such open todo or break',
    )


def test_a_pin_off_the_grid_stays_to_the_minute() -> None:
    one, other = todo("one", DAY, minutes=30), todo("other", DAY, minutes=60)

    plan = proved(with_marks([one, other], pinned(one, "09:07", "09:37")))

    assert blocks_of(plan) == [("one", "09:07", "09:37"), ("other", "09:40", "10:40")]


def test_a_todo_whose_line_has_moved_is_known_by_its_title() -> None:
    report = todo("Report", DAY, minutes=60)
    moved = dataclasses.replace(
        report, uid="x", source=SourceRef(source="list", locator="another line")
    )

    plan = proved(with_marks([moved], pinned(report, "10:00", "11:00")))

    assert blocks_of(plan) == [("Report", "10:00", "11:00")]
    assert plan.blocks[0].source == moved.source


def test_a_todo_that_was_renamed_is_known_by_its_uid() -> None:
    report = todo("Report", DAY, minutes=60, uid="42@example.org")
    renamed = dataclasses.replace(report, summary="The report")

    plan = proved(with_marks([renamed], pinned(report, "10:00", "11:00")))

    assert blocks_of(plan) == [("The report", "10:00", "11:00")]


def test_a_skipped_todo_has_no_block_is_listed_and_is_no_work() -> None:
    todos = [todo("a", DAY, minutes=60), todo("b", DAY, minutes=60)]

    plan = proved(with_marks(todos, skipped=todos[:1]))

    assert [one.title for one in plan.skipped] == ["a"]
    assert [block[0] for block in blocks_of(plan)] == ["b"]
    assert plan.unplaced == ()
    assert [item.todo.summary for item in plan.todos] == ["b", "a"]
    assert plan.todos[1].reason == "skipped by you, due today"
    assert plan.workload is not None
    assert plan.workload.work_minutes == 60


def test_lunch_that_was_had_is_not_wanted_again() -> None:
    todos = [todo("a", minutes=60)]
    morning = proved(snapshot(todos=todos), LUNCH)
    assert ("Lunch", "12:00", "12:30") in blocks_of(morning)

    later = again(morning, "12:40", [], wishes=LUNCH)

    assert later.blocks == ()
    assert [one.title for one in later.history] == ["a", "Lunch"]
    assert later.notices == ()


def test_a_longer_estimate_asks_for_the_rest_besides_what_is_pinned() -> None:
    report = todo("Report", DAY, minutes=90)

    plan = proved(with_marks([report], pinned(report, "10:00", "11:00")))

    assert blocks_of(plan) == [("Report", "09:00", "09:30"), ("Report", "10:00", "11:00")]
    assert ["part 1 of 2" in one.reason for one in plan.blocks] == [True, False]


def test_the_work_is_what_is_still_to_come() -> None:
    todos = [todo("a", DAY, minutes=60), todo("b", DAY, minutes=600)]
    morning = proved(snapshot(todos=todos))

    later = again(morning, "09:20", todos)

    assert later.workload is not None
    assert (later.workload.work_minutes, later.workload.free_minutes) == (640, 460)
    assert later.workload.is_overcommitted


def test_a_plan_of_a_day_that_is_over_only_remembers() -> None:
    todos = [todo("a", DAY, minutes=60)]
    morning = proved(snapshot(todos=todos))
    night = dataclasses.replace(
        snapshot(todos=todos, now=at("08:00", DAY.replace(day=13))), shown=as_shown(morning)
    )

    plan = proved(night)

    assert (plan.blocks, plan.workload, plan.notices) == ((), None, ())
    assert [one.title for one in plan.history] == ["a"]
