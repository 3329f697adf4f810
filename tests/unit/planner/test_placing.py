from __future__ import annotations

import datetime as dt

from iris_harness.contracts.day import BlockKind, DayPreferences
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner import build_daily_plan, build_range
from tests.unit.planner.samples import (
    DAY,
    at,
    block_called,
    blocks_of,
    event,
    free_of,
    preferences,
    snapshot,
    todo,
)

OFFICE = preferences(("09:00", "17:00"))
MARCH = DAY.replace


def test_each_todo_takes_the_earliest_gap_that_holds_it_in_rank_order() -> None:
    plan = build_daily_plan(
        snapshot(
            [event("Meeting", "09:30", "11:00")],
            [
                todo("long", DAY, priority=1, minutes=60),
                todo("short", DAY, priority=2, minutes=15),
                todo("medium", DAY, priority=3, minutes=25),
            ],
        ),
        OFFICE,
    )

    assert blocks_of(plan) == [
        ("short", "09:00", "09:15"),
        ("long", "11:00", "12:00"),
        ("medium", "12:00", "12:25"),
    ]


def test_a_block_names_its_todo_and_why_it_is_there() -> None:
    item = todo("Call", DAY, priority=2)

    (block,) = build_daily_plan(snapshot(todos=[item]), OFFICE).blocks

    assert (block.kind, block.title, block.source) == (BlockKind.TODO, "Call", item.source)
    assert block.reason == "due today, priority 2; no estimate, so 30 min"
    assert not block.pinned


def test_lengths_are_rounded_up_to_the_grid() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("a", DAY, minutes=1), todo("b", DAY, minutes=31)]),
        preferences(("09:00", "17:00"), grid_minutes=15),
    )

    assert blocks_of(plan) == [("a", "09:00", "09:15"), ("b", "09:15", "10:00")]


def test_an_estimate_of_nothing_or_less_is_no_estimate() -> None:
    plan = build_daily_plan(snapshot(todos=[todo("a", DAY, minutes=-20)]), OFFICE)

    assert blocks_of(plan) == [("a", "09:00", "09:30")]


def test_blocks_start_on_the_grid_even_where_events_do_not_end_on_it() -> None:
    plan = build_daily_plan(
        snapshot([event("Meeting", "08:50", "09:07")], [todo("a", DAY, minutes=10)]), OFFICE
    )

    assert blocks_of(plan) == [("a", "09:10", "09:20")]
    assert free_of(plan) == [("09:07", "09:10"), ("09:20", "17:00")]


def test_only_busy_timed_events_take_working_time() -> None:
    plan = build_daily_plan(
        snapshot(
            [
                event("Declined", "09:00", "12:00", busy=False),
                event("Bin collection", DAY, MARCH(day=13)),
                event("An instant", "09:15", "09:15"),
            ],
            [todo("a", DAY, minutes=60)],
        ),
        OFFICE,
    )

    assert blocks_of(plan) == [("a", "09:00", "10:00")]


def test_an_event_inside_another_frees_nothing() -> None:
    events = [event("Workshop", "09:00", "12:00"), event("Coffee", "10:00", "10:15")]

    plan = build_daily_plan(snapshot(events, [todo("a", DAY)]), OFFICE)

    assert blocks_of(plan) == [("a", "12:00", "12:30")]


def test_an_overnight_event_takes_the_morning_that_it_reaches_into() -> None:
    night = event("Night shift", at("22:00", MARCH(day=11)), at("10:30"))

    plan = build_daily_plan(snapshot([night], [todo("a", DAY, minutes=30)]), OFFICE)

    assert blocks_of(plan) == [("a", "10:30", "11:00")]


def test_nothing_is_placed_before_now_rounded_up_to_the_grid() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("a", DAY, minutes=30)], now=at("10:12:30")), OFFICE
    )

    assert blocks_of(plan) == [("a", "10:15", "10:45")]
    assert free_of(plan)[0] == ("10:12", "10:15")


