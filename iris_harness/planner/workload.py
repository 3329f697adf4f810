"""How much work is due, and how much time there is for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_harness.contracts.day import Block, BlockKind, Workload
from iris_harness.planner.daytime import DayTime
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.ranking import Standing
from iris_harness.planner.spans import after, subtract, union
from iris_harness.planner.wishes import Claims

_MINUTE = 60  # seconds
_WORK = frozenset({Standing.WORKABLE, Standing.LEFT_OUT, Standing.PLANNED_LATER})
"""What is work of this day, even where the range does it on another one."""


def build_workload(time: DayTime, claims: Claims, blocks: Sequence[Block]) -> Workload | None:
    """Return the work that is due by the end of the day against the time for it.

    The work of a todo that stays where it is counts by what of its block is still to come, and its
    block is time for it, wherever it lies. None on a day that is over.
    """
    if time.frame.phase(time.now) is Phase.PAST:
        return None
    due = {ranked.todo: ranked for ranked in claims.todos if ranked.is_due}
    own, others = _fixed(time, claims, due)
    rest = sum(
        claims.rest_minutes(time, todo) + claims.later_minutes(todo)
        for todo, ranked in due.items()
        if ranked.standing in _WORK
    )
    breaks = [
        time.frame.span(block.start, block.end) for block in blocks if block.kind is BlockKind.BREAK
    ]
    room = subtract(union((*time.open_time(), *own)), union((*breaks, *others)))
    return Workload(
        work_minutes=rest + sum(_length((span,)) for span in own), free_minutes=_length(room)
    )


def _fixed(time: DayTime, claims: Claims, due: Iterable[object]) -> tuple[list[Span], list[Span]]:
    """Return what stays where it is and is to come: for todos that are due, and for others."""
    wanted = set(due)
    own: list[Span] = []
    others: list[Span] = []
    for fixed in claims.shown.fixed:
        to_come = after((fixed.span,), time.begin)
        (own if fixed.todo in wanted else others).extend(to_come)
    return own, others


def _length(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans) // _MINUTE
