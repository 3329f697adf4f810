"""What an action may be about: the user's todos and events as they are now, read once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.actions.arguments import Arguments
from iris_harness.bootstrap.actions.targets import Targets
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.changes import TurnTime, Writers
from iris_harness.contracts.day import DaySnapshot, Event, Todo
from iris_harness.contracts.items import ItemMatch, NamedItem, find_item, item_number
from iris_harness.contracts.ports import SourcePorts
from iris_harness.contracts.sources import SourceRef, SourceStatus
from iris_harness.curator.actions import ActionWords
from iris_harness.errors import ActionError, AmbiguousItemError, UnknownItemError
from iris_harness.planner.frame import build_frame, first_instant, is_on_the_clock, load_zone
from iris_harness.planner.ranking import RankedTodo, rank_todos
from iris_harness.planner.snapshot import read_snapshots
from iris_harness.storage.records import NumberedItem


class _Shown(NamedItem, Protocol):
    @property
    def shown(self) -> str: ...


ItemT = TypeVar("ItemT", bound=_Shown)

AHEAD_DAYS = 90
"""How far ahead an event is looked for when no day is named."""


def exact_instant(day: dt.date, time: dt.time, zone: ZoneInfo, words: ActionWords) -> dt.datetime:
    """Return a time of a day as an instant: what is written down is what the clock will show.

    Raises:
        ActionError: the clock leaves it out on that day.
    """
    if not is_on_the_clock(day, time, zone):
        raise ActionError(
            f"there is no {time:%H:%M} on {words.day(day)}: the clocks go forward over it",
            hint="name another time",
        )
    return first_instant(day, time, zone)


@dataclass(frozen=True, kw_only=True, slots=True)
class TodoItem:
    """An open todo that can be meant."""

    ranked: RankedTodo
    shown: str
    """How it is told from others."""

    @property
    def todo(self) -> Todo:
        """The todo as it was read."""
        return self.ranked.todo

    @property
    def title(self) -> str:
        """Its title."""
        return self.todo.summary

    @property
    def keys(self) -> tuple[str, ...]:
        """Its UID and its place."""
        return (self.todo.uid, self.todo.source.locator)


@dataclass(frozen=True, kw_only=True, slots=True)
class EventItem:
    """An occurrence of an event that can be meant."""

    event: Event
    shown: str

    @property
    def title(self) -> str:
        """Its title."""
        return self.event.summary

    @property
    def keys(self) -> tuple[str, ...]:
        """Its UID and its place."""
        return (self.event.uid, self.event.source.locator)


class World:
    """The user's items at one moment. Nothing is read before it is asked for."""

    def __init__(
        self,
        setting: DaySetting,
        writers: Writers,
        at: TurnTime,
        words: ActionWords,
        numbered: Sequence[NumberedItem] = (),
    ) -> None:
        """Take the sources, who writes them, the turn's time, and the last list's numbers."""
        self.setting = setting
        self.targets = Targets(writers, at)
        self.at = at
        self.words = words
        self._numbered = numbered

    @property
    def now(self) -> dt.datetime:
        """The turn's "now" in the user's zone."""
        return self.at.now.astimezone(ZoneInfo(self.at.timezone))

    # Todos

    @cached_property
    def _todo_snapshot(self) -> DaySnapshot:
        lists = SourcePorts(todos=self.setting.sources.todos)
        return read_snapshots(lists, (self.now.date(),), self.at.timezone, self.now)[0]

    @cached_property
    def todos(self) -> tuple[TodoItem, ...]:
        """Every open todo, by today's rank."""
        frame = build_frame(self.now.date(), load_zone(self.at.timezone))
        return tuple(
            TodoItem(ranked=one, shown=f"“{one.todo.summary}”{self.words.todo_detail(one.todo)}")
            for one in rank_todos(self._todo_snapshot.todos, frame, self.now)
        )

    @property
    def lists(self) -> tuple[SourceStatus, ...]:
        """How reading each todo list went, in configured order."""
        return self._todo_snapshot.sources

    @property
    def list_warnings(self) -> tuple[str, ...]:
        """What was left out of the todo lists."""
        return self._todo_snapshot.warnings

    def todo_of(self, arguments: Arguments) -> Todo:
        """Return the open todo that an action is about: the one pointed at, or named.

        Raises:
            ActionError: which one is not said.
            UnknownItemError: it is not open any more, or the words fit none.
            AmbiguousItemError: the words fit several.
        """
        words = arguments.text("item")
        if arguments.target is None:
            return self.find_todo(words, arguments.maybe_text("list"))
        titled = [one for one in self.todos if " ".join(one.title.split()) == words]
        for title in dict.fromkeys(one.title for one in titled):
            found = anchored(arguments.target, title, self.todos)
            if found is not None:
                return found.todo
        raise UnknownItemError(f"“{words}” is not open any more, or it was moved", words=words)

    def find_todo(self, words: str, list_name: str | None = None) -> Todo:
        """Return the one open todo that `words` mean; with `list_name` only of that list.

        A number is what it stood for when todos were last listed.

        Raises:
            UnknownItemError: they fit none.
            AmbiguousItemError: they fit several.
        """
        items = self.todos
        if list_name is not None:
            name = self.targets.list_name(list_name)
            items = tuple(item for item in items if item.todo.source.source == name)
        numbered = self._by_number(words, items)
        if numbered is not None:
            return numbered.todo
        match = find_item(words, items, self._generic("todo"))
        hint = "say more of it, or its number in `iris todo list`"
        return self._one(words, match, "todo", hint, self.lists).todo

    def _by_number(self, words: str, items: Sequence[TodoItem]) -> TodoItem | None:
        number = item_number(words)
        if number is None:
            return None
        listed = next((one for one in self._numbered if one.number == number), None)
        if listed is None:
            if find_item(words, items).found:
                return None
            raise UnknownItemError(
                f"no todo was listed with the number {number}",
                words=words,
                hint="`iris todo list` numbers them",
            )
        found = anchored(listed.source, listed.title, items)
        if found is None:
            raise UnknownItemError(
                f"number {number} was “{listed.title}”, which is not open any more",
                words=words,
                hint="`iris todo list` numbers them anew",
            )
        return found

    # Events

    def find_event(self, words: str, on: dt.date | None = None) -> Event:
        """Return the one event that `words` mean, from today on, or of the day `on` alone.

        Raises:
            UnknownItemError: they fit none.
            AmbiguousItemError: they fit several, or several days of a series.
        """
        items, statuses = self._events(on)
        match = find_item(words, items, self._generic("event"))
        hint = "say more of it, or which day, as in --on friday"
        return self._one(words, match, "event", hint, statuses).event

    def _events(self, on: dt.date | None) -> tuple[tuple[EventItem, ...], tuple[SourceStatus, ...]]:
        first = on or self.now.date()
        count = 1 if on else AHEAD_DAYS
        days = [first + dt.timedelta(days=n) for n in range(count)]
        calendars = SourcePorts(calendars=self.setting.sources.calendars)
        snapshots = read_snapshots(calendars, days, self.at.timezone, self.now)
        distinct: dict[tuple[str, str, str], Event] = {}
        for event in (event for snapshot in snapshots for event in snapshot.events):
            distinct.setdefault((event.calendar, event.uid, event.recurrence_id), event)
        items = tuple(
            EventItem(
                event=event,
                shown=f"“{event.summary}”, {self.words.event_when(event)}, in {event.calendar}",
            )
            for event in distinct.values()
            if event.takes_place
        )
        return items, snapshots[0].sources

    def _generic(self, noun: str) -> frozenset[str]:
        """Return the words that say only that a `noun` is meant."""
        return frozenset(self.words.language.say(f"action.generic.{noun}").split())

    def _one(
        self,
        words: str,
        match: ItemMatch[ItemT],
        noun: str,
        hint: str,
        statuses: Sequence[SourceStatus],
    ) -> ItemT:
        if len(match.found) == 1:
            return match.found[0]
        if match.found:
            shown = tuple(item.shown for item in match.found)
            raise AmbiguousItemError(
                f"“{words}” fits {len(shown)} {noun}s", words=words, candidates=shown, hint=hint
            )
        unread = ", ".join(status.name for status in statuses if not status.was_read)
        limit = f" in what could be read ({unread} could not)" if unread else ""
        raise UnknownItemError(
            f"no {noun} fits “{words}”{limit}",
            words=words,
            nearest=tuple(item.shown for item in match.nearest),
        )


def anchored(source: SourceRef, title: str, items: Sequence[TodoItem]) -> TodoItem | None:
    """Return the todo that stood at `source` under `title`, wherever its line has moved.

    None when it is not open any more, or when several of its list have the title.
    """
    same = [
        item for item in items if item.todo.source.source == source.source and item.title == title
    ]
    exact = [item for item in same if item.todo.source == source]
    found = exact or same
    return found[0] if len(found) == 1 else None
