"""Give what is left of the gaps to what could not be served in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.request import Request
from iris_harness.planner.spans import subtract, union

Pieces = tuple[Span, ...]
Place = TypeVar("Place")


def serve_in_part(
    requests: Sequence[Request], gaps: Sequence[Span], pieces: Sequence[Pieces]
) -> tuple[Pieces, ...]:
    """Return the pieces of all requests, with those of what is served in part.

    In rank order each that can be split and has no piece takes what is left: earliest first, each
    piece as long as it can be, and so that what is missing after it is not shorter than a piece.
    """
    served = list(pieces)
    free = subtract(gaps, union(piece for placed in pieces for piece in placed))
    for job, request in enumerate(requests):
        if not served[job] and request.can_split:
            served[job] = tuple(_parts(request, free))
            free = subtract(free, served[job])
    return tuple(served)


def _parts(request: Request, free: Sequence[Span]) -> Iterator[Span]:
    places = (
        Span(max(span.start, window.start), min(span.end, window.end))
        for span in free
        for window in ((span,) if request.windows is None else request.windows)
    )
    for place, size in sized(request, ((place, place.end - place.start) for place in places)):
        yield Span(place.start, place.start + size)


def sized(request: Request, places: Iterable[tuple[Place, int]]) -> Iterator[tuple[Place, int]]:
    """Return the places that get a piece with its length; each comes with the slots it has.

    Each piece is as long as it can be, and what is missing after it is not shorter than a piece.
    """
    missing = request.need
    for place, room in places:
        size = min(missing, room)
        if 0 < missing - size < request.least:
            size = missing - request.least
        if size >= request.least:
            missing -= size
            yield place, size
