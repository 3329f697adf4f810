"""A graph of steps as a picture (SVG): each in a layer after all that it waits for.

The layout is the classic one of layers: a line that spans several layers keeps a narrow place in
each, so that it runs beside the boxes and not through them; within a layer things stand near what
they are joined to. The picture is turned so that it is narrow, and each box is a link that says to
a screen reader what it shows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from iris_harness.curator.page.markup import Markup, element

WIDTH = 200
HEIGHT = 54
"""Pixels of a box."""

_GAP = 18
_BETWEEN_LAYERS = 40
_LINE = 14
"""Pixels that a line takes which passes a layer."""

_MARGIN = 10
"""Pixels beside the words in a box."""

_SWEEPS = 6
_EDGE = 2  # so that the border of an outermost box is seen whole


class Step(NamedTuple):
    """One box."""

    name: str
    """Unique in the graph."""
    head: str
    state: str
    """In words, beside the head."""
    text: str
    look: str
    """Class of the style sheet."""
    address: str
    label: str
    """All of it as one sentence."""
    after: tuple[str, ...]
    """Names of the steps it waits for; each is listed before it."""


class Place(NamedTuple):
    """Where something stands, in pixels."""

    x: float
    y: float


_Passing: TypeAlias = "tuple[str, str, int]"
"""A line in a layer it only passes: from, to, and the layer."""
_Item: TypeAlias = "str | _Passing"


class Layout(NamedTuple):
    """Where all boxes stand, and the way of each line."""

    width: float
    height: float
    is_upright: bool
    """Whether layers follow each other downwards; otherwise to the right."""
    boxes: Mapping[str, Place]
    """The upper left corner of each."""
    lines: tuple[tuple[Place, ...], ...]
    """From box to box; between two points a layer is passed, or the room between two layers."""


def lay_out(steps: Sequence[Step]) -> Layout:
    """Return the layout of a graph without circles; the same steps have the same layout."""
    depths = _depths(steps)
    joined = list(_joined(steps, depths))
    layers = _arranged(_layers(steps, joined, depths), joined)
    most = max((sum(isinstance(one, str) for one in layer) for layer in layers), default=0)
    return _placed(steps, layers, joined, is_upright=most <= len(layers))


def _depths(steps: Sequence[Step]) -> dict[str, int]:
    depths: dict[str, int] = {}
    for step in steps:
        depths[step.name] = max((depths[one] + 1 for one in step.after), default=0)
    return depths


def _joined(steps: Sequence[Step], depths: Mapping[str, int]) -> Iterator[tuple[_Item, ...]]:
    """Yield the way of each line: a box, the layers it passes, a box."""
    for step in steps:
        for one in step.after:
            between = range(depths[one] + 1, depths[step.name])
            yield (one, *((one, step.name, layer) for layer in between), step.name)


def _layers(
    steps: Sequence[Step], joined: Iterable[Sequence[_Item]], depths: Mapping[str, int]
) -> list[list[_Item]]:
    layers: list[list[_Item]] = [[] for _ in range(max(depths.values(), default=-1) + 1)]
    for step in steps:
        layers[depths[step.name]].append(step.name)
    for way in joined:
        for one in way:
            if not isinstance(one, str):
                layers[one[2]].append(one)
    return layers


def _arranged(layers: list[list[_Item]], joined: Iterable[Sequence[_Item]]) -> list[list[_Item]]:
    """Return the layers with what is joined near each other: by the mean place of neighbours."""
    before: dict[_Item, list[_Item]] = {}
    after: dict[_Item, list[_Item]] = {}
    for way in joined:
        for one, other in itertools.pairwise(way):
            after.setdefault(one, []).append(other)
            before.setdefault(other, []).append(one)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        neighbours = before if downwards else after
        order = range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1)
        for layer in order:
            beside = layers[layer - 1 if downwards else layer + 1]
            places = {one: (at + 0.5) / len(beside) for at, one in enumerate(beside)}
            layers[layer] = _sorted(layers[layer], neighbours, places)
    return layers


def _sorted(
    layer: Sequence[_Item],
    neighbours: Mapping[_Item, Sequence[_Item]],
    places: Mapping[_Item, float],
) -> list[_Item]:
    def wish(numbered: tuple[int, _Item]) -> tuple[float, int]:
        at, one = numbered
        found = [places[other] for other in neighbours.get(one, ())]
        return (sum(found) / len(found) if found else (at + 0.5) / len(layer), at)

    return [one for _, one in sorted(enumerate(layer), key=wish)]


def _placed(
    steps: Sequence[Step],
    layers: Sequence[Sequence[_Item]],
    joined: Iterable[Sequence[_Item]],
    *,
    is_upright: bool,
) -> Layout:
    thick, deep = (WIDTH, HEIGHT) if is_upright else (HEIGHT, WIDTH)
    sizes = [sum(_size(one, thick) for one in layer) + _GAP * (len(layer) - 1) for layer in layers]
    whole = max(sizes, default=0)
    across: dict[_Item, float] = {}
    """The middle of each thing, across its layer."""
    for layer, size in zip(layers, sizes, strict=True):
        at = (whole - size) / 2
        for one in layer:
            across[one] = at + _size(one, thick) / 2
            at += _size(one, thick) + _GAP
    depths = _depths(steps)
    length = len(layers) * deep + max(0, len(layers) - 1) * _BETWEEN_LAYERS

    def turned(beside: float, along: float) -> Place:
        return (
            Place(beside + _EDGE, along + _EDGE)
            if is_upright
            else Place(along + _EDGE, beside + _EDGE)
        )

    def begin(layer: int) -> float:
        return layer * (deep + _BETWEEN_LAYERS)

    def points(way: Sequence[_Item]) -> Iterator[Place]:
        for at, one in enumerate(way):
            layer = depths[one] if isinstance(one, str) else one[2]
            if at > 0:
                yield turned(across[one], begin(layer))
            if at < len(way) - 1:
                yield turned(across[one], begin(layer) + deep)

    width, height = (whole, length) if is_upright else (length, whole)
    return Layout(
        width=width + 2 * _EDGE,
        height=height + 2 * _EDGE,
        is_upright=is_upright,
        boxes={
            step.name: turned(across[step.name] - thick / 2, begin(depths[step.name]))
            for step in steps
        },
        lines=tuple(tuple(points(way)) for way in joined),
    )


def _size(one: _Item, thick: int) -> int:
    return thick if isinstance(one, str) else _LINE


def draw_layers(steps: Sequence[Step], layout: Layout, label: str, look: str) -> Markup:
    """Return the picture; `label` says what it is of, `look` is its class."""
    lines = (_line(points, is_upright=layout.is_upright) for points in layout.lines)
    boxes = (draw_box(step, layout.boxes[step.name]) for step in steps)
    return framed((*lines, *boxes), layout.width, layout.height, label, look)


def framed(parts: Iterable[Markup], width: float, height: float, label: str, look: str) -> Markup:
    """Return a picture of so many pixels; `label` says what it is of, `look` is its class."""
    return element(
        "svg",
        element("title", label),
        *parts,
        width=figure(width),
        height=figure(height),
        viewBox=f"0 0 {figure(width)} {figure(height)}",
        role="group",
        aria_label=label,
        class_=look,
        between="\n",
    )


def _line(points: Sequence[Place], *, is_upright: bool) -> Markup:
    """Return a line that leaves and reaches boxes straight, and passes layers straight."""
    parts = [f"M{_pair(points[0])}"]
    for at, (one, other) in enumerate(itertools.pairwise(points)):
        if at % 2:
            parts.append(f"L{_pair(other)}")
            continue
        middle = Place((one.x + other.x) / 2, (one.y + other.y) / 2)
        bends = (
            (Place(one.x, middle.y), Place(other.x, middle.y))
            if is_upright
            else (Place(middle.x, one.y), Place(middle.x, other.y))
        )
        parts.append(f"C{_pair(bends[0])} {_pair(bends[1])} {_pair(other)}")
    return element("path", d="".join(parts), class_="way")


def draw_box(step: Step, place: Place) -> Markup:
    """Return a box; what is too long for it ends in dots, and is whole in its title."""
    return element(
        "a",
        element(
            "svg",
            element("title", step.label),
            element("rect", x=1, y=1, width=WIDTH - 2, height=HEIGHT - 2, rx=8),
            element(
                "foreignObject",
                element(
                    "div",
                    element("b", step.head),
                    element("span", step.state, class_="word"),
                    class_="row",
                ),
                element("div", step.text),
                x=_MARGIN,
                y=7,
                width=WIDTH - 2 * _MARGIN,
                height=HEIGHT - 10,
            ),
            x=figure(place.x),
            y=figure(place.y),
            width=WIDTH,
            height=HEIGHT,
        ),
        href=step.address,
        aria_label=step.label,
        class_=f"step {step.look}",
    )


def _pair(place: Place) -> str:
    return f"{figure(place.x)} {figure(place.y)}"


def figure(value: float) -> str:
    """Return a length as it is written, in pixels."""
    return f"{value:.1f}".removesuffix(".0")
