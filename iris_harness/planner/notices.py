"""What is odd about a day, or about what the user has said of it: said aloud, never mended."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from iris_harness.contracts.day import (
    DayPreferences,
    Notice,
    NoticeKind,
    ShownBlock,
    Todo,
)
from iris_harness.planner import words
from iris_harness.planner.breaks import WantedBreak
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.daytime import DayTime, ends_before_it_starts
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.journeys import Way, overlapping
from iris_harness.planner.ranking import Standing
from iris_harness.planner.shown import FixedBlock
from iris_harness.planner.spans import subtract
from iris_harness.planner.wishes import Claims

_KINDS = list(NoticeKind)
_NEVER = dt.datetime.min.replace(tzinfo=dt.UTC)


def find_notices(
    time: DayTime, claims: Claims, ways: Sequence[Way], missed: Sequence[WantedBreak]
) -> tuple[Notice, ...]:
    """Return everything that has to be said aloud, in the order that `DailyPlan` states.

    Of a day that is over, only what its ways and the hours are odd about.
    """
    found = [
        *_missed_breaks(time, missed),
        *_colliding_ways(time, claims, ways),
        *_odd_hours(time),
    ]
    if time.frame.phase(time.now) is not Phase.PAST:
        found += _fixed(time, claims, ways)
        found += _gone(claims)
        found += _of_todos(time, claims)
    # Once for each thing and time, even where several of one title are odd in several ways.
    by_item = {(one.kind, one.item, one.start, one.end): one for one in reversed(found)}
    return tuple(sorted(by_item.values(), key=_order))


def _order(notice: Notice) -> tuple[object, ...]:
    start = notice.start or _NEVER
    return (_KINDS.index(notice.kind), start, notice.item, notice.text)


def _missed_breaks(time: DayTime, missed: Sequence[WantedBreak]) -> Iterator[Notice]:
    for wish, window in missed:
        start, end = time.frame.instant(window.start), time.frame.instant(window.end)
        text = words.no_break_notice(wish.title, wish.minutes, start, end)
        yield Notice(kind=NoticeKind.BREAK, item=wish.title, start=start, end=end, text=text)


def _colliding_ways(time: DayTime, claims: Claims, ways: Sequence[Way]) -> Iterator[Notice]:
    for way in ways:
        others = overlapping(way, claims.events, ways, time.frame)
        if others:
            start, end = time.frame.instant(way.span.start), time.frame.instant(way.span.end)
            title = words.way_title(way.event.summary, is_back=way.is_back)
            text = words.way_notice(title, start, end, others)
            yield Notice(kind=NoticeKind.TRAVEL, item=title, start=start, end=end, text=text)


def _fixed(time: DayTime, claims: Claims, ways: Sequence[Way]) -> Iterator[Notice]:
    for number, fixed in enumerate(claims.shown.fixed):
        block, title = fixed.shown, _title(fixed)
        start, end = block.start, block.end
        if block.pinned and subtract((fixed.span,), time.working):
            text = words.stays_outside_notice(title, start, end)
            yield Notice(kind=NoticeKind.PIN_OUTSIDE, item=title, start=start, end=end, text=text)
        earlier = claims.shown.fixed[:number]
        if others := _lies_over(time, claims, ways, fixed.span, earlier):
            text = words.stays_over_notice(title, start, end, pinned=block.pinned, others=others)
            yield Notice(kind=NoticeKind.PIN_OVERLAP, item=title, start=start, end=end, text=text)


def _title(fixed: FixedBlock) -> str:
    return fixed.todo.summary if fixed.todo else fixed.shown.title


def _lies_over(
    time: DayTime, claims: Claims, ways: Sequence[Way], span: Span, earlier: Sequence[FixedBlock]
) -> tuple[str, ...]:
    """Return what a block that stays lies over: events, ways, and blocks that stay as well."""
    taken = [
        *(
            (event.summary, time.frame.span(*bounds(event)))
            for event in claims.events
            if event.busy and not event.all_day
        ),
        *((words.way_title(way.event.summary, is_back=way.is_back), way.span) for way in ways),
        *((_title(other), other.span) for other in earlier),
    ]
    return tuple(
        dict.fromkeys(
            title
            for title, other in taken
            if max(span.start, other.start) < min(span.end, other.end)
        )
    )


def _gone(claims: Claims) -> Iterator[Notice]:
    for block in claims.shown.gone:
        text = words.pin_gone_notice(block.title, block.start, block.end)
        yield _about(NoticeKind.PIN_GONE, block.title, block, text)


def _about(kind: NoticeKind, item: str, block: ShownBlock, text: str) -> Notice:
    return Notice(kind=kind, item=item, start=block.start, end=block.end, text=text)


def _of_todos(time: DayTime, claims: Claims) -> Iterator[Notice]:
    workable = [one.todo for one in claims.todos if one.standing is Standing.WORKABLE]
    for todo in workable:
        ran = claims.shown.ran.get(todo)
        if ran and claims.is_again(time, todo):
            text = words.still_open_notice(todo.summary, ran[-1].start, ran[-1].end)
            yield _about(NoticeKind.STILL_OPEN, todo.summary, ran[-1], text)
        if time.has_no_hours(todo):
            limits = time.limits(todo)
            text = words.times_notice(
                todo.summary, words.times_text(todo.earliest, todo.latest, limits.energy)
            )
            yield Notice(kind=NoticeKind.TIMES, item=todo.summary, text=text)
    yield from _unknown_energies(time.preferences, workable)


def _unknown_energies(preferences: DayPreferences, todos: Sequence[Todo]) -> Iterator[Notice]:
    known = {one.energy for one in preferences.energy_windows}
    for energy in dict.fromkeys(one.energy for one in todos if one.energy):
        if energy not in known:
            titles = [one.summary for one in todos if one.energy == energy]
            text = words.energy_notice(energy, titles)
            yield Notice(kind=NoticeKind.ENERGY, item=energy, text=text)


def _odd_hours(time: DayTime) -> Iterator[Notice]:
    preferences = time.preferences
    hours = [
        *(
            ("the working hours", span)
            for span in preferences.working_hours[time.frame.date.weekday()]
        ),
        *((f"the hours of {wish.title}", wish.window) for wish in preferences.breaks),
        *(
            (f"the hours for {one.energy} energy", span)
            for one in preferences.energy_windows
            for span in one.spans
        ),
    ]
    for what, span in hours:
        if ends_before_it_starts(span):
            item = f"{what} {span.start:%H:%M}-{span.end:%H:%M}"
            yield Notice(kind=NoticeKind.HOURS, item=item, text=words.hours_notice(item))
