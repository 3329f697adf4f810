"""What is kept: plans, turns and the journal of changes, as frozen values."""

from __future__ import annotations

import datetime as dt
import enum
from typing import NamedTuple

from iris_harness.contracts.reminders import Reminder
from iris_harness.contracts.sources import SourceRef


class PlanOrigin(enum.StrEnum):
    """What a plan was made from."""

    CONFIGURED = "configured"  # the user's own sources: only such a plan is "the plan of the day"
    ADHOC = "adhoc"  # sources named on the command line
    DEMO = "demo"


class PlanSummary(NamedTuple):
    """A stored plan without its content."""

    plan_id: str
    """SHA-256, 64 lower-case hexadecimal digits."""
    date: dt.date
    """The day that was planned."""
    timezone: str
    """IANA name of the zone it was planned in."""
    origin: PlanOrigin
    made_at: dt.datetime
    """When it was stored; aware, UTC."""
    session: str = ""
    """The conversation it was made in; empty outside one."""


class StoredPlan(NamedTuple):
    """A plan, with the very bytes that were shown."""

    summary: PlanSummary
    payload: bytes
    """`planner.archive.dump_planned_day`: enough to rebuild the plan."""
    public_json: str
    """What ``--json`` printed."""
    text: str
    """What was printed as plain text."""


class StoredTurn(NamedTuple):
    """One question and its answer."""

    trace_id: str
    session: str
    asked_at: dt.datetime
    """Aware; stored and returned in UTC."""
    utterance: str
    trace: str
    """JSON text: what each step was given, gave and took."""
    reply: str


class EntryState(enum.StrEnum):
    """What became of an entry of the journal."""

    INTENDED = "intended"  # written down, and not known to be done yet
    DONE = "done"
    FAILED = "failed"  # nothing was changed; `detail` says why
    UNDONE = "undone"  # done, and taken back by a later entry


class JournalEntry(NamedTuple):
    """One change of the user's data, or of Iris' marks, with what takes it back."""

    entry_id: int
    """What the user undoes it by; counts up from 1. 0 until it is stored."""
    begun_at: dt.datetime
    """When it was written down, before anything was changed; aware, UTC."""
    session: str
    """The conversation it was asked for in; empty outside one."""
    kind: str
    """As ``todo.add``; ``undo`` takes another entry back."""
    preview: str
    """What was to be done, in words."""
    outcome: str
    """The same, done."""
    target: str
    """The source that is changed, by name; empty when only Iris' own marks are."""
    payload: str
    """JSON: every change with what was there before and after."""
    undoable: bool
    undoes: int | None = None
    """The entry this one takes back; None when it takes none back, or when that is forgotten."""
    state: EntryState = EntryState.INTENDED
    detail: str = ""
    """Why it failed, or how it was found after a crash; empty otherwise."""
    ended_at: dt.datetime | None = None
    """Aware, UTC; None while it is intended."""


class NumberedItem(NamedTuple):
    """A todo as it was last listed under a number."""

    number: int
    source: SourceRef
    title: str


class Schedule(NamedTuple):
    """A briefing as the ticker knows it."""

    name: str
    timetable: str
    """As it is written in the settings."""
    since: dt.datetime
    """What was to be said before this was said, found missed, or never asked for; aware, UTC."""


class ReminderState(enum.StrEnum):
    """Whether a reminder will be said again."""

    ACTIVE = "active"
    OVER = "over"  # all of it was handed to the channels
    CANCELLED = "cancelled"


class StoredReminder(NamedTuple):
    """A reminder, and how far it has come."""

    reminder: Reminder
    state: ReminderState
    next_at: dt.datetime | None
    """When it is said next; aware, UTC. None: never again."""
    resumed_at: dt.datetime | None = None
    """When cancelling it was last taken back; aware, UTC. None: never."""


class DeliveryKind(enum.StrEnum):
    """What is said unasked."""

    BRIEFING = "briefing"
    REMINDER = "reminder"
    TIMER = "timer"


class DeliveryState(enum.StrEnum):
    """What became of one thing to be said by one channel."""

    DUE = "due"  # nothing was tried yet, or all that was tried surely failed
    CLAIMED = "claimed"  # it is being said at this moment
    DELIVERED = "delivered"
    FAILED = "failed"  # it was not said
    UNCERTAIN = "uncertain"  # it may have been said; it is not said again
    MISSED = "missed"  # its day passed while nobody was there to say it
    CANCELLED = "cancelled"  # the user took the reminder back in time


class Delivery(NamedTuple):
    """One thing to be said, once, by one channel."""

    kind: DeliveryKind
    name: str
    """The schedule, or the id of the reminder."""
    channel: str
    day: dt.date
    """The day it is for, in the user's zone."""
    due_at: dt.datetime
    """When it was to be said; aware, UTC."""
    title: str = ""
    """What a reminder is about; empty for a briefing."""
    state: DeliveryState = DeliveryState.DUE
    attempts: int = 0
    """How often it was tried."""
    not_before: dt.datetime | None = None
    """Of one that is due: when it may be tried; aware, UTC. None: when it is due."""
    changed_at: dt.datetime | None = None
    """When it became what it is; aware, UTC. None until it is stored."""
    detail: str = ""
    """The receipt, or the reason."""
    content: str = ""
    """What was said, where Iris itself shows it; otherwise empty."""

    @property
    def key(self) -> str:
        """What it is once: a briefing for its day, a reminder for its instant."""
        when = (
            self.day.isoformat()
            if self.kind is DeliveryKind.BRIEFING
            else instant_text(self.due_at)
        )
        return f"{self.kind.value}:{self.name}:{when}:{self.channel}"


class Deleted(NamedTuple):
    """How much was deleted."""

    plans: int = 0
    turns: int = 0
    entries: int = 0
    """Of the journal."""
    backups: int = 0
    """Copies that Iris made by itself before migrations and restores."""


def instant_text(instant: dt.datetime) -> str:
    """Return an aware instant as stored: UTC text whose order is the order of time."""
    if instant.tzinfo is None:
        raise ValueError("only aware instants are stored")
    utc = instant.astimezone(dt.UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + "Z"


def parse_instant(text: str) -> dt.datetime:
    """Return the instant behind stored text."""
    return dt.datetime.fromisoformat(text)
