"""What was planned for a day: the plan that was shown, as it was shown, and the events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from iris_harness.contracts.day import BlockKind, ShownBlock
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.memory import DayMemory
from iris_harness.planner import words
from iris_harness.planner.questions.look import Look, Window
from iris_harness.planner.questions.telling import (
    capital,
    day_text,
    end_text,
    event_fact,
    limit,
    on_day,
    said_of,
)

_DAY = dt.timedelta(days=1)


def planned_facts(look: Look, day: dt.date, memory: DayMemory) -> list[Fact]:
    """Return what the plan of a day that was shown last has, and the day's events, by time."""
    blocks = [
        block
        for block in (memory.shown.blocks if memory.shown else ())
        if block.kind is BlockKind.TODO
    ]
    window = Window(days=(day,), start=look.midnight(day), end=look.midnight(day + _DAY))
    events = [one for one in look.events if window.holds(one) and one.takes_place]
    timed = [(_begin(event.start), event_fact(event, look.now)) for event in events]
    timed += [(block.start, _block_fact(block, look.now)) for block in blocks]
    first = look.midnight(day)
    ordered = sorted(timed, key=lambda pair: pair[0] or first)
    head = said_of(look, f"{_head(look, day, blocks, len(events))}{limit(look)}.")
    return [head, *(fact for _, fact in ordered)]


def _begin(start: dt.date | dt.datetime) -> dt.datetime | None:
    return start if isinstance(start, dt.datetime) else None


def _head(look: Look, day: dt.date, blocks: Sequence[ShownBlock], events: int) -> str:
    are = "there is 1 event" if events == 1 else f"there are {events or 'no'} events"
    if not blocks:
        return f"No plan of {day_text(day, look.now)} was shown so far; {are}"
    titles = len({block.title for block in blocks})
    todos = "1 todo" if titles == 1 else f"{titles} todos"
    return f"{capital(on_day(day, look.now))} you planned {todos}, and {are}"


def _block_fact(block: ShownBlock, now: dt.datetime) -> Fact:
    day = capital(day_text(block.start.date(), now))
    span = f"{words.clock_text(block.start)} to {end_text(block.end)}"
    pinned = ", pinned" if block.pinned else ""
    return Fact(
        kind=FactKind.TODO,
        text=f"{day}, {span}: {block.title}{pinned}.",
        value={
            "summary": block.title,
            "start": block.start.isoformat(),
            "end": block.end.isoformat(),
        },
        sources=(block.source,) if block.source else (),
    )
