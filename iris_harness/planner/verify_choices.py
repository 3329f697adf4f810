"""Prove of a plan that claims to be the best that nothing better lies within reach."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DailyPlan, ProofLevel
from iris_harness.planner.evidence import Demand, Evidence
from iris_harness.planner.evidence_time import Stretch, common, length, merged, utc, without
from iris_harness.planner.verify_blocks import Service, Sorted, free_room
from iris_harness.planner.violations import Violation, ViolationKind, violation


def check_choices(day: Evidence, plan: DailyPlan, blocks: Sorted) -> Iterator[Violation]:
    """Say what a plan that claims to be the best could do better on the spot."""
    room = free_room(day, plan)
    if plan.proof.level in {None, ProofLevel.ORDER}:
        yield from _movement(day, plan, blocks)
    if plan.proof.level is None:
        yield from _rank(blocks)
    yield from _early(room, blocks)


def _movement(day: Evidence, plan: DailyPlan, blocks: Sorted) -> Iterator[Violation]:
    free = [(utc(span.start), utc(span.end)) for span in plan.free]
    for service in blocks.services:
        demand = service.demand
        own = [piece.stretch for piece in service.pieces]
        if not own or service.missing or service.is_kept or not _could_be_kept(day, demand):
            continue
        is_as_late = demand.is_missed_at(max(end for _, end in own)) or not any(
            demand.is_missed_at(end) for _, end in demand.kept
        )
        if is_as_late and not without(demand.kept, merged((*free, *own))):
            message = "it could stay where the plan shown before has it"
            yield violation(ViolationKind.MOVED, message, demand.todo.summary)
    for pause, piece in blocks.pauses:
        if piece and pause.kept and (piece.stretch,) != pause.kept:
            is_right = length(pause.kept) == pause.need and len(pause.kept) == 1
            inside = common(pause.kept, pause.fits_in) == list(pause.kept)
            on_grid = all(day.on_grid(one) == one for one in pause.kept)
            held = not without(pause.kept, merged((*free, piece.stretch)))
            if is_right and inside and on_grid and held:
                message = "it could stay where the plan shown before has it"
                yield violation(ViolationKind.MOVED, message, pause.wish.title)


def _could_be_kept(day: Evidence, demand: Demand) -> bool:
    """Return whether the old place of a todo is one that it may have."""
    kept = demand.kept
    if length(kept) != demand.need or any(day.on_grid(one) != one for one in kept):
        return False
    if demand.chunk is None and len(kept) > 1:
        return False
    if demand.chunk is not None and min(end - start for start, end in kept) < demand.chunk:
        return False
    return all(map(demand.could_lie_in, kept))


class _Lying(NamedTuple):
    """What is served in full and in one piece, and does not lie where it was before."""

    stretch: Stretch
    turn: tuple[object, ...]
    """Its place among all that was placed."""
    title: str
    windows: Sequence[Stretch]
    demand: Demand | None
    """None for a break."""

    def could_lie_in(self, stretch: Stretch) -> bool:
        return any(start <= stretch[0] and stretch[1] <= end for start, end in self.windows)

    def is_missed_in(self, stretch: Stretch) -> bool:
        return self.demand is not None and self.demand.is_missed_at(stretch[1])


def _lying(blocks: Sorted) -> Iterator[_Lying]:
    for number, (pause, piece) in enumerate(blocks.pauses):
        if piece and (piece.stretch,) != pause.kept:
            yield _Lying(piece.stretch, (0, number), pause.wish.title, (pause.fits_in,), None)
    for service in blocks.services:
        if len(service.pieces) == 1 and not service.missing and not service.is_kept:
            demand = service.demand
            turn = (1, not demand.is_due, *demand.rank())
            stretch = service.pieces[0].stretch
            yield _Lying(stretch, turn, demand.todo.summary, demand.windows, demand)


def _rank(blocks: Sorted) -> Iterator[Violation]:
    by_length: dict[dt.timedelta, list[_Lying]] = {}
    for one in sorted(_lying(blocks), key=lambda one: one.stretch):
        by_length.setdefault(one.stretch[1] - one.stretch[0], []).append(one)
    for equals in by_length.values():
        for number, later in enumerate(equals):
            earlier = next((one for one in equals[:number] if _must_swap(one, later)), None)
            if earlier:
                message = f"it ranks before {earlier.title!r}, which has the earlier block"
                yield violation(ViolationKind.RANK, message, later.title)


def _must_swap(earlier: _Lying, later: _Lying) -> bool:
    """Return whether the later one ranks first and the two could change places for nothing."""
    first, second = earlier.stretch, later.stretch
    if later.turn > earlier.turn:
        return False
    if not later.could_lie_in(first) or not earlier.could_lie_in(second):
        return False
    missed = earlier.is_missed_in(first) + later.is_missed_in(second)
    return earlier.is_missed_in(second) + later.is_missed_in(first) <= missed


def _early(room: Sequence[Stretch], blocks: Sorted) -> Iterator[Violation]:
    """Say what could lie earlier, or in one piece, in free time and where it lies itself."""
    for service in blocks.services:
        if service.is_kept:
            continue
        title = service.demand.todo.summary
        for piece in service.pieces:
            if _could_be_earlier(piece.stretch, service.demand.windows, room):
                yield violation(ViolationKind.RANK, "free time before would hold it", title)
        if len(service.pieces) > 1 and not service.missing and _could_be_whole(service, room):
            yield violation(ViolationKind.RANK, "free time would hold it in one piece", title)
    for pause, taken in blocks.pauses:
        is_free = taken is not None and (taken.stretch,) != pause.kept
        if is_free and taken and _could_be_earlier(taken.stretch, (pause.fits_in,), room):
            message = "free time before would hold it"
            yield violation(ViolationKind.RANK, message, pause.wish.title)


def _could_be_earlier(own: Stretch, windows: Sequence[Stretch], room: Sequence[Stretch]) -> bool:
    long = own[1] - own[0]
    near = [one for one in room if one[0] < own[0]]
    return any(
        start < own[0] and start + long <= end
        for window in windows
        for start, end in common(merged((*near, own)), window)
    )


def _could_be_whole(service: Service, room: Sequence[Stretch]) -> bool:
    own = [piece.stretch for piece in service.pieces]
    need, last = service.demand.need, max(end for _, end in own)
    return any(
        start + need <= min(end, last)
        for window in service.demand.windows
        for start, end in common(merged((*room, *own)), window)
    )
