"""How an owner's jobs stand, read without SQLAlchemy where a file of SQLite has them.

A day is planned many times for each job that is submitted, and loading SQLAlchemy takes longer
than planning the day.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iris_harness.contracts.day import JobNews, JobStage
from iris_harness.contracts.sources import SourceRef
from iris_harness.errors import StorageError

if TYPE_CHECKING:
    from iris_harness.jobs.database import Database

SOURCE = "jobs"
"""The name of the source."""

MOST = 100
"""How many jobs are read, the newest ones; an older one that is still open is not told of."""

_LONGEST = 500  # letters of a task or a reason that a plan keeps
_WAIT_SECONDS = 2.0

Row = Sequence[Any]


def read_news_file(file: Path, owner: str) -> tuple[JobNews, ...]:
    """Return the newest jobs of `owner` in an existing file, newest first; nothing is changed.

    Those that were cancelled, or are done and reviewed, are left out.

    Raises:
        StorageError: it cannot be read, or has not the form that this program knows.
    """
    address = f"{file.absolute().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(address, timeout=_WAIT_SECONDS, uri=True)) as found:
            return _news(found.execute(_statement(), {"owner": owner, "most": MOST}))
    except sqlite3.Error as error:
        raise StorageError(f"the jobs database: {error}") from error


def read_news(database: Database, owner: str) -> tuple[JobNews, ...]:
    """Return the same of an open database of either kind.

    Raises:
        StorageError: it cannot be reached.
    """
    from sqlalchemy import text  # noqa: PLC0415 - the other way needs none of it

    with database.reading() as connection:
        found = connection.execute(text(_statement()), {"owner": owner, "most": MOST})
        return _news(tuple(row) for row in found)


def _statement() -> str:
    return Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")


def _news(rows: Iterable[Row]) -> tuple[JobNews, ...]:
    jobs = (tuple(group) for _, group in groupby(rows, key=itemgetter(0)))
    return tuple(news for job in jobs if (news := _job(job)) is not None)


def _job(rows: Sequence[Row]) -> JobNews | None:
    """Return a job from a row for each state of its workers; None where it is no news."""
    job_id, request, paused, created_at, reviewed_at = rows[0][:5]
    counts = {row[5]: int(row[6]) for row in rows}
    stage = _stage(counts, is_paused=bool(paused))
    is_over = stage in {JobStage.FAILED, JobStage.REVIEW}
    if stage is None or (is_over and reviewed_at is not None):
        return None
    ended_at = max((row[7] for row in rows if row[7] is not None), default=created_at)
    return JobNews(
        task=_task(request) or job_id,
        stage=stage,
        done=counts.get("succeeded", 0),
        workers=sum(counts.values()),
        since=dt.datetime.fromtimestamp((ended_at if is_over else created_at) // 1000, dt.UTC),
        why=_words(rows[0][8] or "") if stage is JobStage.FAILED else "",
        source=SourceRef(source=SOURCE, locator=job_id),
    )


def _stage(counts: dict[str, int], *, is_paused: bool) -> JobStage | None:
    """Return where a job is, by its workers' states; None when it was cancelled."""
    is_leased, is_waiting = "leased" in counts, not counts.keys().isdisjoint({"ready", "blocked"})
    if is_paused and is_waiting:
        return JobStage.PAUSED
    if is_leased or (is_waiting and "succeeded" in counts):
        return JobStage.RUNNING
    if is_waiting:
        return JobStage.WAITING
    if "failed" in counts:
        return JobStage.FAILED
    return None if "cancelled" in counts else JobStage.REVIEW


def _task(request: str) -> str:
    try:
        return _words(str(json.loads(request)["task"]))
    except (ValueError, KeyError, TypeError):
        return ""


def _words(text: str) -> str:
    """Return text on one line, not too long, and valid Unicode: it may come from anyone."""
    valid = text[: 2 * _LONGEST].encode("utf-8", "replace").decode("utf-8")
    return " ".join(valid.split())[:_LONGEST]
