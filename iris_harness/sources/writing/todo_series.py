"""The times of a todo that comes again: which one was read, and what comes after it."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.changes import TurnTime
from iris_harness.contracts.day import Todo
from iris_harness.sources.ical.counting import TooOftenError, expand
from iris_harness.sources.ical.entries import IDENTITY, Entry, newest
from iris_harness.sources.ical.moments import (
    FIRST_WALL,
    Extent,
    Moment,
    extent_between,
    parse_duration,
    wall_clock,
)
from iris_harness.sources.ical.recurrence import (
    RECURRENCE,
    Instance,
    Occasion,
    Span,
    instances,
    overrides_by_instance,
)
from iris_harness.sources.ical.rules import Rule, parse_rule
from iris_harness.sources.ical.zone_edge import in_zone
from iris_harness.sources.writing.component_text import ComponentText
from iris_harness.sources.writing.documents import Document
from iris_harness.sources.writing.times import Written, find_written, time_line

TODO_PROPERTIES = frozenset({*IDENTITY, *RECURRENCE, "DTSTART", "DUE", "DURATION"})
"""What this module reads."""

_COUNT = re.compile(r"(COUNT\s*=\s*)\d+", re.IGNORECASE)
_AHEAD_DAYS = (40, 400, 4000, 40_000)
_CLOSED = frozenset({"COMPLETED", "CANCELLED"})
_MARGIN = dt.timedelta(days=2)


def describe(todo: Todo) -> tuple[object, ...]:
    """Return what a user sees of a todo."""
    return todo.uid, todo.summary, todo.due, todo.start, todo.priority, todo.estimate_minutes


class Turn(NamedTuple):
    """One time of a series."""

    instance: Instance
    entry: Entry
    """The component that describes it."""
    start: Written | None
    due: Written | None

    def dated(self, text: ComponentText) -> ComponentText:
        """Return the component with the dates of this time."""
        if self.start is not None:
            text = text.with_line(
                "DTSTART", _moment_line("DTSTART", self.instance.start, self.start)
            )
        if self.due is not None:
            text = text.with_line("DUE", _moment_line("DUE", self.due_moment, self.due))
        return text

    def recurrence_line(self) -> str:
        """Return the RECURRENCE-ID that names this time, in the form of its series' start."""
        like = self.start or self.due
        if like is None:
            raise ValueError("a series has dates")
        return _moment_line("RECURRENCE-ID", self.instance.start, like)

    @property
    def due_moment(self) -> Moment:
        """When it is due; when it starts, if that is all it says."""
        return self.instance.end if self.start is not None else self.instance.start


def _moment_line(name: str, moment: Moment, like: Written) -> str:
    """Return a counted-out time as the first one was written: as a day, or on its clock."""
    if like.moment.all_day:
        return time_line(name, _day_on(moment, like.moment.zone), like)
    return time_line(name, moment.instant, like)


def _day_on(moment: Moment, zone: dt.tzinfo) -> dt.date:
    return moment.day if moment.all_day else wall_clock(moment.instant, zone).date()


class Rest(NamedTuple):
    """What is left of a series from one of its times on."""

    first: Turn
    left: int | None
    """What is left of its COUNT; None: it has none."""

    @property
    def first_on(self) -> dt.date:
        """The day of its first time."""
        return self.first.due_moment.day

    def of(self, text: ComponentText) -> ComponentText:
        """Return the series that begins with that time."""
        text = self.first.dated(text)
        rule = text.find("RRULE")
        if self.left is None or rule is None:
            return text
        value = _COUNT.sub(rf"\g<1>{self.left}", rule.value)
        return text.with_line("RRULE", f"{rule.head}:{value}")


