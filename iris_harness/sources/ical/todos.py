"""VTODOs as `Todo` values: the open ones, of a recurring one the current instance."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from iris_harness.contracts.day import Todo
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceRef
from iris_harness.sources.day_terms import (
    parse_chunk,
    parse_energy,
    parse_time_of_day,
    work_minutes,
)
from iris_harness.sources.decoding import shorten
from iris_harness.sources.ical.components import Component, Stream
from iris_harness.sources.ical.entries import (
    IDENTITY,
    Entry,
    group_by_uid,
    newest,
    read_entries,
    read_moment,
    warning,
)
from iris_harness.sources.ical.moments import (
    Extent,
    Moment,
    duration_minutes,
    extent_between,
    is_no_time,
    parse_duration,
    wall_clock,
)
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

T = TypeVar("T")
_ESTIMATE = "ESTIMATED-DURATION"
_EARLIEST, _LATEST, _ENERGY, _SPLIT = (
    "X-IRIS-EARLIEST", "X-IRIS-LATEST", "X-IRIS-ENERGY", "X-IRIS-SPLIT",
)  # fmt: skip
"""When a todo can be done, in the words of todo.txt lists; no program writes another form."""
_WANTED = frozenset({
    *IDENTITY, *RECURRENCE, "DTSTART", "DUE", "DURATION", "PRIORITY", "COMPLETED", "CREATED",
    "PERCENT-COMPLETE", f"*{_ESTIMATE}", _EARLIEST, _LATEST, _ENERGY, _SPLIT,
})  # fmt: skip
_LOWEST_PRIORITY = 9
_ALL_DONE = 100  # per cent
_SEARCH_DAYS = (40, 400, 4000, 40_000)
"""How far around the window an instance is looked for, in growing steps."""


class _Times(NamedTuple):
    """When a todo may begin and when it is due, with what could not be read."""

    start: Moment | None
    due: Moment | None
    notes: tuple[str, ...]


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
        every = [(stream, item) for stream in streams for item in stream.components]
        todos = [(stream, item) for stream, item in every if item.kind == "VTODO"]
        self._todos = [item for stream, item in todos if not stream.is_message(item)]
        self._called_off = {
            (stream.file, calendar)
            for stream in streams
            for calendar, method in stream.methods.items()
            if method == "CANCEL"
        }
        self.warnings = [
            f"{item.file}:{item.line}: a message about a todo is not read"
            for stream, item in todos
            if stream.is_message(item)
        ]

    @property
    def holds_anything(self) -> bool:
        """Whether there is any todo at all, done ones included."""
        return bool(self._todos)

    def read(self) -> list[Todo]:
        """Return the open todos in the order of their files."""
        groups = group_by_uid(self._todos)
        return [todo for uid, components in groups for todo in self._group(uid, components)]

    def _group(self, uid: str, components: Sequence[Component]) -> list[Todo]:
        try:
            return list(self._open_todos(uid, components))
        except Exception as error:  # noqa: BLE001 - a todo costs itself, and is named
            title = parse_properties(components[0].body, ("SUMMARY",)).text("SUMMARY")
            self.warnings.append(warning(components[0], title, uid, f"is left out: {error}"))
            return []

    def _open_todos(self, uid: str, components: Sequence[Component]) -> Iterator[Todo]:
        entries = read_entries(uid, components, _WANTED, self._zones, self.warnings)
        masters = [entry for entry in entries if entry.recurrence_id is None]
        replaced = [newest(each)[0] for each in overrides_by_instance(entries).values()]
        if not masters:
            yield from self._current_instance(None, replaced)
            return
        master, rivals = newest(masters)
        yield from self._of_master(master, replaced)
        for rival in rivals:  # as for events: nothing shows it to be the older one
            own = rival._replace(uid=f"{rival.uid}#{rival.component.line}")
            for todo in self._of_master(own, ()):
                self.warnings.append(rival.warn("has the UID of another todo; neither is newer"))
                yield todo

    def _of_master(self, master: Entry, replaced: Sequence[Entry]) -> Iterator[Todo]:
        if self._closed(master):
            return
        times = self._times(master)
        self.warnings += [master.warn(note) for note in times.notes]
        repeats = any(master.properties.find(name) for name in ("RRULE", "RDATE"))
        if repeats and (times.start or times.due):
            yield from self._current_instance(master, replaced)
        else:
            yield self._todo(master, times.start, times.due)

    def _current_instance(self, master: Entry | None, replaced: Sequence[Entry]) -> Iterator[Todo]:
        """Yield the last instance begun by the end of the window, else the first; if open."""
        series = self._occasion(master) if master else None
        others = [occasion for entry in replaced if (occasion := self._occasion(entry))]
        problems: list[str] = []
        found = self._nearest(series, others, problems)
        self.warnings += dict.fromkeys(problems)
        if found is not None and not self._closed(found.occasion.entry):
            yield self._instance_todo(found)

    def _nearest(
        self, series: Occasion | None, replaced: Sequence[Occasion], problems: list[str]
    ) -> Instance | None:
        spans = itertools.chain(
            ((self._around(back=days), True) for days in _SEARCH_DAYS),
            ((self._around(ahead=days), False) for days in _SEARCH_DAYS),
        )
        for span, in_the_past in spans:
            begun = [
                instance
                for instance in instances(series, replaced, self._zones, span, problems)
                if (instance.start.instant < self._span.end) is in_the_past
            ]
            if begun:
                pick = max if in_the_past else min
                return pick(begun, key=lambda instance: instance.start.instant)
        return None

    def _around(self, *, back: int = 0, ahead: int = 0) -> Span:
        room_before = (self._span.first_day - dt.date.min).days - 1
        room_after = (dt.date.max - self._span.last_day).days - 1
        before = dt.timedelta(days=max(0, min(back, room_before)))
        after = dt.timedelta(days=max(0, min(ahead, room_after)))
        return Span(
            start=self._span.start - before,
            end=self._span.end + after,
            first_day=self._span.first_day - before,
            last_day=self._span.last_day + after,
        )

    def _occasion(self, entry: Entry) -> Occasion | None:
        """Return when it begins (or is due, if that is all it says); None when it says neither."""
        times = self._times(entry)
        begin = times.start or times.due or entry.recurrence_id
        if begin is None:
            return None
        if not (times.start and times.due):
            return Occasion(entry=entry, start=begin, extent=Extent())
        if times.start.all_day != times.due.all_day:
            begin = begin._replace(all_day=False)
        return Occasion(entry=entry, start=begin, extent=extent_between(begin, times.due))

    def _instance_todo(self, found: Instance) -> Todo:
        entry = found.occasion.entry
        times = self._times(entry)
        start = self._like(found.start, times.start)
        due = self._like(found.end if times.start else found.start, times.due)
        return self._todo(entry, start, due)

    def _like(self, moment: Moment, written: Moment | None) -> Moment | None:
        """Return a counted-out moment as a day or a time, as it was written for the first."""
        if written is None or written.all_day == moment.all_day:
            return moment if written else None
        wall = wall_clock(moment.instant, written.zone)
        day = dt.datetime.combine(wall.date(), dt.time())
        return written._replace(wall=day if written.all_day else wall)

    def _times(self, entry: Entry) -> _Times:
        """Return start and due time; what cannot be read is not set, and noted."""
        notes: list[str] = list(entry.notes)
        start, due = self._time(entry, "DTSTART", notes), self._time(entry, "DUE", notes)
        duration = entry.properties.find("DURATION")
        if start and duration and due is None:
            due = self._after(start, duration.value, notes)
        if start and due and due.instant < start.instant:
            notes.append("is due before it starts; its start is not used")
            start = None
        return _Times(start=start, due=due, notes=tuple(notes))

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
        notes.extend(filter(None, [note]))
        return moment

    def _after(self, start: Moment, duration: str, notes: list[str]) -> Moment | None:
        try:
            return parse_duration(duration).end_of(start)
        except (ValueError, OverflowError) as error:
            notes.append(f"has a DURATION that cannot be read ({error})")
            return None

    def _closed(self, entry: Entry) -> bool:
        """Whether it is done or given up. Something unreadable in COMPLETED does not say so."""
        here = entry.component
        if (here.file, here.calendar) in self._called_off:
            return True
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
            estimate_minutes=self._estimate(entry, start),
            created_on=in_zone(created.instant, self._user_zone).date() if created else None,
            list_name=self._list,
            source=SourceRef(source=self._list, locator=entry.locator),
            earliest=self._term(entry, _EARLIEST, parse_time_of_day),
            latest=self._term(entry, _LATEST, parse_time_of_day),
            energy=self._term(entry, _ENERGY, parse_energy) or "",
            chunk_minutes=self._term(entry, _SPLIT, _chunk),
        )

    def _term(self, entry: Entry, name: str, parse: Callable[[str], T | None]) -> T | None:
        """Read one of Iris' own properties; one that cannot be read is not used, and said."""
        text = entry.properties.text(name)
        value = parse(text) if text else None
        if text and value in {None, ""}:
            self.warnings.append(
                entry.warn(f"has {name}:{shorten(text)}, which cannot be read; it is not used")
            )
        return value

    def _estimate(self, entry: Entry, start: Moment | None) -> int | None:
        """Return the minutes of ESTIMATED-DURATION, or of a DURATION that leads from no start.

        None when neither is a length of work; no time at all says nothing, anything else is said.
        """
        stated = entry.properties.ending(_ESTIMATE)
        if stated is None and start is None:
            stated = entry.properties.find("DURATION")
        text = stated.value.strip() if stated else ""
        minutes = work_minutes(duration_minutes(text))
        if stated and text and minutes is None and not is_no_time(text):
            self.warnings.append(
                entry.warn(
                    f"has {stated.name}:{shorten(text)}, which is no length of work; it is not used"
                )
            )
        return minutes

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


def _chunk(text: str) -> int | None:
    """Read a length as todo.txt lists write it, or as a DURATION."""
    said = parse_chunk(text)
    return work_minutes(duration_minutes(text)) if said is None else said
