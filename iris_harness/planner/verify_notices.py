"""What a plan has to say aloud, against what it says."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from itertools import pairwise

from iris_harness.contracts.day import (
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    Notice,
    NoticeKind,
)
from iris_harness.planner.evidence import Evidence
from iris_harness.planner.evidence_time import Stretch, share, taken_by, takes_time, utc, without
from iris_harness.planner.evidence_ways import Journey
from iris_harness.planner.verify_blocks import Sorted
from iris_harness.planner.violations import Violation, ViolationKind, violation

_Key = tuple[NoticeKind, str, Stretch | None]
_FIRST = dt.datetime.min.replace(tzinfo=dt.UTC)
_KINDS = list(NoticeKind)


def find_unsaid(
    day: Evidence,
    snapshot: DaySnapshot,
    preferences: DayPreferences,
    plan: DailyPlan,
    blocks: Sorted,
) -> Iterator[Violation]:
    """Say what is odd and not said, and what is said and not so."""
    wanted = set(_odd(day, snapshot, preferences, blocks))
    said = [_key(notice) for notice in plan.notices]
    for kind, item, _ in sorted(wanted.difference(said), key=_place):
        yield violation(ViolationKind.SAID, f"this is odd and not said: {kind.value}", item)
    for kind, item, _ in sorted(set(said) - wanted, key=_place):
        yield violation(ViolationKind.SAID, f"this is said and not so: {kind.value}", item)
    for notice in plan.notices:
        if notice.item not in notice.text or notice.text not in plan.warnings:
            yield violation(ViolationKind.SAID, "it is not said in words", notice.item)
    for one, other in pairwise(plan.notices):
        if (*_place(_key(one)), one.text) >= (*_place(_key(other)), other.text):
            yield violation(ViolationKind.ORDER, "the notices are not in order", other.item)


def _key(notice: Notice) -> _Key:
    if notice.start is None or notice.end is None:
        return notice.kind, notice.item, None
    return notice.kind, notice.item, (utc(notice.start), utc(notice.end))


def _place(key: _Key) -> tuple[object, ...]:
    kind, item, stretch = key
    return _KINDS.index(kind), stretch[0] if stretch else _FIRST, item


def _odd(
    day: Evidence, snapshot: DaySnapshot, preferences: DayPreferences, blocks: Sorted
) -> Iterator[_Key]:
    for pause, piece in blocks.pauses:
        if piece is None:
            yield NoticeKind.BREAK, pause.wish.title, pause.window
    for journey in day.journeys:
        if any(share(journey.stretch, one) for one in _others(day, snapshot, journey)):
            yield NoticeKind.TRAVEL, _name(journey), journey.stretch
    for hours in day.odd_hours:
        yield NoticeKind.HOURS, hours, None
    if not day.is_past:
        yield from _staying(day, snapshot)
        yield from _todos(day, {one.energy for one in preferences.energy_windows})


def _name(journey: Journey) -> str:
    return f"Way {'back from' if journey.back else 'to'} {journey.event.summary}"


def _others(day: Evidence, snapshot: DaySnapshot, journey: Journey) -> Iterator[Stretch]:
    for event in filter(takes_time, snapshot.events):
        if event != journey.event:
            yield taken_by(event)
    yield from (one.stretch for one in day.journeys if one.event != journey.event)


def _staying(day: Evidence, snapshot: DaySnapshot) -> Iterator[_Key]:
    taken = [taken_by(event) for event in filter(takes_time, snapshot.events)]
    taken += [journey.stretch for journey in day.journeys]
    for one in day.before.blocks:
        if not one.stays:
            continue
        title = one.todo.summary if one.todo else one.block.title
        if one.block.pinned and without([one.stretch], day.working):
            yield NoticeKind.PIN_OUTSIDE, title, one.stretch
        if any(share(one.stretch, other) for other in taken):
            yield NoticeKind.PIN_OVERLAP, title, one.stretch
        taken.append(one.stretch)
    for block in day.before.gone:
        yield NoticeKind.PIN_GONE, block.title, (utc(block.start), utc(block.end))


def _todos(day: Evidence, energies: Iterable[str]) -> Iterator[_Key]:
    known = set(energies)
    for demand in day.demands:
        if not demand.workable:
            continue
        todo = demand.todo
        if demand.is_again:
            over = [one.stretch for one in day.before.of(todo) if one.is_over]
            yield NoticeKind.STILL_OPEN, todo.summary, over[-1]
        if demand.has_no_hours:
            yield NoticeKind.TIMES, todo.summary, None
        if todo.energy and todo.energy not in known:
            yield NoticeKind.ENERGY, todo.energy, None
