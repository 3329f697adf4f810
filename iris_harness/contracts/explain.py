"""Why something is where it is in a plan, and what would have to change: values, no prose."""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass

from iris_harness.contracts.day import ProofLevel
from iris_harness.contracts.sources import SourceRef


class ItemKind(enum.StrEnum):
    """What a plan can be asked about."""

    TODO = "todo"
    EVENT = "event"
    BREAK = "break"
    TRAVEL = "travel"


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemTime:
    """A time that an item has. Aware, in the user's zone; dates of all-day events are left out."""

    start: dt.datetime
    end: dt.datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class DayItem:
    """Something in a plan that can be asked about."""

    kind: ItemKind
    title: str
    source: SourceRef | None
    """None for a break."""
    times: tuple[ItemTime, ...] = ()
    """Where the plan has it, by start; () for a todo without a block and an all-day event."""
    detail: str = ""
    """What the plan itself says of it, in the planner's words; may be empty."""

    @property
    def keys(self) -> tuple[str, ...]:
        """What else names exactly this one: nothing, in a plan things have their titles alone."""
        return ()


class Outcome(enum.StrEnum):
    """What became of an item."""

    PLACED = "placed"
    PARTLY = "partly"  # a todo that has less time than it needs
    UNPLACED = "unplaced"
    FIXED = "fixed"  # an event, a break, travel: nothing was to be decided


class Cause(enum.StrEnum):
    """What one reason is about."""

    DETAIL = "detail"  # what the plan says of the item itself
    # Why it is not in an earlier time, by time
    TAKEN = "taken"  # something else is there and does not move
    CLEAR = "clear"  # kept clear around an event: its buffers
    TOO_SHORT = "too_short"
    OUTSIDE = "outside"  # not in the hours the todo itself asks for
    COSTS = "costs"  # there it would cost something, on a level of the objective
    UNDECIDED = "undecided"  # nothing is known to be lost: the search was cut off, or it is a tie
    # Why it is where it is
    FIRST = "first"  # nothing earlier is possible
    PINNED = "pinned"
    BEGUN = "begun"
    KEPT = "kept"  # where the plan shown before had it
    # Why it has no time at all
    LACKS = "lacks"  # the plan's own words say why
    SKIPPED = "skipped"  # the user leaves it out
    BACKLOG_OFF = "backlog_off"  # the user wants no todos placed that are not due
    DAY_OFF = "day_off"
    OVER = "over"
    # Where what is no todo comes from
    CALENDAR = "calendar"
    OVERLAPS = "overlaps"
    NOT_BUSY = "not_busy"
    SETTING = "setting"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """One thing that was found out."""

    cause: Cause
    start: dt.datetime | None = None
    """Start of the time it is about; None when it is about none."""
    end: dt.datetime | None = None
    minutes: int = 0
    """Of `TOO_SHORT`: how much is missing."""
    level: ProofLevel | None = None
    """Of `COSTS`: the first level of the objective on which something is lost."""
    other: str = ""
    """Title of what is in the way, or of what would lose."""
    detail: str = ""
    """The planner's own words, where there are any."""
    sources: tuple[SourceRef, ...] = ()


class ChangeKind(enum.StrEnum):
    """What could be changed so that a todo has all its time."""

    SHORTEN = "shorten"
    SPLIT = "split"
    ANY_TIME = "any_time"  # let it be done at any time of the day
    DROP = "drop"  # leave another todo out
    MOVE = "move"  # move an event to another day
    EXTEND = "extend"  # work longer


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One change that was tried: the day was planned again with it, and the todo has its time."""

    kind: ChangeKind
    cost_minutes: int
    """How much time it gives up: of the todo, of what is dropped or moved, or of the evening."""
    minutes: int = 0
    """Of `SHORTEN`: what it may take; of `SPLIT`: the least piece."""
    other: str = ""
    """Title of what is dropped or moved."""
    until: dt.datetime | None = None
    """Of `EXTEND`: when work would end."""
    sources: tuple[SourceRef, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """Why one item is where it is."""

    date: dt.date
    timezone: str
    plan_id: str
    item: DayItem
    outcome: Outcome
    reasons: tuple[Reason, ...]
    """What the item itself says first, then by time."""
    changes: tuple[Change, ...] = ()
    """Of a todo that lacks time: each would do by itself, the smallest first; () when none of
    those that were tried would."""
