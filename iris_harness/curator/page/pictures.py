"""The picture of a graph: in layers where there is room, in one column where there is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iris_harness.curator.page.column import draw_column, lay_out_column
from iris_harness.curator.page.graph import Step, draw_layers, lay_out
from iris_harness.curator.page.markup import Markup

_PHONE = 300
"""Pixels that a picture has on a phone."""


def draw_graph(steps: Sequence[Step], label: str) -> Iterator[Markup]:
    """Yield one picture for every screen, or one for wide ones and one for narrow ones.

    `label` says what they are of. Steps follow what they wait for. The column is the only one where
    it is smaller either way: a fan of fifty boxes side by side is no picture.
    """
    layers, column = lay_out(steps), lay_out_column(steps)
    if column.width <= layers.width and column.height <= layers.height:
        yield draw_column(steps, column, label, "graph")
    elif layers.width <= _PHONE:
        yield draw_layers(steps, layers, label, "graph")
    else:
        yield draw_layers(steps, layers, label, "graph wide")
        yield draw_column(steps, column, label, "graph narrow")
