"""The reminders in ``iris.db``: set and cancelled with the journal, advanced by the ticker."""

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import NamedTuple

from iris_harness.contracts.reminders import Reminder, ReminderChange, ReminderKind
from iris_harness.errors import ChangedOutsideError
from iris_harness.storage.records import (
    Delivery,
    ReminderState,
    StoredReminder,
    instant_text,
    parse_instant,
)
from iris_harness.storage.session import Session, Values

MOST_AT_ONCE = 50
"""Reminders and deliveries taken up in one go, so that no tick is long; the next takes more."""


class Advance(NamedTuple):
    """That one occurrence of a reminder has come due, and which is next."""

    reminder_id: str
    expected: dt.datetime
    """The occurrence that has come due; aware."""
    next_at: dt.datetime | None
    """The next one; aware. None: it is over."""
    deliveries: tuple[Delivery, ...]
    """What is to be said; () where the occurrence is too old to be of use."""


class ReminderBook:
    """Reads reminders. Thread-safe."""

    def __init__(self, session: Session) -> None:
        """Take the open database."""
        self._session = session

    def active(self) -> tuple[StoredReminder, ...]:
        """Return what will be said, by when it is said next."""
        with self._session.reading():
            rows = self._session.run("list_active", {})
        return self._session.records(read_reminder, rows)

    def ringing(self, now: dt.datetime, *, limit: int = MOST_AT_ONCE) -> tuple[StoredReminder, ...]:
        """Return the reminders whose time has come at `now`, aware, by that time."""
        with self._session.reading():
            rows = self._session.run("list_ringing", {"now": instant_text(now), "limit": limit})
        return self._session.records(read_reminder, rows)

    def find(self, reminder_id: str) -> StoredReminder | None:
        """Return the reminder of this id, whatever its state; None: there is none."""
        with self._session.reading():
            return _find(self._session, reminder_id)


def _find(session: Session, reminder_id: str) -> StoredReminder | None:
    rows = session.run("get_reminder", {"reminder_id": reminder_id})
    return next(iter(session.records(read_reminder, rows)), None)


def advance_reminder(session: Session, advance: Advance, now: dt.datetime) -> bool:
    """Move a reminder on inside an open transaction; False where it was moved or cancelled."""
    state = ReminderState.ACTIVE if advance.next_at is not None else ReminderState.OVER
    values: Values = {
        "reminder_id": advance.reminder_id,
        "expected": instant_text(advance.expected),
        "next_at": None if advance.next_at is None else instant_text(advance.next_at),
        "state": state.value,
        "now": instant_text(now),
    }
    return bool(session.run("advance_reminder", values))


def apply_reminder_change(session: Session, change: ReminderChange, now: dt.datetime) -> None:
    """Set or cancel a reminder inside an open transaction, at an aware instant.

    Raises:
        ChangedOutsideError: it is not as the change says it was.
    """
    known = change.known
    found = _find(session, known.reminder_id)
    active = found.reminder if found and found.state is ReminderState.ACTIVE else None
    if active != change.before or (found and found.state is ReminderState.OVER):
        raise ChangedOutsideError(
            f"“{known.title}” has rung, or was changed, since",
            hint="`iris reminders` shows what is set",
        )
    if change.after is None:
        values: Values = {"reminder_id": known.reminder_id, "now": instant_text(now)}
        session.run("cancel_reminder", values)
        session.run("cancel_deliveries", values)
    else:
        session.run("put_reminder", _values(change.after, now))


def _values(reminder: Reminder, now: dt.datetime) -> Values:
    return {
        "reminder_id": reminder.reminder_id,
        "kind": reminder.kind.value,
        "title": reminder.title,
        "first_at": reminder.first_at.isoformat(),
        "rule": reminder.rule,
        "next_at": instant_text(reminder.first_at),
        "now": instant_text(now),
    }


def read_reminder(row: sqlite3.Row) -> StoredReminder:
    """Return the reminder of a row."""
    return StoredReminder(
        reminder=Reminder(
            reminder_id=row["reminder_id"],
            kind=ReminderKind(row["kind"]),
            title=row["title"],
            first_at=dt.datetime.fromisoformat(row["first_at"]),
            rule=row["rule"],
        ),
        state=ReminderState(row["state"]),
        next_at=None if row["next_at"] is None else parse_instant(row["next_at"]),
        resumed_at=None if row["resumed_at"] is None else parse_instant(row["resumed_at"]),
    )


def exported_reminder(stored: StoredReminder) -> dict[str, object]:
    """Return a reminder as ``iris export`` prints it."""
    return {
        "kind": "reminder",
        "reminder": stored.reminder.to_json(),
        "state": stored.state.value,
        "next_at": None if stored.next_at is None else instant_text(stored.next_at),
    }
