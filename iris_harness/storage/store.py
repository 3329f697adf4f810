"""`IrisStore`: save, find, export and forget plans and turns; with it the journal and the marks."""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from iris_harness.contracts.clock import Clock
from iris_harness.errors import AmbiguousIdError, RecordNotFoundError, StorageError, UsageError
from iris_harness.storage.database import (
    BACKUP_FOLDER,
    FILE_NAME,
    connect,
    open_database,
    pragma,
    translated_errors,
)
from iris_harness.storage.deliveries import DeliveryBook, exported_delivery, read_delivery
from iris_harness.storage.journal import Journal, exported_entry, read_entry
from iris_harness.storage.logins import Logins
from iris_harness.storage.marks import DayMarks, read_mark
from iris_harness.storage.queries import load_migrations, load_queries
from iris_harness.storage.records import (
    Deleted,
    PlanOrigin,
    PlanSummary,
    StoredPlan,
    StoredTurn,
    instant_text,
    parse_instant,
)
from iris_harness.storage.reminders import ReminderBook, exported_reminder, read_reminder
from iris_harness.storage.session import Session, Values, written

SHORTEST_PREFIX = 6  # characters of an id that are accepted for the whole
_PREFIX = re.compile(r"[0-9a-f]{1,64}")
_AFTER_HEX = "g"  # sorts after every hexadecimal digit
_FILES = ("store.sql", "journal.sql", "logins.sql", "briefing.sql")
_DELETING = {  # statements: of plans, of turns, of the journal, of what hangs on them
    "all": ("delete_all_plans", "delete_all_turns", "delete_all_journal", "delete_all_marks",
            "delete_numbered", "delete_all_logins", "delete_schedules", "delete_all_reminders",
            "delete_all_deliveries"),
    "before": ("delete_plans_before", "delete_turns_before", "delete_journal_before",
               "delete_marks_before", "delete_reminders_before", "delete_deliveries_before"),
    "session": ("delete_plans_of_session", "delete_turns_of_session",
                "delete_journal_of_session"),
}  # fmt: skip


