"""Plan changes to calendars. Implements `EventWriter`.

New times are written on the clock that the event itself has; times of new events in UTC, which
every program reads without the definition of a zone. One occurrence of a series is moved by a
component of its own, and taken out by an EXDATE (RFC 5545 §3.8.4.4, §3.8.5.1).
"""

from __future__ import annotations

import datetime as dt
import uuid
import zoneinfo
from collections.abc import Callable, Collection
from typing import NamedTuple

from iris_harness.contracts.changes import Change, EventDraft, Standing, TurnTime
from iris_harness.contracts.day import Event
from iris_harness.errors import WriteError
from iris_harness.sources.ical.attendance import ATTENDANCE
from iris_harness.sources.ical.components import Component
from iris_harness.sources.ical.entries import IDENTITY, Entry, newest
from iris_harness.sources.ical.lengths import TIMES, event_occasion
from iris_harness.sources.ical.moments import Moment
from iris_harness.sources.ical.recurrence import (
    RECURRENCE,
    Instance,
    Occasion,
    Span,
    instances,
    overrides_by_instance,
)
from iris_harness.sources.ical.zone_edge import in_zone
from iris_harness.sources.writing.component_text import (
    ComponentText,
    escape,
    new_component,
    one_line,
)
from iris_harness.sources.writing.documents import Document
from iris_harness.sources.writing.naming import named, not_found
from iris_harness.sources.writing.resources import Item, Resources
from iris_harness.sources.writing.times import (
    check_has_uid,
    find_written,
    stamp,
    time_line,
    touched,
)

_WANTED = frozenset({*IDENTITY, *RECURRENCE, *TIMES, *ATTENDANCE})
_REPEATING = ("RRULE", "RDATE", "EXDATE", "EXRULE")
_MARGIN = dt.timedelta(days=2)
_OUTLOOK_DAY = "X-MICROSOFT-CDO-ALLDAYEVENT"

Time = dt.date | dt.datetime


class _Found(NamedTuple):
    """An event in its resource as it is now."""

    document: Document
    components: tuple[Component, ...]
    """All that have its UID, in their order."""
    master: Entry | None
    entry: Entry
    """The component that describes the occurrence."""
    is_own: bool
    """Whether that component is about this occurrence alone."""

    @property
    def text(self) -> ComponentText:
        """The text of that component."""
        return self.document.text_of(self.entry.component)


