"""When something is to be, from the scope of an utterance or an option."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.errors import UsageError

_USUAL = dt.timedelta(hours=1)
"""How long an event is that nobody gave a length."""
_HOURS = frozenset({ScopeKind.TIME, ScopeKind.DATETIME, ScopeKind.TIME_RANGE})
_MORNING_HOUR = re.compile(r"(?:(?:to|at)\s+)?(7|8|9|10|11)(?:[:.]([0-5]\d))?", re.IGNORECASE)
"""An hour of the morning without am or pm ("11:00"): 7 to 12 are as said (docs/dates.md)."""


def event_span(
    scope: Scope, length: dt.timedelta | None
) -> tuple[dt.date, dt.date] | tuple[dt.datetime, dt.datetime]:
    """Return start and end of an event at a time that was named.

    A span of hours is as it was said, a point in time lasts `length` (None: an hour), and days
    are whole days, of which `length` None means all.
    """
    if scope.kind in _HOURS:
        given = scope.end - scope.start if scope.kind is ScopeKind.TIME_RANGE else _USUAL
        return scope.start, scope.start + (length or given)
    if scope.kind is ScopeKind.DAY_PART:
        raise UsageError(f"{scope.text!r} is no time of day", hint="say when, as in 15:00")
    days = scope.days()
    if length is None:
        return days[0], days[-1] + dt.timedelta(days=1)
    raise UsageError(
        f"{scope.text!r} has no time of day, so a length means nothing", hint="add when it begins"
    )


def new_start(scope: Scope) -> dict[str, Json]:
    """Return where an event is moved to, as arguments of its action.

    A time alone is one of the event's own day, a day alone keeps the event's time.
    """
    match scope.kind:
        case ScopeKind.TIME:
            return {"start": time_of_day(scope)}
        case ScopeKind.DATETIME:
            return {"start": scope.start.isoformat()}
        case ScopeKind.TIME_RANGE:
            return {"start": scope.start.isoformat(), "end": scope.end.isoformat()}
        case ScopeKind.DAY_PART:
            raise UsageError(f"{scope.text!r} is no time of day", hint="say when, as in 15:00")
        case _:
            days = scope.days()
            if len(days) > 1:
                raise UsageError(f"{scope.text!r} is more than one day", hint="name one")
            return {"start": days[0].isoformat()}


def time_of_day(scope: Scope) -> str:
    """Return the time a scope names, of whichever day, as ``HH:MM``.

    The scope of "11:00", said in the evening, is the 11 o'clock that comes next: tonight's. On
    the event's own day it is the one that was said.
    """
    said = _MORNING_HOUR.fullmatch(scope.text.strip())
    if said is None:
        return f"{scope.start:%H:%M}"
    return f"{int(said[1]):02}:{said[2] or '00'}"


def upcoming(scope: Scope, now: dt.datetime) -> Scope:
    """Return a time without a day so that it is to come: what is added is never of the past.

    An hour that is just over ("at 5", said at 17:20) is read as today's, which is right for what
    was; what is written down anew is meant for tomorrow then. Any other scope is as it was said.
    """
    if scope.kind is not ScopeKind.TIME or scope.start > now:
        return scope
    day = dt.timedelta(days=1)  # on the wall clock: the same hour, whatever the clocks do
    return replace(scope, start=scope.start + day, end=scope.end + day)


def due_of(scope: Scope) -> dt.date | dt.datetime:
    """Return when something is due "tomorrow", "friday 10:00" or "by next week".

    A point in time is that instant, a span of hours its end; everything longer is its last day.
    """
    if scope.kind is ScopeKind.TIME_RANGE:
        return scope.end
    if scope.kind in {ScopeKind.TIME, ScopeKind.DATETIME}:
        return scope.start
    return scope.days()[-1]
