"""The values of a day: what was read, what the user prefers, what was planned.

All instants are aware. Inside values they are in the user's zone (`DaySnapshot.timezone`),
with the offset of that moment, and are compared as instants. All-day values are plain dates
whose end is exclusive (RFC 5545 §3.6.1).
"""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass, field

from iris_harness.contracts.sources import SourceRef, SourceStatus


class EventStatus(enum.StrEnum):
    """RFC 5545 §3.8.1.11, and what the user answered (§3.2.12)."""

    CONFIRMED = "CONFIRMED"
    TENTATIVE = "TENTATIVE"
    CANCELLED = "CANCELLED"
    DECLINED = "DECLINED"  # the user's own PARTSTAT


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One occurrence of a calendar event that overlaps the time asked for."""

    uid: str
    """RFC 5545 UID; where the file has none, a digest of the occurrence's content."""
    recurrence_id: str
    """Which instance of a series: its original start (UTC, ISO 8601; a plain date for all-day
    series); empty for an event that is no series. With `uid` it identifies the occurrence."""
    sequence: int
    """Revision number (RFC 5545 §3.8.7.4); of two revisions the higher is the newer."""
    revised_at: dt.datetime | None
    """LAST-MODIFIED or DTSTAMP; decides between equal sequences. None when neither was given."""
    summary: str
    """Title; never empty (the reader writes "(untitled)")."""
    start: dt.date | dt.datetime
    """Real start, not cut to the day: a date when `all_day`, else an aware instant."""
    end: dt.date | dt.datetime
    """Exclusive end, same type as `start`; equal to `start` for an event of zero length."""
    all_day: bool
    busy: bool
    """Whether it takes the user's time (not transparent, cancelled, declined or marked free)."""
    status: EventStatus
    calendar: str
    """Name of the calendar it was read from."""
    location: str = ""
    source: SourceRef

    @property
    def takes_place(self) -> bool:
        """Whether it takes place for the user: neither cancelled nor declined."""
        return self.status not in {EventStatus.DECLINED, EventStatus.CANCELLED}


@dataclass(frozen=True, kw_only=True, slots=True)
class Todo:
    """One open item of the user's own list."""

    uid: str
    """VTODO UID, or the file's name and line for todo.txt; unique in its source."""
    summary: str
    """Title; never empty."""
    due: dt.date | dt.datetime | None
    """A plain date (until the end of that day), an aware instant, or None: no due date."""
    start: dt.date | dt.datetime | None = None
    """Not before this (DTSTART, todo.txt ``t:``); None means any time."""
    priority: int | None = None
    """1 (highest) to 9; None is undefined (RFC 5545 §3.8.1.9 priority 0)."""
    estimate_minutes: int | None = None
    """How long it takes (ESTIMATED-DURATION, ``est:``); None means unknown."""
    created_on: dt.date | None = None
    """When it was written down; None when unknown."""
    list_name: str = ""
    """Name of the list it was read from."""
    source: SourceRef


class OccasionKind(enum.StrEnum):
    """What a day of a person is, in the order in which plans list them."""

    BIRTHDAY = "birthday"
    ANNIVERSARY = "anniversary"
    OTHER = "other"  # a date the user gave a name of their own


@dataclass(frozen=True, kw_only=True, slots=True)
class Birthday:
    """A birthday, an anniversary or another day of a person, on the plan's day."""

    person: str
    """How the person is shown; never empty."""
    kind: OccasionKind
    label: str = ""
    """What the user calls the day; empty unless `kind` is `OTHER`."""
    month: int
    """Month of the day itself; with `day` the plan's day, except for 29 February."""
    day: int
    """29 February is kept on 28 February of common years."""
    year: int | None = None
    """When it was first; None when unknown."""
    years: int | None = None
    """How many years ago that is on the plan's day: the age; None when unknown."""
    is_deceased: bool = False
    """Whether the person has died: a day to remember, none to congratulate on."""
    source: SourceRef


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeSpan:
    """A span of wall-clock time of one day, ``start < end``; `end` 00:00 means midnight."""

    start: dt.time
    end: dt.time


def _office_hours() -> tuple[tuple[TimeSpan, ...], ...]:
    day = (TimeSpan(start=dt.time(9), end=dt.time(17)),)
    return (day,) * 5 + ((),) * 2


