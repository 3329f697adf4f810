"""Solve each day of a line, and each two days in a row, with what has found no place so far."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.leftover import Pieces
from iris_harness.planner.optimise.place import place_optimally
from iris_harness.planner.optimise.request import Request

_MOST_NODES = 400
_ROUNDS = 2


def polish(
    requests: Sequence[Request], days: Sequence[Sequence[Span]], pieces: Sequence[Pieces]
) -> tuple[Pieces, ...]:
    """Return pieces that meet no fewer deadlines and gain no less.

    `days` are the gaps of each day. A request that has pieces on two days keeps them.
    """
    best = list(pieces)
    for _ in range(_ROUNDS):
        before = list(best)
        pairs = [(*one, *following) for one, following in itertools.pairwise(days)]
        for gaps in (*days, *pairs):
            if gaps:
                _polish_day(requests, gaps, best)
        if best == before:
            break
    return tuple(best)


def _polish_day(requests: Sequence[Request], gaps: Sequence[Span], best: list[Pieces]) -> None:
    begin, end = gaps[0].start, gaps[-1].end
    jobs: list[int] = []
    asks: list[Request] = []
    for job, request in enumerate(requests):
        inside = [piece for piece in best[job] if begin <= piece.start < end]
        if not best[job] or len(inside) == len(best[job]):
            jobs.append(job)
            asks.append(request)
        elif inside:
            slots = sum(piece.end - piece.start for piece in inside)
            jobs.append(job)
            asks.append(request._replace(need=slots, is_due=False, is_break=True))
    placed = place_optimally(asks, gaps, most_nodes=_MOST_NODES)
    after = [
        () if missing else pieces
        for pieces, missing in zip(placed.pieces, placed.partial, strict=True)
    ]
    now = [tuple(one for one in best[job] if begin <= one.start < end) for job in jobs]
    if _levels(asks, after) > _levels(asks, now):
        for job, old, new in zip(jobs, now, after, strict=True):
            best[job] = tuple(sorted({*best[job]} - {*old} | {*new}))


def _levels(requests: Sequence[Request], placed: Sequence[Pieces]) -> tuple[int, int, int]:
    """Return breaks, deadlines and value that are served."""
    served = [(request, pieces) for request, pieces in zip(requests, placed, strict=True) if pieces]
    return (
        sum(request.is_break for request, _ in served),
        sum(
            request.is_due and (request.due_by is None or pieces[-1].end <= request.due_by)
            for request, pieces in served
        ),
        sum(request.value for request, _ in served if not request.is_break),
    )
