"""Days with something of everything: breaks, buffers, travel, energy, pieces, pins, replans."""

from __future__ import annotations

import dataclasses
import datetime as dt

from hypothesis import strategies as st

from iris_harness.contracts.day import (
    BlockKind,
    BreakWish,
    DayPreferences,
    DaySnapshot,
    EnergyWindow,
    Event,
    PlaceTravel,
    ShownBlock,
    ShownPlan,
    SkippedTodo,
    TimeElsewhere,
    TimeSpan,
    Todo,
)
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.build import build_daily_plan
from iris_harness.planner.shown import as_shown
from tests.property.test_planner import MINUTE, instants, snapshots, wishes

PLACES = ("Office", "Main Street 4", "")
TITLES = ("Lunch", "Tea")


@st.composite
def times_of_day(draw: st.DrawFn) -> dt.time:
    mark = draw(st.integers(0, 95))
    return dt.time(mark // 4, mark % 4 * 15)


@st.composite
def spans(draw: st.DrawFn) -> TimeSpan:
    """A span of the clock; now and then one that ends before it starts."""
    one, other = draw(times_of_day()), draw(times_of_day())
    if draw(st.integers(0, 9)):
        one, other = sorted((one, other))
    return TimeSpan(start=one, end=other)


@st.composite
def rich_wishes(draw: st.DrawFn) -> DayPreferences:
    """Preferences that use every setting of a day."""
    hours = draw(wishes())
    if draw(st.booleans()):
        office = (TimeSpan(start=dt.time(8), end=dt.time(18)),)
        hours = dataclasses.replace(hours, working_hours=(office,) * 7)
    breaks = tuple(
        BreakWish(title=title, window=draw(spans()), minutes=draw(st.integers(5, 60)))
        for title in TITLES[: draw(st.integers(0, 2))]
    )
    energies = tuple(
        EnergyWindow(energy=energy, spans=tuple(draw(st.lists(spans(), max_size=2))))
        for energy in ("high", "low")[: draw(st.integers(0, 2))]
    )
    return dataclasses.replace(
        hours,
        buffer_before_minutes=draw(st.sampled_from([0, 0, 5, 20])),
        buffer_after_minutes=draw(st.sampled_from([0, 0, 10])),
        breaks=breaks,
        energy_windows=energies,
        travel=draw(st.sampled_from([(), (PlaceTravel(place="office", minutes=20),)])),
        travel_back=draw(st.booleans()),
        chunk_minutes=draw(st.sampled_from([None, None, 0, 20])),
    )


@st.composite
def rich_events(draw: st.DrawFn, event: Event) -> Event:
    return dataclasses.replace(
        event,
        location=draw(st.sampled_from(PLACES)),
        travel_minutes=draw(st.sampled_from([None, None, None, 0, 15, 90])),
        summary=draw(st.sampled_from([event.summary, "Lunch with Kim", "Lunches"])),
    )


@st.composite
def rich_todos(draw: st.DrawFn, todo: Todo) -> Todo:
    return dataclasses.replace(
        todo,
        earliest=draw(st.none() | times_of_day()),
        latest=draw(st.none() | st.none() | times_of_day()),
        energy=draw(st.sampled_from(["", "", "", "high", "low"])),
        chunk_minutes=draw(st.sampled_from([None, None, 0, 30, 45])),
    )


@st.composite
def shown_plans(draw: st.DrawFn, snapshot: DaySnapshot, preferences: DayPreferences) -> ShownPlan:
    """The plan of an earlier "now", with pins and skips; its todos may have changed since."""
    earlier = dataclasses.replace(
        snapshot, now=snapshot.now.astimezone(dt.UTC) - draw(st.integers(0, 600)) * MINUTE
    )
    shown = as_shown(build_daily_plan(earlier, preferences))
    blocks = [draw(marked_blocks(block)) for block in shown.blocks]
    named = [block for block in blocks if block.source is not None]
    skipped = draw(st.lists(st.sampled_from(named), max_size=2)) if named else []
    if draw(st.integers(0, 3)) == 0:
        start = draw(instants(snapshot.date))
        blocks.append(
            ShownBlock(
                kind=draw(st.sampled_from([BlockKind.TODO, BlockKind.BREAK])),
                title=draw(st.sampled_from(["gone", "Lunch"])),
                start=start,
                end=start.astimezone(dt.UTC) + draw(st.integers(0, 90)) * MINUTE,
                pinned=draw(st.booleans()),
                source=draw(st.sampled_from([None, SourceRef(source="home", locator="line 99")])),
            )
        )
    return dataclasses.replace(
        shown,
        blocks=tuple(blocks),
        skipped=tuple(
            SkippedTodo(title=one.title, source=one.source) for one in skipped if one.source
        ),
    )


@st.composite
def marked_blocks(draw: st.DrawFn, block: ShownBlock) -> ShownBlock:
    if draw(st.integers(0, 3)):
        return block
    by = draw(st.sampled_from([0, 0, 7, 30, -45])) * MINUTE
    longer = draw(st.sampled_from([0, 0, 10])) * MINUTE
    start, end = block.start.astimezone(dt.UTC) + by, block.end.astimezone(dt.UTC) + by + longer
    return dataclasses.replace(block, start=start, end=end, pinned=True)


@st.composite
def rich_snapshots(draw: st.DrawFn, preferences: DayPreferences) -> DaySnapshot:
    """A day of everything, planned before or for the first time."""
    plain = draw(snapshots())
    rich = dataclasses.replace(
        plain,
        events=tuple(draw(rich_events(event)) for event in plain.events),
        todos=tuple(draw(rich_todos(todo)) for todo in plain.todos),
    )
    sources = [todo.source for todo in rich.todos]
    if sources and draw(st.integers(0, 4)) == 0:
        rich = dataclasses.replace(
            rich,
            partly_elsewhere=(
                TimeElsewhere(
                    source=draw(st.sampled_from(sources)), minutes=draw(st.integers(0, 99))
                ),
            ),
            planned_later=(draw(st.sampled_from(sources)),),
        )
    if draw(st.booleans()):
        shown = draw(shown_plans(rich, preferences))
        kept = draw(st.integers(0, 4)) > 0
        rich = dataclasses.replace(rich, shown=shown, todos=rich.todos if kept else rich.todos[1:])
    return rich


@st.composite
def rich_days(draw: st.DrawFn) -> tuple[DaySnapshot, DayPreferences]:
    """A snapshot with the preferences that it is planned by."""
    preferences = draw(rich_wishes())
    return draw(rich_snapshots(preferences)), preferences
