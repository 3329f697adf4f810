"""How far down a moment of the day is drawn.

The scale is that of a clock, but for two things: what lasts a few minutes is given the height of a
line of text, and hours off work in which nothing begins or ends are narrowed. Between two edges
(something starts or ends, work starts or ends) the scale does not change, so order and overlaps
are always true.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence

PER_MINUTE = 0.95
"""Pixels of a minute."""

LEAST = 26
"""Pixels that anything with a text is high, at least."""

_IDLE_MINUTES = 60
_PER_IDLE_MINUTE = 0.3


class Axis:
    """Minutes since the day began to pixels from the top."""

    def __init__(
        self,
        first: int,
        last: int,
        spans: Sequence[tuple[int, int]],
        working: Sequence[tuple[int, int]],
    ) -> None:
        """Take the minutes that are drawn, what needs a text's height, and the working hours."""
        ends = (edge for span in (*spans, *working) for edge in span if first < edge < last)
        self._edges = sorted({first, last, *ends})
        self._heights = [
            _height(start, end, working)
            for start, end in zip(self._edges, self._edges[1:], strict=False)
        ]
        for span in sorted(spans, key=lambda span: (span[1] - span[0], span)):
            self._stretch(*span)

    @property
    def height(self) -> float:
        """Pixels from top to bottom."""
        return round(sum(self._heights), 1)

    def y(self, minute: int) -> float:
        """Return where a minute is; one that is not drawn is at the nearer end."""
        inside = min(max(minute, self._edges[0]), self._edges[-1])
        part = min(bisect.bisect_right(self._edges, inside), len(self._heights)) - 1
        start, end = self._edges[part], self._edges[part + 1]
        share = (inside - start) / (end - start)
        return round(sum(self._heights[:part]) + share * self._heights[part], 1)

    def _stretch(self, start: int, end: int) -> None:
        inside = [
            part
            for part, edge in enumerate(self._edges[:-1])
            if start <= edge and self._edges[part + 1] <= end
        ]
        height = sum(self._heights[part] for part in inside)
        if 0 < height < LEAST:
            for part in inside:
                self._heights[part] *= LEAST / height


def _height(start: int, end: int, working: Iterable[tuple[int, int]]) -> float:
    minutes = end - start
    if any(first < end and start < last for first, last in working):
        return minutes * PER_MINUTE
    idle = max(0, minutes - _IDLE_MINUTES)
    return (minutes - idle) * PER_MINUTE + idle * _PER_IDLE_MINUTE
