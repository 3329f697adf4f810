"""Calendars with an index, and file systems and clocks as they should not be."""

from __future__ import annotations

import array
import datetime as dt
import stat
from pathlib import Path
from zoneinfo import ZoneInfo

from iris_harness.clock import SystemClock
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.files import SourceFile
from iris_harness.sources.ical.attendance import addresses
from iris_harness.sources.index.database import CacheFile
from iris_harness.sources.index.files import (
    NOT_THERE,
    FolderFiles,
    SingleFile,
    SourceFiles,
    Sweep,
)
from iris_harness.sources.index.index import CalendarIndex
from iris_harness.sources.index.port import IndexedCalendar
from iris_harness.sources.index.stamp import reader_stamp
from iris_harness.sources.opening import open_calendar

ME = ("ada@example.org",)
COARSE_SECONDS = 2


class CoarseFiles:
    """Files of a file system that tells times two seconds apart and numbers nothing, as FAT."""

    def __init__(self, files: SourceFiles) -> None:
        self._files = files
        self.key = files.key
        self.must_be_readable = files.must_be_readable

    def sweep(self) -> Sweep:
        found = self._files.sweep()
        unit = COARSE_SECONDS * 10**9
        numbers = array.array("q", found.identities)
        for place in range(0, len(numbers), 5):
            for time in (place, place + 1):
                numbers[time] = numbers[time] // unit * unit
            numbers[place + 3] = 0
        return found._replace(identities=numbers)

    def folder_modified_at(self) -> float | None:
        return self._files.folder_modified_at()

    def label(self, name: str) -> str:
        return self._files.label(name)

    def read(self, name: str) -> SourceFile:
        return self._files.read(name)


class UnsizedFile(SingleFile):
    """A file that is made as it is read, as in /proc: nothing shows that it changed."""

    def __init__(self, text: bytes) -> None:
        super().__init__("cal", Path("unsized.ics"), addresses(ME))
        self.text = text

    def sweep(self) -> Sweep:
        identity = (10**9, 10**9, 0, 1, stat.S_IFREG)
        return Sweep("/\0only.ics", array.array("q", (*NOT_THERE, *identity)))

    def read(self, name: str) -> SourceFile:
        return SourceFile(label=self.label(name), data=self.text, modified_at=1.0)


class JumpingClock:
    """The machine's clock, set wrong by as much as one likes."""

    def __init__(self) -> None:
        self.wrong_by = dt.timedelta()

    def now(self) -> dt.datetime:
        return SystemClock().now() + self.wrong_by

    def monotonic(self) -> float:
        return SystemClock().monotonic()


def indexed(
    cache: Path,
    path: Path,
    *,
    clock: Clock | None = None,
    coarse: bool = False,
    files: SourceFiles | None = None,
    stamp: str = "",
    stale_after_hours: float | None = None,
) -> IndexedCalendar:
    """Return the calendar in `path` with its index in the folder `cache`."""
    own = addresses(ME)
    if files is None and path.is_dir():
        files = FolderFiles("cal", path, own)
    files = files or SingleFile("cal", path, own)
    if coarse:
        files = CoarseFiles(files)
    kept = CacheFile(cache, stamp or reader_stamp())
    return IndexedCalendar(
        lambda: open_calendar("cal", path, ME, stale_after_hours=stale_after_hours),
        files,
        CalendarIndex("cal", files, own, kept),
        kept,
        clock or SystemClock(),
        stale_after_hours=stale_after_hours,
    )


def days(first: str | dt.date, count: int = 1, zone: str = "Europe/Berlin") -> ReadWindow:
    """Return the window of `count` days."""
    day = dt.date.fromisoformat(first) if isinstance(first, str) else first
    tz = ZoneInfo(zone)
    start = dt.datetime.combine(day, dt.time(), tz)
    end = dt.datetime.combine(day + dt.timedelta(days=count), dt.time(), tz)
    return ReadWindow(start=start, end=end, timezone=zone, now=start)
