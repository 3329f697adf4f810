"""Say why something is where it is in a plan, by trying what else there was.

For a todo every earlier time of the day is looked at, in order. What is taken, too short for it, or
outside the hours it asks for is out of the question. In what is left the todo is put, all else is
placed again (`planner.whatif`), and the two days are compared: what is lost, on the first level of
the objective that loses anything, is the reason. For a todo that lacks time, changes are tried in
the same way (`planner.changes`).

Pure, and bounded: at most `MOST_TRIED` times are tried, with a few thousand nodes each, and nothing
is said to be lost where that could not be proved.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Sequence

from iris_harness.contracts.day import Block, BlockKind, DailyPlan, Event, PlannedDay
from iris_harness.contracts.explain import (
    Cause,
    DayItem,
    Explanation,
    ItemKind,
    ItemTime,
    Outcome,
    Reason,
)
from iris_harness.planner import words
from iris_harness.planner.changes import find_changes
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.ranking import Standing
from iris_harness.planner.scene import Scene, read_scene
from iris_harness.planner.spans import intersect
from iris_harness.planner.whatif import (
    MOST_WISHES,
    Loss,
    Served,
    find_loss,
    force,
    is_proved,
    read_served,
)

MOST_TRIED = 12
"""Times of the day that are tried for one explanation, at most."""

_MOST_IN_GAP = 3


def explain(day: PlannedDay, item: DayItem) -> Explanation:
    """Return why `item` is where it is. Equal input gives an equal explanation.

    Args:
        day: a plan with what it was made of, as `planner.build.build_planned_day` returns it.
        item: one of `planner.items.list_items` of that plan.
    """
    if item.kind is ItemKind.TODO:
        return _TodoStory(day, item).tell()
    if item.kind is ItemKind.EVENT:
        return _explanation(day, item, Outcome.FIXED, tuple(_event_reasons(day.plan, item)))
    sources = (item.source,) if item.source else ()
    reason = Reason(cause=Cause.SETTING, detail=item.detail, sources=sources)
    return _explanation(day, item, Outcome.FIXED, (reason,))


def _explanation(
    day: PlannedDay, item: DayItem, outcome: Outcome, reasons: Sequence[Reason]
) -> Explanation:
    return Explanation(
        date=day.plan.date,
        timezone=day.plan.timezone,
        plan_id=day.plan.plan_id,
        item=item,
        outcome=outcome,
        reasons=tuple(reasons),
    )


def _event_reasons(plan: DailyPlan, item: DayItem) -> Iterator[Reason]:
    event = next(
        one
        for one in plan.events
        if one.source == item.source and one.summary == item.title and _has_times(one, item)
    )
    yield Reason(cause=Cause.CALENDAR, other=event.calendar, sources=(event.source,))
    if not event.busy:
        yield Reason(cause=Cause.NOT_BUSY, detail=event.status.value, sources=(event.source,))
    for pair in plan.conflicts:
        if event in {pair.first, pair.second}:
            other = pair.second if pair.first == event else pair.first
            yield Reason(
                cause=Cause.OVERLAPS,
                start=pair.start,
                end=pair.end,
                other=other.summary,
                sources=(other.source,),
            )


def _has_times(event: Event, item: DayItem) -> bool:
    if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
        return not item.times
    return item.times == (ItemTime(start=event.start, end=event.end),)


class _TodoStory:
    """Tells of one todo."""

    def __init__(self, day: PlannedDay, item: DayItem) -> None:
        self._day = day
        self._item = item
        self._todo = next(
            todo
            for todo in day.snapshot.todos
            if (todo.source, todo.summary) == (item.source, item.title)
        )
        self._scene: Scene = read_scene(day.snapshot, day.preferences)
        self._ranked = self._scene.rank_of(self._todo)
        self._number = self._scene.number_of(self._todo)
        self._blocks: tuple[Block, ...] = tuple(
            block
            for block in day.plan.blocks
            if block.kind is BlockKind.TODO
            and (block.source, block.title) == (item.source, item.title)
        )
        self._served: tuple[Served, ...] = read_served(day.plan, self._scene)
        can_try = is_proved(day.plan.proof.level) and len(self._scene.wishes) <= MOST_WISHES
        self._left = MOST_TRIED if can_try else 0

    def tell(self) -> Explanation:
        """Return the whole explanation."""
        lack = self._lack()
        outcome = Outcome.PLACED
        if lack is not None or not self._blocks:
            outcome = Outcome.PARTLY if self._blocks else Outcome.UNPLACED
        closed = self._closed()
        reasons = [
            Reason(cause=Cause.DETAIL, detail=self._item.detail, sources=(self._todo.source,)),
            *([lack] if lack else []),
            *(closed if closed is not None else self._times()),
        ]
        told = _explanation(self._day, self._item, outcome, reasons)
        may_change = outcome is not Outcome.PLACED and self._left > 0 and self._number is not None
        if not may_change or not self._scene.time.working:
            return told
        return dataclasses.replace(told, changes=find_changes(self._day, self._scene, self._todo))

    def _lack(self) -> Reason | None:
        """Return in the planner's words why a due todo lacks time; None where it does not."""
        for one in self._day.plan.unplaced:
            if (one.source, one.summary) == (self._todo.source, self._todo.summary):
                return Reason(cause=Cause.LACKS, detail=one.reason, sources=(one.source,))
        return None

    def _closed(self) -> tuple[Reason, ...] | None:
        """Return why no time of the day was open to it at all; None where some was."""
        time = self._scene.time
        if time.frame.phase(time.now) is Phase.PAST:
            return (Reason(cause=Cause.OVER),)
        if self._ranked.standing is Standing.SKIPPED:
            return (Reason(cause=Cause.SKIPPED, sources=(self._todo.source,)),)
        if self._ranked.standing is not Standing.WORKABLE:
            return ()  # what it says of itself says why
        if not time.working and not self._blocks:
            return (Reason(cause=Cause.DAY_OFF),)
        if not (self._ranked.is_due or self._day.preferences.fill_with_backlog or self._blocks):
            return (Reason(cause=Cause.BACKLOG_OFF),)
        return self._stays()

    def _stays(self) -> tuple[Reason, ...] | None:
        """Return why its first block was never in question; None where it was."""
        first = self._blocks[0] if self._blocks else None
        for fixed in self._scene.claims.shown.fixed:
            if fixed.todo == self._todo and first and fixed.shown.start == first.start:
                cause = Cause.PINNED if first.pinned else Cause.BEGUN
                return (Reason(cause=cause, start=first.start, end=first.end),)
        return None

    def _times(self) -> list[Reason]:
        """Return what is wrong with each time before its first block, or with all, by time."""
        told = [*self._taken(), *self._gaps()]
        told.sort(key=lambda reason: (reason.start or self._day.plan.now, reason.cause))
        is_first = not any(reason.cause not in {Cause.TAKEN, Cause.CLEAR} for reason in told)
        if self._blocks and is_first:
            told.append(Reason(cause=Cause.FIRST, start=self._blocks[0].start))
        if self._is_kept():
            told.append(Reason(cause=Cause.KEPT, start=self._blocks[0].start))
        return told

    def _is_kept(self) -> bool:
        spans = self._scene.claims.shown.kept.get(self._todo, ())
        own = [self._scene.time.frame.span(block.start, block.end) for block in self._blocks]
        return bool(own) and list(spans) == own

    @property
    def _horizon(self) -> int:
        """The second up to which times are looked at."""
        frame = self._scene.time.frame
        return frame.second(self._blocks[0].start) if self._blocks else frame.seconds

    def _taken(self) -> Iterator[Reason]:
        time = self._scene.time
        looked_at = intersect(time.working, Span(time.begin, self._horizon))
        for taken in self._scene.taken():
            if intersect(looked_at, taken.span):
                yield Reason(
                    cause=Cause.CLEAR if taken.is_buffer else Cause.TAKEN,
                    start=time.frame.instant(taken.span.start),
                    end=time.frame.instant(taken.span.end),
                    other=taken.title,
                    sources=taken.sources,
                )

    def _gaps(self) -> Iterator[Reason]:
        time = self._scene.time
        for gap in time.gaps():
            if gap.start * time.grid < self._horizon:
                yield from self._gap(gap)

    def _gap(self, gap: Span) -> Iterator[Reason]:
        time, need = self._scene.time, self._need
        limits = time.limits(self._todo)
        usable = (gap,) if limits.windows is None else intersect(limits.windows, gap)
        starts = [start for span in usable for start in self._starts(span)]
        short = need - (gap.end - gap.start)
        if short > 0:
            minutes = short * time.preferences.grid_minutes
            yield self._about(gap, Reason(cause=Cause.TOO_SHORT, minutes=minutes))
        elif not any(span.end - span.start >= need for span in usable):
            said = words.limits_text(limits.earliest, limits.latest, limits.energy)
            yield self._about(gap, Reason(cause=Cause.OUTSIDE, detail=said))
        elif starts:
            yield self._tried(gap, starts[:_MOST_IN_GAP])

    @property
    def _need(self) -> int:
        """The slots of its first block, or of all it still needs."""
        time = self._scene.time
        if not self._blocks:
            rest = self._scene.claims.rest_minutes(time, self._todo)
            return max(1, rest // time.preferences.grid_minutes)
        span = time.frame.span(self._blocks[0].start, self._blocks[0].end)
        return (span.end - span.start) // time.grid

    def _starts(self, span: Span) -> Iterator[int]:
        """Yield the slots at which it could start: when the span does, or another block ends."""
        time = self._scene.time
        ends = (time.frame.second(block.end) for block in self._day.plan.blocks)
        inside = (end // time.grid for end in ends if end % time.grid == 0)
        for start in sorted({span.start, *(slot for slot in inside if slot > span.start)}):
            if start + self._need <= span.end and start * time.grid < self._horizon:
                yield start

    def _tried(self, gap: Span, starts: Sequence[int]) -> Reason:
        """Return what is lost where the least is lost."""
        best: tuple[int, Loss] | None = None
        for start in starts:
            loss = self._loss(Span(start, start + self._need))
            if loss is None:
                best = None
                break
            if best is None or loss.weight > best[1].weight:
                best = (start, loss)
        if best is None:
            return self._about(gap, Reason(cause=Cause.UNDECIDED))
        start, loss = best
        reason = Reason(cause=Cause.COSTS, level=loss.level, other=loss.title)
        return self._about(Span(start, start + self._need), reason)

    def _loss(self, piece: Span) -> Loss | None:
        """Return what is lost with it there; None where nothing is known to be."""
        self._left -= 1
        if self._left < 0 or self._number is None:
            return None
        after = force(self._scene, self._number, piece)
        if after is None:
            self._left = 0  # what could not be proved once is not tried again and again
            return None
        return find_loss(self._served, after, self._number)

    def _about(self, slots: Span, reason: Reason) -> Reason:
        time = self._scene.time
        return dataclasses.replace(
            reason, start=time.instant(slots.start), end=time.instant(slots.end)
        )
