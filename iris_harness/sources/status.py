"""What a reading says of itself."""

from __future__ import annotations

import datetime as dt

from iris_harness.contracts.sources import SourceKind, SourceState, SourceStatus


def failed(name: str, kind: SourceKind, detail: str) -> SourceStatus:
    """Return the status of a source that was not read, with the reason."""
    return SourceStatus(name=name, kind=kind, state=SourceState.FAILED, detail=detail)


def read_status(
    name: str,
    kind: SourceKind,
    *,
    empty: bool,
    age: dt.timedelta | None,
    stale_after_hours: float | None,
    detail: str = "",
) -> SourceStatus:
    """Return the status of a source that was read.

    Args:
        name: the source's name.
        kind: what it holds.
        empty: whether it holds nothing at all, of whatever time.
        age: time since its files changed; None when unknown.
        stale_after_hours: how old it may be; None when nobody cares.
        detail: what is odd about it.
    """
    state = SourceState.EMPTY if empty else SourceState.OK
    if stale_after_hours is None or age is None:
        return SourceStatus(name=name, kind=kind, state=state, detail=detail)
    seconds = max(int(age.total_seconds()), 0)
    if seconds > stale_after_hours * 3600:
        state = SourceState.STALE
        detail = (
            f"last changed {age_text(seconds)} ago; it should be at most {stale_after_hours:g} h"
        )
    return SourceStatus(name=name, kind=kind, state=state, age_seconds=seconds, detail=detail)


def age_text(seconds: int) -> str:
    """Return an age in the largest unit that says something: minutes, hours or days."""
    hours = seconds // 3600
    if hours == 0:
        return f"{seconds // 60} min"
    return f"{hours} h" if hours < 48 else f"{hours // 24} days"  # noqa: PLR2004 - two days


def age_at(now: dt.datetime, modified_at: float | None) -> dt.timedelta | None:
    """Return the time from a change (POSIX seconds) to `now`; None when it is unknown."""
    if modified_at is None:
        return None
    return now - dt.datetime.fromtimestamp(modified_at, dt.UTC)
