"""Days and times as a person types or says them, read by the router's own grammar."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.routing import IMPOSSIBLE_TIME, LEFT_OUT_TIME
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.errors import UsageError
from iris_harness.planner.frame import is_on_the_clock
from iris_harness.registry import Registry, load_router

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
    if route.slots.get(IMPOSSIBLE_TIME):
        raise UsageError(f"there is no “{route.slots[IMPOSSIBLE_TIME]}” in the calendar")
    if route.slots.get(LEFT_OUT_TIME):
        raise UsageError(f"there is no {text!r}: the clocks go forward over it")
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
    zone = ZoneInfo(setting.timezone)
    if instant.tzinfo is None and not is_on_the_clock(instant.date(), instant.time(), zone):
        raise UsageError(f"there is no {text!r}: the clocks go forward over it")
    return instant if instant.tzinfo else instant.replace(tzinfo=zone)
