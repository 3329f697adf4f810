"""Read one source now and say what it holds, before it is taken into the settings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from iris_harness.bootstrap.day import read_days
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.day import DaySnapshot
from iris_harness.contracts.sources import SourceKind, SourceState

_DAYS = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """How reading one source went."""

    works: bool
    words: str
    """What it holds, or why it cannot be read."""
    warnings: tuple[str, ...] = ()


def try_source(setting: DaySetting) -> Trial:
    """Read the one source of `setting` for the next 7 days."""
    first = setting.default_day()
    snapshots = read_days(setting, [first + dt.timedelta(days=n) for n in range(_DAYS)])
    (status,) = snapshots[0].sources
    if status.state in {SourceState.FAILED, SourceState.STALE}:
        return Trial(works=False, words=f"cannot be read: {status.detail}")
    words = f"reads well: {_content(status.kind, snapshots)}"
    note = f" ({status.detail})" if status.detail else ""
    return Trial(works=True, words=words + note, warnings=snapshots[0].warnings)


def _content(kind: SourceKind, snapshots: Sequence[DaySnapshot]) -> str:
    match kind:
        case SourceKind.CALENDAR:
            events = {(e.uid, e.recurrence_id) for snapshot in snapshots for e in snapshot.events}
            return f"{_counted(len(events), 'event')} in the next {_DAYS} days"
        case SourceKind.CONTACTS:
            birthdays = sum(len(snapshot.birthdays) for snapshot in snapshots)
            return f"{birthdays} birthdays and anniversaries in the next {_DAYS} days"
        case _:
            return _counted(len(snapshots[0].todos), "open todo")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
