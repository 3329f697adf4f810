"""Seeded office days that are full: meetings, ways, breaks, pieces, energies, pins, replans."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import (
    BlockKind,
    BreakWish,
    DayPreferences,
    DaySnapshot,
    EnergyWindow,
    Event,
    EventStatus,
    PlaceTravel,
    ShownBlock,
    ShownPlan,
    SkippedTodo,
    TimeSpan,
    Todo,
)
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState, SourceStatus
from iris_harness.planner.build import build_daily_plan
from iris_harness.planner.shown import as_shown

DAY = dt.date(2026, 4, 16)
ZONE = ZoneInfo("Europe/Berlin")
MINUTE = dt.timedelta(minutes=1)
DAYS = dt.timedelta(days=1)
READ = tuple(
    SourceStatus(name=name, kind=kind, state=SourceState.OK)
    for name, kind in (("work", SourceKind.CALENDAR), ("list", SourceKind.TODO))
)


def at(minutes: int) -> dt.datetime:
    return dt.datetime.combine(DAY, dt.time(), ZONE) + minutes * MINUTE


def span(start: int, end: int) -> TimeSpan:
    return TimeSpan(start=dt.time(start // 60, start % 60), end=dt.time(end // 60, end % 60))


def dense_day(seed: int) -> tuple[DaySnapshot, DayPreferences]:
    """Return the day of a seed with the preferences that it is planned by."""
    chance = random.Random(seed)  # noqa: S311 - a test's own dice
    preferences = _preferences(chance)
    first = DaySnapshot(
        date=DAY,
        timezone="Europe/Berlin",
        now=at(chance.choice([420, 480, 543])),
        events=tuple(_event(chance, number) for number in range(chance.randrange(6))),
        todos=tuple(_todo(chance, number) for number in range(chance.randrange(1, 14))),
        sources=READ,
    )
    if chance.random() < 0.5:
        return first, preferences
    return _replanned(chance, first, preferences), preferences


def _preferences(chance: random.Random) -> DayPreferences:
    hours = chance.choice([(span(540, 1020),), (span(510, 730), span(780, 1080))])
    lunch = BreakWish(title="Lunch", window=span(690, 840), minutes=chance.choice([30, 45]))
    tea = BreakWish(title="Tea", window=span(900, 1000), minutes=12)
    high = EnergyWindow(energy="high", spans=(span(540, 720),))
    return DayPreferences(
        working_hours=(hours,) * 7,
        grid_minutes=chance.choice([5, 5, 15]),
        default_estimate_minutes=25,
        fill_with_backlog=chance.random() < 0.8,
        buffer_before_minutes=chance.choice([0, 0, 10]),
        buffer_after_minutes=chance.choice([0, 0, 5]),
        breaks=chance.choice([(), (lunch,), (lunch, tea)]),
        energy_windows=chance.choice([(), (high,)]),
        travel=chance.choice([(), (PlaceTravel(place="Office", minutes=20),)]),
        travel_back=chance.random() < 0.7,
        chunk_minutes=chance.choice([None, None, 30]),
    )


def _event(chance: random.Random, number: int) -> Event:
    start = chance.randrange(480, 1080, 5)
    source = SourceRef(source="work", locator=str(number))
    return Event(
        uid=str(number),
        recurrence_id="",
        sequence=0,
        revised_at=None,
        summary=chance.choice(["Meeting", "Call", "Lunch with Kim"]),
        start=at(start),
        end=at(start + chance.choice([0, 15, 30, 60, 90])),
        all_day=False,
        busy=chance.random() < 0.9,
        status=EventStatus.CONFIRMED,
        calendar="work",
        location=chance.choice(["", "", "Office, room 2", "Hall"]),
        source=source,
        travel_minutes=chance.choice([None, None, None, 25]),
    )


def _todo(chance: random.Random, number: int) -> Todo:
    return Todo(
        uid=f"todo.txt:{number}",
        summary=chance.choice(["write", "call", f"item {number}"]),
        due=chance.choice(
            [None, DAY, DAY, DAY - dt.timedelta(days=1), at(chance.choice([660, 900]))]
        ),
        start=chance.choice([None, None, None, at(840)]),
        priority=chance.choice([None, 1, 5, 9]),
        estimate_minutes=chance.choice([None, 15, 30, 45, 60, 90, 120, 240]),
        list_name="list",
        source=SourceRef(source="list", locator=f"line {number}"),
        earliest=chance.choice([None, None, None, dt.time(10)]),
        latest=chance.choice([None, None, None, dt.time(15), dt.time(9, 30)]),
        energy=chance.choice(["", "", "", "high"]),
        chunk_minutes=chance.choice([None, None, 0, 20, 30]),
    )


def _replanned(
    chance: random.Random, first: DaySnapshot, preferences: DayPreferences
) -> DaySnapshot:
    """Return the day some hours later, with pins, skips and changes on the way."""
    shown = as_shown(build_daily_plan(first, preferences))
    for _ in range(chance.randrange(3)):
        shown = _marked(chance, shown)
        now = first.now + chance.randrange(0, 240) * MINUTE
        first = dataclasses.replace(first, now=now, shown=shown)
        shown = as_shown(build_daily_plan(first, preferences))
    shown = _marked(chance, shown)
    todos = tuple(todo for todo in first.todos if chance.random() < 0.85)
    events = first.events
    if chance.random() < 0.5:
        events = (*events, _event(chance, 99))
    return dataclasses.replace(
        first,
        now=first.now + chance.randrange(0, 300) * MINUTE,
        shown=shown,
        todos=todos,
        events=events,
    )


def _marked(chance: random.Random, shown: ShownPlan) -> ShownPlan:
    blocks = tuple(_pinned(chance, one) if chance.random() < 0.2 else one for one in shown.blocks)
    named = [one for one in blocks if one.source is not None]
    skipped = [
        SkippedTodo(title=one.title, source=one.source)
        for one in named
        if one.source is not None and chance.random() < 0.1
    ]
    if chance.random() < 0.1:
        blocks = (
            *blocks,
            ShownBlock(
                kind=BlockKind.TODO, title="gone", start=at(900), end=at(930), pinned=True,
                source=SourceRef(source="list", locator="line 77"),
            ),
        )  # fmt: skip
    return dataclasses.replace(shown, blocks=blocks, skipped=tuple(skipped))


def _pinned(chance: random.Random, block: ShownBlock) -> ShownBlock:
    by = chance.choice([0, 0, 0, 7, 60, -90]) * MINUTE
    return dataclasses.replace(block, start=block.start + by, end=block.end + by, pinned=True)


def dense_week(seed: int) -> tuple[list[DaySnapshot], DayPreferences]:
    """Return five days in a row with one list of todos, some of the days planned before."""
    chance = random.Random(seed)  # noqa: S311 - a test's own dice
    preferences = _preferences(chance)
    todos = tuple(
        dataclasses.replace(
            _todo(chance, number),
            due=chance.choice([None, DAY - DAYS, *(DAY + number * DAYS for number in range(6))]),
        )
        for number in range(chance.randrange(1, 30))
    )
    days = [
        DaySnapshot(
            date=DAY + number * DAYS,
            timezone="Europe/Berlin",
            now=at(480),
            events=tuple(
                _on(_event(chance, event), number) for event in range(chance.randrange(6))
            ),
            todos=todos,
            sources=READ,
        )
        for number in range(5)
    ]
    if chance.random() < 0.3:
        number = chance.randrange(5)
        shown = _marked(chance, as_shown(build_daily_plan(days[number], preferences)))
        days[number] = dataclasses.replace(days[number], shown=shown)
    return days, preferences


def _on(event: Event, day: int) -> Event:
    return dataclasses.replace(
        event, uid=f"{day} {event.uid}", start=event.start + day * DAYS, end=event.end + day * DAYS
    )
