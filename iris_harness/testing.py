"""The fakes Iris ships, for its own tests and for those of plugins.

Clocks that stand still, a model that says what it was told to, sources in memory, and makers of
the values that tests need most. Fields that a maker does not take are changed with
`dataclasses.replace`.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from iris_harness.clock import FixedClock
from iris_harness.contracts.contacts import Contact, PersonDate
from iris_harness.contracts.day import Event, EventStatus, JobNews, OccasionKind, Todo
from iris_harness.contracts.model import (
    Ability,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
)
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState, SourceStatus
from iris_harness.contracts.tasks import Agent, AgentTask, Handler, Intent, TaskPlan
from iris_harness.errors import ModelError

__all__ = [
    "NOW",
    "FixedClock",
    "ManualClock",
    "MemoryCalendar",
    "MemoryContacts",
    "MemoryJobs",
    "MemoryTodoList",
    "ScriptedModel",
    "make_agent",
    "make_contact",
    "make_event",
    "make_plan",
    "make_task",
    "make_todo",
    "make_window",
]

NOW = dt.datetime(2025, 3, 3, 8, 0, tzinfo=dt.UTC)
"""When tests take place unless they say otherwise: a Monday morning, 08:00 UTC."""


class ManualClock:
    """A clock that moves only when told to. Thread-safe."""

    def __init__(self, now: dt.datetime = NOW) -> None:
        """Take an aware instant."""
        if now.tzinfo is None:
            raise ValueError("a clock needs an aware instant")
        self._start = now.astimezone(dt.UTC)
        self._passed = 0.0
        self._lock = threading.Lock()

    def now(self) -> dt.datetime:
        """Return the start and all that was advanced since, in UTC."""
        return self._start + dt.timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        """Return the seconds that were advanced."""
        return self._passed

    def advance(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            ValueError: time does not go back.
        """
        if seconds < 0:
            raise ValueError("time does not go back")
        with self._lock:
            self._passed += seconds


class ScriptedModel:
    """A `ChatModel` that gives the answers of its script, in order. Thread-safe.

    Attributes:
        name: what it is called in traces.
        abilities: what may be asked of it; all unless told otherwise.
        requests: what it was asked, in order; one entry for each answer or error given.
    """

    def __init__(
        self,
        script: Iterable[str | ChatResponse | ModelError],
        *,
        name: str = "scripted",
        piece_characters: int = 4,
        abilities: Iterable[Ability] = Ability,
    ) -> None:
        """Take texts (complete answers), whole responses, and errors to raise.

        `piece_characters` is the length of the pieces that `stream` yields.
        """
        self.name = name
        self.abilities = frozenset(abilities)
        self.requests: list[ChatRequest] = []
        self._script = deque(script)
        self._piece = piece_characters
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return the next answer.

        Raises:
            ModelError: the script has one here, or has come to its end.
        """
        with self._lock:
            self.requests.append(request)
            if not self._script:
                raise ModelError("the scripted model has no answer left")
            answer = self._script.popleft()
        if isinstance(answer, ModelError):
            raise answer
        return _response(answer) if isinstance(answer, str) else answer

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield the next answer's text in pieces; the answer is taken at the call.

        Raises:
            ModelError: as `complete`.
        """
        return self._pieces(self.complete(request))

    def _pieces(self, answer: ChatResponse) -> Generator[str, None, ChatResponse]:
        for at in range(0, len(answer.text), self._piece):
            yield answer.text[at : at + self._piece]
        return answer


