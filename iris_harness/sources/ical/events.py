"""VEVENTs of a window as `Event` values."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Sequence

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceRef
from iris_harness.sources.decoding import shorten
from iris_harness.sources.ical.attendance import ATTENDANCE, status_of, takes_time
from iris_harness.sources.ical.components import Component, Stream
from iris_harness.sources.ical.entries import (
    IDENTITY,
    Entry,
    group_by_uid,
    newest,
    read_entries,
    warning,
)
from iris_harness.sources.ical.lengths import TIMES, event_occasion
from iris_harness.sources.ical.moments import Moment
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

_WANTED = frozenset({*IDENTITY, *RECURRENCE, *TIMES, *ATTENDANCE, "LOCATION"})


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
        self._events = [item for item in components if item.kind == "VEVENT"]
        self._cancelling = {
            (item.file, item.calendar)
            for stream in streams
            for item in stream.components
            if stream.methods.get(item.calendar) == "CANCEL"
        }
        self.warnings: list[str] = []

    @property
    def holds_anything(self) -> bool:
        """Whether there is any event at all, of whatever time."""
        return bool(self._events)

    def read(self) -> list[Event]:
        """Return the occurrences that overlap the window, sorted as `DailyPlan.events` states."""
        found: list[Event] = []
        for uid, components in group_by_uid(self._events):
            if not certainly_outside(components, self._span):
                found += self._group(uid, components)
        return sorted(found, key=event_order)

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
        master, rivals = newest(masters) if masters else (None, ())
        series = self._occasion(master) if master else None
        replaced = [
            occasion
            for revisions in overrides_by_instance(entries).values()
            if (occasion := self._newest_override(revisions))
        ]
        if master and self._cancelled(master):
            # What was changed after that was not called off with it.
            replaced = [item for item in replaced if item.entry.sequence > master.sequence]
            series = None
        yield from self._listed(series, replaced)
        for rival in rivals:
            yield from self._listed_rival(rival)

    def _newest_override(self, revisions: Sequence[Entry]) -> Occasion | None:
        entry, rivals = newest(revisions)
        for rival in rivals:
            kept = f"line {entry.component.line}"
            self.warnings.append(
                rival.warn(f"is left out: {kept} replaces the same instance, and neither is newer")
            )
        return self._occasion(entry)

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
        own = dataclasses.replace(rival, uid=f"{rival.uid}#{rival.component.line}")
        occasion = self._occasion(own)
        for event in self._listed(occasion, ()) if occasion else ():
            self.warnings.append(rival.warn("has the UID of another event, and neither is newer"))
            yield event

    def _cancelled(self, entry: Entry) -> bool:
        where = (entry.component.file, entry.component.calendar)
        return entry.properties.word("STATUS") == "CANCELLED" or where in self._cancelling

    def _event(self, instance: Instance) -> Event:
        entry = instance.occasion.entry
        self.warnings += [entry.warn(note) for note in instance.occasion.notes]
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
        )

    def _public(self, moment: Moment) -> dt.date | dt.datetime:
        return moment.day if moment.all_day else in_zone(moment.instant, self._user_zone)


def event_order(event: Event) -> tuple[bool, float, float, str, SourceRef]:
    """Sort key: all-day ones by start date and summary, then by instants, summary, source."""
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return True, event.start.timestamp(), event.end.timestamp(), event.summary, event.source
    return False, event.start.toordinal(), 0.0, event.summary, event.source
