"""The journal: every change is written down before it is made, with what takes it back.

An entry is `intended` until its change is made or given up. One that a crash left so is found at
the next start, and whoever can read the source says how it ended.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Sequence

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.marks import MarkChange
from iris_harness.contracts.reminders import ReminderChange
from iris_harness.errors import NotUndoableError, RecordNotFoundError
from iris_harness.storage.marks import apply_mark_change
from iris_harness.storage.records import EntryState, JournalEntry, instant_text, parse_instant
from iris_harness.storage.reminders import apply_reminder_change
from iris_harness.storage.session import Session, Values


class Journal:
    """The entries in ``iris.db``. Thread-safe, and safe beside other processes."""

    def __init__(self, session: Session, clock: Clock) -> None:
        """Take the open database, and the clock that dates entries."""
        self._session = session
        self._clock = clock

    def begin(self, entry: JournalEntry) -> int:
        """Write down what is about to be done and return its number; it survives a power cut.

        Raises:
            NotUndoableError: it takes back an entry that is not done, or is being taken back.
            StorageError: it cannot be written; nothing may be changed then.
        """
        with self._session.writing_durably():
            if entry.undoes is not None:
                self._check_undoable(entry.undoes)
            (row,) = self._session.run("begin_entry", _values(entry))
            return int(row["entry_id"])

    def _check_undoable(self, entry_id: int) -> None:
        found = self._session.records(
            read_entry, self._session.run("get_entry", {"entry_id": entry_id})
        )
        if not found or found[0].state is not EntryState.DONE:
            raise NotUndoableError(f"change {entry_id} is not in force any more")
        intended = self._session.records(read_entry, self._session.run("list_intended", {}))
        if any(one.undoes == entry_id for one in intended):
            raise NotUndoableError(f"change {entry_id} is being undone by another Iris")

    def finish(
        self,
        entry_id: int,
        *,
        payload: str,
        marks: Sequence[MarkChange] = (),
        reminders: Sequence[ReminderChange] = (),
        detail: str = "",
    ) -> None:
        """Say that an entry is done, and change the marks and reminders of it, all in one.

        The entry it takes back becomes `undone`; where that one was an undo itself, what it had
        taken back is in force again, and so on.

        Raises:
            ChangedOutsideError: a mark or reminder is not as it was said to be; nothing is written.
            StorageError: it cannot be written.
        """
        with self._session.writing_durably():
            for change in marks:
                apply_mark_change(self._session, change, self._clock.now())
            for one in reminders:
                apply_reminder_change(self._session, one, self._clock.now())
            undone = self._end(entry_id, EntryState.DONE, payload, detail)
            state = EntryState.UNDONE
            while undone is not None:
                rows = self._session.run("set_state", {"entry_id": undone, "state": state.value})
                undone = rows[0]["undoes"] if rows else None
                state = EntryState.DONE if state is EntryState.UNDONE else EntryState.UNDONE

    def fail(self, entry_id: int, *, payload: str, detail: str) -> None:
        """Say that an entry was given up and nothing is changed; `detail` says why."""
        with self._session.writing():
            self._end(entry_id, EntryState.FAILED, payload, detail)

    def _end(self, entry_id: int, state: EntryState, payload: str, detail: str) -> int | None:
        values: Values = {
            "entry_id": entry_id,
            "state": state.value,
            "detail": detail,
            "payload": payload,
            "ended_at": instant_text(self._clock.now()),
        }
        rows = self._session.run("end_entry", values)
        undoes: int | None = rows[0]["undoes"] if rows else None
        return undoes

    def get(self, entry_id: int) -> JournalEntry:
        """Return an entry.

        Raises:
            RecordNotFoundError: there is none of this number.
        """
        with self._session.reading():
            rows = self._session.run("get_entry", {"entry_id": entry_id})
        if not rows:
            raise RecordNotFoundError(
                f"there is no change {entry_id}", hint="`iris history` lists them"
            )
        return self._session.records(read_entry, rows)[0]

    def find_last(self) -> JournalEntry | None:
        """Return the newest entry in force that somebody asked for; None when there is none."""
        with self._session.reading():
            rows = self._session.run("find_last_done", {})
        return next(iter(self._session.records(read_entry, rows)), None)

    def list_later(self, entry_id: int) -> tuple[JournalEntry, ...]:
        """Return the entries in force that are newer than this one, newest first."""
        with self._session.reading():
            rows = self._session.run("list_later", {"entry_id": entry_id})
        return self._session.records(read_entry, rows)

    def list_intended(self) -> tuple[JournalEntry, ...]:
        """Return the entries whose end is not known, oldest first."""
        with self._session.reading():
            rows = self._session.run("list_intended", {})
        return self._session.records(read_entry, rows)

    def list(self, *, limit: int = 100) -> tuple[JournalEntry, ...]:
        """Return entries, newest first."""
        with self._session.reading():
            rows = self._session.run("list_entries", {"limit": limit})
        return self._session.records(read_entry, rows)


def _values(entry: JournalEntry) -> Values:
    return {
        "begun_at": instant_text(entry.begun_at),
        "session": entry.session,
        "kind": entry.kind,
        "preview": entry.preview,
        "outcome": entry.outcome,
        "target": entry.target,
        "payload": entry.payload,
        "undoable": int(entry.undoable),
        "undoes": entry.undoes,
    }


def read_entry(row: sqlite3.Row) -> JournalEntry:
    """Return the entry of a row."""
    return JournalEntry(
        entry_id=row["entry_id"],
        begun_at=parse_instant(row["begun_at"]),
        session=row["session"],
        kind=row["kind"],
        preview=row["preview"],
        outcome=row["outcome"],
        target=row["target"],
        payload=row["payload"],
        undoable=bool(row["undoable"]),
        undoes=row["undoes"],
        state=EntryState(row["state"]),
        detail=row["detail"],
        ended_at=_instant_or_none(row["ended_at"]),
    )


def _instant_or_none(text: str | None) -> dt.datetime | None:
    return None if text is None else parse_instant(text)


def exported_entry(entry: JournalEntry) -> dict[str, object]:
    """Return an entry as ``iris export`` prints it."""
    return {
        "kind": "change",
        "id": entry.entry_id,
        "begun_at": instant_text(entry.begun_at),
        "session": entry.session,
        "action": entry.kind,
        "said": entry.outcome,
        "target": entry.target,
        "undoes": entry.undoes,
        "state": entry.state.value,
        "detail": entry.detail,
        "changes": json.loads(entry.payload),
    }
