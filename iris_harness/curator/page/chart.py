"""The hours of a day as a picture (SVG): as wide as the page, high enough to be read.

Across, everything is in per cent, so that the picture fits any width without a script; down, it is
in pixels (`axis`). It is one image to a screen reader, with a title and a description; the lists
of the page say the same in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import BlockKind
from iris_harness.curator.language import Language
from iris_harness.curator.page.axis import LEAST, Axis
from iris_harness.curator.page.hours import Hours, Item, Room
from iris_harness.curator.page.markup import Markup, element, join
from iris_harness.curator.view import Line, LineKind, Tone

MOST_ROWS = 12
"""Lines of text in a box, at most."""

ROW = 17
"""Pixels of a line of text."""

_LABEL_GAP = 15
"""Pixels between two hours that are both written out."""

_PADDING = 4
_DASH = "\N{EN DASH}"
_DOT = " \N{MIDDLE DOT} "
_XHTML = "http://www.w3.org/1999/xhtml"
_SVG = "http://www.w3.org/2000/svg"


class Caption(NamedTuple):
    """What a picture is called."""

    name: str
    """Begins the ids in it."""
    title: str
    description: str


def draw_day(hours: Hours, axis: Axis, caption: Caption, language: Language) -> Markup:
    """Return the picture of one day."""
    content = (
        *draw_ground(hours, axis),
        *draw_scale(hours, axis, hours.bounds(), language),
        *draw_boxes(hours, axis, language),
    )
    return picture(axis, caption, content)


def picture(axis: Axis, caption: Caption, content: Iterable[Markup]) -> Markup:
    """Return an SVG image of everything in `content`."""
    title, about = f"{caption.name}-title", f"{caption.name}-desc"
    return element(
        "svg",
        element("title", caption.title, id=title),
        element("desc", caption.description, id=about),
        *content,
        role="img",
        aria_labelledby=title,
        aria_describedby=about,
        class_="chart",
        width="100%",
        height=axis.height,
        xmlns=_SVG,
        between="\n",
    )


def draw_ground(hours: Hours, axis: Axis) -> Iterator[Markup]:
    """Yield the day's background: what is off work, and the working hours on it."""
    yield _box("rest", (0, 100), 0, axis.height)
    for start, end in hours.working:
        top = axis.y(start)
        yield _box("work", (0, 100), top, axis.y(end) - top)


def draw_scale(
    hours: Hours, axis: Axis, bounds: tuple[int, int], language: Language
) -> Iterator[Markup]:
    """Yield a line per hour of the clock, its label where there is room, and that of "now"."""
    written = []
    if hours.now is not None:
        written.append(axis.y(hours.now))
        yield _label(hours.clock(hours.now, language), written[0], "label now")
    for minute in hours.full_hours(*bounds):
        y = axis.y(minute)
        yield element("line", x1=0, x2="100%", y1=y, y2=y, class_="hour")
        if all(abs(y - other) >= _LABEL_GAP for other in written):
            written.append(y)
            yield _label(hours.clock(minute, language), y, "label")


def _label(text: str, y: float, kind: str) -> Markup:
    return element("text", text, x=-8, y=round(y + 4, 1), class_=kind)


def draw_boxes(hours: Hours, axis: Axis, language: Language) -> Iterator[Markup]:
    """Yield what the hours hold."""
    # The line of "now" lies behind the boxes, so that it strikes no title through.
    now = [] if hours.now is None else [axis.y(hours.now)]
    for y in now:
        yield element("line", x1=0, x2="100%", y1=y, y2=y, class_="now")
    yield from _free_labels(hours, axis)
    for item in hours.items:
        if not item.lane.is_crowd:
            yield _item(item, axis)
    yield from _crowds(hours, axis, language)

    for y in now:
        yield element("circle", cx=0, cy=y, r=4, class_="now")


def _free_labels(hours: Hours, axis: Axis) -> Iterator[Markup]:
    """Yield "free" where there is room for it and nothing else is drawn."""
    for room in hours.free:
        top = axis.y(room.start)
        height = axis.y(room.end) - top
        if height >= LEAST and not _is_covered(room, hours.items):
            words = " ".join((room.line.title, *room.line.notes))
            middle = round(top + height / 2 + 4, 1)
            yield element("text", words, x="50%", y=middle, class_="label free")


