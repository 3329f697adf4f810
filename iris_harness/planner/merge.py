"""Bring a snapshot into its one normal form: merged, sorted, instants in the user's zone.

Two snapshots that hold the same readings in another order have the same normal form, so the
plan and its id do not depend on the order in which sources are configured or files are read.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.contracts.day import (
    BlockKind,
    DaySnapshot,
    Event,
    JobNews,
    ShownBlock,
    ShownPlan,
    TimeElsewhere,
    Todo,
)
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceStatus
from iris_harness.planner.birthdays import birthday_order
from iris_harness.planner.frame import at_offset, load_zone
from iris_harness.planner.job_news import job_order

_LOWEST_PRIORITY = 9  # RFC 5545 §3.8.1.9
_LARGEST_INTEGER = 2**31 - 1  # RFC 5545 §3.3.8
_LONG_AGO = dt.datetime(1, 1, 2, tzinfo=dt.UTC)


def normalise_snapshot(snapshot: DaySnapshot) -> DaySnapshot:
    """Return the normal form of `snapshot`; a normal form is its own.

    Raises:
        UsageError: its time zone does not exist.
    """
    zone = load_zone(snapshot.timezone)
    return dataclasses.replace(
        snapshot,
        now=at_offset(snapshot.now, zone).replace(microsecond=0),
        events=merge_events(snapshot.events, zone),
        todos=merge_todos(snapshot.todos, zone),
        birthdays=tuple(sorted(set(snapshot.birthdays), key=birthday_order)),
        sources=sort_statuses(snapshot.sources),
        warnings=tuple(sorted(set(snapshot.warnings))),
        placed_elsewhere=tuple(sorted(set(snapshot.placed_elsewhere))),
        partly_elsewhere=_merge_elsewhere(snapshot.partly_elsewhere),
        planned_later=tuple(sorted(set(snapshot.planned_later))),
        left_out=tuple(sorted(set(snapshot.left_out))),
        shown=_merge_shown(snapshot.shown, zone) if snapshot.shown else None,
        jobs=_merge_jobs(snapshot.jobs, zone),
    )


def _merge_elsewhere(parts: Iterable[TimeElsewhere]) -> tuple[TimeElsewhere, ...]:
    """Return the time of each todo in one sum, by source; none for what has none."""
    total: dict[SourceRef, tuple[int, int]] = {}
    for part in parts:
        earlier, later = total.get(part.source, (0, 0))
        total[part.source] = (
            _bounded(earlier + max(0, part.minutes)),
            _bounded(later + max(0, part.later_minutes)),
        )
    return tuple(
        TimeElsewhere(source=source, minutes=earlier, later_minutes=later)
        for source, (earlier, later) in sorted(total.items())
        if earlier or later
    )


def _merge_jobs(jobs: Iterable[JobNews], zone: ZoneInfo) -> tuple[JobNews, ...]:
    """Return each job once, in the order of plans, times to whole seconds in the user's zone."""
    local = {
        dataclasses.replace(job, since=at_offset(job.since, zone).replace(microsecond=0))
        for job in jobs
    }
    return tuple(sorted(local, key=job_order))


def _merge_shown(shown: ShownPlan, zone: ZoneInfo) -> ShownPlan:
    """Return its blocks by start, to whole seconds, each once; without those that hold no time."""
    blocks = {_shown_at_offset(block, zone) for block in shown.blocks}
    return dataclasses.replace(
        shown,
        blocks=tuple(sorted((one for one in blocks if one.start < one.end), key=_shown_order)),
        skipped=tuple(sorted(set(shown.skipped), key=lambda one: (one.source, one.title))),
    )


def _shown_at_offset(block: ShownBlock, zone: ZoneInfo) -> ShownBlock:
    return dataclasses.replace(
        block,
        start=at_offset(block.start, zone).replace(microsecond=0),
        end=at_offset(block.end, zone).replace(microsecond=0),
    )


def _shown_order(block: ShownBlock) -> tuple[object, ...]:
    kinds = list(BlockKind)
    source = str(block.source or "")
    return (block.start, block.end, block.title, kinds.index(block.kind), source, block.pinned)


