"""What holds of every plan, whatever was read."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import random
import re
from collections.abc import Iterator
from typing import TypeVar
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.contracts.day import (
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    Event,
    EventStatus,
    PlannedDay,
    TimeSpan,
    Todo,
)
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState, SourceStatus
from iris_harness.planner import build_daily_plan, build_range
from iris_harness.planner.archive import dump_planned_day, load_planned_day, recompute
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.diff import diff_plans
from iris_harness.planner.public_json import plan_to_json

DAYS = {
    "Europe/Vienna": (dt.date(2025, 3, 12), dt.date(2025, 3, 30), dt.date(2025, 10, 26)),
    "Australia/Lord_Howe": (dt.date(2025, 4, 6), dt.date(2025, 10, 5)),
    "America/Sao_Paulo": (dt.date(2018, 11, 4), dt.date(2018, 2, 17)),
    "Asia/Kathmandu": (dt.date(2025, 3, 12),),
    "UTC": (dt.date(2024, 2, 29),),
}
MINUTE = dt.timedelta(minutes=1)
WORDS = st.sampled_from(["call", "write", "Übung", "買い物", "🌱 plant", "a\tb"])
NAMES = st.sampled_from(["home", "work"])


@st.composite
def instants(draw: st.DrawFn, day: dt.date, *, hours: int = 40) -> dt.datetime:
    """An instant around the day, to the minute, in UTC or another zone."""
    middle = dt.datetime.combine(day, dt.time(12), dt.UTC)
    minutes = draw(st.integers(-hours * 60, hours * 60))
    zone = draw(st.sampled_from(["UTC", "Europe/Vienna", "America/St_Johns"]))
    return (middle + minutes * MINUTE).astimezone(ZoneInfo(zone))


@st.composite
def events(draw: st.DrawFn, day: dt.date) -> Event:
    name, uid = draw(NAMES), draw(st.sampled_from("abcdefgh"))
    all_day = draw(st.booleans())
    start: dt.date
    end: dt.date
    if all_day:
        start = day - dt.timedelta(days=draw(st.integers(0, 2)))
        end = day + dt.timedelta(days=draw(st.integers(1, 3)))
    else:
        start = draw(instants(day, hours=16))
        end = (start.astimezone(dt.UTC) + draw(st.integers(0, 400)) * MINUTE).astimezone(dt.UTC)
    return Event(
        uid=uid,
        recurrence_id=draw(st.sampled_from(["", "2025-03-12"])),
        sequence=draw(st.integers(0, 2)),
        revised_at=draw(st.none() | instants(day)),
        summary=draw(WORDS),
        start=start,
        end=end,
        all_day=all_day,
        busy=draw(st.booleans()),
        status=draw(st.sampled_from(EventStatus)),
        calendar=name,
        source=SourceRef(source=name, locator=uid),
    )


@st.composite
def todos(draw: st.DrawFn, day: dt.date, number: int) -> Todo:
    near = st.integers(-3, 3).map(lambda days: day + dt.timedelta(days=days))
    times = st.none() | near | instants(day)
    name = draw(NAMES)
    return Todo(
        uid=str(number),
        summary=draw(WORDS),
        due=draw(times),
        start=draw(times),
        priority=draw(st.none() | st.integers(0, 9)),
        estimate_minutes=draw(st.none() | st.integers(-5, 300)),
        created_on=draw(st.none() | near),
        list_name=name,
        source=SourceRef(source=name, locator=f"line {number}"),
    )


@st.composite
def snapshots(draw: st.DrawFn, *, ordinary: bool = False) -> DaySnapshot:
    """A snapshot; an ordinary one is of a day without a change of the clock."""
    zone = "Europe/Vienna" if ordinary else draw(st.sampled_from(sorted(DAYS)))
    day = DAYS[zone][0] if ordinary else draw(st.sampled_from(DAYS[zone]))
    statuses = tuple(
        SourceStatus(name=name, kind=kind, state=draw(st.sampled_from(SourceState)))
        for name in ("home", "work")
        for kind in (SourceKind.TODO, SourceKind.CALENDAR)
    )
    read = {(status.kind, status.name) for status in statuses if status.was_read}
    events_ = draw(st.lists(events(day), max_size=8))
    todos_ = [draw(todos(day, number)) for number in range(draw(st.integers(0, 10)))]
    return DaySnapshot(
        date=day,
        timezone=zone,
        now=draw(instants(day)),
        events=tuple(one for one in events_ if (SourceKind.CALENDAR, one.source.source) in read),
        todos=tuple(one for one in todos_ if (SourceKind.TODO, one.source.source) in read),
        sources=statuses,
        warnings=tuple(draw(st.lists(WORDS, max_size=3))),
    )


@st.composite
def wishes(draw: st.DrawFn) -> DayPreferences:
    marks = sorted(draw(st.sets(st.integers(0, 95), max_size=6)))
    times = [dt.time(mark // 4, mark % 4 * 15) for mark in marks]
    hours = tuple(
        TimeSpan(start=start, end=end) for start, end in zip(times[::2], times[1::2], strict=False)
    )
    return DayPreferences(
        working_hours=(hours,) * 7,
        default_estimate_minutes=draw(st.integers(1, 90)),
        grid_minutes=draw(st.sampled_from([5, 15, 30])),
        fill_with_backlog=draw(st.booleans()),
    )


Minutes = set[dt.datetime]
ItemT = TypeVar("ItemT")


def minutes_of(start: dt.datetime, end: dt.datetime) -> Iterator[dt.datetime]:
    """Every minute of a span, in UTC: the slow and plain way to add up time."""
    minute = start.astimezone(dt.UTC)
    while minute < end:
        yield minute
        minute += MINUTE


def day_minutes(snapshot: DaySnapshot) -> list[dt.datetime]:
    """Every minute of the day, found by looking at the zone's clock."""
    zone = ZoneInfo(snapshot.timezone)
    noon = dt.datetime.combine(snapshot.date, dt.time(12), dt.UTC)
    around = minutes_of(noon - dt.timedelta(hours=40), noon + dt.timedelta(hours=40))
    return [minute for minute in around if minute.astimezone(zone).date() == snapshot.date]