def test_a_day_to_come_is_whole() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("a", DAY)], now=at("16:00", MARCH(day=11))), OFFICE
    )

    assert blocks_of(plan) == [("a", "09:00", "09:30")]


def test_a_past_day_places_nothing_says_why_and_shows_what_was_free() -> None:
    plan = build_daily_plan(
        snapshot(
            [event("Meeting", "10:00", "11:00")],
            [todo("a", DAY), todo("b")],
            now=at("00:00", MARCH(day=13)),
        ),
        OFFICE,
    )

    assert plan.blocks == ()
    assert [(item.summary, item.reason, item.would_fit_if) for item in plan.unplaced] == [
        ("a", "this day is over", "")
    ]
    assert free_of(plan) == [("09:00", "10:00"), ("11:00", "17:00")]


def test_a_todo_is_not_placed_before_its_own_start() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("keys", DAY, start=at("16:02"), minutes=10), todo("b", DAY)]), OFFICE
    )

    assert blocks_of(plan) == [("b", "09:00", "09:30"), ("keys", "16:05", "16:15")]
    assert block_called(plan, "keys").reason == "due today; not before 16:02"


def test_a_todo_that_may_start_on_the_day_is_placed_from_its_morning_on() -> None:
    plan = build_daily_plan(snapshot(todos=[todo("a", DAY, start=DAY)]), OFFICE)

    assert blocks_of(plan) == [("a", "09:00", "09:30")]


def test_a_todo_that_may_not_start_yet_is_not_placed() -> None:
    plan = build_daily_plan(
        snapshot(
            todos=[
                todo("due but later", DAY, start=MARCH(day=14)),
                todo("later", MARCH(day=20), start=at("00:00", MARCH(day=13))),
            ]
        ),
        OFFICE,
    )

    assert plan.blocks == ()
    assert [(item.summary, item.reason) for item in plan.unplaced] == [
        ("due but later", "it may not start before Fri 14 March")
    ]
    assert [item.todo.summary for item in plan.backlog] == ["later"]


def test_a_block_that_cannot_end_by_its_due_time_is_placed_and_says_how_late_it_is() -> None:
    plan = build_daily_plan(
        snapshot([event("Meeting", "09:00", "11:00")], [todo("offer", at("11:15"), minutes=45)]),
        OFFICE,
    )

    assert blocks_of(plan) == [("offer", "11:00", "11:45")]
    assert block_called(plan, "offer").reason == ("due today at 11:15; ends 30 min after it is due")
    assert plan.unplaced == ()


def test_backlog_takes_what_due_todos_leave_and_simply_stays_where_there_is_no_room() -> None:
    plan = build_daily_plan(
        snapshot(
            todos=[
                todo("next week", MARCH(day=20), minutes=60),
                todo("huge", MARCH(day=19), minutes=480),
                todo("today", DAY, minutes=60),
            ]
        ),
        preferences(("09:00", "12:00")),
    )

    assert blocks_of(plan) == [("today", "09:00", "10:00"), ("next week", "10:00", "11:00")]
    assert plan.unplaced == ()
    assert [item.todo.summary for item in plan.backlog] == ["huge", "next week"]


def test_backlog_is_left_alone_when_the_user_wants_it_so() -> None:
    plan = build_daily_plan(
        snapshot(todos=[todo("some day"), todo("today", DAY)]),
        preferences(("09:00", "12:00"), fill_with_backlog=False),
    )

    assert blocks_of(plan) == [("today", "09:00", "09:30")]


def test_working_hours_are_those_of_the_weekday() -> None:
    saturday = MARCH(day=15)

    plan = build_daily_plan(snapshot(todos=[todo("a")], day=saturday), DayPreferences())

    assert (plan.blocks, plan.free) == ((), ())