class IrisStore:
    """Plans and turns in ``iris.db``. Thread-safe, and safe beside other processes."""

    def __init__(self, connection: sqlite3.Connection, file: Path, clock: Clock) -> None:
        self._connection = connection
        self._file = file
        self._clock = clock
        self._queries = {
            name: statement for file in _FILES for name, statement in load_queries(file).items()
        }
        self._session = Session(connection, file, self._queries)
        self.journal = Journal(self._session, clock)
        self.marks = DayMarks(self._session)
        self.logins = Logins(self._session)
        self.deliveries = DeliveryBook(self._session)
        self.reminders = ReminderBook(self._session)

    @classmethod
    def open(cls, folder: Path, clock: Clock) -> Self:
        """Open the store in `folder`; create it, or bring it up to date after a copy was made.

        Raises:
            DatabaseNewerError: a newer program has written it; it was not touched.
            StorageError: it cannot be opened, or is damaged; it was not touched.
        """
        file = folder / FILE_NAME
        connection = open_database(file, load_migrations(), stamp(clock))
        return cls(connection, file, clock)

    def close(self) -> None:
        """Close the file; the last process that does so leaves one file behind."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # Plans

    def save_plan(self, plan: StoredPlan) -> None:
        """Store a plan. A plan that is there already keeps its bytes."""
        summary = plan.summary
        values: Values = {
            "plan_id": summary.plan_id,
            "planned_for": summary.date.isoformat(),
            "timezone": summary.timezone,
            "origin": summary.origin.value,
            "session": summary.session,
            "made_at": instant_text(summary.made_at),
            "payload": plan.payload,
            "public_json": plan.public_json,
            "shown_text": plan.text,
        }
        with self._session.writing():
            self._session.run("save_plan", values)

    def get_plan(self, plan_id: str) -> StoredPlan:
        """Return a plan by its id, or by as much of its start as is unique.

        Raises:
            UsageError: fewer than 6 characters, or no hexadecimal text.
            RecordNotFoundError: no plan has this id.
            AmbiguousIdError: several plans begin so; it lists them.
        """
        prefix = _checked_prefix(plan_id)
        with self._session.reading():
            ids = self._session.run(
                "find_plan_ids", {"from_id": prefix, "to_id": prefix + _AFTER_HEX}
            )
            candidates = tuple(str(row["plan_id"]) for row in ids)
            if not candidates:
                raise RecordNotFoundError(
                    f"no stored plan has the id {plan_id}", hint="`iris history` lists them"
                )
            if len(candidates) > 1:
                raise AmbiguousIdError(prefix, candidates)
            rows = self._session.run("get_plan", {"plan_id": candidates[0]})
        return self._session.records(_stored_plan, rows)[0]

    def find_latest_plan(self, day: dt.date) -> StoredPlan | None:
        """Return the plan last shown for a day from the configured sources; None: none was."""
        with self._session.reading():
            rows = self._session.run("find_latest_plan", {"planned_for": day.isoformat()})
        return next(iter(self._session.records(_stored_plan, rows)), None)

    def list_plans(
        self, *, day: dt.date | None = None, limit: int = 100
    ) -> tuple[PlanSummary, ...]:
        """Return plans, newest first; with `day` only those made for it."""
        name = "list_plans" if day is None else "list_plans_of_day"
        planned_for = "" if day is None else day.isoformat()
        with self._session.reading():
            rows = self._session.run(name, {"limit": limit, "planned_for": planned_for})
        return self._session.records(_plan_summary, rows)

    # Turns

    def save_turn(self, turn: StoredTurn) -> None:
        """Store a turn.

        Raises:
            StorageError: a turn with this trace id is there already.
        """
        json.loads(turn.trace)  # a trace that is no JSON is a mistake of ours: it must not be kept
        values: Values = {
            "trace_id": turn.trace_id,
            "session": turn.session,
            "asked_at": instant_text(turn.asked_at),
            "utterance": turn.utterance,
            "trace": turn.trace,
            "reply": turn.reply,
        }
        with self._session.writing():
            self._session.run("save_turn", values)

    def get_turn(self, trace_id: str) -> StoredTurn:
        """Return a turn.

        Raises:
            RecordNotFoundError: no turn has this id.
        """
        with self._session.reading():
            rows = self._session.run("get_turn", {"trace_id": trace_id})
        if not rows:
            raise RecordNotFoundError(f"no stored turn has the id {trace_id}")
        return self._session.records(_stored_turn, rows)[0]

    def list_turns(self, *, session: str | None = None, limit: int = 100) -> tuple[StoredTurn, ...]:
        """Return turns, newest first; with `session` only those of one conversation."""
        name = "list_turns" if session is None else "list_turns_of_session"
        with self._session.reading():
            rows = self._session.run(name, {"limit": limit, "session": session or ""})
        return self._session.records(_stored_turn, rows)

    # Taking out and taking away

    def export(self) -> Iterator[str]:
        """Yield everything as JSON lines (without line ends).

        Plans, turns, changes, marks, reminders, deliveries; each oldest first.

        It reads one moment of the database, on a connection of its own.
        """
        with translated_errors(self._file), contextlib.closing(connect(self._file)) as reader:
            reader.execute("BEGIN")
            for row in reader.execute(self._queries["export_plans"]):
                (plan,) = self._session.records(_stored_plan, [row])
                yield _json_line(_exported_plan(plan))
            for row in reader.execute(self._queries["export_turns"]):
                (turn,) = self._session.records(_stored_turn, [row])
                yield _json_line(_exported_turn(turn))
            for row in reader.execute(self._queries["export_journal"]):
                (entry,) = self._session.records(read_entry, [row])
                yield _json_line(exported_entry(entry))
            for row in reader.execute(self._queries["export_marks"]):
                (mark,) = self._session.records(read_mark, [row])
                yield _json_line({"kind": "mark", "mark": mark.to_json()})
            for row in reader.execute(self._queries["export_reminders"]):
                (reminder,) = self._session.records(read_reminder, [row])
                yield _json_line(exported_reminder(reminder))
            for row in reader.execute(self._queries["export_deliveries"]):
                (delivery,) = self._session.records(read_delivery, [row])
                yield _json_line(exported_delivery(delivery))

    def prune(self, retain_days: int) -> Deleted:
        """Delete what was stored more than `retain_days` days ago; 0 keeps everything."""
        if retain_days <= 0:
            return Deleted()
        before = self._clock.now() - dt.timedelta(days=retain_days)
        return self._delete("before", {"before": instant_text(before)})

    def forget_all(self) -> Deleted:
        """Delete all that is kept, and Iris' own copies, so that no byte stays on the disk.

        What was changed in the user's calendars and lists stays changed; it cannot be undone then.

        Raises:
            StorageError: another process reads at this moment, so that its view had to be kept.
        """
        return self._forget("all", {})

    def forget_before(self, instant: dt.datetime) -> Deleted:
        """Delete what was stored before an aware `instant`; otherwise as `forget_all`."""
        return self._forget("before", {"before": instant_text(instant)})

    def forget_session(self, session: str) -> Deleted:
        """Delete the turns and plans of one conversation; otherwise as `forget_all`."""
        return self._forget("session", {"session": session})

    def _forget(self, which: str, values: Mapping[str, str]) -> Deleted:
        deleted = self._delete(which, values)
        with self._session.reading():
            self._connection.execute("VACUUM")  # rewrites the file without its free pages
            busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        backups = self._remove_own_backups()
        if busy:
            raise StorageError(
                "the records are deleted, but another Iris still reads, so their bytes remain",
                hint="close it and run `iris forget` again",
            )
        return deleted._replace(backups=backups)

    def _delete(self, which: str, values: Mapping[str, str]) -> Deleted:
        with self._session.writing():
            counts = [
                self._connection.execute(self._queries[name], written(values)).rowcount
                for name in _DELETING[which]
            ]
        plans, turns, entries, *_ = counts
        return Deleted(plans=plans, turns=turns, entries=entries)

    def _remove_own_backups(self) -> int:
        copies = sorted((self._file.parent / BACKUP_FOLDER).glob("*"))
        with translated_errors(self._file):
            for copy in copies:
                copy.unlink()
        return len(copies)

    def check(self) -> tuple[str, ...]:
        """Return what SQLite finds wrong in the file; empty when it is sound."""
        with self._session.reading():
            found = str(pragma(self._connection, "quick_check"))
        return () if found == "ok" else tuple(found.splitlines())


def stamp(clock: Clock) -> str:
    """Return the current instant as part of a file's name."""
    return clock.now().strftime("%Y%m%dT%H%M%S%fZ")


