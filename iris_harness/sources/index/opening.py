"""Open calendars with an index beside them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.ports import CalendarPort
from iris_harness.files import is_folder
from iris_harness.sources.ical.attendance import addresses
from iris_harness.sources.index.database import CacheFile
from iris_harness.sources.index.files import FolderFiles, SingleFile, SourceFiles
from iris_harness.sources.index.index import CalendarIndex
from iris_harness.sources.index.port import IndexedCalendar
from iris_harness.sources.index.stamp import reader_stamp
from iris_harness.sources.opening import open_calendar


class IndexOpener:
    """Opens calendars that share an index file."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Take the folder of what can be rebuilt, and the machine's clock.

        Nothing is created before a calendar is read. The clock must be the machine's even when
        the plan is for another "now": it is compared with times of files.
        """
        self._folder = folder
        self._clock = clock
        self._stamp = reader_stamp()

    def open_calendar(
        self,
        name: str,
        path: Path,
        me: Collection[str] = (),
        *,
        stale_after_hours: float | None = None,
    ) -> CalendarPort:
        """Return the calendar in `path`, as `sources.opening.open_calendar` does."""
        own = addresses(me)
        files: SourceFiles = SingleFile(name, path, own)
        if is_folder(path):
            files = FolderFiles(name, path, own)
        cache = CacheFile(self._folder, self._stamp)
        return IndexedCalendar(
            lambda: open_calendar(name, path, me, stale_after_hours=stale_after_hours),
            files,
            CalendarIndex(name, files, own, cache),
            cache,
            self._clock,
            stale_after_hours=stale_after_hours,
        )
