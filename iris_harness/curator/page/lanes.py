"""What overlaps stands side by side.

Spans that overlap, directly or through others, are a cluster. In a cluster each span takes the
first column that is free when it starts, and then grows to the right as far as nothing is in its
way. The columns of a cluster are equally wide. More than `MOST_COLUMNS` cannot be read: what finds
none of them free shares one last column, which only counts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST_COLUMNS = 4


class Lane(NamedTuple):
    """Where a span stands across the width, in columns of its cluster."""

    column: int
    span: int
    """How many columns it takes."""
    columns: int
    """How many its cluster has."""

    @property
    def is_crowd(self) -> bool:
        """Whether it is in the last column, of those that are only counted."""
        return self.column == MOST_COLUMNS

    @property
    def x(self) -> float:
        """Its left edge in per cent of the width."""
        return round(100 * self.column / self.columns, 3)

    @property
    def width(self) -> float:
        """Its width in per cent."""
        return round(100 * self.span / self.columns, 3)


def arrange(spans: Sequence[tuple[int, int]]) -> tuple[Lane, ...]:
    """Return a lane for each of `spans` (start, end; start < end), which are by start."""
    lanes: list[Lane] = []
    for cluster in _clusters(spans):
        columns = _columns(cluster)
        count = 1 + max(columns)
        lanes += [
            Lane(column, _reach(index, cluster, columns, count), count)
            for index, column in enumerate(columns)
        ]
    return tuple(lanes)


def _clusters(spans: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    cluster: list[tuple[int, int]] = []
    until = 0
    for start, end in spans:
        if cluster and start >= until:
            yield cluster
            cluster = []
        until = max(until, end) if cluster else end
        cluster.append((start, end))
    if cluster:
        yield cluster


def _columns(cluster: Sequence[tuple[int, int]]) -> list[int]:
    ends: list[int] = []
    columns = []
    for start, end in cluster:
        free = (number for number, until in enumerate(ends) if until <= start)
        column = next(free, min(len(ends), MOST_COLUMNS))
        if column == len(ends):
            ends.append(end)
        ends[column] = max(ends[column], end)
        columns.append(column)
    return columns


def _reach(
    index: int, cluster: Sequence[tuple[int, int]], columns: Sequence[int], count: int
) -> int:
    """Return how many columns a span can take: up to the next one that it would overlap."""
    start, end = cluster[index]
    right = (
        column
        for (other_start, other_end), column in zip(cluster, columns, strict=True)
        if column > columns[index] and other_start < end and start < other_end
    )
    return min(right, default=count) - columns[index]
