"""Build the plan of a day: a pure function of a snapshot and preferences."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from iris_harness.contracts.canonical import digest
from iris_harness.contracts.day import (
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    PlannedDay,
    PlannedTodo,
)
from iris_harness.planner import words
from iris_harness.planner.conflicts import MOST_CONFLICTS, find_conflicts
from iris_harness.planner.job_news import pick_job_news
from iris_harness.planner.merge import normalise_snapshot
from iris_harness.planner.notices import find_notices
from iris_harness.planner.ranking import RankedTodo
from iris_harness.planner.schedule import build_schedule
from iris_harness.planner.shown import skipped_todos
from iris_harness.planner.situation import read_situation
from iris_harness.planner.version import ALGORITHM_VERSION

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
    time, ways, claims = read_situation(snapshot, preferences)
    ranked, shown = claims.todos, claims.shown
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
        jobs=pick_job_news(snapshot.jobs, snapshot.date),
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