class VeventWriter:
    """A calendar in a file, in a folder or on a server. Thread-safe."""

    def __init__(
        self,
        resources: Resources,
        me: Collection[str] = (),
        new_uid: Callable[[], str] | None = None,
    ) -> None:
        """Take where the events are and the user's own addresses.

        Args:
            resources: where the events are.
            me: as `attendance.addresses` gives them. Of a meeting that somebody else organizes
                the revision is not counted up: that is the organizer's to do (RFC 5545 §3.8.7.4).
            new_uid: makes UIDs; None: random ones.
        """
        self.name = resources.name
        self._resources = resources
        self._me = frozenset(me)
        self._new_uid = new_uid or (lambda: str(uuid.uuid4()))

    def add(self, draft: EventDraft, at: TurnTime) -> tuple[Change, ...]:
        """Plan a new event; see `EventWriter.add`."""
        with named(self.name):
            _check_times(draft.start, draft.end)
            uid, now = self._new_uid(), stamp(at.now)
            contents = [f"UID:{uid}", f"DTSTAMP:{now}", f"CREATED:{now}", f"LAST-MODIFIED:{now}"]
            contents += [
                f"SUMMARY:{_title(draft.summary)}",
                time_line("DTSTART", draft.start, None),
                time_line("DTEND", draft.end, None),
            ]
            if draft.location.strip():
                contents.append(f"LOCATION:{escape(one_line(draft.location))}")
            if draft.description.strip():
                contents.append(f"DESCRIPTION:{escape(draft.description.strip())}")
            contents.append("TRANSP:OPAQUE" if draft.busy else "TRANSP:TRANSPARENT")
            text = new_component("VEVENT", contents, "\r\n")
            return (self._resources.added(text, Item(uid, draft.summary)),)

    def move(self, event: Event, start: Time, end: Time | None, at: TurnTime) -> tuple[Change, ...]:
        """Plan another time for an event; see `EventWriter.move`."""
        with named(self.name):
            end = _end(event, start) if end is None else end
            _check_times(start, end)
            if (start, end) == (event.start, event.end):
                return ()
            found = self._find(event, at)
            redraft = found.document.redraft()
            if found.is_own:
                text = self._touched(_retimed(found, found.text, start, end), at)
                found.document.replace(redraft, found.entry.component, text)
                item = Item(event.uid, event.summary)
            else:
                text = self._touched(_retimed(found, _one_time(found, event), start, end), at)
                found.document.insert_after(redraft, found.entry.component, text)
                note = "only this one moves; the series stays as it is"
                item = Item(event.uid, event.summary, note)
            return self._resources.changed(found.document, redraft, item)

    def delete(
        self, event: Event, at: TurnTime, *, whole_series: bool = False
    ) -> tuple[Change, ...]:
        """Plan that an event is taken out; see `EventWriter.delete`."""
        with named(self.name):
            found = self._find(event, at)
            item = Item(event.uid, event.summary)
            if whole_series or not event.recurrence_id:
                return self._resources.removed(found.document, found.components, item)
            if found.master is None:
                alone = (found.entry.component,)
                return self._resources.removed(found.document, alone, item)
            item = item._replace(note="only this one goes; the series stays as it is")
            return self._without_one(found, found.master, event, item, at)

    def apply(self, change: Change) -> Change:
        """Make a change; see `ChangeApplier.apply`."""
        return self._resources.apply(change)

    def standing(self, change: Change) -> Standing:
        """Return how a change stands; see `ChangeApplier.standing`."""
        return self._resources.standing(change)

    def _without_one(
        self, found: _Found, master: Entry, event: Event, item: Item, at: TurnTime
    ) -> tuple[Change, ...]:
        text = found.document.text_of(master.component)
        like = find_written(found.document, master, text, "DTSTART")
        text = text.with_added("EXDATE", time_line("EXDATE", _original(event), like))
        redraft = found.document.redraft()
        found.document.replace(redraft, master.component, self._touched(text, at))
        if found.is_own:
            found.document.replace(redraft, found.entry.component, None)
        return self._resources.changed(found.document, redraft, item)

    def _find(self, event: Event, at: TurnTime) -> _Found:
        for document in self._resources.documents(event.uid, "VEVENT", at.timezone):
            found = _find_in(document, event, at)
            if found is not None:
                return found
        raise not_found(event.uid, event.source.locator, "event")

    def _touched(self, text: ComponentText, at: TurnTime) -> ComponentText:
        organizer = text.find("ORGANIZER")
        address = organizer.value.strip().casefold() if organizer else ""
        is_own = not address or address.removeprefix("mailto:") in self._me
        return touched(text, at, is_significant=is_own)


def _find_in(document: Document, event: Event, at: TurnTime) -> _Found | None:
    components = document.components("VEVENT", event.uid)
    entries = document.entries(event.uid, components, _WANTED)
    masters = [entry for entry in entries if entry.recurrence_id is None]
    master, rivals = newest(masters) if masters else (None, ())
    if rivals:
        return None
    series = _occasion(document, master) if master else None
    overrides = [newest(each)[0] for each in overrides_by_instance(entries).values()]
    replaced = [found for entry in overrides if (found := _occasion(document, entry))]
    zone = zoneinfo.ZoneInfo(at.timezone)
    for instance in instances(series, replaced, document.zones, _around(event, zone), []):
        if _is_read_as(instance, event, zone):
            entry = instance.occasion.entry
            is_own = not event.recurrence_id or (
                entry.recurrence_id is not None and instance.start == instance.occasion.start
            )
            return _Found(document, tuple(components), master, entry, is_own)
    return None


