"""The instances of one series: rule, extra dates, exceptions, replaced instances.

Everything is compared as instants (or as days, for a series of days): an EXDATE in UTC takes out
the 09:00 of Berlin that it is, and no other.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from iris_harness.sources.ical.counting import MAX_PER_DAY, TooOftenError, expand
from iris_harness.sources.ical.entries import Entry, read_value
from iris_harness.sources.ical.moments import (
    FIRST_WALL,
    LAST_WALL,
    Extent,
    Moment,
    extent_between,
    parse_duration,
    parse_moment,
    wall_clock,
)
from iris_harness.sources.ical.rules import Rule, parse_rule
from iris_harness.sources.ical.zones import ZoneTable

RECURRENCE = ("RRULE", "RDATE", "EXDATE", "EXRULE")
"""The properties that this module reads."""

Window: TypeAlias = tuple[dt.datetime, dt.datetime]
"""First and last wall-clock start, both included."""

_MARGIN = dt.timedelta(days=1)


class Occasion(NamedTuple):
    """A component with the time it takes."""

    entry: Entry
    start: Moment
    extent: Extent
    notes: tuple[str, ...] = ()
    """What had to be repaired, as clauses; said only when it is listed."""


class Instance(NamedTuple):
    """One time that something takes place."""

    occasion: Occasion
    """The component that describes it."""
    start: Moment
    end: Moment
    """Exclusive."""
    recurrence_id: str
    """Original start (UTC, or a plain date); empty for what is no series."""


class Span(NamedTuple):
    """The time asked for, as instants and as days of the user."""

    start: dt.datetime
    end: dt.datetime
    first_day: dt.date
    last_day: dt.date
    """The last day, inclusive."""

    @property
    def days(self) -> int:
        """How many days it touches."""
        return (self.last_day - self.first_day).days + 1

    def holds(self, instance: Instance) -> bool:
        """Whether it overlaps the span; one of zero length must lie in it."""
        if instance.start.all_day:
            return instance.start.day <= self.last_day and instance.end.day > self.first_day
        start, end = instance.start.instant, instance.end.instant
        return start < self.end and (end > self.start or start == end >= self.start)


Key = dt.datetime | dt.date


def instances(
    master: Occasion | None,
    overrides: Sequence[Occasion],
    zones: ZoneTable,
    span: Span,
    problems: list[str],
) -> Iterator[Instance]:
    """Yield the instances that overlap `span`, in no order.

    Args:
        master: the series, or a single item; None when only replaced instances are known.
        overrides: the newest revision of each replaced instance, cancelled ones included.
        zones: where the values of EXDATE and RDATE are read.
        span: the time asked for.
        problems: takes a warning for each part of the series that cannot be used.
    """
    series = _Series(master, zones, problems) if master else None
    replaced: set[Key] = set()
    for override in overrides:
        key = _override_key(override, series)
        replaced.add(key)
        if series is None or not series.excludes(key):
            yield from filter(span.holds, [_single(override, _spell_key(key))])
    if series is not None:
        futures = [item for item in overrides if item.entry.this_and_future]
        listed = filter(span.holds, series.instances(replaced, futures, span))
        yield from _at_most(MAX_PER_DAY * span.days, listed, master, problems)


def _at_most(
    most: int, found: Iterator[Instance], master: Occasion | None, problems: list[str]
) -> Iterator[Instance]:
    """Cut what overlaps itself endlessly: a daily event that was given an end in 2099."""
    yield from itertools.islice(found, most)
    if master and next(found, None):
        problems.append(master.entry.warn(f"takes place more than {most} times; the rest is cut"))


def _single(occasion: Occasion, recurrence_id: str) -> Instance:
    return Instance(
        occasion=occasion,
        start=occasion.start,
        end=occasion.extent.end_of(occasion.start),
        recurrence_id=recurrence_id,
    )


def _override_key(override: Occasion, series: _Series | None) -> Key:
    replaced = override.entry.recurrence_id or override.start
    if series is not None:
        return series.key_of(replaced)
    return replaced.day if replaced.all_day else replaced.instant


def _spell_key(key: Key) -> str:
    return key.isoformat()


class _Series:
    """What one master component says, read once."""

    def __init__(self, master: Occasion, zones: ZoneTable, problems: list[str]) -> None:
        self._master = master
        self._zones = zones
        self._problems = problems
        self._rules = self._read_rules("RRULE")
        self._except_rules = self._read_rules("EXRULE")
        self._extra = dict(self._read_extra())
        exceptions = tuple(self._read_exceptions())
        self._without = {self.key_of(moment) for moment in exceptions}
        self._without_days = {moment.day for moment in exceptions if moment.all_day}
        properties = master.entry.properties
        self.repeats = any(properties.find(name) for name in ("RRULE", "RDATE"))

    def key_of(self, moment: Moment) -> Key:
        """Return what names an instance: the day in a series of days, else the instant.

        What does not say its zone is on the clock of the series; a day that names an instance
        of a timed series means that series' time on it.
        """
        wall = self._to_wall(moment)
        if self._master.start.all_day:
            return wall.date()
        on_its_clock = moment.floating or moment.all_day
        return self._master.start.at(wall).instant if on_its_clock else moment.instant

    def excludes(self, key: Key) -> bool:
        """Whether an EXDATE names it; one that is a day takes out all that starts on it."""
        if key in self._without or not self._without_days or not isinstance(key, dt.datetime):
            return key in self._without
        return wall_clock(key, self._master.start.zone).date() in self._without_days

    def instances(
        self, replaced: set[Key], futures: Sequence[Occasion], span: Span
    ) -> Iterator[Instance]:
        changes = sorted(
            ((self._wall_of(change), change) for change in futures), key=lambda pair: pair[0]
        )
        done = set(replaced)
        for wall in sorted(self._walls(changes, span)):
            start = self._master.start.at(wall)
            key = self.key_of(start)
            if key in done or self.excludes(key):
                continue
            done.add(key)  # of two times that a clock change makes one, one
            yield self._instance(wall, start, _spell_key(key) if self.repeats else "", changes)

    def _wall_of(self, change: Occasion) -> dt.datetime:
        replaced = change.entry.recurrence_id or change.start
        return self._to_wall(replaced)

    def _to_wall(self, moment: Moment) -> dt.datetime:
        """Return a moment on the wall clock of the series; midnight in a series of days."""
        master = self._master.start
        if master.all_day:
            # Midnight is a day that was written as a time, in whatever zone.
            plain = moment.all_day or moment.floating or moment.wall.time() == dt.time()
            wall = moment.wall if plain else wall_clock(moment.instant, master.zone)
            return dt.datetime.combine(wall.date(), dt.time())
        if moment.all_day:
            return dt.datetime.combine(moment.day, master.wall.time())
        if moment.floating or moment.zone is master.zone:
            return moment.wall
        return wall_clock(moment.instant, master.zone)

    def _instance(
        self,
        wall: dt.datetime,
        start: Moment,
        recurrence_id: str,
        changes: Sequence[tuple[dt.datetime, Occasion]],
    ) -> Instance:
        occasion = self._master
        extent = self._extra.get(wall) or occasion.extent
        for changed_from, change in changes:
            if changed_from < wall:
                occasion, extent = change, change.extent
                # The same difference on the wall clock: 09:00 stays 11:00 after a clock change.
                moved = self._to_wall(change.start) - changed_from
                start = self._master.start.at(wall + moved)
                if change.start.all_day != start.all_day:
                    start = change.start.at(
                        dt.datetime.combine(start.day, change.start.wall.time())
                    )
        return Instance(
            occasion=occasion,
            start=start,
            end=extent.end_of(start),
            recurrence_id=recurrence_id,
        )

    def _walls(
        self, changes: Sequence[tuple[dt.datetime, Occasion]], span: Span
    ) -> set[dt.datetime]:
        """Return every original start from which an instance could reach into the span."""
        windows = self._windows(changes, span)
        begin = self._master.start.wall
        walls = {wall for wall in self._extra if _lies_in(windows, wall)}
        if self._ends_before_it_begins():
            if _lies_in(windows, begin):
                self._warn("never takes place: its rule ends before it begins")
        else:
            walls.add(begin)
        for rule in self._rules:
            walls.update(self._expand(rule, windows))
        for rule in self._except_rules:  # RFC 2445; some programs still write it
            walls.difference_update(self._expand(rule, windows))
        return walls

    def _expand(self, rule: Rule, windows: Sequence[Window]) -> list[dt.datetime]:
        begin = self._master.start.wall
        try:
            return [wall for window in windows for wall in expand(rule, begin, *window)]
        except TooOftenError as error:
            self._warn(f"is not listed on every day it takes place: {error}")
        except ValueError as error:
            self._warn(f"has a rule that cannot be used ({error}); only its start is listed")
        return []

    def _ends_before_it_begins(self) -> bool:
        limits = [rule.until for rule in self._rules]
        begin = self._master.start.wall
        return bool(limits) and all(limit is not None and limit < begin for limit in limits)

    def _windows(self, changes: Sequence[tuple[dt.datetime, Occasion]], span: Span) -> list[Window]:
        """Return where original starts lie that could reach into the span, by start.

        One window for each stretch between two THISANDFUTURE changes: a change that moves the
        rest by centuries must not make all those centuries be counted out.
        """
        zone = self._master.start.zone
        first, last = wall_clock(span.start, zone), wall_clock(span.end, zone)
        longest = max(
            item.upper_bound
            for item in (
                self._master.extent,
                *(change.extent for _, change in changes),
                *filter(None, self._extra.values()),
            )
        )
        begins = [FIRST_WALL, *(old for old, _ in changes)]
        ends = [*begins[1:], LAST_WALL]
        moves = [dt.timedelta(), *(self._to_wall(new.start) - old for old, new in changes)]
        windows = (
            (
                max(begin, _shift(first, -longest - _MARGIN - moved)),
                min(end, _shift(last, _MARGIN - moved)),
            )
            for begin, end, moved in zip(begins, ends, moves, strict=True)
        )
        return [(low, high) for low, high in windows if low <= high]

    def _read_rules(self, name: str) -> list[Rule]:
        start = self._master.start
        rules = []
        for item in self._master.entry.properties.all(name):
            try:
                rules.append(parse_rule(item.value, start.wall, start.zone, all_day=start.all_day))
            except (ValueError, OverflowError) as error:
                self._warn(f"has a rule that is not valid ({error}); only its start is listed")
        return rules

    def _read_extra(self) -> Iterator[tuple[dt.datetime, Extent | None]]:
        """Yield wall-clock start and own length of each RDATE; None is the series' length."""
        for item in self._master.entry.properties.all("RDATE"):
            for text in _values(item.value):
                begin, _, end = text.partition("/")
                try:
                    moment, _ = read_value(begin, item, self._zones, self._master.entry.component)
                    yield self._to_wall(moment), self._period(moment, end)
                except (ValueError, OverflowError) as error:
                    self._warn(f"has an RDATE that cannot be read ({error})")

    def _period(self, start: Moment, end: str) -> Extent | None:
        """Return the length of a PERIOD (RFC 5545 §3.3.9); None when it is none."""
        if not end:
            return None
        if end.lstrip("+-").upper().startswith("P"):
            extent = parse_duration(end)
        else:
            extent = extent_between(start, parse_moment(end, start.zone))
        if extent.days * 86400 + extent.seconds < 0:
            raise ValueError("it ends before it starts")
        return extent.in_days if self._master.start.all_day else extent

    def _read_exceptions(self) -> Iterator[Moment]:
        for item in self._master.entry.properties.all("EXDATE"):
            for text in _values(item.value):
                try:
                    moment, _ = read_value(text, item, self._zones, self._master.entry.component)
                    moment.instant  # noqa: B018 - raises here, where the date can be named
                    yield moment
                except (ValueError, OverflowError) as error:
                    self._warn(f"has an EXDATE that cannot be read ({error})")

    def _warn(self, text: str) -> None:
        self._problems.append(self._master.entry.warn(text))


def _lies_in(windows: Iterable[Window], wall: dt.datetime) -> bool:
    return any(first <= wall <= last for first, last in windows)


def _values(text: str) -> Iterable[str]:
    return (value for part in text.split(",") if (value := part.strip()))


def _shift(wall: dt.datetime, by: dt.timedelta) -> dt.datetime:
    """Move a wall clock, stopping at the first and last time there is."""
    try:
        return wall + by
    except OverflowError:
        return FIRST_WALL if by < dt.timedelta() else LAST_WALL


def overrides_by_instance(entries: Iterable[Entry]) -> Mapping[Key, list[Entry]]:
    """Return the revisions of each replaced instance, in order of first appearance."""
    found: dict[Key, list[Entry]] = {}
    for entry in entries:
        replaced = entry.recurrence_id
        if replaced is not None:
            key: Key = replaced.day if replaced.all_day else replaced.instant
            found.setdefault(key, []).append(entry)
    return found
