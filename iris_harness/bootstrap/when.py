"""Days and times as a person types or says them, read by the router's own grammar."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.routing import IMPOSSIBLE_TIME
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.errors import UsageError
from iris_harness.registry import Registry, load_router

_USUAL = dt.timedelta(hours=1)
"""How long an event is that nobody gave a length."""
_HOURS = frozenset({ScopeKind.TIME, ScopeKind.DATETIME, ScopeKind.TIME_RANGE})
_OPENINGS = ("on ", "at ", "by ", "from ", "until ", "to ", "the ", "in ", "for ", "due ")


def read_scope(text: str, setting: DaySetting) -> Scope:
    """Return the time that all of `text` names, as seen from the clock's "now".

    Raises:
        UsageError: it names none, one that does not exist, or something besides.
    """
    instant = _iso_instant(text, setting)
    if instant is not None:
        return Scope(start=instant, end=instant, kind=ScopeKind.DATETIME, text=text)
    router = load_router(Registry(agents={}, listings=()))
    route = router.route(text, setting.local_now(), setting.locale)[0]
    if route.scope is None and route.slots.get(IMPOSSIBLE_TIME):
        raise UsageError(f"there is no {route.slots[IMPOSSIBLE_TIME]}")
    if route.scope is None:
        raise UsageError(
            f"{text!r} is no day and no time I know", hint='as in "tomorrow 15:00" or 2026-03-04'
        )
    if _bare(route.scope.text) != _bare(text):
        raise UsageError(
            f"of {text!r} I understand {route.scope.text!r} only", hint='as in "tomorrow 15:00"'
        )
    return route.scope


def _bare(text: str) -> str:
    words = " ".join(text.lower().replace(",", " ").split())
    while opening := next((one for one in _OPENINGS if words.startswith(one)), None):
        words = words.removeprefix(opening)
    return words


def _iso_instant(text: str, setting: DaySetting) -> dt.datetime | None:
    try:
        instant = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if len(text.strip()) <= len("2026-03-04"):
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=ZoneInfo(setting.timezone))


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
            return {"start": f"{scope.start:%H:%M}"}
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


def due_of(scope: Scope) -> dt.date | dt.datetime:
    """Return when something is due "tomorrow", "friday 10:00" or "by next week".

    A point in time is that instant, a span of hours its end; everything longer is its last day.
    """
    if scope.kind is ScopeKind.TIME_RANGE:
        return scope.end
    if scope.kind in {ScopeKind.TIME, ScopeKind.DATETIME}:
        return scope.start
    return scope.days()[-1]