def _checked_prefix(text: str) -> str:
    prefix = text.strip().lower()
    if len(prefix) < SHORTEST_PREFIX or not _PREFIX.fullmatch(prefix):
        raise UsageError(
            f"{text!r} is no plan id",
            hint=f"give at least {SHORTEST_PREFIX} of its hexadecimal digits",
        )
    return prefix


def _plan_summary(row: sqlite3.Row) -> PlanSummary:
    return PlanSummary(
        plan_id=row["plan_id"],
        date=dt.date.fromisoformat(row["planned_for"]),
        timezone=row["timezone"],
        origin=PlanOrigin(row["origin"]),
        made_at=parse_instant(row["made_at"]),
        session=row["session"],
    )


def _stored_plan(row: sqlite3.Row) -> StoredPlan:
    return StoredPlan(
        summary=_plan_summary(row),
        payload=bytes(row["payload"]),
        public_json=row["public_json"],
        text=row["shown_text"],
    )


def _stored_turn(row: sqlite3.Row) -> StoredTurn:
    return StoredTurn(
        trace_id=row["trace_id"],
        session=row["session"],
        asked_at=parse_instant(row["asked_at"]),
        utterance=row["utterance"],
        trace=row["trace"],
        reply=row["reply"],
    )


def _exported_plan(plan: StoredPlan) -> dict[str, object]:
    summary = plan.summary
    return {
        "kind": "plan",
        "plan_id": summary.plan_id,
        "date": summary.date.isoformat(),
        "timezone": summary.timezone,
        "origin": summary.origin.value,
        "session": summary.session,
        "made_at": instant_text(summary.made_at),
        "plan": _as_json(plan.public_json),
        "text": plan.text,
        "archive": _as_json(plan.payload),
    }


def _exported_turn(turn: StoredTurn) -> dict[str, object]:
    return {
        "kind": "turn",
        "trace_id": turn.trace_id,
        "session": turn.session,
        "asked_at": instant_text(turn.asked_at),
        "utterance": turn.utterance,
        "reply": turn.reply,
        "trace": _as_json(turn.trace),
    }


def _as_json(content: str | bytes) -> object:
    """Return JSON as what it says, other text as it is, other bytes in base 64."""
    try:
        return json.loads(content)
    except UnicodeDecodeError:
        return base64.b64encode(bytes(content)).decode() if isinstance(content, bytes) else content
    except ValueError:
        return content if isinstance(content, str) else base64.b64encode(content).decode()


def _json_line(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
