"""Every kind of change to the collected files of other programs, each taken back to the letter."""

from __future__ import annotations

import datetime as dt
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.changes import TurnTime
from tests.support import SOAK
from tests.unit.sources.test_corpus import calendar_files, interesting_days
from tests.writing_support import ZONE, Tally, check_events, check_todos, window

pytestmark = [pytest.mark.corpus, pytest.mark.soak, pytest.mark.timeout(3600)]
DAYS_PER_FILE = 12 if SOAK else 2
EVERY = 1 if SOAK else 12
"""Of the files, `make test` takes one of so many: each change is forced to the disk twice."""
MOST = 8 if SOAK else 2
"""Items of each file that are changed."""


def at(day: str) -> TurnTime:
    now = dt.datetime.fromisoformat(day).replace(hour=9, tzinfo=dt.UTC)
    return TurnTime(now=now, timezone=ZONE)


def check_all(files: list[Path], check: Callable[[Path], Tally], folder: Path) -> Tally:
    total, troubles = Tally(), []
    for number, file in enumerate(files):
        own = folder / str(number)
        own.mkdir()
        copy = own / file.name
        shutil.copyfile(file, copy)
        try:
            total += check(copy)
        except Exception:  # noqa: BLE001 - all files are told of together
            troubles.append(f"{file}\n{traceback.format_exc()[-1500:]}")
        shutil.rmtree(own)
    assert not troubles, f"{len(troubles)} troubles:\n" + "\n".join(troubles[:8])
    return total


def test_calendars_are_changed_and_restored(corpus: Path, tmp_path: Path) -> None:
    def check(path: Path) -> Tally:
        total = Tally()
        for day in interesting_days(path.read_bytes(), DAYS_PER_FILE):
            total += check_events(path, at(day), window(day), MOST)
        return total

    files = [path for path in calendar_files(corpus) if path.stat().st_size < 200_000]
    total = check_all(files[::EVERY], check, tmp_path)
    assert total["made"] > 3 * total["refused"]  # the rest are no whole calendars


def test_lists_of_vtodos_are_changed_and_restored(corpus: Path, tmp_path: Path) -> None:
    def check(path: Path) -> Tally:
        return check_todos(path, at("2026-04-16"), window("2026-04-16"), MOST)

    files = [path for path in calendar_files(corpus) if b"BEGIN:VTODO" in path.read_bytes()]
    total = check_all(files[::EVERY], check, tmp_path)
    assert total["made"] > 3 * total["refused"]


def test_todo_txt_files_are_changed_and_restored(corpus: Path, tmp_path: Path) -> None:
    def check(path: Path) -> Tally:
        return check_todos(path, at("2026-04-16"), window("2026-04-16"), MOST)

    files = [path for path in sorted((corpus / "tasks").rglob("*.txt")) if path.is_file()]
    total = check_all(files[:: min(EVERY, 4)], check, tmp_path)
    assert total["made"] > 20 * total["refused"]
