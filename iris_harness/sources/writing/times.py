"""Times of a component: read as they are written, and written as they were."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from typing import NamedTuple

from iris_harness.contracts.changes import TurnTime
from iris_harness.contracts.ports import ReadWindow
from iris_harness.errors import WriteError
from iris_harness.sources.ical.entries import Entry, read_moment
from iris_harness.sources.ical.moments import Moment, says_its_offset, wall_clock
from iris_harness.sources.writing.component_text import ComponentText, ContentLine
from iris_harness.sources.writing.documents import Document


class Written(NamedTuple):
    """A time as a component writes it."""

    line: ContentLine
    moment: Moment
    is_certain: bool
    """Whether its zone is known."""


def find_written(
    document: Document, entry: Entry, text: ComponentText, name: str
) -> Written | None:
    """Return the time that a property has; None when it has none that can be read."""
    item, line = entry.properties.find(name), text.find(name)
    if item is None or line is None:
        return None
    try:
        moment, problem = read_moment(item, document.zones, entry.component)
        moment.instant  # noqa: B018 - raises here, where it can be passed over
    except (ValueError, OverflowError):
        return None
    return Written(line, moment, not problem)


def check_has_uid(text: ComponentText) -> None:
    """Refuse to write about one time of a series that has no UID to name it by.

    Raises:
        WriteError: it has none.
    """
    if text.find("UID") is None:
        raise WriteError(
            "is a series without a UID, of which no single time can be changed",
            hint="give it a UID, or change the whole series",
        )


def time_line(name: str, time: dt.date | dt.datetime, like: Written | None) -> str:
    """Return a content line for a time, written in the form and zone of `like` where it can be.

    A time that cannot be said on that clock (its zone is unknown, or the hour comes twice) is
    written in UTC.
    """
    if not isinstance(time, dt.datetime):
        is_day = like is not None and like.moment.all_day
        head = like.line.head if like is not None and is_day else f"{name};VALUE=DATE"
        return f"{_renamed(head, name)}:{_compact(time)}"
    utc = time.astimezone(dt.UTC).replace(microsecond=0)
    if like is not None and like.is_certain and not like.moment.all_day:
        wall = wall_clock(utc, like.moment.zone)
        written = like.line.value.strip()
        in_utc = written.upper().endswith("Z")
        if like.moment.at(wall).instant == utc and (in_utc or not says_its_offset(written)):
            return f"{_renamed(like.line.head, name)}:{_compact(wall)}{'Z' if in_utc else ''}"
    return f"{name}:{stamp(utc)}"


def _renamed(head: str, name: str) -> str:
    """Return parameters of one property on another."""
    _, semicolon, parameters = head.partition(";")
    return f"{name}{semicolon}{parameters}"


def stamp(time: dt.datetime) -> str:
    """Return an instant as RFC 5545 §3.3.5 FORM #2."""
    return f"{_compact(time.astimezone(dt.UTC).replace(tzinfo=None, microsecond=0))}Z"


def _compact(time: dt.date) -> str:
    return time.isoformat().replace("-", "").replace(":", "")


def day_window(at: TurnTime) -> ReadWindow:
    """Return the user's day as a window for readers."""
    zone = zoneinfo.ZoneInfo(at.timezone)
    day = at.now.astimezone(zone).date()
    start, end = (
        dt.datetime.combine(day + dt.timedelta(days=days), dt.time(), zone).astimezone(dt.UTC)
        for days in (0, 1)
    )
    return ReadWindow(start=start, end=end, timezone=at.timezone, now=at.now)


def touched(text: ComponentText, at: TurnTime, *, is_significant: bool = True) -> ComponentText:
    """Return a component as changed now (RFC 5545 §3.8.7.2 to 3.8.7.4).

    SEQUENCE counts the changes that its organizer makes; `is_significant` says it is one.
    """
    now = stamp(at.now)
    text = text.with_line("DTSTAMP", f"DTSTAMP:{now}")
    text = text.with_line("LAST-MODIFIED", f"LAST-MODIFIED:{now}")
    if not is_significant:
        return text
    return text.with_line("SEQUENCE", f"SEQUENCE:{sequence_of(text) + 1}")


def sequence_of(text: ComponentText) -> int:
    """Return the number of a revision; 0 when it has none."""
    line = text.find("SEQUENCE")
    value = line.value.strip() if line else ""
    return int(value[:9]) if value.isascii() and value.isdigit() else 0
