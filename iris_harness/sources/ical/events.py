"""VEVENTs of a window as `Event` values."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.block_uids import UID_DOMAIN
from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceRef
from iris_harness.sources.decoding import shorten
from iris_harness.sources.ical.attendance import ATTENDANCE, status_of, takes_time
from iris_harness.sources.ical.components import Component, Stream, has_folds
from iris_harness.sources.ical.entries import (
    IDENTITY,
    Entry,
    group_by_uid,
    newest_first,
    raw_uid,
    read_entries,
    rivals,
    warning,
)
from iris_harness.sources.ical.lengths import TIMES, event_occasion
from iris_harness.sources.ical.moments import Moment, duration_minutes
from iris_harness.sources.ical.order import event_order
from iris_harness.sources.ical.properties import parse_properties
from iris_harness.sources.ical.recurrence import (
    RECURRENCE,
    Instance,
    Occasion,
    instances,
    overrides_by_instance,
)
from iris_harness.sources.ical.screening import certainly_outside
from iris_harness.sources.ical.zone_edge import in_zone, user_span
from iris_harness.sources.ical.zones import ZoneTable

_TRAVEL = "X-APPLE-TRAVEL-DURATION"
"""The way there: written by Apple's calendars and those that follow them; others have none."""
_WANTED = frozenset({*IDENTITY, *RECURRENCE, *TIMES, *ATTENDANCE, "LOCATION", _TRAVEL})
_UNREAD = frozenset({"VFREEBUSY", "VAVAILABILITY"})
"""Components that say when somebody is busy in another way than an event."""

_BLOCK = UID_DOMAIN.encode()
_FOLDED_UID = re.compile(rb"\n[Uu][^\r\n]*\r*\n[ \t]")


def count_events(stream: Stream) -> int:
    """Return how many VEVENTs there are, of whatever time and meaning."""
    return sum(item.kind == "VEVENT" for item in stream.components)


def event_components(stream: Stream) -> list[Component]:
    """Return the components that describe events, in file order."""
    return [
        item
        for item in stream.components
        if item.kind == "VEVENT" and not stream.is_message(item) and not _is_block(item)
    ]


def _is_block(item: Component) -> bool:
    """Whether it is a block of a plan: what Iris wrote is no meeting to plan around."""
    if _BLOCK not in item.body and not (has_folds(item.body) and _FOLDED_UID.search(item.body)):
        return False
    return raw_uid(item).endswith(f"@{UID_DOMAIN}")


def unread_warnings(stream: Stream) -> list[str]:
    """Return a warning for each component that says something and is not read."""
    found = []
    for item in stream.components:
        is_message = item.kind == "VEVENT" and stream.is_message(item)
        if is_message or item.kind in _UNREAD:
            what = "a message about an event" if is_message else f"a {item.kind}"
            found.append(f"{item.file}:{item.line}: {what} is not read")
    return found


class GroupReading(NamedTuple):
    """What the components of one UID in one folder give for a window."""

    components: tuple[Component, ...]
    events: tuple[Event, ...]
    """In the order they were found."""
    warnings: tuple[str, ...]
    is_bound_to_events: bool
    """Whether each warning is said because one of `events` is listed, and only then."""


