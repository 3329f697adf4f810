"""What an action may be about: the user's todos and events as they are now, read once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.changes import (
    Change,
    EventDraft,
    EventWriter,
    TodoDraft,
    TodoWriter,
    TurnTime,
    Writers,
)
from iris_harness.contracts.day import DaySnapshot, Event, Todo
from iris_harness.contracts.items import ItemMatch, NamedItem, find_item, item_number
from iris_harness.contracts.ports import SourcePorts
from iris_harness.contracts.sources import SourceRef, SourceStatus
from iris_harness.curator.actions import ActionWords
from iris_harness.errors import (
    ActionError,
    AmbiguousItemError,
    ReadOnlySourceError,
    UnknownItemError,
)
from iris_harness.planner.frame import build_frame, load_zone
from iris_harness.planner.ranking import RankedTodo, rank_todos
from iris_harness.planner.snapshot import read_snapshots
from iris_harness.storage.records import NumberedItem


class _Shown(NamedItem, Protocol):
    @property
    def shown(self) -> str: ...


ItemT = TypeVar("ItemT", bound=_Shown)
WriterT = TypeVar("WriterT", TodoWriter, EventWriter)

AHEAD_DAYS = 90
"""How far ahead an event is looked for when no day is named."""


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


class Addition(NamedTuple):
    """A new item, planned."""

    place: str
    """The source it goes to."""
    changes: tuple[Change, ...]


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
        self.writers = writers
        self.at = at
        self.words = words
        self._numbered = numbered
        self._days: dict[dt.date, DaySnapshot] = {}

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

    def find_todo(self, words: str, list_name: str | None = None) -> Todo:
        """Return the one open todo that `words` mean; with `list_name` only of that list.

        A number is what it stood for when todos were last listed.

        Raises:
            UnknownItemError: they fit none.
            AmbiguousItemError: they fit several.
        """
        items = self.todos
        if list_name is not None:
            name = self._source_name(list_name, self.writers.todos, "todo list")
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

    # Sources

    def todo_list(self, name: str) -> TodoWriter:
        """Return the list called `name`.

        Raises:
            ActionError: there is none.
        """
        return self.writers.todos[self._source_name(name, self.writers.todos, "todo list")]

    def calendar(self, name: str) -> EventWriter:
        """Return the calendar called `name`.

        Raises:
            ActionError: there is none.
        """
        known = self.writers.calendars
        return known[self._source_name(name, known, "calendar")]

    def add_todo(self, draft: TodoDraft, name: str | None) -> Addition:
        """Plan a new todo on the list called `name`, by default on the first that is written.

        Raises:
            ActionError: there is none.
            WriteError: it cannot be written.
        """
        writers = self.writers.todos
        if name is not None:
            writer = self.todo_list(name)
            return Addition(writer.name, writer.add(draft, self.at))
        return self._first(writers, "todo list", lambda one: one.add(draft, self.at))

    def add_event(self, draft: EventDraft, name: str | None) -> Addition:
        """Plan a new event in the calendar called `name`, as `add_todo` does.

        The calendar of the blocks is no place for the user's own events unless it is named.
        """
        if name is not None:
            writer = self.calendar(name)
            return Addition(writer.name, writer.add(draft, self.at))
        blocks = self.writers.blocks.name if self.writers.blocks else None
        own = {name: one for name, one in self.writers.calendars.items() if name != blocks}
        return self._first(own, "calendar", lambda one: one.add(draft, self.at))

    def _first(
        self,
        writers: Mapping[str, WriterT],
        noun: str,
        add: Callable[[WriterT], tuple[Change, ...]],
    ) -> Addition:
        refusal: ReadOnlySourceError | None = None
        for name, writer in writers.items():
            try:
                return Addition(name, add(writer))
            except ReadOnlySourceError as error:
                refusal = refusal or error
        raise refusal or ActionError(
            f"no {noun} is set up that could be changed", hint="`iris setup` finds yours"
        )

    def _source_name(self, name: str, known: Mapping[str, object], noun: str) -> str:
        if name in known:
            return name
        found = find_item(name, tuple(_Named(title=one) for one in known)).found
        if len(found) == 1:
            return found[0].title
        if found:
            raise AmbiguousItemError(
                f"“{name}” fits {len(found)} {noun}s",
                words=name,
                candidates=tuple(one.title for one in found),
            )
        raise UnknownItemError(
            f"there is no {noun} called “{name}”",
            words=name,
            hint=f"there is {', '.join(known)}",
        )

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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Named:
    """A source by its name."""

    title: str
    keys: tuple[str, ...] = ()


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
