"""Which list or calendar an action goes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from iris_harness.contracts.changes import (
    BlockWriter,
    Change,
    EventDraft,
    EventWriter,
    TodoDraft,
    TodoWriter,
    TurnTime,
    Writers,
)
from iris_harness.contracts.items import find_item
from iris_harness.errors import (
    ActionError,
    AmbiguousItemError,
    ReadOnlySourceError,
    UnknownItemError,
)

WriterT = TypeVar("WriterT", TodoWriter, EventWriter)


class Addition(NamedTuple):
    """A new item, planned."""

    place: str
    """The source it goes to."""
    changes: tuple[Change, ...]


class Targets:
    """The sources that can be written, by what they are called."""

    def __init__(self, writers: Writers, at: TurnTime) -> None:
        """Take the writers and the turn's time."""
        self._writers = writers
        self._at = at

    @property
    def blocks(self) -> BlockWriter | None:
        """The calendar for blocks; None when none is set up."""
        return self._writers.blocks

    def list_name(self, name: str) -> str:
        """Return the full name of the list called `name`.

        Raises:
            ActionError: there is none.
        """
        return self._source_name(name, self._writers.todos, "todo list")

    def todo_list(self, name: str) -> TodoWriter:
        """Return the list called `name`.

        Raises:
            ActionError: there is none.
        """
        return self._writers.todos[self.list_name(name)]

    def calendar(self, name: str) -> EventWriter:
        """Return the calendar called `name`.

        Raises:
            ActionError: there is none.
        """
        known = self._writers.calendars
        return known[self._source_name(name, known, "calendar")]

    def add_todo(self, draft: TodoDraft, name: str | None) -> Addition:
        """Plan a new todo on the list called `name`, by default on the first that is written.

        Raises:
            ActionError: there is none.
            WriteError: it cannot be written.
        """
        writers = self._writers.todos
        if name is not None:
            writer = self.todo_list(name)
            return Addition(writer.name, writer.add(draft, self._at))
        return self._first(writers, "todo list", lambda one: one.add(draft, self._at))

    def add_event(self, draft: EventDraft, name: str | None) -> Addition:
        """Plan a new event in the calendar called `name`, as `add_todo` does.

        The calendar of the blocks is no place for the user's own events unless it is named.
        """
        if name is not None:
            writer = self.calendar(name)
            return Addition(writer.name, writer.add(draft, self._at))
        blocks = self._writers.blocks.name if self._writers.blocks else None
        own = {name: one for name, one in self._writers.calendars.items() if name != blocks}
        return self._first(own, "calendar", lambda one: one.add(draft, self._at))

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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Named:
    """A source by its name."""

    title: str
    keys: tuple[str, ...] = ()
