"""Sort the blocks of a plan by what they serve, and say which serve nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import Block, BlockKind, DailyPlan
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.evidence import Demand, Evidence, Pause
from iris_harness.planner.evidence_time import Stretch, length, utc
from iris_harness.planner.violations import Violation, ViolationKind, violation


class Piece(NamedTuple):
    """A block that a plan has placed, with what it serves: a todo or a break."""

    block: Block
    stretch: Stretch


class Service(NamedTuple):
    """What a plan gives to one todo, besides what stays where it is."""

    demand: Demand
    pieces: tuple[Piece, ...]

    @property
    def given(self) -> dt.timedelta:
        """The time of all pieces."""
        return length(piece.stretch for piece in self.pieces)

    @property
    def missing(self) -> dt.timedelta:
        """The time that it still needs."""
        return self.demand.need - self.given

    @property
    def is_kept(self) -> bool:
        """Whether it is exactly where the plan shown before has it."""
        where = tuple(piece.stretch for piece in self.pieces)
        return bool(where) and where == self.demand.kept


class Sorted(NamedTuple):
    """The blocks of a plan."""

    services: tuple[Service, ...]
    """One per todo of the day, by rank."""
    pauses: tuple[tuple[Pause, Piece | None], ...]
    strays: tuple[Violation, ...]

    @property
    def placed(self) -> Iterator[Piece]:
        """Every block that the plan has chosen the place of."""
        for service in self.services:
            yield from service.pieces
        for _, piece in self.pauses:
            if piece:
                yield piece


def sort_blocks(day: Evidence, blocks: Sequence[Block]) -> Sorted:
    """Return what each block serves; ways and what stays where it is are compared on the spot."""
    left = list(blocks)
    strays = [*_take_journeys(day, left), *_take_staying(day, left)]
    pauses = tuple((pause, _take_pause(pause, left)) for pause in day.pauses)
    services, unknown = _serve(day.demands, left)
    strays += [
        violation(ViolationKind.UNKNOWN, "this block serves nothing that was asked for", one.title)
        for one in unknown
    ]
    return Sorted(services, pauses, tuple(strays))


def stretch_of(block: Block) -> Stretch:
    """Return the time of a block."""
    return utc(block.start), utc(block.end)


def free_room(day: Evidence, plan: DailyPlan) -> list[Stretch]:
    """Return the free time of a plan between the marks of the grid."""
    spans = (day.on_grid((utc(span.start), utc(span.end))) for span in plan.free)
    return [(start, end) for start, end in spans if start < end]


def _take_journeys(day: Evidence, left: list[Block]) -> Iterator[Violation]:
    for journey in day.journeys:
        summary = journey.event.summary
        found = next(
            (
                block
                for block in left
                if block.kind is BlockKind.TRAVEL
                and stretch_of(block) == journey.stretch
                and block.source == journey.event.source
                and not block.pinned
                and block.title == ("Way back from " if journey.back else "Way to ") + summary
            ),
            None,
        )
        if found is None:
            way = "the way back from" if journey.back else "the way to"
            yield violation(ViolationKind.TRAVEL, f"{way} it is not in the plan as it is", summary)
        else:
            left.remove(found)


def _take_staying(day: Evidence, left: list[Block]) -> Iterator[Violation]:
    for one in day.before.blocks:
        if not one.stays:
            continue
        title = one.todo.summary if one.todo else one.block.title
        found = next(
            (
                block
                for block in left
                if block.kind is one.block.kind
                and stretch_of(block) == one.stretch
                and block.pinned == one.block.pinned
                and block.source == (one.todo.source if one.todo else None)
                and block.title == title
            ),
            None,
        )
        if found is None:
            message = "it was to stay where the plan shown before has it"
            yield violation(ViolationKind.PINNED, message, title)
        else:
            left.remove(found)


def _take_pause(pause: Pause, left: list[Block]) -> Piece | None:
    for block in left:
        if block.kind is BlockKind.BREAK and block.title == pause.wish.title:
            if block.pinned or block.source is not None:
                continue
            left.remove(block)
            return Piece(block, stretch_of(block))
    return None


def _serve(
    demands: Sequence[Demand], blocks: Sequence[Block]
) -> tuple[tuple[Service, ...], list[Block]]:
    """Return what each todo is given, and the blocks that nobody asked for."""
    asking: dict[tuple[SourceRef, str], list[int]] = {}
    for number, demand in enumerate(demands):
        asking.setdefault((demand.todo.source, demand.todo.summary), []).append(number)
    given: dict[int, list[Piece]] = {}
    unknown: list[Block] = []
    for block in blocks:
        numbers = asking.get((block.source, block.title), []) if block.source else []
        if not numbers or block.kind is not BlockKind.TODO or block.pinned:
            unknown.append(block)
            continue
        piece = Piece(block, stretch_of(block))
        number = _whose(piece, numbers, demands, given)
        given.setdefault(number, []).append(piece)
    services = (
        Service(demand, tuple(given.get(number, ()))) for number, demand in enumerate(demands)
    )
    return tuple(services), unknown


def _whose(
    piece: Piece,
    numbers: Sequence[int],
    demands: Sequence[Demand],
    given: dict[int, list[Piece]],
) -> int:
    """Return which of several todos that look alike a piece is for."""
    long = length([piece.stretch])
    unserved = [number for number in numbers if number not in given]
    exact = [number for number in unserved if demands[number].need == long]
    begun = [number for number in numbers if number in given and demands[number].chunk]
    return (exact or begun or unserved or list(numbers))[0]
