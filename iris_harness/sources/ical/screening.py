"""Tell from bytes alone that a component cannot touch the days asked for.

Most of a calendar is past. Only what is certain is left out: one single item with readable dates
that lie beyond either side by more than any zone could move them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from iris_harness.sources.ical.components import Component, has_folds
from iris_harness.sources.ical.recurrence import Span

# White space before the colon is let pass, as the reader does.
_TIMED_LINE = re.compile(
    rb"^(DTSTART|DTEND|DURATION|RRULE|RDATE|RECURRENCE-ID)[ \t]*([;:][^\r\n]*)(?![\r\n]+[ \t])",
    re.MULTILINE | re.IGNORECASE,
)
_FOLDED_NAME = re.compile(rb"\n[A-Za-z-]{1,13}[ \t]*\r*\n[ \t]")
"""The beginning of a line that is folded before its name ends: it may be any of them."""
_DATE = re.compile(rb":[ \t]*(\d{8})(?:T\d{6}Z?)?[ \t]*$", re.IGNORECASE)
MARGIN_DAYS = 2
"""More than any zone can move a time away from the day it is written with."""


def certainly_outside(components: Sequence[Component], span: Span) -> bool:
    """Whether none of the components of one UID can overlap `span`."""
    days = sure_days(components)
    if days is None:
        return False
    first, last = days
    beyond = (first - span.last_day).days > MARGIN_DAYS
    return beyond or (span.first_day - last).days > MARGIN_DAYS


def sure_days(components: Sequence[Component]) -> tuple[dt.date, dt.date] | None:
    """Return the first and last day that the components of one UID name, both inclusive.

    None unless it is certain that they take place then, give or take `MARGIN_DAYS` for zones.
    """
    if len(components) != 1 or not components[0].closed:
        return None
    if has_folds(components[0].body) and _FOLDED_NAME.search(b"\n" + components[0].body):
        return None
    lines = [(mark[1].upper(), mark[2]) for mark in _TIMED_LINE.finditer(components[0].body)]
    found = dict(lines)
    if len(found) != len(lines) or not found.keys() <= {b"DTSTART", b"DTEND"}:
        return None
    start = _date(found.get(b"DTSTART"))
    end = _date(found[b"DTEND"]) if b"DTEND" in found else start
    if start is None or end is None:
        return None
    return start, max(start, end)


def _date(line: bytes | None) -> dt.date | None:
    digits = _DATE.search(line or b"")
    try:
        return dt.date.fromisoformat(digits[1].decode()) if digits else None
    except ValueError:
        return None
