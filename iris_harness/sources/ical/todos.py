"""VTODOs as `Todo` values: the open ones, of a recurring one the current instance."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from iris_harness.contracts.day import Todo
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceRef
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
    Span,
    instances,
    overrides_by_instance,
)
from iris_harness.sources.ical.zone_edge import in_zone, user_span
from iris_harness.sources.ical.zones import ZoneTable

_ESTIMATE = "ESTIMATED-DURATION"
_WANTED = frozenset({
    *IDENTITY, *RECURRENCE, "DTSTART", "DUE", "DURATION", "PRIORITY", "COMPLETED", "CREATED",
    "PERCENT-COMPLETE",
})  # fmt: skip
_LOWEST_PRIORITY = 9
_ALL_DONE = 100  # per cent
_LOOK_BACK_DAYS = (40, 400, 4000, 40_000)


class TodoReader:
    """Reads the open todos of one list for one window. Make one per reading."""

    def __init__(self, list_name: str, streams: Sequence[Stream], window: ReadWindow) -> None:
        """Take the list's name, its files and the window."""
        self._list = list_name
        self._user_zone, self._span = user_span(window)
        components = [item for stream in streams for item in stream.components]
        self._zones = ZoneTable(
            self._user_zone, (item for item in components if item.kind == "VTIMEZONE")
        )
        self._todos = [item for item in components if item.kind == "VTODO"]
        self.warnings: list[str] = []

    @property
    def holds_anything(self) -> bool:
        """Whether there is any todo at all, done ones included."""
        return bool(self._todos)

    def read(self) -> list[Todo]:
        """Return the open todos in the order of their files."""
        groups = group_by_uid(self._todos)
        found = (self._group(uid, components) for uid, components in groups)
        return [todo for todo in found if todo is not None]

    def _group(self, uid: str, components: Sequence[Component]) -> Todo | None:
        try:
            return self._current(uid, components)
        except Exception as error:  # noqa: BLE001 - a todo costs itself, and is named
            title = parse_properties(components[0].body, ("SUMMARY",)).text("SUMMARY")
            self.warnings.append(warning(components[0], title, uid, f"cannot be read: {error}"))
            return None

    def _current(self, uid: str, components: Sequence[Component]) -> Todo | None:
        entries = [self._entry(uid, component) for component in components]
        masters = [entry for entry in entries if entry.recurrence_id is None]
        overrides = [self._best(revisions) for revisions in overrides_by_instance(entries).values()]
        if masters:
            master = self._best(masters)
            if self._closed(master):
                return None
            if not any(master.properties.find(name) for name in ("RRULE", "RDATE")):
                return self._todo(master, *self._times(master))
        else:
            master = None
        return self._current_instance(master, overrides)

    def _entry(self, uid: str, component: Component) -> Entry:
        properties = parse_properties(component.body, _WANTED, suffix=_ESTIMATE)
        if not component.closed:
            title = properties.text("SUMMARY")
            self.warnings.append(warning(component, title, uid, "has no END:VTODO"))
        return identify(component, properties, uid, self._zones)

    def _best(self, revisions: Sequence[Entry]) -> Entry:
        entry, rivals = newest(revisions)
        for rival in rivals:
            kept = f"line {entry.component.line}"
            self.warnings.append(
                rival.warn(f"is left out: {kept} has the same UID, and neither is newer")
            )
        return entry

    def _current_instance(self, master: Entry | None, overrides: Sequence[Entry]) -> Todo | None:
        """Return the last instance begun by the end of the window, else the first; if open."""
        series = self._occasion(master) if master else None
        if master and series is None:  # repeats from no date: as good as a todo that does not
            return self._todo(master, *self._times(master))
        replaced = [occasion for entry in overrides if (occasion := self._occasion(entry))]
        problems: list[str] = []
        found = self._nearest(series, replaced, problems)
        self.warnings += dict.fromkeys(problems)
        if found is None or self._closed(found.occasion.entry):
            return None
        return self._instance_todo(found)

    def _nearest(
        self, series: Occasion | None, replaced: Sequence[Occasion], problems: list[str]
    ) -> Instance | None:
        for days in _LOOK_BACK_DAYS:
            span = self._past(days)
            found = [
                instance
                for instance in instances(series, replaced, self._zones, span, problems)
                if instance.start.instant < self._span.end
            ]
            if found:
                return max(found, key=lambda instance: instance.start.instant)
        later = [
            instance
            for days in _LOOK_BACK_DAYS[:2]
            for instance in instances(series, replaced, self._zones, self._future(days), problems)
        ]
        return min(later, key=lambda instance: instance.start.instant, default=None)

    def _past(self, days: int) -> Span:
        return self._moved(-dt.timedelta(days=days), dt.timedelta(0))

    def _future(self, days: int) -> Span:
        return self._moved(dt.timedelta(0), dt.timedelta(days=days))

    def _moved(self, start: dt.timedelta, end: dt.timedelta) -> Span:
        return Span(
            start=self._span.start + start,
            end=self._span.end + end,
            first_day=self._span.first_day + start,
            last_day=self._span.last_day + end,
        )

    def _occasion(self, entry: Entry) -> Occasion | None:
        """Return when it begins (or is due, if that is all it says); None when it says neither."""
        start, due = self._times(entry, quiet=True)
        begin = start or due or entry.recurrence_id
        if begin is None:
            return None
        extent = extent_between(begin, due) if start and due else Extent()
        return Occasion(entry=entry, start=begin, extent=extent)

    def _instance_todo(self, found: Instance) -> Todo:
        entry = found.occasion.entry
        start, due = self._times(entry, quiet=True)
        if start and due:
            return self._todo(entry, found.start, found.end)
        return self._todo(entry, found.start if start else None, None if start else found.start)

    def _times(self, entry: Entry, *, quiet: bool = False) -> tuple[Moment | None, Moment | None]:
        """Return start and due time; what cannot be read is not set, and warned of."""
        notes: list[str] = list(entry.notes)
        start, due = self._time(entry, "DTSTART", notes), self._time(entry, "DUE", notes)
        duration = entry.properties.find("DURATION")
        if start and duration and due is None:
            due = self._after(start, duration.value, notes)
        if start and due and due.instant < start.instant:
            notes.append("is due before it starts; its start is not used")
            start = None
        if not quiet:
            self.warnings += [entry.warn(note) for note in notes]
        return start, due

    def _time(self, entry: Entry, name: str, notes: list[str]) -> Moment | None:
        item = entry.properties.find(name)
        if item is None:
            return None
        try:
            moment, note = read_moment(item, self._zones, entry.component)
            moment.instant  # noqa: B018 - raises here, where the todo can be named
        except (ValueError, OverflowError) as error:
            notes.append(f"has a {name} that cannot be read ({error})")
            return None
        notes.extend([note] if note else [])
        return moment

    def _after(self, start: Moment, duration: str, notes: list[str]) -> Moment | None:
        try:
            return parse_duration(duration).end_of(start)
        except (ValueError, OverflowError) as error:
            notes.append(f"has a DURATION that cannot be read ({error})")
            return None

    def _closed(self, entry: Entry) -> bool:
        """Whether it is done or given up. Something unreadable in COMPLETED does not say so."""
        if entry.properties.word("STATUS") in {"COMPLETED", "CANCELLED"}:
            return True
        percent = entry.properties.text("PERCENT-COMPLETE")
        done = percent.isascii() and percent.isdigit() and int(percent[:4]) >= _ALL_DONE
        return done or self._time(entry, "COMPLETED", []) is not None

    def _todo(self, entry: Entry, start: Moment | None, due: Moment | None) -> Todo:
        created = self._time(entry, "CREATED", [])
        return Todo(
            uid=entry.uid,
            summary=entry.title,
            due=self._public(due),
            start=self._public(start),
            priority=_priority(entry.properties.text("PRIORITY")),
            estimate_minutes=_estimate(entry, start, due),
            created_on=in_zone(created.instant, self._user_zone).date() if created else None,
            list_name=self._list,
            source=SourceRef(
                source=self._list,
                locator=entry.properties.text("UID") or f"line {entry.component.line}",
            ),
        )

    def _public(self, moment: Moment | None) -> dt.date | dt.datetime | None:
        if moment is None:
            return None
        return moment.day if moment.all_day else in_zone(moment.instant, self._user_zone)


def _priority(text: str) -> int | None:
    """RFC 5545 §3.8.1.9: 1 to 9; 0 and everything else is undefined."""
    if not (text.isascii() and text.isdigit()):
        return None
    number = int(text[:4])
    return number if 1 <= number <= _LOWEST_PRIORITY else None


def _estimate(entry: Entry, start: Moment | None, due: Moment | None) -> int | None:
    """Return the minutes of ESTIMATED-DURATION, or of a DURATION that leads from no start."""
    stated = entry.properties.ending(_ESTIMATE)
    if stated is None and (start is None or due is None):
        stated = entry.properties.find("DURATION") if start is None else None
    if stated is None:
        return None
    try:
        length = parse_duration(stated.value)
    except ValueError:
        return None
    minutes = length.days * 1440 + length.seconds // 60
    return minutes if minutes > 0 else None
