"""Ports: how a handler reaches the user's data. Implemented in `iris_harness.sources`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DayPreferences, Event, JobNews, Todo
from iris_harness.contracts.sources import SourceStatus
from iris_harness.contracts.values import Value
from iris_harness.contracts.zones import UserZones

if TYPE_CHECKING:  # most readers of a port never meet a model or a contact: no class is built
    from iris_harness.contracts.contacts import Contact
    from iris_harness.contracts.jobs import JobPort
    from iris_harness.contracts.memory import Recall
    from iris_harness.contracts.model import ChatModel
    from iris_harness.contracts.reminders import ReminderPort

ItemT = TypeVar("ItemT")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ReadWindow(Value):
    """The time a reading is about."""

    start: dt.datetime
    """First instant, aware: midnight of the first day in the user's zone."""
    end: dt.datetime
    """First instant after it, aware: a later midnight in the user's zone."""
    timezone: str
    """IANA name of the user's zone: floating times and dates are read in it."""
    now: dt.datetime
    """The turn's one "now", aware."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading(Generic[ItemT]):
    """What one source gave. Never raised: a source that cannot be read says `failed`."""

    status: SourceStatus
    items: tuple[ItemT, ...] = ()
    warnings: tuple[str, ...] = ()
    """One line per thing that was left out, cut or repaired, naming file and line or UID."""


class CalendarPort(Protocol):
    """A calendar that can be read."""

    @property
    def name(self) -> str:
        """The source's name, unique among calendars."""
        ...

    def read(self, window: ReadWindow) -> Reading[Event]:
        """Return the occurrences that overlap `window` (zero-length ones whose instant lies in it).

        Occurrences come in the user's zone, sorted as `DailyPlan.events` states. Cancelled ones
        are left out. Thread-safe.
        """
        ...


class TodoPort(Protocol):
    """A list of todos that can be read."""

    @property
    def name(self) -> str:
        """The source's name, unique among todo lists."""
        ...

    def read(self, window: ReadWindow) -> Reading[Todo]:
        """Return the open todos, in the source's own order.

        Of a recurring todo only the instance current at ``window.end`` is returned. Thread-safe.
        """
        ...


class ContactsPort(Protocol):
    """An address book that can be read."""

    @property
    def name(self) -> str:
        """The source's name, unique among address books."""
        ...

    def read(self, window: ReadWindow) -> Reading[Contact]:
        """Return every person in it, in the book's own order; of `window` only "now" matters.

        Cards of one person are not merged; groups are left out. Thread-safe.
        """
        ...


class JobNewsPort(Protocol):
    """The user's jobs, as a source of a day."""

    def read(self, window: ReadWindow) -> Reading[JobNews] | None:
        """Return the newest jobs as they stand, in any order; never raises. Thread-safe.

        None: none were ever submitted, so that there is no source to speak of.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class SourcePorts(Value):
    """All the sources a handler may read, each group in configured order."""

    calendars: tuple[CalendarPort, ...] = ()
    todos: tuple[TodoPort, ...] = ()
    contacts: tuple[ContactsPort, ...] = ()
    jobs: JobNewsPort | None = None
    """None: these are not the user's own settings, or jobs are not asked about."""
    unavailable: tuple[SourceStatus, ...] = ()
    """Sources the user named that this program cannot read, as `failed`."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class AgentPorts(Value):
    """What an agent's entry point is given."""

    sources: SourcePorts
    preferences: DayPreferences
    zones: UserZones | None = None
    """The user's zone day by day; None means each task's own zone on every day."""
    model: ChatModel | None = None
    """None when no model is configured; every agent must work without one."""
    recall: Recall | None = None
    """What is remembered of days that were planned before; None: nothing may be."""
    reminders: ReminderPort | None = None
    """None: these are not the user's own settings."""
    jobs: JobPort | None = None
    """None: these are not the user's own settings."""
    settings: Mapping[str, Json] = field(default_factory=dict)
    """The agent's own part of the configuration; the agent checks it and raises `ConfigError`."""