def _is_covered(room: Room, items: Iterable[Item]) -> bool:
    return any(item.start < room.end and room.start < item.end for item in items)


def _item(item: Item, axis: Axis) -> Markup:
    top = axis.y(item.start)
    height = round(axis.y(item.end) - top, 1)
    across = (item.lane.x, item.lane.width)
    is_hatched = item.entry.block is BlockKind.TRAVEL
    return element(
        "g",
        element("title", _tooltip(item.line)),
        _box("box", across, top, height, radius=6),
        _box("hatch", across, top, height, radius=6) if is_hatched else None,
        element(
            "rect", x=f"{across[0]}%", y=top + 1, width=4, height=height - 2, rx=2, class_="edge"
        ),
        element(
            "foreignObject",
            _words(item.line, height),
            x=f"{across[0]}%",
            y=top,
            width=f"{across[1]}%",
            height=height,
        ),
        class_=_classes(item),
    )


def _classes(item: Item) -> str:
    line, block = item.line, item.entry.block
    tones = {mark.tone for mark in line.marks} if block is None else set()
    flags = {
        "struck": line.struck,
        "past": line.past,
        "alarmed": Tone.ALARM in tones,
        "unsure": not line.struck and not tones.isdisjoint({Tone.CAUTION, Tone.QUIET}),
    }
    kind = block.value if block else "event"
    return " ".join(("item", kind, *(name for name, is_set in flags.items() if is_set)))


def _tooltip(line: Line) -> str:
    label = f"{line.label}:" if line.label else ""
    about = "; ".join((*(mark.text for mark in line.marks), *line.notes))
    parts = (_when(line), label, line.title, f"({about})" if about else "")
    return " ".join(part for part in parts if part)


def _words(line: Line, height: float) -> Markup:
    """Return what is written in a box of a height: as much as there is room for."""
    rows = min(int((height - _PADDING) // ROW), MOST_ROWS)
    tick = element("span", class_="tick") if line.kind is LineKind.TODO_BLOCK else None
    title = join(tick, element("bdi", line.title, class_="title"))
    marks = [element("span", mark.text, class_=f"mark {mark.tone.value}") for mark in line.marks]
    if rows <= 1:
        at = element("span", line.start, class_="at")
        said = join(title, *marks, between=_DOT)
        return element("div", at, " ", said, class_="words one", xmlns=_XHTML)
    about = join(
        *marks,
        element("span", _when(line), class_="at"),
        *(element("bdi", note, class_="note") for note in line.notes),
        between=_DOT,
    )
    return element(
        "div",
        element("div", title, class_=f"clamp lines-{rows - 1}"),
        element("div", about, class_="about"),
        class_=f"words rows-{rows}",
        xmlns=_XHTML,
    )


def _when(line: Line) -> str:
    return f"{line.start}{_DASH}{line.end}" if line.end else line.start


def _crowds(hours: Hours, axis: Axis, language: Language) -> Iterator[Markup]:
    """Yield a box for what found no column of its own, one for all that overlap."""
    crowd: list[Item] = []
    for item in (one for one in hours.items if one.lane.is_crowd):
        if crowd and item.start >= max(one.end for one in crowd):
            yield _crowd(crowd, axis, language)
            crowd = []
        crowd.append(item)
    if crowd:
        yield _crowd(crowd, axis, language)


def _crowd(crowd: Sequence[Item], axis: Axis, language: Language) -> Markup:
    lane = crowd[0].lane
    top = axis.y(crowd[0].start)
    height = axis.y(max(one.end for one in crowd)) - top
    words = language.say("page.more", count=len(crowd))
    middle = round(lane.x + lane.width / 2, 3)
    return element(
        "g",
        element("title", ", ".join(one.line.title for one in crowd)),
        _box("box", (lane.x, lane.width), top, height, radius=6),
        element("text", words, x=f"{middle}%", y=top + ROW, class_="more"),
        class_="item crowd",
    )


def _box(
    kind: str, across: tuple[float, float], top: float, height: float, *, radius: int | None = None
) -> Markup:
    return element(
        "rect",
        x=f"{across[0]}%",
        y=top,
        width=f"{across[1]}%",
        height=round(height, 1),
        rx=radius,
        class_=kind,
    )