class EventReader:
    """Reads the events of one calendar for one window. Make one per reading."""

    def __init__(
        self, calendar: str, streams: Sequence[Stream], window: ReadWindow, me: frozenset[str]
    ) -> None:
        """Take the calendar's name, its files, the window, and the user's own addresses.

        `me` comes from `attendance.addresses`.
        """
        self._calendar = calendar
        self._me = me
        self._user_zone, self._span = user_span(window)
        components = [item for stream in streams for item in stream.components]
        self._zones = ZoneTable(
            self._user_zone, (item for item in components if item.kind == "VTIMEZONE")
        )
        self._methods = {
            (stream.file, calendar): method
            for stream in streams
            for calendar, method in stream.methods.items()
        }
        self._streams = streams
        self._said_of_events = 0
        self.warnings: list[str] = []

    @property
    def holds_anything(self) -> bool:
        """Whether there is any event at all, of whatever time."""
        return any(count_events(stream) for stream in self._streams)

    def read(self) -> list[Event]:
        """Return the occurrences that overlap the window, sorted as `DailyPlan.events` states."""
        for stream in self._streams:
            self.warnings += unread_warnings(stream)
        found = [event for group in self.groups() for event in group.events]
        return sorted(found, key=event_order)

    def groups(self) -> Iterator[GroupReading]:
        """Yield what the components of each UID give, in order of first appearance.

        Their warnings are also added to `warnings`.
        """
        for uid, components in group_by_uid(itertools.chain(*map(event_components, self._streams))):
            if certainly_outside(components, self._span):
                continue
            self._said_of_events = 0
            before = len(self.warnings)
            events = tuple(self._group(uid, components))
            warnings = tuple(self.warnings[before:])
            yield GroupReading(
                components=tuple(components),
                events=events,
                warnings=warnings,
                is_bound_to_events=self._said_of_events == len(warnings),
            )

    def _method(self, component: Component) -> str:
        return self._methods.get((component.file, component.calendar), "")

    def _group(self, uid: str, components: Sequence[Component]) -> list[Event]:
        try:
            return list(self._occurrences(uid, components))
        except Exception as error:  # noqa: BLE001 - a series costs itself, and is named
            title = parse_properties(components[0].body, ("SUMMARY",)).text("SUMMARY")
            self.warnings.append(warning(components[0], title, uid, f"is left out: {error}"))
            return []

    def _occurrences(self, uid: str, components: Sequence[Component]) -> Iterator[Event]:
        entries = read_entries(uid, components, _WANTED, self._zones, self.warnings)
        masters = [entry for entry in entries if entry.recurrence_id is None]
        series, equals = self._newest(masters)
        replaced = [
            occasion
            for revisions in overrides_by_instance(entries).values()
            if (occasion := self._newest_override(revisions))
        ]
        called_off = [entry.sequence for entry in masters if self._cancelled(entry)]
        if called_off and (series is None or self._cancelled(series.entry)):
            # What was changed after that was not called off with it.
            replaced = [item for item in replaced if item.entry.sequence > max(called_off)]
            series = None
        yield from self._listed(series, replaced)
        for rival in equals:
            yield from self._listed_rival(rival)

    def _newest(self, revisions: Sequence[Entry]) -> tuple[Occasion | None, tuple[Entry, ...]]:
        """Return the newest revision that says when it is, and those that are no older.

        One that calls the event off needs no time to count: then there is none.
        """
        ordered = newest_first(revisions)
        for index, entry in enumerate(ordered, start=1):
            needs_no_time = entry.recurrence_id is None and not entry.properties.find("DTSTART")
            if self._cancelled(entry) and needs_no_time:
                return None, ()
            occasion = self._occasion(entry)
            if occasion:
                return occasion, rivals(entry, ordered[index:])
        return None, ()

    def _newest_override(self, revisions: Sequence[Entry]) -> Occasion | None:
        occasion, equals = self._newest(revisions)
        for rival in equals:
            what = "is left out: another one replaces the same instance, and neither is newer"
            self.warnings.append(rival.warn(what))
        return occasion

    def _occasion(self, entry: Entry) -> Occasion | None:
        try:
            return event_occasion(entry, self._zones)
        except (ValueError, OverflowError) as error:
            self.warnings.append(entry.warn(f"is left out: {error}"))
            return None

    def _listed(self, series: Occasion | None, replaced: Sequence[Occasion]) -> Iterator[Event]:
        problems: list[str] = []
        for instance in instances(series, replaced, self._zones, self._span, problems):
            if not self._cancelled(instance.occasion.entry):
                yield self._event(instance)
        self.warnings += dict.fromkeys(problems)

    def _listed_rival(self, rival: Entry) -> Iterator[Event]:
        """List what shares its UID with another event though nothing shows it to be older.

        Some programs give every event the same UID. Losing an event is worse than showing an
        old version of one, so it is listed under a UID of its own.
        """
        own = rival._replace(uid=f"{rival.uid}#{rival.component.line}")
        occasion = self._occasion(own)
        for event in self._listed(occasion, ()) if occasion else ():
            self.warnings.append(rival.warn("has the UID of another event, and neither is newer"))
            self._said_of_events += 1
            yield event

    def _cancelled(self, entry: Entry) -> bool:
        called_off = self._method(entry.component) == "CANCEL"
        return called_off or entry.properties.word("STATUS") == "CANCELLED"

    def _event(self, instance: Instance) -> Event:
        entry = instance.occasion.entry
        self.warnings += [entry.warn(note) for note in instance.occasion.notes]
        self._said_of_events += len(instance.occasion.notes)
        status = status_of(entry, self._me)
        return Event(
            uid=entry.uid,
            recurrence_id=instance.recurrence_id,
            sequence=entry.sequence,
            revised_at=entry.revised_at,
            summary=entry.title,
            start=self._public(instance.start),
            end=self._public(instance.end),
            all_day=instance.start.all_day,
            busy=takes_time(entry, status),
            status=status,
            calendar=self._calendar,
            location=shorten(entry.properties.text("LOCATION")),
            source=SourceRef(source=self._calendar, locator=entry.locator),
            travel_minutes=duration_minutes(entry.properties.text(_TRAVEL)),
        )

    def _public(self, moment: Moment) -> dt.date | dt.datetime:
        return moment.day if moment.all_day else in_zone(moment.instant, self._user_zone)
