"""A small world for the agents to read: calendars and lists in memory, one fixed morning."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from zoneinfo import ZoneInfo

from iris_harness.contracts.contacts import Contact, PersonDate
from iris_harness.contracts.day import DayPreferences, Event, EventStatus, OccasionKind, Todo
from iris_harness.contracts.memory import Recall
from iris_harness.contracts.ports import AgentPorts, Reading, ReadWindow, SourcePorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.scopes import Scope
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState, SourceStatus
from iris_harness.contracts.tasks import AgentTask
from iris_harness.registry import load_agents
from iris_router.english import build_english
from iris_router.scopes import ScopeGrammar

NOW = dt.datetime(2026, 5, 13, 6, 40, tzinfo=dt.UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def event(summary: str, start: str, end: str, *, calendar: str = "home", place: str = "") -> Event:
    """An event; a start without a time makes it an all-day one that does not block."""
    all_day = len(start) == len("2026-05-13")
    return Event(
        uid=summary,
        recurrence_id="",
        sequence=0,
        revised_at=None,
        summary=summary,
        start=dt.date.fromisoformat(start) if all_day else _instant(start),
        end=dt.date.fromisoformat(end) if all_day else _instant(end),
        all_day=all_day,
        busy=not all_day,
        status=EventStatus.CONFIRMED,
        calendar=calendar,
        location=place,
        source=SourceRef(source=calendar, locator=summary),
    )


def _instant(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def todo(summary: str, due: dt.date | None = None, *, on: str = "todo") -> Todo:
    return Todo(
        uid=summary,
        summary=summary,
        due=due,
        list_name=on,
        source=SourceRef(source="todo", locator=summary),
    )


@dataclass(frozen=True)
class Calendar:
    """A calendar in memory."""

    name: str
    events: tuple[Event, ...] = ()
    state: SourceState = SourceState.OK

    def read(self, window: ReadWindow) -> Reading[Event]:
        assert window.start < window.end
        items = self.events if self.state is not SourceState.FAILED else ()
        return Reading(status=_status(self.name, SourceKind.CALENDAR, self.state), items=items)


@dataclass(frozen=True)
class TodoList:
    """A todo list in memory."""

    name: str
    todos: tuple[Todo, ...] = ()
    state: SourceState = SourceState.OK

    def read(self, window: ReadWindow) -> Reading[Todo]:
        assert window.start < window.end
        items = self.todos if self.state is not SourceState.FAILED else ()
        return Reading(status=_status(self.name, SourceKind.TODO, self.state), items=items)


@dataclass(frozen=True)
class Book:
    """An address book in memory."""

    name: str
    people: tuple[Contact, ...] = ()
    state: SourceState = SourceState.OK

    def read(self, window: ReadWindow) -> Reading[Contact]:
        assert window.start < window.end
        items = self.people if self.state is not SourceState.FAILED else ()
        return Reading(status=_status(self.name, SourceKind.CONTACTS, self.state), items=items)


def person(name: str, birthday: str = "") -> Contact:
    """A card; a birthday as in ``1990-05-20``, or ``--05-20`` without a year."""
    given, _, family = name.partition(" ")
    dates: tuple[PersonDate, ...] = ()
    if birthday:
        year, month, day = birthday.replace("--", "0-").split("-")
        dates = (
            PersonDate(
                kind=OccasionKind.BIRTHDAY, month=int(month), day=int(day), year=int(year) or None
            ),
        )
    source = SourceRef(source="people", locator=name)
    return Contact(uid=name, name=name, given=given, family=family, dates=dates, source=source)


def _status(name: str, kind: SourceKind, state: SourceState) -> SourceStatus:
    detail = "the file is gone" if state is SourceState.FAILED else ""
    return SourceStatus(name=name, kind=kind, state=state, detail=detail)


def ask(
    agent: str,
    utterance: str,
    *sources: Calendar | TodoList | Book,
    unavailable: tuple[SourceStatus, ...] = (),
    timezone: str = "Europe/Berlin",
    scope: Scope | None = None,
    now: dt.datetime = NOW,
    slots: Mapping[str, str] = MappingProxyType({}),
    recall: Recall | None = None,
) -> HandlerResult:
    """Ask an agent that comes with Iris, found as Iris finds it.

    Without a `scope` given, dates are read as the router reads them, in Berlin.
    """
    ports = SourcePorts(
        calendars=tuple(one for one in sources if isinstance(one, Calendar)),
        todos=tuple(one for one in sources if isinstance(one, TodoList)),
        contacts=tuple(one for one in sources if isinstance(one, Book)),
        unavailable=unavailable,
    )
    built = AgentPorts(sources=ports, preferences=DayPreferences(), recall=recall)
    grammar = ScopeGrammar(build_english().scopes)
    found = grammar.find(utterance, now.astimezone(BERLIN))
    task = AgentTask(
        id="1",
        agent=agent,
        intent="",
        utterance=utterance,
        slots=slots,
        scope=scope or (found.scope if found else None),
        asked_at=now,
        timezone=timezone,
    )
    return load_agents(lambda _name: built).agents[agent].handler(task)


def texts(result: HandlerResult) -> list[str]:
    return [fact.text for fact in result.facts]
