"""Plan several days in a row, each todo on the day on which it does most good.

First all todos are shared out to the days (`planner.optimise.week`), then the days are planned one
after the other. What a day does with the todos of other days stands in its snapshot, so that each
day is a pure function of its own snapshot and can be checked alone:

- what earlier days have given to a todo, and what is left to later ones;
- the todos that are wholly left to later days;
- the todos that no day from this one on has time for.

Where a day serves something else than its share, the rest is shared out anew. The sharing is good,
not proved: what was left out and has room on a day after all is tried there.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import Counter
from collections.abc import Sequence

from iris_harness.contracts.day import (
    BlockKind,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    PlannedDay,
    TimeElsewhere,
)
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.daytime import need_minutes
from iris_harness.planner.merge import normalise_snapshot
from iris_harness.planner.shares import Minutes, find_room, pinned_minutes, share_days

_MINUTE = dt.timedelta(minutes=1)


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
    days = sorted(snapshots, key=lambda snapshot: snapshot.date)
    if len(days) == 1:
        return (build_planned_day(days[0], preferences),)
    normal = [normalise_snapshot(day) for day in days]
    return _Range(normal, preferences).plan()


class _Range:
    """Plans days one after the other."""

    def __init__(self, days: Sequence[DaySnapshot], preferences: DayPreferences) -> None:
        self._days = days
        self._preferences = preferences
        self._pinned = [pinned_minutes(day, preferences) for day in days]
        self._given: Minutes = Counter()
        self._shares: list[Minutes] = [Counter() for _ in days]
        self._asking: frozenset[SourceRef] = frozenset()
        self._has_shares = True

    def plan(self) -> tuple[PlannedDay, ...]:
        """Return the planned days."""
        self._share(0)
        planned = []
        for number, snapshot in enumerate(self._days):
            day = self._plan_day(self._with_others(number, snapshot))
            served = _served(day.plan)
            self._given += served
            planned.append(day)
            if self._has_shares and served - self._pinned[number] != self._shares[number]:
                self._share(number + 1)
        return tuple(planned)

    def _plan_day(self, snapshot: DaySnapshot) -> PlannedDay:
        """Return the plan of a day; what was left out and has room after all is tried as well."""
        day = build_planned_day(snapshot, self._preferences)
        while room := find_room(day):
            left_out = tuple(one for one in day.snapshot.left_out if one not in room)
            again = dataclasses.replace(day.snapshot, left_out=left_out)
            day = build_planned_day(again, self._preferences)
        return day

    def _share(self, first: int) -> None:
        """Share out what is left to the days from `first` on."""
        if self._has_shares and first < len(self._days):
            rest = [
                self._with(day, self._later(first + number, with_shares=False))
                for number, day in enumerate(self._days[first:])
            ]
            shares = share_days(rest, self._preferences)
            self._has_shares = shares is not None
            if shares is not None:
                self._shares[first:] = shares.days
                self._asking = shares.asking

    def _later(self, number: int, *, with_shares: bool = True) -> Minutes:
        """Return what days after one have of each todo."""
        later: Minutes = Counter()
        for other in range(number + 1, len(self._days)):
            later += self._pinned[other]
            if with_shares:
                later += self._shares[other]
        return later

    def _with_others(self, number: int, snapshot: DaySnapshot) -> DaySnapshot:
        own = self._shares[number] + self._pinned[number] if self._has_shares else None
        return self._with(snapshot, self._later(number), own)

    def _with(
        self, snapshot: DaySnapshot, later: Minutes, own: Minutes | None = None
    ) -> DaySnapshot:
        """Return a snapshot with what other days have of its todos.

        `own` is what the day itself is to serve; None: whatever it can.
        """
        given = self._given
        needs = {todo.source: need_minutes(todo, self._preferences) for todo in snapshot.todos}
        full = {source for source, minutes in given.items() if minutes >= needs.get(source, 0)}
        rest = {source: needs[source] - given[source] for source in needs if source not in full}
        passed_on = {
            source
            for source in rest
            if later[source] and (later[source] >= rest[source] if own is None else not own[source])
        }
        partly = (
            TimeElsewhere(
                source=source,
                minutes=given[source],
                later_minutes=0 if source in passed_on else min(later[source], rest[source]),
            )
            for source in rest
            if given[source] or later[source]
        )
        left_out = (
            source
            for source in rest
            if own is not None and source in self._asking and not (own[source] or later[source])
        )
        return dataclasses.replace(
            snapshot,
            placed_elsewhere=tuple(full.union(snapshot.placed_elsewhere)),
            partly_elsewhere=(*snapshot.partly_elsewhere, *partly),
            planned_later=tuple(passed_on.union(snapshot.planned_later)),
            left_out=(*snapshot.left_out, *left_out),
        )


def _served(plan: DailyPlan) -> Minutes:
    """Return the minutes that a plan gives to each todo."""
    served: Minutes = Counter()
    for block in plan.blocks:
        if block.kind is BlockKind.TODO and block.source is not None:
            served[block.source] += (block.end - block.start) // _MINUTE
    return served
