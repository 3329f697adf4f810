"""A graph of steps as one column of boxes, with the lines beside them: for a narrow screen.

Boxes stand under each other in the order of the steps, all lines run to the right of them. What has
many dependents has one line that all of them are reached from, and what waits for many has one
that all of them join, so that a fan of fifty takes two lines and not a hundred.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.curator.page.graph import HEIGHT, WIDTH, Place, Step, draw_box, framed
from iris_harness.curator.page.markup import Markup, element

_ROW = HEIGHT + 14
_LANE = 11
_FIRST_LANE = WIDTH + 20
_APART = 8
"""Pixels above the middle of a box at which lines reach it, and below at which they leave it."""
_BEND = 6
_TIP = 5
_EDGE = 2


class Rail(NamedTuple):
    """A line beside the boxes. Rows are counted from 0."""

    sources: tuple[int, ...]
    """The rows it comes from, downwards; with more than one there is one target only."""
    targets: tuple[int, ...]
    """The rows that it leads to, downwards, all below the first source."""
    lane: int
    """Counted from 0, outwards."""


class Column(NamedTuple):
    """Where everything stands."""

    width: float
    height: float
    rails: tuple[Rail, ...]


def lay_out_column(steps: Sequence[Step]) -> Column:
    """Return the layout of steps, each listed after what it waits for."""
    rails = tuple(_in_lanes(_bundles(steps)))
    lanes = max((rail.lane + 1 for rail in rails), default=0)
    beside = _FIRST_LANE + (lanes - 1) * _LANE if lanes else WIDTH
    height = len(steps) * _ROW - (_ROW - HEIGHT) if steps else 0
    return Column(beside + 2 * _EDGE, height + 2 * _EDGE, rails)


def _bundles(steps: Sequence[Step]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return sources and targets of each line, from above; every edge is in one of them."""
    rows = {step.name: row for row, step in enumerate(steps)}
    edges = [(rows[one], row) for row, step in enumerate(steps) for one in step.after]
    leaving, arriving = (Counter(ends) for ends in zip(*edges, strict=True)) if edges else ({}, {})
    found: dict[tuple[bool, int], list[int]] = {}
    for source, target in sorted(edges):
        is_fan = leaving[source] >= arriving[target]
        key, other = ((True, source), target) if is_fan else ((False, target), source)
        found.setdefault(key, []).append(other)
    bundles = (
        ((row,), tuple(others)) if is_fan else (tuple(others), (row,))
        for (is_fan, row), others in found.items()
    )
    return sorted(bundles, key=lambda ends: (ends[0][0], ends[1][-1], ends))


def _in_lanes(bundles: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> Iterator[Rail]:
    """Give each line the innermost lane that is free from its first row on."""
    free_from: list[int] = []
    for sources, targets in bundles:
        lane = next((at for at, row in enumerate(free_from) if row <= sources[0]), len(free_from))
        free_from[lane : lane + 1] = [targets[-1]]
        yield Rail(sources, targets, lane)


def draw_column(steps: Sequence[Step], column: Column, label: str, look: str) -> Markup:
    """Return the picture; `label` says what it is of, `look` is its class."""
    rails = (part for rail in column.rails for part in _rail(rail))
    boxes = (draw_box(step, Place(_EDGE, row * _ROW + _EDGE)) for row, step in enumerate(steps))
    return framed((*rails, *boxes), column.width, column.height, label, look)


def _rail(rail: Rail) -> Iterator[Markup]:
    """Yield a line, bent where it leaves and reaches boxes, and the tips at what it reaches."""
    x, side = _FIRST_LANE + rail.lane * _LANE + _EDGE, WIDTH + _EDGE
    leaves = [_middle(row) + _APART for row in rail.sources]
    reaches = [_middle(row) - _APART for row in rail.targets]
    turn = x - _BEND
    ways = [f"M{side} {y}H{turn}Q{x} {y} {x} {y + _BEND}" for y in leaves]
    ways.append(f"M{x} {leaves[0] + _BEND}V{reaches[-1] - _BEND}")
    ways += [f"M{x} {y - _BEND}Q{x} {y} {turn} {y}H{side}" for y in reaches]
    tips = (f"M{side} {y}l{_TIP + 2} {-_TIP}v{2 * _TIP}z" for y in reaches)
    yield element("path", d="".join(ways), class_="way")
    yield element("path", d="".join(tips), class_="tip")


def _middle(row: int) -> int:
    return row * _ROW + HEIGHT // 2 + _EDGE
