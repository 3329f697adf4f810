"""VEVENTs of a window as `Event` values."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import Event, EventStatus
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceRef
from iris_harness.sources.ical import screening
from iris_harness.sources.ical.components import Component, Stream
from iris_harness.sources.ical.entries import (
    IDENTITY,
    Entry,
    group_by_uid,
    identify,
    newest,
    read_moment,
    warning,
)
from iris_harness.sources.ical.moments import Extent, Moment, extent_between, parse_duration
from iris_harness.sources.ical.properties import parse_properties
from iris_harness.sources.ical.recurrence import (
    RECURRENCE,
    Instance,
    Occasion,
    instances,
    overrides_by_instance,
)
from iris_harness.sources.ical.zone_edge import in_zone, user_span
from iris_harness.sources.ical.zones import ZoneTable

_WANTED = frozenset({
    *IDENTITY, *RECURRENCE, "DTSTART", "DTEND", "DURATION", "TRANSP", "LOCATION", "ATTENDEE",
    "X-MICROSOFT-CDO-BUSYSTATUS", "X-MICROSOFT-CDO-ALLDAYEVENT",
})  # fmt: skip
_FREE_IN_OUTLOOK = frozenset({"FREE", "WORKINGELSEWHERE"})
_NOT_THERE = frozenset({"DECLINED", "DELEGATED"})
_MAILTO = re.compile(r"^mailto:", re.IGNORECASE)


def addresses(given: Iterable[str]) -> frozenset[str]:
    """Return mail addresses in the form they are compared in."""
    return frozenset(address for text in given if (address := _address(text)))


def _address(text: str) -> str:
    return _MAILTO.sub("", text.strip()).strip().casefold()


class EventReader:
    """Reads the events of one calendar for one window. Make one per reading."""

    def __init__(
        self,
        calendar: str,
        streams: Sequence[Stream],
        window: ReadWindow,
        me: frozenset[str],
    ) -> None:
        """Take the calendar's name, its files, the window, and the user's own addresses."""
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
            if not screening.certainly_outside(components, self._span):
                found += self._group(uid, components)
        return sorted(found, key=event_order)

    def _group(self, uid: str, components: Sequence[Component]) -> list[Event]:
        try:
            return list(self._occurrences(uid, components))
        except Exception as error:  # noqa: BLE001 - a series costs itself, and is named
            self.warnings.append(
                warning(components[0], _title(components[0]), uid, f"cannot be read: {error}")
            )
            return []

    def _occurrences(self, uid: str, components: Sequence[Component]) -> Iterator[Event]:
        entries = [entry for item in components if (entry := self._entry(uid, item))]
        master = self._best([entry for entry in entries if entry.recurrence_id is None])
        overrides = [
            occasion
            for revisions in overrides_by_instance(entries).values()
            if (occasion := self._best(revisions))
        ]
        if master and self._cancelled(master.entry):
            newer = [item for item in overrides if item.entry.sequence > master.entry.sequence]
            master, overrides = None, newer
        problems: list[str] = []
        for instance in instances(master, overrides, self._zones, self._span, problems):
            if not self._cancelled(instance.occasion.entry):
                yield self._event(instance)
        self.warnings += dict.fromkeys(problems)

    def _entry(self, uid: str, component: Component) -> Entry | None:
        properties = parse_properties(component.body, _WANTED)
        if not component.closed:
            self.warnings.append(
                warning(component, properties.text("SUMMARY") or uid, "", "has no END:VEVENT")
            )
        try:
            return identify(component, properties, uid, self._zones)
        except (ValueError, OverflowError) as error:
            title = properties.text("SUMMARY")
            self.warnings.append(warning(component, title, uid, f"cannot be read: {error}"))
            return None

    def _best(self, revisions: Sequence[Entry]) -> Occasion | None:
        """Return the newest revision with its time; None when there is none that has one."""
        if not revisions:
            return None
        entry, rivals = newest(revisions)
        for rival in rivals:
            kept = f"line {entry.component.line}"
            self.warnings.append(
                rival.warn(f"is left out: {kept} has the same UID, and neither is newer")
            )
        try:
            return self._occasion(entry)
        except (ValueError, OverflowError) as error:
            self.warnings.append(entry.warn(f"is left out: {error}"))
            return None

    def _occasion(self, entry: Entry) -> Occasion:
        begin = entry.properties.find("DTSTART")
        if begin:
            start, note = read_moment(begin, self._zones, entry.component)
        elif entry.recurrence_id:  # a replaced instance that does not move may leave it out
            start, note = entry.recurrence_id, ""
        else:
            raise ValueError("it has no start")
        start.instant  # noqa: B018 - raises here, where the event can be named
        notes = [*entry.notes, *([note] if note else [])]
        start, extent = self._length(entry, start, notes)
        return Occasion(entry=entry, start=start, extent=extent, notes=tuple(dict.fromkeys(notes)))

    def _length(self, entry: Entry, start: Moment, notes: list[str]) -> tuple[Moment, Extent]:
        """Return start and length (RFC 5545 §3.6.1); an end before the start counts as none."""
        shortest = Extent(days=1) if start.all_day else Extent()
        try:
            extent = self._stated_length(entry, start, notes)
        except (ValueError, OverflowError) as error:
            notes.append(f"has an end that cannot be read ({error}); it is listed at its start")
            return start, shortest
        if extent is None:
            return start, shortest
        if extent.days * 86400 + extent.seconds < 0:
            notes.append("ends before it starts; it is listed at its start")
            return start, shortest
        if start.all_day:
            partly = extent.seconds > 0
            return start, Extent(days=max(extent.days + partly, 1))
        return self._outlook_day(entry, start, extent)

    def _stated_length(self, entry: Entry, start: Moment, notes: list[str]) -> Extent | None:
        end_property = entry.properties.find("DTEND")
        if end_property:
            end, note = read_moment(end_property, self._zones, entry.component)
            notes.extend([note] if note else [])
            if end.all_day:  # its midnight, on the clock of the start
                end = Moment(wall=end.wall, zone=start.zone, all_day=start.all_day)
            return extent_between(start, end)
        duration = entry.properties.find("DURATION")
        return parse_duration(duration.value) if duration else None

    def _outlook_day(self, entry: Entry, start: Moment, extent: Extent) -> tuple[Moment, Extent]:
        """Read Outlook's all-day events, written as midnight to midnight in the sender's zone."""
        if entry.properties.word("X-MICROSOFT-CDO-ALLDAYEVENT") != "TRUE":
            return start, extent
        end = extent.end_of(start)
        length = (end.instant - start.instant + dt.timedelta(hours=2)).days
        if start.wall.time() != dt.time() or not length:
            return start, extent
        day = Moment(wall=start.wall, zone=self._user_zone, all_day=True)
        return day, Extent(days=length)

    def _cancelled(self, entry: Entry) -> bool:
        where = (entry.component.file, entry.component.calendar)
        return entry.properties.word("STATUS") == "CANCELLED" or where in self._cancelling

    def _event(self, instance: Instance) -> Event:
        entry = instance.occasion.entry
        self.warnings += [entry.warn(note) for note in instance.occasion.notes]
        status = self._status(entry)
        return Event(
            uid=entry.uid,
            recurrence_id=instance.recurrence_id,
            sequence=entry.sequence,
            revised_at=entry.revised_at,
            summary=entry.title,
            start=self._public(instance.start),
            end=self._public(instance.end),
            all_day=instance.start.all_day,
            busy=status is not EventStatus.DECLINED and _takes_time(entry),
            status=status,
            calendar=self._calendar,
            location=entry.properties.text("LOCATION"),
            source=SourceRef(
                source=self._calendar,
                locator=entry.properties.text("UID") or f"line {entry.component.line}",
            ),
        )

    def _public(self, moment: Moment) -> dt.date | dt.datetime:
        return moment.day if moment.all_day else in_zone(moment.instant, self._user_zone)

    def _status(self, entry: Entry) -> EventStatus:
        answers = {
            attendee.parameters.get("PARTSTAT", "").upper()
            for attendee in entry.properties.all("ATTENDEE")
            if self._me.intersection(
                addresses((attendee.value, attendee.parameters.get("EMAIL", "")))
            )
        }
        if answers and answers <= _NOT_THERE:
            return EventStatus.DECLINED
        tentative = (
            entry.properties.word("STATUS") == "TENTATIVE"
            or answers == {"TENTATIVE"}
            or entry.properties.word("X-MICROSOFT-CDO-BUSYSTATUS") == "TENTATIVE"
        )
        return EventStatus.TENTATIVE if tentative else EventStatus.CONFIRMED


def _takes_time(entry: Entry) -> bool:
    """Whether neither RFC 5545 §3.8.2.7 nor Outlook says that the time stays free."""
    return (
        entry.properties.word("TRANSP") != "TRANSPARENT"
        and entry.properties.word("X-MICROSOFT-CDO-BUSYSTATUS") not in _FREE_IN_OUTLOOK
    )


def _title(component: Component) -> str:
    return parse_properties(component.body, ("SUMMARY",)).text("SUMMARY")


def event_order(event: Event) -> tuple[bool, float, float, str, SourceRef]:
    """Sort key: all-day ones by start date and summary, then by instants, summary, source."""
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return True, event.start.timestamp(), event.end.timestamp(), event.summary, event.source
    return False, event.start.toordinal(), 0.0, event.summary, event.source
