"""Arithmetic on sets of half-open spans.

A set is a tuple of spans without overlap, in order; neighbours that touch are one span.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_harness.planner.frame import Span


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the set that covers what any of `spans` covers; empty ones cover nothing."""
    result: list[Span] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return tuple(result)


def subtract(spans: Sequence[Span], taken: Sequence[Span]) -> tuple[Span, ...]:
    """Return what is left of the set `spans` without the set `taken`."""
    result: list[Span] = []
    for span in spans:
        start = span.start
        for hole in taken:
            if hole.end <= start or hole.start >= span.end:
                continue
            if hole.start > start:
                result.append(Span(start, hole.start))
            start = hole.end
        if start < span.end:
            result.append(Span(start, span.end))
    return tuple(result)


def after(spans: Sequence[Span], start: int) -> tuple[Span, ...]:
    """Return what of the set `spans` lies at or after `start`."""
    return tuple(Span(max(span.start, start), span.end) for span in spans if span.end > start)


def intersect(spans: Sequence[Span], other: Span) -> tuple[Span, ...]:
    """Return what of the set `spans` lies in `other`."""
    cut = (Span(max(span.start, other.start), min(span.end, other.end)) for span in spans)
    return tuple(span for span in cut if span.start < span.end)
