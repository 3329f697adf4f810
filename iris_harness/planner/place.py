"""First fit: each request takes the earliest gap that holds it, in the order given.

Time here is counted in slots of the grid. That keeps the step between the day and its
placement small: requests and gaps in, outcomes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from iris_harness.planner.frame import Span


class Request(NamedTuple):
    """Something that wants time."""

    need: int
    """Slots in one piece, at least 1."""
    earliest: int = 0
    """It may not start before this slot."""


class Outcome(NamedTuple):
    """What a request was given."""

    start: int | None
    """Its first slot; None when no gap holds it."""
    longest: int
    """Slots of the longest gap that was open to it when its turn came."""


def place_in_order(requests: Iterable[Request], gaps: Sequence[Span]) -> tuple[Outcome, ...]:
    """Return one outcome per request, in order.

    `gaps` are free slots, sorted and without overlap. What a request takes is gone for all
    that come after it, and no later request changes what an earlier one was given.
    """
    left = list(gaps)
    return tuple(_place(request, left) for request in requests)


def _place(request: Request, left: list[Span]) -> Outcome:
    longest = max((_length(gap, request) for gap in left), default=0)
    for index, gap in enumerate(left):
        if _length(gap, request) >= request.need:
            start = max(gap.start, request.earliest)
            rest = (Span(gap.start, start), Span(start + request.need, gap.end))
            left[index : index + 1] = [span for span in rest if span.start < span.end]
            return Outcome(start=start, longest=longest)
    return Outcome(start=None, longest=longest)


def _length(gap: Span, request: Request) -> int:
    return max(0, gap.end - max(gap.start, request.earliest))
