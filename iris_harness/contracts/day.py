"""The values of a day: what was read, what the user prefers, what was planned.

All instants are aware. Inside values they are in the user's zone (`DaySnapshot.timezone`),
with the offset of that moment, and are compared as instants. All-day values are plain dates
whose end is exclusive (RFC 5545 §3.6.1).
"""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass, field

from iris_harness.contracts.canonical import ADDED
from iris_harness.contracts.sources import SourceRef, SourceStatus
from iris_harness.contracts.values import Value


class EventStatus(enum.StrEnum):
    """RFC 5545 §3.8.1.11, and what the user answered (§3.2.12)."""

    CONFIRMED = "CONFIRMED"
    TENTATIVE = "TENTATIVE"
    CANCELLED = "CANCELLED"
    DECLINED = "DECLINED"  # the user's own PARTSTAT


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Event(Value):
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
    travel_minutes: int | None = field(default=None, metadata=ADDED)
    """How long the way there takes, as the calendar states it; None when it does not."""

    @property
    def takes_place(self) -> bool:
        """Whether it takes place for the user: neither cancelled nor declined."""
        return self.status not in {EventStatus.DECLINED, EventStatus.CANCELLED}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Todo(Value):
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
    earliest: dt.time | None = field(default=None, metadata=ADDED)
    """It may not start before this time of any day; None: at any time."""
    latest: dt.time | None = field(default=None, metadata=ADDED)
    """It must end by this time of any day; None: by any time, and 00:00 is midnight."""
    energy: str = field(default="", metadata=ADDED)
    """What it asks of the user, as "high" or "low": the name of one of
    `DayPreferences.energy_windows`, in lower case; empty: nothing in particular."""
    chunk_minutes: int | None = field(default=None, metadata=ADDED)
    """It may be split into pieces of at least this; 0: it must not be, None: as preferred."""


class OccasionKind(enum.StrEnum):
    """What a day of a person is, in the order in which plans list them."""

    BIRTHDAY = "birthday"
    ANNIVERSARY = "anniversary"
    OTHER = "other"  # a date the user gave a name of their own


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Birthday(Value):
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


