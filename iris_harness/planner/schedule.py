"""Give ranked todos the time of a day.

The todos that are due by the end of the day, by rank, and then (if the user wants it) the others
that may start by then, by rank, are placed by the objective that `planner.optimise` states: in the
working time, on the grid, not before "now" or their own start, clear of every busy timed event.

A todo that cannot end by its due time may still keep a block, because late is better than never,
and the block's reason says by how much.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.day import (
    Block,
    BlockKind,
    FreeSpan,
    PlanProof,
    Unplaced,
    WorkingSpan,
)
from iris_harness.planner import words
from iris_harness.planner.daytime import DayTime, knows_estimate
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.optimise import place_optimally
from iris_harness.planner.ranking import RankedTodo, Standing
from iris_harness.planner.spans import subtract, union
from iris_harness.planner.unplaced import explain_no_room, explain_not_workable

_MINUTE = dt.timedelta(minutes=1)


class Schedule(NamedTuple):
    """Where the time of a day goes."""

    blocks: tuple[Block, ...]
    """By start."""
    free: tuple[FreeSpan, ...]
    """Working time that counts and that neither event nor block takes, by start."""
    unplaced: tuple[Unplaced, ...]
    """Due todos without a block, by rank; without those that an earlier day has."""
    working_hours: tuple[WorkingSpan, ...]
    """The working hours, whole, by start."""
    proof: PlanProof
    """What is known of how good it is."""


def build_schedule(time: DayTime, todos: Sequence[RankedTodo]) -> Schedule:
    """Return the schedule of a day; `todos` are all of them, by rank."""
    is_over = time.frame.phase(time.now) is Phase.PAST
    able = [] if is_over else [todo for todo in todos if todo.standing is Standing.WORKABLE]
    due = [ranked for ranked in able if ranked.is_due]
    backlog = [ranked for ranked in able if not ranked.is_due]
    wanted = due + backlog if time.preferences.fill_with_backlog else due
    placement = place_optimally([time.request(one) for one in wanted], time.gaps(time.working))
    blocks = _blocks(time, wanted, placement.pieces)
    unable = [
        ranked
        for ranked in todos
        if ranked.is_due and (is_over or ranked.standing is not Standing.WORKABLE)
    ]
    return Schedule(
        blocks=blocks,
        free=_free(time, blocks),
        unplaced=(
            *explain_no_room(time, wanted, placement),
            *explain_not_workable(time, unable),
        ),
        working_hours=tuple(
            WorkingSpan(start=time.frame.instant(span.start), end=time.frame.instant(span.end))
            for span in time.working
        ),
        proof=placement.proof,
    )


def _blocks(
    time: DayTime, todos: Sequence[RankedTodo], pieces: Sequence[Sequence[Span]]
) -> tuple[Block, ...]:
    blocks = (
        _block(time, ranked, piece.start)
        for ranked, placed in zip(todos, pieces, strict=True)
        for piece in placed
    )
    return tuple(sorted(blocks, key=lambda block: block.start))


def _block(time: DayTime, ranked: RankedTodo, slot: int) -> Block:
    todo = ranked.todo
    minutes = time.need_minutes(todo)
    end = time.instant(slot + minutes // time.preferences.grid_minutes)
    return Block(
        kind=BlockKind.TODO,
        title=todo.summary,
        start=time.instant(slot),
        end=end,
        pinned=False,
        source=todo.source,
        reason=words.block_reason(
            words.rank_reason(ranked, time.dates),
            default_minutes=None if knows_estimate(todo) else minutes,
            earliest=time.earliest(todo),
            late_minutes=_late_minutes(ranked, end),
        ),
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
        for span in subtract(time.open_time(time.working), taken)
    )
