"""Several days side by side on one scale, for a screen that is wide enough.

Only for days of 24 hours: where the clocks change, one minute of two days is two times of day.
"""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.curator.language import Language
from iris_harness.curator.page.axis import Axis
from iris_harness.curator.page.chart import (
    Caption,
    draw_boxes,
    draw_ground,
    draw_scale,
    picture,
)
from iris_harness.curator.page.hours import HOUR, Hours
from iris_harness.curator.page.markup import Markup, element

MOST_DAYS = 7
_USUAL = 24 * HOUR


def fits_side_by_side(days: Sequence[Hours]) -> bool:
    """Return whether days can be drawn on one scale, and there is something to draw."""
    is_usual = all(hours.total == _USUAL for hours in days)
    return len(days) <= MOST_DAYS and is_usual and not all(hours.is_empty for hours in days)


def draw_week(days: Sequence[Hours], caption: Caption, language: Language) -> Markup:
    """Return the picture of days that fit side by side."""
    drawn = [hours.bounds() for hours in days if not hours.is_empty]
    bounds = min(first for first, _ in drawn), max(last for _, last in drawn)
    spans = [span for hours in days for span in hours.spans]
    working = [span for hours in days for span in hours.working]
    axis = Axis(*bounds, spans, working)
    now = next((hours for hours in days if hours.now is not None), days[0])
    width = round(100 / len(days), 3)
    columns = (
        element(
            "svg",
            *draw_ground(hours, axis),
            element("line", x1=0, x2=0, y1=0, y2=axis.height, class_="border") if number else None,
            *(_line(axis.y(minute)) for minute in hours.full_hours(*bounds)),
            *draw_boxes(hours, axis, language),
            x=f"{round(number * width, 3)}%",
            width=f"{width}%",
            height=axis.height,
            class_="column",
            between="\n",
        )
        for number, hours in enumerate(days)
    )
    return picture(axis, caption, (*draw_scale(now, axis, bounds, language), *columns))


def _line(y: float) -> Markup:
    return element("line", x1=0, x2="100%", y1=y, y2=y, class_="hour")