class JobStage(enum.StrEnum):
    """Where a job of the user's is, in the order in which plans list them."""

    FAILED = "failed"
    REVIEW = "review"  # done, and its owner has neither brought its changes in nor dismissed it
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting"  # for a daemon to take it


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class JobNews(Value):
    """A job of the user's, as it stands: larger work that goes on beside the day."""

    task: str
    """In the words in which it was asked for; never empty."""
    stage: JobStage
    done: int
    """How many of its workers have succeeded."""
    workers: int
    """How many it has."""
    since: dt.datetime
    """When it ended; of one that has not, when it was submitted."""
    why: str = ""
    """Why it failed, in the words of whoever ended it; empty unless it has."""
    source: SourceRef
    """Its locator is the job's id."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class TimeSpan(Value):
    """A span of wall-clock time of one day, ``start < end``; `end` 00:00 means midnight."""

    start: dt.time
    end: dt.time


def _office_hours() -> tuple[tuple[TimeSpan, ...], ...]:
    day = (TimeSpan(start=dt.time(9), end=dt.time(17)),)
    return (day,) * 5 + ((),) * 2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class BreakWish(Value):
    """A break that the user wants on every working day."""

    title: str
    """How it is shown; unique among the breaks. An event in its window that has this in its own
    title is that break."""
    window: TimeSpan
    """It lies wholly in here."""
    minutes: int


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class EnergyWindow(Value):
    """When todos that ask for one kind of energy are placed."""

    energy: str
    """Its name, in lower case; unique."""
    spans: tuple[TimeSpan, ...]
    """Sorted, without overlap; such a todo lies in them, each piece in one."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PlaceTravel(Value):
    """How long the way to a place takes."""

    place: str
    """Words that an event's location has in it, in any case."""
    minutes: int
    """One way; 0: no way at all."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class DayPreferences(Value):
    """What the user wants of a plan."""

    working_hours: tuple[tuple[TimeSpan, ...], ...] = field(default_factory=_office_hours)
    """Seven entries, Monday first; each a sorted tuple of spans without overlap, () = day off."""
    default_estimate_minutes: int = 30
    """Length of a block for a todo that does not say how long it takes."""
    grid_minutes: int = 5
    """Blocks start and end on multiples of this after midnight; a divisor of 60."""
    fill_with_backlog: bool = True
    """Whether todos that are not due yet are given the time that is left."""
    buffer_before_minutes: int = field(default=0, metadata=ADDED)
    """Least time between a todo and the busy timed event after it."""
    buffer_after_minutes: int = field(default=0, metadata=ADDED)
    """Least time between a busy timed event and the todo after it."""
    breaks: tuple[BreakWish, ...] = field(default=(), metadata=ADDED)
    """In the order in which they are served."""
    energy_windows: tuple[EnergyWindow, ...] = field(default=(), metadata=ADDED)
    """By name. A todo whose energy is not among them is placed at any time."""
    travel: tuple[PlaceTravel, ...] = field(default=(), metadata=ADDED)
    """Ways to places, by place. What an event states itself comes before them."""
    travel_back: bool = field(default=True, metadata=ADDED)
    """Whether the way back takes time as well."""
    chunk_minutes: int | None = field(default=None, metadata=ADDED)
    """Least piece of a todo that does not say whether it may be split; None: it may not."""


class BlockKind(enum.StrEnum):
    """What a block is given to."""

    TODO = "todo"
    BREAK = "break"
    TRAVEL = "travel"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ShownBlock(Value):
    """A block of a plan that the user has seen, or one that the user has pinned. `start < end`."""

    kind: BlockKind
    title: str
    start: dt.datetime
    end: dt.datetime
    pinned: bool = False
    """Whether the user wants it exactly there."""
    source: SourceRef | None = None
    """As `Block.source`. With `title` it identifies a todo; where the two no longer fit (a line
    of a file has moved), the only open todo of that list with the title is meant."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class SkippedTodo(Value):
    """A todo that the user leaves out on one day. Identified as `ShownBlock` is."""

    title: str
    source: SourceRef


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class ShownPlan(Value):
    """The plan of the same day that was shown last, with what the user has said about it since."""

    plan_id: str = ""
    """Empty where none was shown and there are only pins."""
    blocks: tuple[ShownBlock, ...] = ()
    """Its blocks and its history, any order; travel is of no consequence here."""
    skipped: tuple[SkippedTodo, ...] = ()
    """Any order."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class TimeElsewhere(Value):
    """Time that other days of a range give to a todo."""

    source: SourceRef
    minutes: int = 0
    """What earlier days have."""
    later_minutes: int = 0
    """What is left to later days."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class DaySnapshot(Value):
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
    partly_elsewhere: tuple[TimeElsewhere, ...] = field(default=(), metadata=ADDED)
    """Todos of which other days of the same range have a part; any order."""
    planned_later: tuple[SourceRef, ...] = field(default=(), metadata=ADDED)
    """Todos that are wholly left to a later day of the same range; any order."""
    left_out: tuple[SourceRef, ...] = field(default=(), metadata=ADDED)
    """Todos that no day of the same range from this one on has time for; any order."""
    shown: ShownPlan | None = field(default=None, metadata=ADDED)
    """The plan of this day that was shown before; None: this is the first."""
    jobs: tuple[JobNews, ...] = field(default=(), metadata=ADDED)
    """The user's jobs, of today only; any order, each once. What of them is news is for the plan
    to say."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PlannedTodo(Value):
    """A todo as the plan lists it."""

    todo: Todo
    overdue: bool
    reason: str
    """Why it stands where it stands in the ranking, in a few words."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Block(Value):
    """A span of the day given to something. `start < end`.

    Blocks of todos and breaks are on the grid, except where the plan shown before has them. Travel
    is as long as the way, and cut to the day.
    """

    kind: BlockKind
    title: str
    start: dt.datetime
    end: dt.datetime
    pinned: bool
    """Whether the user wants it exactly there."""
    source: SourceRef | None
    """The todo or event it serves; None for a break."""
    reason: str
    """Why it is here, in a few words."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class WorkingSpan(Value):
    """Working hours of one day, as instants. `start < end`."""

    start: dt.datetime
    end: dt.datetime


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class FreeSpan(Value):
    """Working time that neither an event, nor its buffers, nor a block takes. `start < end`."""

    start: dt.datetime
    end: dt.datetime


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Unplaced(Value):
    """A todo that is due and found no room, or not for all of it."""

    summary: str
    source: SourceRef
    reason: str
    would_fit_if: str
    """The smallest change that would make it fit; empty when no change would."""
    missing_minutes: int = 0
    """Minutes it needs and was not given, with the preferred length where it names none."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Conflict(Value):
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


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PlanProof(Value):
    """What is known of how good a plan is."""

    level: ProofLevel | None = None
    """The first level that was not proved best; None when all were."""
    gap: int = 0
    """How much better that level might be: breaks, deadlines, points of value or todos that stay
    where they were; 0 for the order."""


