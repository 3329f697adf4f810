"""Prove that blocks lie where they may, and serve what was asked for as far as there is room."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from iris_harness.contracts.day import Block, BlockKind, DailyPlan, DayPreferences, ProofLevel
from iris_harness.planner.evidence import Demand, Evidence
from iris_harness.planner.evidence_time import MINUTE, Stretch, common, merged, utc, without
from iris_harness.planner.verify_blocks import Piece, Service, Sorted, free_room, stretch_of
from iris_harness.planner.violations import Violation, ViolationKind, violation

_LATE = re.compile(r"ends (?:(\d+) h)? ?(?:(\d+) min)? after it is due")
_PART = re.compile(r"part (\d+) of (\d+)")
_KINDS = list(BlockKind)
_NOTHING = dt.timedelta()


def check_placing(
    day: Evidence, preferences: DayPreferences, plan: DailyPlan, blocks: Sorted
) -> Iterator[Violation]:
    """Say what lies where it may not, what is served wrongly, and what is missing without need."""
    yield from _blocks(day, plan, blocks)
    yield from _pauses(day, blocks)
    yield from _pieces(blocks.services)
    yield from _parts(blocks.services, plan)
    yield from _overlaps(plan.blocks, blocks)
    yield from _breaks(day, plan, blocks)
    yield from _unplaced(day, plan, blocks.services)
    yield from _idle(day, preferences, plan, blocks.services)


def _staying(demand: Demand, plan: DailyPlan) -> list[Block]:
    """Return the blocks of a todo that stay where they are."""
    return [
        block
        for block in plan.blocks
        if demand.staying
        and block.source == demand.todo.source
        and stretch_of(block) in demand.staying
    ]


def _blocks(day: Evidence, plan: DailyPlan, blocks: Sorted) -> Iterator[Violation]:
    for service in blocks.services:
        for piece in service.pieces:
            for kind, message in (*_place(day, piece), *_service(service.demand, piece)):
                yield violation(kind, message, piece.block.title)
        for block in _staying(service.demand, plan):
            if _minutes_late(service.demand, utc(block.end)) != _said_late(block):
                message = "how late it ends is not what its reason says"
                yield violation(ViolationKind.DEADLINE, message, block.title)


def _pauses(day: Evidence, blocks: Sorted) -> Iterator[Violation]:
    for pause, piece in blocks.pauses:
        if piece is None:
            continue
        for kind, message in _place(day, piece):
            yield violation(kind, message, piece.block.title)
        start, end = piece.stretch
        if end - start != pause.need:
            message = "it is not as long as it is to be"
            yield violation(ViolationKind.LENGTH, message, piece.block.title)
        if start < pause.fits_in[0] or end > pause.fits_in[1]:
            yield violation(ViolationKind.OUTSIDE, "it is not in its hours", piece.block.title)


def _place(day: Evidence, piece: Piece) -> Iterator[tuple[ViolationKind, str]]:
    start, end = piece.stretch
    if (start - day.start) % day.grid or (end - day.start) % day.grid or start >= end:
        yield ViolationKind.GRID, "it does not start and end on the grid"
    if not any(one <= start and end <= other for one, other in day.usable):
        yield ViolationKind.OUTSIDE, "it is not wholly in working time that is free and to come"
    if day.is_past:
        yield ViolationKind.OUTSIDE, "the day is over"


def _service(demand: Demand, piece: Piece) -> Iterator[tuple[ViolationKind, str]]:
    if not demand.workable or not demand.could_lie_in(piece.stretch):
        yield ViolationKind.OUTSIDE, "it may not start then"
    if _minutes_late(demand, piece.stretch[1]) != _said_late(piece.block):
        yield ViolationKind.DEADLINE, "how late it ends is not what its reason says"


def _minutes_late(demand: Demand, end: dt.datetime) -> int:
    """Return the minutes, rounded up, from when it is late until it ends."""
    if demand.late_at is None or not demand.is_missed_at(end):
        return 0
    return -((demand.late_at - end) // MINUTE)


def _said_late(block: Block) -> int:
    said = _LATE.search(block.reason.rpartition("; ")[2])
    return 60 * int(said[1] or 0) + int(said[2] or 0) if said else 0


def _pieces(services: Iterable[Service]) -> Iterator[Violation]:
    for service in services:
        demand, count = service.demand, len(service.pieces)
        if not count:
            continue
        title = demand.todo.summary
        if service.given > demand.need or (demand.chunk is None and service.missing):
            minutes = demand.need // MINUTE
            message = f"it is given another time than the {minutes} min it needs"
            yield violation(ViolationKind.LENGTH, message, title)
        if demand.chunk is None and count > 1:
            yield violation(ViolationKind.PIECE, "it may not be split", title)
        shortest = min(end - start for start, end in (one.stretch for one in service.pieces))
        if demand.chunk is not None and shortest < demand.chunk:
            minutes = demand.chunk // MINUTE
            message = f"a piece of it is shorter than {minutes} min"
            yield violation(ViolationKind.PIECE, message, title)


def _parts(services: Iterable[Service], plan: DailyPlan) -> Iterator[Violation]:
    for service in services:
        own = (*_staying(service.demand, plan), *(one.block for one in service.pieces))
        blocks = sorted(own, key=lambda one: (one.start, one.end))
        for number, block in enumerate(blocks, start=1):
            said = _PART.search(block.reason)
            wanted = (number, len(blocks)) if len(blocks) > 1 else None
            if wanted != ((int(said[1]), int(said[2])) if said else None):
                message = "which part of the todo it is is not what its reason says"
                yield violation(ViolationKind.PIECE, message, block.title)


def _overlaps(blocks: Sequence[Block], found: Sorted) -> Iterator[Violation]:
    """Say what lies over another block, other than what stays where it is, and ways."""
    for one, other in pairwise(blocks):
        if _block_place(one) > _block_place(other):
            yield violation(ViolationKind.ORDER, "the blocks are not by start", other.title)
    placed = {id(piece.block) for piece in found.placed}
    ends = dt.datetime.min.replace(tzinfo=dt.UTC)
    placed_ends = ends
    for block in sorted(blocks, key=_block_place):
        start, end = stretch_of(block)
        is_placed = id(block) in placed
        if start < (ends if is_placed else placed_ends):
            yield violation(ViolationKind.OVERLAP, "it overlaps a block before it", block.title)
        ends = max(ends, end)
        placed_ends = max(placed_ends, end) if is_placed else placed_ends


def _block_place(block: Block) -> tuple[object, ...]:
    start, end = stretch_of(block)
    return start, end, _KINDS.index(block.kind), block.title, str(block.source or "")


def _breaks(day: Evidence, plan: DailyPlan, blocks: Sorted) -> Iterator[Violation]:
    """Say which breaks have room and are not there; they come before any todo."""
    if plan.proof.level is ProofLevel.BREAKS:
        return
    todos = {id(piece.block) for service in blocks.services for piece in service.pieces}
    taken = merged(stretch_of(block) for block in plan.blocks if id(block) not in todos)
    room = [day.on_grid(one) for one in without(day.usable, taken)]
    for pause, piece in blocks.pauses:
        if piece is None and any(
            end - start >= pause.need for start, end in common(room, pause.fits_in)
        ):
            message = "this break is not in the plan although there is room for it"
            yield violation(ViolationKind.BREAK, message, pause.wish.title)


def _unplaced(day: Evidence, plan: DailyPlan, services: Sequence[Service]) -> Iterator[Violation]:
    wanted = Counter(
        (one.demand.todo.source, one.demand.todo.summary, missing // MINUTE)
        for one in services
        if one.demand.is_due and not one.demand.is_missing_nothing
        if (missing := _lacking(day, one)) > _NOTHING
    )
    found = Counter((item.source, item.summary, item.missing_minutes) for item in plan.unplaced)
    for _, title, minutes in wanted - found:
        message = f"it has no block and is not listed with the {minutes} min it misses"
        yield violation(ViolationKind.UNPLACED, message, title)
    for _, title, _minutes in found - wanted:
        message = "it is listed as unplaced and is not, or misses another time"
        yield violation(ViolationKind.UNPLACED, message, title)
    for item in plan.unplaced:
        if not item.reason:
            yield violation(ViolationKind.UNPLACED, "it is unplaced without a reason", item.summary)


def _lacking(day: Evidence, service: Service) -> dt.timedelta:
    """Return what a day does not give a todo: what it has no room for, and what it leaves."""
    demand = service.demand
    is_left = demand.workable and not day.is_past
    return service.missing + (demand.later if is_left else _NOTHING)


def _idle(
    day: Evidence, preferences: DayPreferences, plan: DailyPlan, services: Sequence[Service]
) -> Iterator[Violation]:
    if day.is_past:
        return
    room = free_room(day, plan)
    longest = max((end - start for start, end in room), default=_NOTHING)
    for service in services:
        demand = service.demand
        wanted = demand.may_be_placed and (demand.is_due or preferences.fill_with_backlog)
        if wanted and service.missing > _NOTHING and _fits(service, room, longest):
            message = (
                "it has no block although free time is left that holds it"
                if not service.pieces
                else "it lacks time although free time is left that holds a piece of it"
            )
            yield violation(ViolationKind.IDLE, message, demand.todo.summary)


def _fits(service: Service, room: Sequence[Stretch], longest: dt.timedelta) -> bool:
    demand, missing = service.demand, service.missing
    is_enough = demand.chunk is not None and missing >= 2 * demand.chunk
    least = demand.chunk if demand.chunk is not None and is_enough else missing
    if least > longest:
        return False
    stretches = (one for window in demand.windows for one in common(room, window))
    return any(end - start >= least for start, end in stretches)
