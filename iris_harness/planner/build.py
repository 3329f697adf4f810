"""Build the plan of a day: a pure function of a snapshot and preferences."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence

from iris_harness.contracts.canonical import digest
from iris_harness.contracts.day import (
    BlockKind,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    PlannedDay,
    PlannedTodo,
    TimeElsewhere,
)
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner import words
from iris_harness.planner.conflicts import MOST_CONFLICTS, find_conflicts
from iris_harness.planner.daytime import build_daytime, need_minutes
from iris_harness.planner.frame import build_frame, load_zone
from iris_harness.planner.journeys import find_ways
from iris_harness.planner.merge import normalise_snapshot
from iris_harness.planner.notices import find_notices
from iris_harness.planner.ranking import Apart, RankedTodo, rank_todos
from iris_harness.planner.schedule import build_schedule
from iris_harness.planner.shown import Shown, skipped_todos, sort_out
from iris_harness.planner.spans import union
from iris_harness.planner.version import ALGORITHM_VERSION
from iris_harness.planner.wishes import Claims

_MINUTE = dt.timedelta(minutes=1)


def build_daily_plan(snapshot: DaySnapshot, preferences: DayPreferences) -> DailyPlan:
    """Return the plan of the snapshot's day.

    Equal input gives an equal plan, and the order of events, todos, sources and warnings in
    the snapshot is no part of the input. Ranking: `planner.ranking`; placing:
    `planner.schedule`. Working time is free from "now" on when "now" lies in the day; of any
    other day all of it counts, and on a past day nothing is placed.

    Raises:
        UsageError: the time zone does not exist, or the day lies at the edge of the calendar.
        CanonicalError: the snapshot holds a naive time or text that is not valid Unicode.
    """
    return build_planned_day(snapshot, preferences).plan


def build_planned_day(snapshot: DaySnapshot, preferences: DayPreferences) -> PlannedDay:
    """Return the plan together with what it was made of, the snapshot in its normal form.

    Raises:
        UsageError: as `build_daily_plan`.
        CanonicalError: as `build_daily_plan`.
    """
    normal = normalise_snapshot(snapshot)
    return PlannedDay(snapshot=normal, preferences=preferences, plan=_plan(normal, preferences))


def _plan(snapshot: DaySnapshot, preferences: DayPreferences) -> DailyPlan:
    frame = build_frame(snapshot.date, load_zone(snapshot.timezone))
    shown = sort_out(snapshot, preferences, frame)
    ranked = rank_todos(snapshot.todos, frame, snapshot.now, _apart(snapshot, shown))
    ways = find_ways(frame, snapshot.events, preferences)
    time = build_daytime(frame, snapshot.now, preferences, snapshot.events, ways)
    time = time._replace(fixed=union(one.span for one in shown.fixed))
    elsewhere = {one.source: one.minutes for one in snapshot.partly_elsewhere}
    claims = Claims(events=snapshot.events, todos=ranked, shown=shown, elsewhere=elsewhere)
    schedule = build_schedule(time, claims, ways)
    conflicts = find_conflicts(snapshot.events)
    notices = find_notices(time, claims, ways, schedule.missed_breaks)
    unlisted = (words.MANY_CONFLICTS,) if len(conflicts) > MOST_CONFLICTS else ()
    said = (notice.text for notice in notices)
    return DailyPlan(
        date=snapshot.date,
        timezone=snapshot.timezone,
        plan_id=_plan_id(snapshot, preferences),
        now=snapshot.now,
        events=snapshot.events,
        todos=_listed((todo for todo in ranked if todo.is_due), time.dates),
        backlog=_listed((todo for todo in ranked if not todo.is_due), time.dates),
        blocks=schedule.blocks,
        free=schedule.free,
        unplaced=schedule.unplaced,
        conflicts=conflicts[:MOST_CONFLICTS],
        sources=snapshot.sources,
        warnings=tuple(sorted({*snapshot.warnings, *unlisted, *said})),
        working_hours=schedule.working_hours,
        birthdays=snapshot.birthdays,
        proof=schedule.proof,
        workload=schedule.workload,
        history=shown.history,
        skipped=skipped_todos(shown, (one.todo for one in ranked)),
        notices=notices,
    )


def _apart(snapshot: DaySnapshot, shown: Shown) -> Apart:
    return Apart(
        skipped=shown.skipped,
        planned_earlier=frozenset(snapshot.placed_elsewhere),
        planned_later=frozenset(snapshot.planned_later),
    )


def _plan_id(snapshot: DaySnapshot, preferences: DayPreferences) -> str:
    return digest(
        {"algorithm": ALGORITHM_VERSION, "preferences": preferences, "snapshot": snapshot}
    )


def _listed(todos: Iterable[RankedTodo], dates: words.DateWords) -> tuple[PlannedTodo, ...]:
    return tuple(
        PlannedTodo(
            todo=ranked.todo, overdue=ranked.overdue, reason=words.rank_reason(ranked, dates)
        )
        for ranked in todos
    )


def build_range(
    snapshots: Sequence[DaySnapshot], preferences: DayPreferences
) -> tuple[PlannedDay, ...]:
    """Return one planned day per snapshot, by date.

    A todo that one day has in full is not placed again on a later one; there it is still
    listed while it is due, last, as already planned. One that days have a part of goes on.

    Raises:
        UsageError: as `build_daily_plan`.
        CanonicalError: as `build_daily_plan`.
    """
    given: Counter[SourceRef] = Counter()
    planned: list[PlannedDay] = []
    for snapshot in sorted(snapshots, key=lambda snapshot: snapshot.date):
        day = build_planned_day(_with_earlier_days(snapshot, preferences, given), preferences)
        for block in day.plan.blocks:
            if block.kind is BlockKind.TODO and block.source is not None:
                given[block.source] += (block.end - block.start) // _MINUTE
        planned.append(day)
    return tuple(planned)


def _with_earlier_days(
    snapshot: DaySnapshot, preferences: DayPreferences, given: Counter[SourceRef]
) -> DaySnapshot:
    """Return the snapshot with what the days before it give to its todos."""
    needs = {todo.source: need_minutes(todo, preferences) for todo in snapshot.todos}
    full = {source for source, minutes in given.items() if minutes >= needs.get(source, 0)}
    partly = (
        TimeElsewhere(source=source, minutes=minutes)
        for source, minutes in given.items()
        if source in needs and source not in full
    )
    return dataclasses.replace(
        snapshot,
        placed_elsewhere=tuple(full.union(snapshot.placed_elsewhere)),
        partly_elsewhere=(*snapshot.partly_elsewhere, *partly),
    )