def working_minutes(snapshot: DaySnapshot, preferences: DayPreferences) -> Minutes:
    """Minutes of the working hours that count; a span lasts from when the clock first shows
    its start or later until it first shows its end or later.
    """
    zone = ZoneInfo(snapshot.timezone)
    day = day_minutes(snapshot)
    over = day[-1] + MINUTE

    def reached(time: dt.time) -> dt.datetime:
        return min((at for at in day if at.astimezone(zone).time() >= time), default=over)

    begin = snapshot.now if day[0] <= snapshot.now < over else day[0]
    return {
        minute
        for span in preferences.working_hours[snapshot.date.weekday()]
        for minute in minutes_of(
            reached(span.start), over if span.end == dt.time(0) else reached(span.end)
        )
        if minute >= begin
    }


def busy_minutes(plan: DailyPlan) -> Minutes:
    return {
        minute
        for event in plan.events
        if event.busy
        and isinstance(event.start, dt.datetime)
        and isinstance(event.end, dt.datetime)
        for minute in minutes_of(event.start, event.end)
    }


@given(snapshots(), wishes(), st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_read_changes_no_byte(
    snapshot: DaySnapshot, preferences: DayPreferences, shuffler: random.Random
) -> None:
    def shuffled(items: tuple[ItemT, ...]) -> tuple[ItemT, ...]:
        return tuple(shuffler.sample(items, len(items)))

    other = dataclasses.replace(
        snapshot,
        events=shuffled(snapshot.events),
        todos=shuffled(snapshot.todos),
        sources=shuffled(snapshot.sources),
        warnings=shuffled(snapshot.warnings),
    )

    one, two = (build_planned_day(given_, preferences) for given_ in (snapshot, other))

    assert one.plan.plan_id == two.plan.plan_id
    assert json.dumps(plan_to_json(one.plan)) == json.dumps(plan_to_json(two.plan))
    assert dump_planned_day(one) == dump_planned_day(two)


def block_minutes(plan: DailyPlan) -> list[dt.datetime]:
    return [minute for block in plan.blocks for minute in minutes_of(block.start, block.end)]


@given(snapshots(), wishes())
def test_blocks_lie_in_working_time_on_the_grid_clear_of_events_and_of_each_other(
    snapshot: DaySnapshot, preferences: DayPreferences
) -> None:
    plan = build_daily_plan(snapshot, preferences)
    taken = block_minutes(plan)

    assert len(taken) == len(set(taken))
    assert set(taken) <= working_minutes(snapshot, preferences)
    assert not set(taken) & busy_minutes(plan)
    midnight = day_minutes(snapshot)[0]
    for block in plan.blocks:
        assert snapshot.now <= block.start < block.end
        for edge in (block.start, block.end):
            assert (edge - midnight) % (preferences.grid_minutes * MINUTE) == dt.timedelta()


@given(snapshots(), wishes())
def test_events_blocks_and_free_time_tile_the_working_time_that_counts(
    snapshot: DaySnapshot, preferences: DayPreferences
) -> None:
    plan = build_daily_plan(snapshot, preferences)
    free = [minute for span in plan.free for minute in minutes_of(span.start, span.end)]
    working = working_minutes(snapshot, preferences)

    assert len(free) == len(set(free))
    assert not set(free) & (busy_minutes(plan) | set(block_minutes(plan)))
    assert set(free) | set(block_minutes(plan)) | (busy_minutes(plan) & working) == working


@given(snapshots(), wishes())
def test_every_todo_is_listed_once_and_every_due_one_is_placed_in_full_or_explained(
    snapshot: DaySnapshot, preferences: DayPreferences
) -> None:
    plan = build_daily_plan(snapshot, preferences)
    due = [item.todo.source for item in plan.todos]
    backlog = {item.todo.source: item.todo for item in plan.backlog}
    placed = [block.source for block in plan.blocks if block.source is not None]
    unplaced = [item.source for item in plan.unplaced]

    assert sorted([*due, *backlog]) == sorted(todo.source for todo in snapshot.todos)
    assert sorted([*(source for source in placed if source not in backlog), *unplaced]) == sorted(
        due
    )
    assert all(item.reason for item in plan.unplaced)
    assert preferences.fill_with_backlog or not set(placed) & set(backlog)
    by_source = {todo.source: todo for todo in snapshot.todos}
    for block in plan.blocks:
        assert block.source is not None
        assert block.end - block.start == length(by_source[block.source], preferences)


def length(todo: Todo, preferences: DayPreferences) -> dt.timedelta:
    known = todo.estimate_minutes if (todo.estimate_minutes or 0) > 0 else None
    minutes = known or preferences.default_estimate_minutes
    grid = preferences.grid_minutes
    return (minutes + grid - 1) // grid * grid * MINUTE


@given(snapshots(ordinary=True), wishes())
def test_what_would_make_a_todo_fit_does(
    snapshot: DaySnapshot, preferences: DayPreferences
) -> None:
    for item in build_daily_plan(snapshot, preferences).unplaced:
        for change in filter(None, item.would_fit_if.split(" or ")):
            plan = build_daily_plan(*changed(snapshot, preferences, item.source, change))

            assert item.source in {block.source for block in plan.blocks}, change


def changed(
    snapshot: DaySnapshot, preferences: DayPreferences, source: SourceRef, change: str
) -> tuple[DaySnapshot, DayPreferences]:
    """Do what an "it would fit if" says."""
    if shorter := re.fullmatch(r"it took (?:(\d+) h)? ?(?:(\d+) min)? at most", change):
        minutes = 60 * int(shorter[1] or 0) + int(shorter[2] or 0)
        todos_ = tuple(
            dataclasses.replace(todo, estimate_minutes=minutes) if todo.source == source else todo
            for todo in snapshot.todos
        )
        return dataclasses.replace(snapshot, todos=todos_), preferences
    until = re.fullmatch(
        r"you worked (?:from (.{5}) to|until) (.{5}|midnight)(?: that day)?", change
    )
    assert until, change
    hours = list(preferences.working_hours[0])
    start = dt.time.fromisoformat(until[1]) if until[1] else hours.pop().start
    end = dt.time(0) if until[2] == "midnight" else dt.time.fromisoformat(until[2])
    longer = (*hours, TimeSpan(start=start, end=end))
    return snapshot, dataclasses.replace(preferences, working_hours=(longer,) * 7)


@given(snapshots(), wishes())
def test_a_planned_day_survives_the_archive_exactly(
    snapshot: DaySnapshot, preferences: DayPreferences
) -> None:
    day = build_planned_day(snapshot, preferences)

    loaded = load_planned_day(dump_planned_day(day))

    assert loaded == day
    assert times_of(loaded) == times_of(day)
    assert canonical_bytes(loaded) == canonical_bytes(day)
    assert recompute(loaded) == day.plan
    assert diff_plans(day.plan, recompute(loaded)) == ()


def times_of(day: PlannedDay) -> list[tuple[type, str]]:
    times: list[dt.date | None] = [day.snapshot.now]
    for event in day.snapshot.events:
        times += [event.start, event.end, event.revised_at]
    for todo in day.snapshot.todos:
        times += [todo.due, todo.start, todo.created_on]
    return [(type(time), str(time)) for time in times]


@given(snapshots(), wishes())
def test_in_a_range_no_todo_is_given_time_twice(
    snapshot: DaySnapshot, preferences: DayPreferences
) -> None:
    days = [
        dataclasses.replace(snapshot, date=snapshot.date + dt.timedelta(days=number))
        for number in (2, 0, 1)
    ]

    planned = build_range(days, preferences)

    placed = [block.source for day in planned for block in day.plan.blocks]
    assert len(placed) == len(set(placed))
    assert [day.plan.date for day in planned] == sorted(day.date for day in days)