class NoticeKind(enum.StrEnum):
    """What can be odd about a day, or about what the user has said of it."""

    BREAK = "break"  # no room for a break
    TRAVEL = "travel"  # a way that collides with another event or way, or would begin before now
    PIN_OVERLAP = "pin_overlap"  # what stays where it is lies over an event or another such block
    PIN_OUTSIDE = "pin_outside"  # what is pinned lies outside the working hours
    PIN_GONE = "pin_gone"  # what is pinned is no longer open
    STILL_OPEN = "still_open"  # its time is over, and it is still open
    ENERGY = "energy"  # no hours are set for an energy that todos ask for
    HOURS = "hours"  # working hours or a window that end before they start
    TIMES = "times"  # a todo whose own times leave no time for it


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Notice(Value):
    """One thing that the plan has to say aloud. Its text is also one of the plan's warnings."""

    kind: NoticeKind
    item: str
    """Title of what it is about, the name of an energy, or hours as they are called. With `kind`
    and the times it stands once in a plan."""
    start: dt.datetime | None = None
    """Start of the time it is about; None when it is about none."""
    end: dt.datetime | None = None
    text: str
    """In words, without a full stop."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Workload(Value):
    """The work that is due against the time there is for it."""

    work_minutes: int
    """What the todos that are due by the end of the day still need; skipped ones need nothing."""
    free_minutes: int
    """Working time that counts and that events, buffers, travel, breaks and what is pinned for
    other todos leave."""

    @property
    def is_overcommitted(self) -> bool:
        """Whether the work cannot be done in the time."""
        return self.work_minutes > self.free_minutes


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class DailyPlan(Value):
    """The plan of one day: a pure function of a snapshot and preferences.

    Everything is in a stated order. Events: all-day first (by start date, summary), then by
    start instant, end instant, summary, source. Todos and backlog: by rank. Blocks, free spans,
    working hours: by start. Unplaced: by rank. Conflicts: by list order of the first, then the
    second event. Birthdays: people who live first, then by kind, person, source. Sources: by
    kind, then name. Warnings: sorted, without duplicates. History: by start, end, title. Skipped:
    by rank. Notices: by kind as `NoticeKind` lists them, then start (none first), item, text. Jobs:
    by stage as `JobStage` lists them, the newest first, then source.
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
    workload: Workload | None = field(default=None, metadata=ADDED)
    """None on a day that is over, and in plans of a program before version 4."""
    history: tuple[ShownBlock, ...] = field(default=(), metadata=ADDED)
    """What the plan shown before gave time to that is over now."""
    skipped: tuple[SkippedTodo, ...] = field(default=(), metadata=ADDED)
    """Open todos that the user leaves out on this day; they have no block."""
    notices: tuple[Notice, ...] = field(default=(), metadata=ADDED)
    jobs: tuple[JobNews, ...] = field(default=(), metadata=ADDED)
    """What is open, what failed since the start of yesterday, and what has waited for its owner's
    review for a week at most."""

    @property
    def is_day_off(self) -> bool:
        """Whether the day has no working hours, so that no todo was to be placed."""
        return not self.working_hours


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PlannedDay(Value):
    """A plan with all that it was made of, enough to store, check and rebuild it."""

    snapshot: DaySnapshot
    preferences: DayPreferences
    plan: DailyPlan
