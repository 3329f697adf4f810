"""Give breaks and ranked todos the time of a day.

What stays where it is comes first: the ways to and from events, and what the plan shown before has
that is pinned or has begun. Then the breaks, the todos that are due by the end of the day by rank,
and (if the user wants it) the others that may start by then, by rank, are placed by the objective
that `planner.optimise` states: in the working time, on the grid, not before "now", in the hours
that they ask for, clear of busy timed events, of their buffers and of the ways.

A todo that cannot end by its due time may still keep a block, because late is better than never,
and the block's reason says by how much.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import (
    Block,
    BlockKind,
    FreeSpan,
    PlanProof,
    Todo,
    Unplaced,
    WorkingSpan,
    Workload,
)
from iris_harness.planner import words
from iris_harness.planner.breaks import WantedBreak
from iris_harness.planner.daytime import DayTime, knows_estimate
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.journeys import Way
from iris_harness.planner.optimise import Placement, place_optimally
from iris_harness.planner.ranking import RankedTodo, Standing
from iris_harness.planner.shown import FixedBlock
from iris_harness.planner.spans import subtract, union
from iris_harness.planner.unplaced import explain_no_room, explain_not_workable
from iris_harness.planner.wishes import Claims, Wish, build_wishes
from iris_harness.planner.workload import build_workload

_MINUTE = dt.timedelta(minutes=1)
_KINDS = list(BlockKind)


class Schedule(NamedTuple):
    """Where the time of a day goes."""

    blocks: tuple[Block, ...]
    """By start."""
    free: tuple[FreeSpan, ...]
    """Working time that counts and that neither event nor block takes, by start."""
    unplaced: tuple[Unplaced, ...]
    """Due todos without a block, or not enough, by rank; without those that an earlier day has."""
    missed_breaks: tuple[WantedBreak, ...]
    """Breaks that found no room."""
    working_hours: tuple[WorkingSpan, ...]
    """The working hours, whole, by start."""
    workload: Workload | None
    proof: PlanProof
    """What is known of how good it is."""


def build_schedule(time: DayTime, claims: Claims, ways: Sequence[Way]) -> Schedule:
    """Return the schedule of a day."""
    wishes = build_wishes(time, claims)
    placement = place_optimally([wish.request for wish in wishes], time.gaps())
    blocks = _Blocks(time, claims, wishes, placement).build(ways)
    return Schedule(
        blocks=blocks,
        free=_free(time, blocks),
        unplaced=(
            *explain_no_room(time, claims, wishes, placement),
            *explain_not_workable(time, claims, placement, _unable(time, claims)),
        ),
        missed_breaks=tuple(
            wish.wanted_break
            for wish, pieces in zip(wishes, placement.pieces, strict=True)
            if wish.wanted_break and not pieces
        ),
        working_hours=tuple(
            WorkingSpan(start=time.frame.instant(span.start), end=time.frame.instant(span.end))
            for span in time.working
        ),
        workload=build_workload(time, claims, blocks),
        proof=placement.proof,
    )


def _unable(time: DayTime, claims: Claims) -> Iterator[RankedTodo]:
    """Return the due todos that could not be placed at all, by rank."""
    is_over = time.frame.phase(time.now) is Phase.PAST
    for ranked in claims.todos:
        if ranked.is_due and (is_over or ranked.standing is not Standing.WORKABLE):
            yield ranked


class _Blocks:
    """Makes the blocks of a day."""

    def __init__(
        self, time: DayTime, claims: Claims, wishes: Sequence[Wish], placement: Placement
    ) -> None:
        self._time = time
        self._claims = claims
        self._placed = list(zip(wishes, placement.pieces, strict=True))
        self._ranked: Mapping[Todo, RankedTodo] = (
            {one.todo: one for one in claims.todos} if claims.shown.fixed else {}
        )
        self._parts = self._count_parts()

    def _count_parts(self) -> Mapping[Todo, list[Span]]:
        """Return where each todo that has several blocks has them, in seconds, by start."""
        parts: dict[Todo, list[Span]] = defaultdict(list)
        for wish, pieces in self._placed:
            is_split = len(pieces) > 1 or (pieces and self._claims.shown.fixed)
            if wish.ranked is not None and is_split:
                grid = self._time.grid
                parts[wish.ranked.todo] += [
                    Span(one.start * grid, one.end * grid) for one in pieces
                ]
        for fixed in self._claims.shown.fixed:
            if fixed.todo is not None:
                parts[fixed.todo].append(fixed.span)
        return {todo: sorted(spans) for todo, spans in parts.items() if len(spans) > 1}

    def build(self, ways: Sequence[Way]) -> tuple[Block, ...]:
        """Return all blocks, by start."""
        blocks = [
            *(self._way(way) for way in ways),
            *(self._fixed(fixed) for fixed in self._claims.shown.fixed),
            *(
                self._break(wish.wanted_break, piece)
                if wish.wanted_break
                else self._todo(wish, piece)
                for wish, pieces in self._placed
                for piece in pieces
            ),
        ]
        return tuple(sorted(blocks, key=block_order))

    def _todo(self, wish: Wish, piece: Span) -> Block:
        if wish.ranked is None:
            raise TypeError("a wish that is neither a break nor a todo")
        todo = wish.ranked.todo
        span = Span(piece.start * self._time.grid, piece.end * self._time.grid)
        end = self._time.instant(piece.end)
        limits = self._time.limits(todo)
        return Block(
            kind=BlockKind.TODO,
            title=todo.summary,
            start=self._time.instant(piece.start),
            end=end,
            pinned=False,
            source=todo.source,
            reason=words.block_reason(
                words.rank_reason(wish.ranked, self._time.dates),
                words.limits_text(limits.earliest, limits.latest, limits.energy),
                self._part(todo, span),
                "" if knows_estimate(todo) else words.no_estimate(self._time.need_minutes(todo)),
                words.late_text(_late_minutes(wish.ranked, end)),
            ),
        )

    def _fixed(self, fixed: FixedBlock) -> Block:
        shown = fixed.shown
        has_begun = shown.start <= self._time.now
        why = words.HAS_BEGUN if has_begun else words.PINNED
        todo = fixed.todo
        return Block(
            kind=shown.kind,
            title=todo.summary if todo else shown.title,
            start=shown.start,
            end=shown.end,
            pinned=shown.pinned,
            source=todo.source if todo else None,
            reason=self._fixed_reason(todo, fixed, why) if todo else why,
        )

    def _fixed_reason(self, todo: Todo, fixed: FixedBlock, why: str) -> str:
        ranked = self._ranked[todo]
        return words.block_reason(
            words.rank_reason(ranked, self._time.dates),
            why,
            self._part(todo, fixed.span),
            words.late_text(_late_minutes(ranked, fixed.shown.end)),
        )

    def _part(self, todo: Todo, span: Span) -> str:
        parts = self._parts.get(todo)
        return words.part_text(parts.index(span) + 1, len(parts)) if parts else ""

    def _break(self, wanted: WantedBreak, piece: Span) -> Block:
        window = wanted.window
        return Block(
            kind=BlockKind.BREAK,
            title=wanted.wish.title,
            start=self._time.instant(piece.start),
            end=self._time.instant(piece.end),
            pinned=False,
            source=None,
            reason=words.break_reason(
                self._time.frame.instant(window.start), self._time.frame.instant(window.end)
            ),
        )

    def _way(self, way: Way) -> Block:
        return Block(
            kind=BlockKind.TRAVEL,
            title=words.way_title(way.event.summary, is_back=way.is_back),
            start=self._time.frame.instant(way.span.start),
            end=self._time.frame.instant(way.span.end),
            pinned=False,
            source=way.event.source,
            reason=words.way_reason(way.minutes, way.place, is_back=way.is_back),
        )


def block_order(block: Block) -> tuple[object, ...]:
    """Return the sort key of blocks: by start, and total."""
    return (
        block.start,
        block.end,
        _KINDS.index(block.kind),
        block.title,
        str(block.source or ""),
    )


def _late_minutes(ranked: RankedTodo, end: dt.datetime) -> int:
    """Return how late a block ends; 0 when in time, or when it was too late to begin with."""
    if ranked.due_at is None or ranked.overdue or end <= ranked.due_at:
        return 0
    return -((ranked.due_at - end) // _MINUTE)


def _free(time: DayTime, blocks: Sequence[Block]) -> tuple[FreeSpan, ...]:
    taken = union(time.frame.span(block.start, block.end) for block in blocks)
    return tuple(
        FreeSpan(start=time.frame.instant(span.start), end=time.frame.instant(span.end))
        for span in subtract(time.open_time(), taken)
    )