def _occasion(document: Document, entry: Entry) -> Occasion | None:
    try:
        return event_occasion(entry, document.zones)
    except (ValueError, OverflowError):
        return None


def _is_read_as(instance: Instance, event: Event, zone: zoneinfo.ZoneInfo) -> bool:
    """Whether an occurrence is the one that was read, as it was read."""
    return (
        instance.recurrence_id == event.recurrence_id
        and instance.occasion.entry.title == event.summary
        and _shown(instance.start, zone) == event.start
        and _shown(instance.end, zone) == event.end
    )


def _shown(moment: Moment, zone: zoneinfo.ZoneInfo) -> Time:
    return moment.day if moment.all_day else in_zone(moment.instant, zone)


def _around(event: Event, zone: zoneinfo.ZoneInfo) -> Span:
    start, end = (
        time if isinstance(time, dt.datetime) else dt.datetime.combine(time, dt.time(), zone)
        for time in (event.start, event.end)
    )
    start, end = start.astimezone(dt.UTC) - _MARGIN, end.astimezone(dt.UTC) + _MARGIN
    return Span(
        start=start,
        end=end,
        first_day=start.astimezone(zone).date(),
        last_day=end.astimezone(zone).date(),
    )


def _original(event: Event) -> Time:
    """Return the original start of one occurrence of a series."""
    if len(event.recurrence_id) == len("2026-04-16"):
        return dt.date.fromisoformat(event.recurrence_id)
    return dt.datetime.fromisoformat(event.recurrence_id)


def _one_time(found: _Found, event: Event) -> ComponentText:
    """Return one occurrence of a series as a component of its own (RFC 5545 §3.8.4.4)."""
    check_has_uid(found.text)
    like = None
    if found.master is not None:
        series = found.document.text_of(found.master.component)
        like = find_written(found.document, found.master, series, "DTSTART")
    named_by = time_line("RECURRENCE-ID", _original(event), like)
    return found.text.without(*_REPEATING).with_line("RECURRENCE-ID", named_by)


def _retimed(found: _Found, text: ComponentText, start: Time, end: Time) -> ComponentText:
    """Return an event at another time, written as its own times are."""
    old_start = find_written(found.document, found.entry, text, "DTSTART")
    old_end = find_written(found.document, found.entry, text, "DTEND")
    if old_start is None and found.master is not None:
        series = found.document.text_of(found.master.component)
        old_start = find_written(found.document, found.master, series, "DTSTART")
    if isinstance(start, dt.datetime):
        text = text.without(_OUTLOOK_DAY)
    text = text.with_line("DTSTART", time_line("DTSTART", start, old_start)).without("DURATION")
    return text.with_line("DTEND", time_line("DTEND", end, old_end or old_start))


def _end(event: Event, start: Time) -> Time:
    """Return the end that keeps an event's length.

    Raises:
        WriteError: a day has no length in hours, nor hours one in days.
    """
    old_start, old_end = event.start, event.end
    if isinstance(start, dt.datetime):
        if isinstance(old_start, dt.datetime) and isinstance(old_end, dt.datetime):
            return start.astimezone(dt.UTC) + (old_end - old_start)
    elif not isinstance(old_start, dt.datetime) and not isinstance(old_end, dt.datetime):
        return start + (old_end - old_start)
    raise WriteError(
        f'cannot tell how long "{event.summary}" is to be: it changes between days and hours',
        hint="say how long it lasts",
    )


def _check_times(start: Time, end: Time) -> None:
    if isinstance(start, dt.datetime) != isinstance(end, dt.datetime):
        raise WriteError("takes no event that begins on a day and ends at an hour, or the reverse")
    if end < start or (end == start and not isinstance(start, dt.datetime)):
        raise WriteError("takes no event that ends before it begins")


def _title(summary: str) -> str:
    title = one_line(summary)
    if not title:
        raise WriteError("takes no event without a title")
    return escape(title)
