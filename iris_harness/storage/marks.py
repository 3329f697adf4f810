"""Pins and skips of a day, and what the numbers of the last list of todos mean."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Sequence

from iris_harness.contracts.marks import Mark, MarkChange, MarkKind, read_spans
from iris_harness.contracts.sources import SourceRef
from iris_harness.errors import ChangedOutsideError
from iris_harness.storage.records import NumberedItem, instant_text
from iris_harness.storage.session import Session, Values


class DayMarks:
    """The marks in ``iris.db``; they change with the journal only. Thread-safe."""

    def __init__(self, session: Session) -> None:
        """Take the open database."""
        self._session = session

    def get(self, day: dt.date) -> tuple[Mark, ...]:
        """Return the marks of a day, by source and title."""
        with self._session.reading():
            rows = self._session.run("get_marks", {"planned_for": day.isoformat()})
        return self._session.records(read_mark, rows)

    def number(self, items: Sequence[tuple[SourceRef, str]]) -> None:
        """Remember what numbers were shown for: each item's source and title, from 1 on."""
        with self._session.writing():
            self._session.run("delete_numbered", {})
            for number, (source, title) in enumerate(items, start=1):
                self._session.run("put_number", {"number": number, **_key(source, title)})

    def numbered(self) -> tuple[NumberedItem, ...]:
        """Return what the numbers of the last list mean, by number; () when none was shown."""
        with self._session.reading():
            rows = self._session.run("list_numbered", {})
        return self._session.records(_numbered, rows)


def apply_mark_change(session: Session, change: MarkChange, made_at: dt.datetime) -> None:
    """Change a mark inside an open transaction, at an aware instant.

    Raises:
        ChangedOutsideError: the mark is not what the change says it was.
    """
    known = change.before or change.after
    if known is None:
        return
    rows = session.run("find_mark", _mark_key(known))
    found = next(iter(session.records(read_mark, rows)), None)
    if found != change.before:
        raise ChangedOutsideError(
            f"what was decided for “{known.title}” on {known.day} has changed since",
            hint="`iris plan` shows how it is now",
        )
    if change.before is not None:
        session.run("take_mark", _mark_key(change.before))
    if change.after is not None:
        values = {**_mark_values(change.after), "made_at": instant_text(made_at)}
        session.run("put_mark", values)


def _key(source: SourceRef, title: str) -> dict[str, str]:
    return {"source": source.source, "locator": source.locator, "title": title}


def _mark_key(mark: Mark) -> Values:
    return {"planned_for": mark.day.isoformat(), **_key(mark.source, mark.title)}


def _mark_values(mark: Mark) -> Values:
    return {
        **_mark_key(mark),
        "kind": mark.kind.value,
        "spans": json.dumps(mark.spans_json()),
    }


def read_mark(row: sqlite3.Row) -> Mark:
    """Return the mark of a row."""
    return Mark(
        day=dt.date.fromisoformat(row["planned_for"]),
        kind=MarkKind(row["kind"]),
        source=SourceRef(source=row["source"], locator=row["locator"]),
        title=row["title"],
        spans=read_spans(json.loads(row["spans"])),
    )


def _numbered(row: sqlite3.Row) -> NumberedItem:
    source = SourceRef(source=row["source"], locator=row["locator"])
    return NumberedItem(number=row["number"], source=source, title=row["title"])
