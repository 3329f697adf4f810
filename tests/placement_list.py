"""Every placement of a small day, and the whole objective, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Request
from tests.placement_days import Day, Score

Pieces = tuple[Span, ...]
Objective = tuple[Score, tuple[tuple[object, ...], ...], tuple[tuple[tuple[int, int], ...], ...]]


def best_of_all(day: Day) -> tuple[Objective, tuple[Pieces, ...]]:
    """Return the best placement of a day, in which every request is served in full or not at all.

    Objectives compare so that less is better.
    """
    ways = [[(), *_ways(day, request)] for request in day.requests]
    return min((objective(day, placed), placed) for placed in _clear(ways, (), frozenset()))


def _clear(
    ways: Sequence[Sequence[Pieces]], placed: tuple[Pieces, ...], taken: frozenset[int]
) -> Iterator[tuple[Pieces, ...]]:
    """Return all placements in which nothing overlaps."""
    if len(placed) == len(ways):
        yield placed
        return
    for pieces in ways[len(placed)]:
        slots = {slot for piece in pieces for slot in range(*piece)}
        if not slots & taken:
            yield from _clear(ways, (*placed, pieces), taken | slots)


def _ways(day: Day, request: Request) -> Iterator[Pieces]:
    """Return all ways to serve a request in full."""
    least = request.chunk if request.chunk and 2 * request.chunk <= request.need else request.need
    yield from _cut(places_of(day, request), request.need, least, 0)


def _cut(places: Sequence[Span], missing: int, least: int, begin: int) -> Iterator[Pieces]:
    if missing == 0:
        yield ()
    for place in places:
        for start in range(max(begin, place.start), place.end):
            for size in range(least, min(missing, place.end - start) + 1):
                for rest in _cut(places, missing - size, least, start + size):
                    yield (Span(start, start + size), *rest)


def places_of(day: Day, request: Request) -> list[Span]:
    """Return where a piece of a request may lie, by start."""
    windows = day.gaps if request.windows is None else request.windows
    places = [
        Span(max(gap.start, window.start), min(gap.end, window.end))
        for gap in day.gaps
        for window in windows
    ]
    return [place for place in places if place.start < place.end]


def objective(day: Day, placed: Sequence[Pieces]) -> Objective:
    """Return the levels of the objective; of two placements the better one has the lesser."""
    pairs = list(zip(day.requests, placed, strict=True))
    score = Score(
        -sum(request.is_break for request, pieces in pairs if pieces),
        -sum(
            request.is_due and not _is_late(request, pieces) for request, pieces in pairs if pieces
        ),
        -sum(request.value for request, pieces in pairs if pieces and not request.is_break),
        -sum(pieces == request.kept for request, pieces in pairs if pieces),
    )
    choices = tuple(_choice(day, request, pieces) for request, pieces in pairs)
    starts = tuple(tuple((piece.start, -piece.end) for piece in pieces) for _, pieces in pairs)
    return score, choices, starts


def _is_late(request: Request, pieces: Pieces) -> bool:
    return request.due_by is not None and pieces[-1].end > request.due_by


def _choice(day: Day, request: Request, pieces: Pieces) -> tuple[object, ...]:
    """Return which choice of a request this is; its first has the least."""
    if not pieces:
        return (2,)
    if pieces == request.kept:
        return (0,)
    places = places_of(day, request)
    where = tuple(
        next(
            number
            for number, place in enumerate(places)
            if place.start <= piece.start and piece.end <= place.end
        )
        for piece in pieces
    )
    return (1, _is_late(request, pieces), len(pieces), where)