def _response(text: str) -> ChatResponse:
    words = len(text.split())
    return ChatResponse(
        text=text,
        finish_reason=FinishReason.STOP,
        usage=TokenUsage(prompt_tokens=0, completion_tokens=words),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryCalendar:
    """A `CalendarPort` over events in memory."""

    name: str = "work"
    events: tuple[Event, ...] = ()
    """Any order, any zone; recurring ones are given as their occurrences."""
    warnings: tuple[str, ...] = ()
    failure: str = ""
    """Why it cannot be read; empty means that it can."""
    stale_seconds: int | None = None
    """Age of data that is too old; None means that it is fresh."""

    def read(self, window: ReadWindow) -> Reading[Event]:
        """Return what overlaps the window, as `CalendarPort.read` says."""
        status = _status(self, SourceKind.CALENDAR, empty=not self.events)
        if not status.was_read:
            return Reading(status=status)
        zone = ZoneInfo(window.timezone)
        shown = [
            _in_zone(event, zone)
            for event in self.events
            if event.status is not EventStatus.CANCELLED and _overlaps(event, window, zone)
        ]
        items = tuple(sorted(shown, key=_event_order))
        return Reading(status=status, items=items, warnings=self.warnings)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryTodoList:
    """A `TodoPort` over todos in memory."""

    name: str = "todo"
    todos: tuple[Todo, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str = ""
    """Why it cannot be read; empty means that it can."""
    stale_seconds: int | None = None
    """Age of data that is too old; None means that it is fresh."""

    def read(self, window: ReadWindow) -> Reading[Todo]:  # noqa: ARG002 - all todos are open ones
        """Return all todos, in the order given."""
        status = _status(self, SourceKind.TODO, empty=not self.todos)
        if not status.was_read:
            return Reading(status=status)
        return Reading(status=status, items=self.todos, warnings=self.warnings)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryContacts:
    """A `ContactsPort` over people in memory."""

    name: str = "friends"
    contacts: tuple[Contact, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str = ""
    """Why it cannot be read; empty means that it can."""
    stale_seconds: int | None = None
    """Age of data that is too old; None means that it is fresh."""

    def read(self, window: ReadWindow) -> Reading[Contact]:  # noqa: ARG002 - people are timeless
        """Return all people, in the order given."""
        status = _status(self, SourceKind.CONTACTS, empty=not self.contacts)
        if not status.was_read:
            return Reading(status=status)
        return Reading(status=status, items=self.contacts, warnings=self.warnings)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryJobs:
    """Jobs in memory. Implements `iris_harness.contracts.ports.JobNewsPort`."""

    jobs: tuple[JobNews, ...] = ()
    failure: str = ""
    """Why they cannot be read; empty means they can."""

    def read(self, window: ReadWindow) -> Reading[JobNews]:  # noqa: ARG002 - they stand as they do
        """Return the jobs, or the failure."""
        state = SourceState.FAILED if self.failure else SourceState.OK
        status = SourceStatus(name="jobs", kind=SourceKind.JOBS, state=state, detail=self.failure)
        return Reading(status=status, items=() if self.failure else self.jobs)


def _status(
    source: MemoryCalendar | MemoryTodoList | MemoryContacts, kind: SourceKind, *, empty: bool
) -> SourceStatus:
    if source.failure:
        return SourceStatus(
            name=source.name, kind=kind, state=SourceState.FAILED, detail=source.failure
        )
    if source.stale_seconds is not None:
        return SourceStatus(
            name=source.name,
            kind=kind,
            state=SourceState.STALE,
            age_seconds=source.stale_seconds,
            detail=f"read {source.stale_seconds} s ago",
        )
    state = SourceState.EMPTY if empty else SourceState.OK
    return SourceStatus(name=source.name, kind=kind, state=state)


def _instant(value: dt.date | dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return an instant as it is, and a date as its midnight in `zone`."""
    if isinstance(value, dt.datetime):
        return value
    return dt.datetime.combine(value, dt.time.min, zone)


def _overlaps(event: Event, window: ReadWindow, zone: ZoneInfo) -> bool:
    # in UTC: two datetimes of one zone compare by their clock faces
    start, end, first, last = (
        _instant(value, zone).astimezone(dt.UTC)
        for value in (event.start, event.end, window.start, window.end)
    )
    return first <= start < last if start == end else start < last and end > first


def _in_zone(event: Event, zone: ZoneInfo) -> Event:
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return replace(event, start=event.start.astimezone(zone), end=event.end.astimezone(zone))
    return event


def _event_order(event: Event) -> tuple[bool, float, float, str, SourceRef]:
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return (True, event.start.timestamp(), event.end.timestamp(), event.summary, event.source)
    return (False, event.start.toordinal(), 0, event.summary, event.source)


def make_event(
    summary: str,
    start: dt.date | dt.datetime,
    end: dt.date | dt.datetime | None = None,
    *,
    calendar: str = "work",
    busy: bool = True,
    uid: str | None = None,
) -> Event:
    """Return a confirmed event; all-day when `start` is a plain date.

    Without an `end` it lasts an hour, or one day. The `uid` is made of the summary unless given.
    """
    all_day = not isinstance(start, dt.datetime)
    uid = uid or f"{summary}@example.org"
    return Event(
        uid=uid,
        recurrence_id="",
        sequence=0,
        revised_at=None,
        summary=summary,
        start=start,
        end=end or start + (dt.timedelta(days=1) if all_day else dt.timedelta(hours=1)),
        all_day=all_day,
        busy=busy,
        status=EventStatus.CONFIRMED,
        calendar=calendar,
        source=SourceRef(source=calendar, locator=uid),
    )


def make_todo(
    summary: str,
    *,
    due: dt.date | dt.datetime | None = None,
    priority: int | None = None,
    estimate_minutes: int | None = None,
    list_name: str = "todo",
    uid: str | None = None,
) -> Todo:
    """Return an open todo; its `uid` is made of the summary unless given."""
    uid = uid or f"{summary}@example.org"
    return Todo(
        uid=uid,
        summary=summary,
        due=due,
        priority=priority,
        estimate_minutes=estimate_minutes,
        list_name=list_name,
        source=SourceRef(source=list_name, locator=uid),
    )


def make_contact(
    name: str,
    *,
    birthday: tuple[int | None, int, int] | None = None,
    nicknames: Sequence[str] = (),
    emails: Sequence[str] = (),
    book: str = "friends",
    uid: str | None = None,
) -> Contact:
    """Return a person whose given name is the first word of `name`, the family name the last.

    The `birthday` is year (None: unknown), month, day; the `uid` is made of the name unless given.
    """
    given, *rest = name.split()
    uid = f"{name}@example.org" if uid is None else uid
    year, month, day = birthday or (None, 1, 1)
    date = PersonDate(kind=OccasionKind.BIRTHDAY, month=month, day=day, year=year)
    return Contact(
        uid=uid,
        name=name,
        given=given,
        family=rest[-1] if rest else "",
        nicknames=tuple(nicknames),
        emails=tuple(emails),
        dates=(date,) if birthday else (),
        source=SourceRef(source=book, locator=uid or name),
    )


def make_window(day: dt.date, timezone: str = "UTC", *, days: int = 1) -> ReadWindow:
    """Return the window of `days` days from `day` on, read at 08:00 of the first."""
    zone = ZoneInfo(timezone)
    return ReadWindow(
        start=_instant(day, zone),
        end=_instant(day + dt.timedelta(days=days), zone),
        timezone=timezone,
        now=dt.datetime.combine(day, dt.time(8), zone),
    )


def make_task(
    task_id: str = "task",
    agent: str = "agent",
    *,
    intent: str = "agent.ask",
    utterance: str = "",
    depends_on: Sequence[str] = (),
    timeout_seconds: float | None = None,
) -> AgentTask:
    """Return a task asked at `NOW`."""
    return AgentTask(
        id=task_id,
        agent=agent,
        intent=intent,
        utterance=utterance,
        depends_on=tuple(depends_on),
        timeout_seconds=timeout_seconds,
        asked_at=NOW,
    )


def make_plan(*tasks: AgentTask) -> TaskPlan:
    """Return a plan of these tasks."""
    return TaskPlan(id="plan", utterance="", tasks=tasks)


def make_agent(
    name: str,
    handler: Handler,
    *,
    intents: Sequence[str] = (),
    read_only: bool = False,
    timeout_seconds: float | None = None,
) -> Agent:
    """Return an agent whose intents have no examples and no rules."""
    return Agent(
        name=name,
        intents=tuple(
            Intent(name=intent, description=f"answer {intent}", examples=()) for intent in intents
        ),
        handler=handler,
        read_only=read_only,
        timeout_seconds=timeout_seconds,
    )
