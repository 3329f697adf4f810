"""When an event begins and how long it lasts (RFC 5545 §3.6.1), and what real files make of it."""

from __future__ import annotations

import datetime as dt

from iris_harness.sources.ical.entries import Entry, read_moment
from iris_harness.sources.ical.moments import Extent, Moment, extent_between, parse_duration
from iris_harness.sources.ical.recurrence import Occasion
from iris_harness.sources.ical.zones import ZoneTable

TIMES = ("DTSTART", "DTEND", "DURATION", "X-MICROSOFT-CDO-ALLDAYEVENT")
"""The properties that this module reads."""

_CLOCK_CHANGE = dt.timedelta(hours=2)


def event_occasion(entry: Entry, zones: ZoneTable) -> Occasion:
    """Read start and length; a length that makes no sense counts as none, and is noted.

    Raises:
        ValueError: it has no start, or one that cannot be read.
        OverflowError: it starts outside the years 1 to 9999.
    """
    start, notes = _start(entry, zones)
    shortest = Extent(days=1) if start.all_day else Extent()
    try:
        extent = _stated_length(entry, start, zones, notes) or shortest
    except (ValueError, OverflowError) as error:
        notes.append(f"has an end that cannot be read ({error}); it is listed at its start")
        extent = shortest
    if extent.days * 86400 + extent.seconds < 0:
        notes.append("ends before it starts; it is listed at its start")
        extent = shortest
    if start.all_day:
        extent = extent.in_days
    elif entry.properties.word("X-MICROSOFT-CDO-ALLDAYEVENT") == "TRUE":
        start, extent = _outlook_days(start, extent)
    return Occasion(entry=entry, start=start, extent=extent, notes=tuple(dict.fromkeys(notes)))


def _start(entry: Entry, zones: ZoneTable) -> tuple[Moment, list[str]]:
    notes = list(entry.notes)
    begin = entry.properties.find("DTSTART")
    if begin is None:
        # A replaced instance that does not move may leave it out.
        if entry.recurrence_id is None:
            raise ValueError("it has no start")
        return entry.recurrence_id, notes
    start, note = read_moment(begin, zones, entry.component)
    start.instant  # noqa: B018 - raises here, where the event can be named
    return start, [*notes, *filter(None, [note])]


def _stated_length(
    entry: Entry, start: Moment, zones: ZoneTable, notes: list[str]
) -> Extent | None:
    """Return the length by DTEND, else DURATION; None when it states neither."""
    end_property = entry.properties.find("DTEND")
    if end_property is None:
        duration = entry.properties.find("DURATION")
        return parse_duration(duration.value) if duration else None
    end, note = read_moment(end_property, zones, entry.component)
    notes.extend(filter(None, [note]))
    if end.all_day or end.floating:  # on the clock of the start
        end = end._replace(zone=start.zone, all_day=end.all_day and start.all_day)
    return extent_between(start, end)


def _outlook_days(start: Moment, extent: Extent) -> tuple[Moment, Extent]:
    """Read Outlook's all-day events, written as midnight to midnight in the sender's zone."""
    length = extent.end_of(start).instant - start.instant
    days = (length + _CLOCK_CHANGE).days
    if start.wall.time() != dt.time() or not days:
        return start, extent
    return start._replace(all_day=True), Extent(days=days)
