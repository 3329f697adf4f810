"""Give what is left of the gaps to what could not be served in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.request import Request
from iris_harness.planner.spans import subtract, union

Pieces = tuple[Span, ...]


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
    least = request.least
    missing = request.need
    for span in free:
        for window in (span,) if request.windows is None else request.windows:
            start = max(span.start, window.start)
            size = min(missing, min(span.end, window.end) - start)
            if 0 < missing - size < least:
                size = missing - least
            if size >= least:
                missing -= size
                yield Span(start, start + size)