def merge_events(events: Iterable[Event], zone: ZoneInfo) -> tuple[Event, ...]:
    """Return each occurrence once, in the order that `DailyPlan.events` states.

    The same occurrence (`uid` and `recurrence_id`) in several calendars is the one with the
    highest sequence; of equal ones the newest revision; then the first calendar by name.
    """
    versions: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        versions.setdefault((event.uid, event.recurrence_id), []).append(event)
    current = (_current(group) for group in versions.values())
    return tuple(sorted((_event_at_offset(event, zone) for event in current), key=event_order))


def _current(versions: Sequence[Event]) -> Event:
    if len(versions) == 1:
        return versions[0]
    return min(
        versions,
        key=lambda event: (
            -event.sequence,
            _LONG_AGO - (event.revised_at or _LONG_AGO),
            event.calendar,
            event.source,
            canonical_bytes(event),
        ),
    )


def _event_at_offset(event: Event, zone: ZoneInfo) -> Event:
    return dataclasses.replace(
        event,
        sequence=_bounded(event.sequence),
        start=_time_at_offset(event.start, zone),
        end=_time_at_offset(event.end, zone),
        revised_at=at_offset(event.revised_at, zone) if event.revised_at else None,
        travel_minutes=None if event.travel_minutes is None else _bounded(event.travel_minutes),
    )


def _time_at_offset(value: dt.date | dt.datetime, zone: ZoneInfo) -> dt.date | dt.datetime:
    return at_offset(value, zone) if isinstance(value, dt.datetime) else value


def event_order(event: Event) -> tuple[object, ...]:
    """Return the sort key of events that `DailyPlan.events` states, total within a plan."""
    identity = (event.source, event.uid, event.recurrence_id)
    if event.all_day:
        return (0, event.start, event.summary, event.end, *identity)
    return (1, event.start, event.end, event.summary, *identity)


def merge_todos(todos: Iterable[Todo], zone: ZoneInfo) -> tuple[Todo, ...]:
    """Return the todos sorted by source; one that two lists hold word for word counts once.

    A todo with the same UID but other content stays: which of the two is right cannot be told.
    """
    clean = sorted((_clean_todo(todo, zone) for todo in todos), key=_todo_order)
    first: dict[tuple[object, ...], Todo] = {}
    for todo in clean:
        first.setdefault(_todo_content(todo), todo)
    return tuple(first.values())


def _clean_todo(todo: Todo, zone: ZoneInfo) -> Todo:
    known = todo.priority is not None and 1 <= todo.priority <= _LOWEST_PRIORITY
    return dataclasses.replace(
        todo,
        due=_time_at_offset(todo.due, zone) if todo.due else None,
        start=_time_at_offset(todo.start, zone) if todo.start else None,
        priority=todo.priority if known else None,
        estimate_minutes=_bounded(todo.estimate_minutes) if todo.estimate_minutes else None,
        chunk_minutes=None if todo.chunk_minutes is None else _bounded(todo.chunk_minutes),
    )


def _bounded(number: int) -> int:
    """Return an integer that fits RFC 5545, so that one absurd value cannot cost the plan."""
    return max(-_LARGEST_INTEGER, min(number, _LARGEST_INTEGER))


def _todo_order(todo: Todo) -> tuple[object, ...]:
    return (todo.source, todo.list_name, tuple(map(str, _todo_content(todo))))


def _todo_content(todo: Todo) -> tuple[object, ...]:
    return (
        todo.uid,
        todo.summary,
        todo.due,
        todo.start,
        todo.priority,
        todo.estimate_minutes,
        todo.created_on,
        todo.earliest,
        todo.latest,
        todo.energy,
        todo.chunk_minutes,
    )


def sort_statuses(statuses: Iterable[SourceStatus]) -> tuple[SourceStatus, ...]:
    """Return the statuses by kind (as `SourceKind` lists them), then name, each once."""
    kinds = list(SourceKind)
    return tuple(
        sorted(
            set(statuses),
            key=lambda status: (
                kinds.index(status.kind),
                status.name,
                status.state,
                status.age_seconds or 0,
                status.detail,
            ),
        )
    )