class TodoSeries:
    """The times of the components of one UID."""

    def __init__(
        self, document: Document, master: Entry | None, entries: Sequence[Entry], at: TurnTime
    ) -> None:
        """Take a resource, the series in it, all components of its UID, and the turn's time."""
        self._document = document
        self._zone = zoneinfo.ZoneInfo(at.timezone)
        self._overrides = [newest(each)[0] for each in overrides_by_instance(entries).values()]
        self._master = self._occasion(master) if master else None
        self._replaced = [
            found for entry in self._overrides if (found := self._occasion(entry)) is not None
        ]

    @property
    def repeats(self) -> bool:
        """Whether there is more than one time, or a part of a series."""
        if self._master is None:
            return bool(self._replaced)
        properties = self._master.entry.properties
        return any(properties.find(name) for name in ("RRULE", "RDATE"))

    def turn_of(self, todo: Todo) -> Turn | None:
        """Return the time that was read as `todo`; None: there is no such time any more."""
        time = todo.start or todo.due
        if time is None:
            return None
        for instance in self._instances(*self._around(time)):
            turn = self._turn(instance)
            if turn.entry.properties.word("STATUS") in _CLOSED:
                continue
            start, due = self._public(turn)
            if (start, due) == (todo.start, todo.due) and turn.entry.title == todo.summary:
                return turn
        return None

    @property
    def is_simple(self) -> bool:
        """Whether one rule describes it, whatever time it begins with."""
        return self._simple_rule() is not None

    def from_turn(self, turn: Turn) -> Rest:
        """Return what is left of a simple series from one of its times on."""
        rule = self._simple_rule()
        return Rest(turn, self._left(rule, turn) if rule and rule.count is not None else None)

    def after_turn(self, turn: Turn) -> Rest | None:
        """Return what is left of a simple series after one of its times; None: nothing."""
        following = self._next(turn.instance)
        return None if following is None else self.from_turn(following)

    def _simple_rule(self) -> Rule | None:
        if self._master is None or self._overrides:
            return None
        properties, start = self._master.entry.properties, self._master.start
        rules = properties.all("RRULE")
        if len(rules) != 1 or properties.find("RDATE") or properties.find("EXRULE"):
            return None
        try:
            rule = parse_rule(rules[0].value, start.wall, start.zone, all_day=start.all_day)
            counted = expand(rule, start.wall, start.wall, start.wall)
        except (ValueError, OverflowError):
            return None
        if rule.skip != "OMIT":
            return None
        # Where a start that its rule does not name is moved, the rule's steps move with it.
        return rule if rule.interval == 1 or counted == [start.wall] else None

    def _left(self, rule: Rule, turn: Turn) -> int | None:
        if rule.count is None or self._master is None:
            return None
        start = self._master.start
        wall = wall_clock(turn.instance.start.instant, start.zone)
        if start.all_day:
            wall = dt.datetime.combine(turn.instance.start.day, dt.time())
        try:
            until_then = expand(rule, start.wall, FIRST_WALL, wall)
        except TooOftenError:
            return rule.count
        return max(rule.count - len([one for one in until_then if one < wall]), 1)

    def _next(self, after: Instance) -> Turn | None:
        begin = after.start.instant
        for days in _AHEAD_DAYS:
            try:
                end = begin + dt.timedelta(days=days)
            except OverflowError:
                return None
            later = [
                found
                for found in self._instances(begin - _MARGIN, end)
                if found.start.instant > begin and found.start != after.start
            ]
            if later:
                return self._turn(min(later, key=lambda found: found.start.instant))
        return None

    def _around(self, time: dt.date | dt.datetime) -> tuple[dt.datetime, dt.datetime]:
        if not isinstance(time, dt.datetime):
            time = dt.datetime.combine(time, dt.time(12), self._zone)
        return time.astimezone(dt.UTC) - _MARGIN, time.astimezone(dt.UTC) + _MARGIN

    def _instances(self, start: dt.datetime, end: dt.datetime) -> list[Instance]:
        span = Span(
            start=start,
            end=end,
            first_day=start.astimezone(self._zone).date(),
            last_day=end.astimezone(self._zone).date(),
        )
        return list(instances(self._master, self._replaced, self._document.zones, span, []))

    def _turn(self, instance: Instance) -> Turn:
        entry = instance.occasion.entry
        start, due = self._times(entry)
        return Turn(instance, entry, start, due)

    def _public(self, turn: Turn) -> tuple[dt.date | dt.datetime | None, ...]:
        """Return start and due time as the reader gives them."""
        due = turn.due or (turn.start if _length(turn.entry) else None)
        return self._shown(turn.instance.start, turn.start), self._shown(turn.due_moment, due)

    def _shown(self, moment: Moment, like: Written | None) -> dt.date | dt.datetime | None:
        if like is None:
            return None
        if like.moment.all_day:
            return _day_on(moment, like.moment.zone)
        return in_zone(moment.instant, self._zone)

    def _times(self, entry: Entry) -> tuple[Written | None, Written | None]:
        if not entry.component.closed:
            return None, None
        text = self._document.text_of(entry.component)
        start, due = (
            find_written(self._document, entry, text, name) for name in ("DTSTART", "DUE")
        )
        if start and due and due.moment.instant < start.moment.instant:
            start = None  # as the reader has it
        return start, due

    def _occasion(self, entry: Entry) -> Occasion | None:
        start, due = self._times(entry)
        begin = start.moment if start else due.moment if due else entry.recurrence_id
        if begin is None:
            return None
        if not (start and due):
            length = _length(entry) if start else None
            return Occasion(entry=entry, start=begin, extent=length or Extent())
        if start.moment.all_day != due.moment.all_day:
            begin = begin._replace(all_day=False)
        return Occasion(entry=entry, start=begin, extent=extent_between(begin, due.moment))


def _length(entry: Entry) -> Extent | None:
    """Return the length of what says no DUE but a DURATION."""
    item = entry.properties.find("DURATION")
    if item is None or entry.properties.find("DUE"):
        return None
    try:
        return parse_duration(item.value)
    except ValueError:
        return None