def test_a_day_with_a_missing_hour_is_planned_by_instants() -> None:
    day = dt.date(2025, 3, 30)

    plan = build_daily_plan(
        snapshot(todos=[todo("a", day, minutes=150)], day=day, now=at("00:00", day)),
        preferences(("01:00", "05:00")),
    )

    (block,) = plan.blocks
    assert block.start.isoformat() == "2025-03-30T01:00:00+01:00"
    assert block.end.isoformat() == "2025-03-30T04:30:00+02:00"
    assert free_of(plan) == [("04:30", "05:00")]


def test_in_an_hour_that_happens_twice_now_is_the_one_that_was_meant() -> None:
    day = dt.date(2025, 10, 26)
    second_half_past_two = at("02:30", day).replace(fold=1)

    plan = build_daily_plan(
        snapshot(todos=[todo("a", day, minutes=60)], day=day, now=second_half_past_two),
        preferences(("01:00", "05:00")),
    )

    (block,) = plan.blocks
    assert block.start.isoformat() == "2025-10-26T02:30:00+01:00"


def test_a_plan_carries_the_working_hours_of_its_day_whole_and_as_instants() -> None:
    plan = build_daily_plan(
        snapshot(
            [event("Meeting", "10:00", "11:00")],
            [todo("a", DAY)],
            day=dt.date(2025, 3, 30),
            now=at("05:00", dt.date(2025, 3, 30)),
        ),
        preferences(("01:00", "04:00"), ("20:00", "00:00")),
    )

    assert [(span.start.isoformat(), span.end.isoformat()) for span in plan.working_hours] == [
        ("2025-03-30T01:00:00+01:00", "2025-03-30T04:00:00+02:00"),
        ("2025-03-30T20:00:00+02:00", "2025-03-31T00:00:00+02:00"),
    ]


def test_a_day_that_the_zone_left_out_has_no_time() -> None:
    plan = build_daily_plan(
        snapshot(
            todos=[todo("a", dt.date(2011, 12, 30))],
            day=dt.date(2011, 12, 30),
            zone="Pacific/Apia",
            now=dt.datetime(2011, 12, 1, tzinfo=dt.UTC),
        ),
        OFFICE,
    )

    assert (plan.blocks, plan.free) == ((), ())
    assert [item.summary for item in plan.unplaced] == ["a"]


def test_in_a_range_a_todo_is_placed_once_and_later_days_say_so() -> None:
    task = todo("report", DAY, minutes=60)
    days = [snapshot(todos=[task], day=MARCH(day=number)) for number in (13, 12)]

    first, second = build_range(
        [snapshot(todos=[task], day=day.date, now=at("07:00")) for day in days], OFFICE
    )

    assert blocks_of(first.plan) == [("report", "09:00", "10:00")]
    assert (second.plan.blocks, second.plan.unplaced) == ((), ())
    (listed,) = second.plan.todos
    assert listed.reason == (
        "already planned on an earlier day, due on Wed 12 March, overdue by that day"
    )
    assert second.snapshot.placed_elsewhere == (SourceRef(source="list", locator="report"),)


def test_in_a_range_what_was_placed_before_it_began_stays_placed() -> None:
    task = todo("report", DAY)

    (day,) = build_range([snapshot(todos=[task], placed_elsewhere=[task.source])], OFFICE)

    assert (day.plan.blocks, day.plan.unplaced) == ((), ())


def test_in_a_range_what_does_not_fit_on_one_day_is_tried_on_the_next() -> None:
    task = todo("report", DAY, minutes=180)
    busy = event("Workshop", "09:00", "17:00")

    first, second = build_range(
        [
            snapshot([busy], [task]),
            snapshot(todos=[task], day=MARCH(day=13), now=at("07:00")),
        ],
        OFFICE,
    )

    assert [item.summary for item in first.plan.unplaced] == ["report"]
    assert blocks_of(second.plan) == [("report", "09:00", "12:00")]
