"""Days and times typed as options of the commands that change something."""

from __future__ import annotations

import datetime as dt

from iris_harness.bootstrap.setting import DaySetting
from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.inputs import parse_clock, parse_day


def typed_due(text: str, setting: DaySetting) -> dt.date | dt.datetime:
    """Return when something is due: a day as of ``--date``, or any words for one.

    Raises:
        UsageError: it is no time.
    """
    day = typed_day_or_none(text, setting)
    if day is not None:
        return day
    from iris_harness.bootstrap.when import read_scope
    from iris_harness.contracts.intended import due_of

    return due_of(read_scope(text, setting))


def typed_moment(text: str, setting: DaySetting) -> dict[str, str]:
    """Return the ``day`` and the ``time`` that are named, in ISO 8601; one may be missing.

    Raises:
        UsageError: it is no time.
    """
    day = typed_day_or_none(text, setting)
    if day is not None:
        return {"day": day.isoformat()}
    from iris_harness.bootstrap.when import read_scope
    from iris_harness.contracts.scopes import ScopeKind

    try:
        return {"time": f"{parse_clock(text):%H:%M}"}
    except UsageError:
        scope = read_scope(text, setting)
    found = {} if scope.kind is ScopeKind.TIME else {"day": scope.days()[0].isoformat()}
    if scope.kind in {ScopeKind.TIME, ScopeKind.DATETIME, ScopeKind.TIME_RANGE}:
        found["time"] = f"{scope.start:%H:%M}"
    return found


def typed_day(text: str, setting: DaySetting) -> dt.date:
    """Return one day.

    Raises:
        UsageError: it is none, or several.
    """
    day = typed_day_or_none(text, setting)
    if day is not None:
        return day
    from iris_harness.bootstrap.when import read_scope

    days = read_scope(text, setting).days()
    if len(days) != 1:
        raise UsageError(f"{text!r} is more than one day")
    return days[0]


def typed_day_or_none(text: str, setting: DaySetting) -> dt.date | None:
    """Return the day that ``--date`` would make of `text`; None when it is something else."""
    try:
        return parse_day(text, setting.default_day())
    except UsageError:
        return None


def typed_clock(text: str, setting: DaySetting) -> dt.time:
    """Return a time of day: ``HH:MM``, or words for one ("3pm").

    Raises:
        UsageError: it is none, or names a day as well.
    """
    try:
        return parse_clock(text)
    except UsageError as error:
        from iris_harness.bootstrap.when import read_scope
        from iris_harness.contracts.scopes import ScopeKind

        scope = read_scope(text, setting)
        if scope.kind is not ScopeKind.TIME:
            raise UsageError(f"{text!r} is more than a time of day", hint="use HH:MM") from error
        return scope.start.time()