@dataclass(frozen=True, kw_only=True, slots=True)
class DayPreferences:
    """What the user wants of a plan."""

    working_hours: tuple[tuple[TimeSpan, ...], ...] = field(default_factory=_office_hours)
    """Seven entries, Monday first; each a sorted tuple of spans without overlap, () = day off."""
    default_estimate_minutes: int = 30
    """Length of a block for a todo that does not say how long it takes."""
    grid_minutes: int = 5
    """Blocks start and end on multiples of this after midnight; a divisor of 60."""
    fill_with_backlog: bool = True
    """Whether todos that are not due yet are given the time that is left."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DaySnapshot:
    """Everything that was read for one day, frozen: with `DayPreferences` it decides the plan."""

    date: dt.date
    timezone: str
    """IANA name of the user's zone."""
    now: dt.datetime
    """The turn's one "now", in the user's zone."""
    events: tuple[Event, ...]
    """Occurrences that overlap [00:00, 24:00) of `date`; any order, duplicates allowed."""
    todos: tuple[Todo, ...]
    """Open todos; any order."""
    sources: tuple[SourceStatus, ...]
    warnings: tuple[str, ...] = ()
    birthdays: tuple[Birthday, ...] = ()
    """Of the people in the user's address books; any order, duplicates allowed."""
    placed_elsewhere: tuple[SourceRef, ...] = ()
    """Todos that an earlier day of the same range already has in full."""


class BlockKind(enum.StrEnum):
    """What a block is given to."""

    TODO = "todo"
    BREAK = "break"
    TRAVEL = "travel"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedTodo:
    """A todo as the plan lists it."""

    todo: Todo
    overdue: bool
    reason: str
    """Why it stands where it stands in the ranking, in a few words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A span of the day given to something. `start < end`, both on the grid."""

    kind: BlockKind
    title: str
    start: dt.datetime
    end: dt.datetime
    pinned: bool
    source: SourceRef | None
    """The todo or event it serves; None for a break."""
    reason: str
    """Why it is here, in a few words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkingSpan:
    """Working hours of one day, as instants. `start < end`."""

    start: dt.datetime
    end: dt.datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class FreeSpan:
    """Working time that neither an event nor a block takes. `start < end`."""

    start: dt.datetime
    end: dt.datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Unplaced:
    """A todo that is due and found no room."""

    summary: str
    source: SourceRef
    reason: str
    would_fit_if: str
    """The smallest change that would make it fit; empty when no change would."""
    missing_minutes: int = 0
    """Minutes it needs and was not given, with the preferred length where it names none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """Two busy timed events that overlap for more than zero time, in list order."""

    first: Event
    second: Event
    start: dt.datetime
    """Start of the overlap."""
    end: dt.datetime


class ProofLevel(enum.StrEnum):
    """The levels of the planner's objective that can stay unproved, the first ones first."""

    BREAKS = "breaks"
    DEADLINES = "deadlines"
    VALUE = "value"
    MOVEMENT = "movement"
    ORDER = "order"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanProof:
    """What is known of how good a plan is."""

    level: ProofLevel | None = None
    """The first level that was not proved best; None when all were."""
    gap: int = 0
    """How much better that level might be: breaks, deadlines, points of value or todos that stay
    where they were; 0 for the order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DailyPlan:
    """The plan of one day: a pure function of a snapshot and preferences.

    Everything is in a stated order. Events: all-day first (by start date, summary), then by
    start instant, end instant, summary, source. Todos and backlog: by rank. Blocks, free spans,
    working hours: by start. Unplaced: by rank. Conflicts: by list order of the first, then the
    second event. Birthdays: people who live first, then by kind, person, source. Sources: by
    kind, then name. Warnings: sorted, without duplicates.
    """

    date: dt.date
    timezone: str
    plan_id: str
    """SHA-256 of the canonical JSON of snapshot, preferences and algorithm version."""
    now: dt.datetime
    events: tuple[Event, ...]
    todos: tuple[PlannedTodo, ...]
    """Open ones due by the end of the day, overdue ones included."""
    backlog: tuple[PlannedTodo, ...]
    """Open ones due later or never."""
    blocks: tuple[Block, ...]
    free: tuple[FreeSpan, ...]
    unplaced: tuple[Unplaced, ...]
    conflicts: tuple[Conflict, ...]
    sources: tuple[SourceStatus, ...]
    warnings: tuple[str, ...]
    birthdays: tuple[Birthday, ...] = ()
    working_hours: tuple[WorkingSpan, ...] = ()
    """The day's working hours, whole, by start; () is a day off."""
    proof: PlanProof = field(default_factory=PlanProof)

    @property
    def is_day_off(self) -> bool:
        """Whether the day has no working hours, so that no todo was to be placed."""
        return not self.working_hours


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedDay:
    """A plan with all that it was made of, enough to store, check and rebuild it."""

    snapshot: DaySnapshot
    preferences: DayPreferences
    plan: DailyPlan
