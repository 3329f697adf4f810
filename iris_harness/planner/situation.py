"""What the planner has to deal with on a day: its time, its ways, and all that asks for time."""

from __future__ import annotations

from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, DaySnapshot
from iris_harness.planner.daytime import DayTime, build_daytime
from iris_harness.planner.frame import build_frame, load_zone
from iris_harness.planner.journeys import Way, find_ways
from iris_harness.planner.ranking import Apart, rank_todos
from iris_harness.planner.shown import Shown, sort_out
from iris_harness.planner.spans import union
from iris_harness.planner.wishes import Claims


class Situation(NamedTuple):
    """One day, read."""

    time: DayTime
    ways: tuple[Way, ...]
    claims: Claims


def read_situation(snapshot: DaySnapshot, preferences: DayPreferences) -> Situation:
    """Return the situation of a day; `snapshot` is in normal form.

    Raises:
        UsageError: the time zone does not exist, or the day lies at the edge of the calendar.
    """
    frame = build_frame(snapshot.date, load_zone(snapshot.timezone))
    shown = sort_out(snapshot, preferences, frame)
    ways = find_ways(frame, snapshot.events, preferences)
    time = build_daytime(frame, snapshot.now, preferences, snapshot.events, ways)
    return Situation(
        time=time._replace(fixed=union(one.span for one in shown.fixed)),
        ways=ways,
        claims=Claims(
            events=snapshot.events,
            todos=rank_todos(snapshot.todos, frame, snapshot.now, _apart(snapshot, shown)),
            shown=shown,
            elsewhere={one.source: one for one in snapshot.partly_elsewhere},
        ),
    )


def _apart(snapshot: DaySnapshot, shown: Shown) -> Apart:
    return Apart(
        skipped=shown.skipped,
        planned_earlier=frozenset(snapshot.placed_elsewhere),
        planned_later=frozenset(snapshot.planned_later),
        left_out=frozenset(snapshot.left_out),
    )
