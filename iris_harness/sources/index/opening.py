"""Open calendars with an index beside them."""

from __future__ import annotations

from collections.abc import Callable, Collection
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
        opened = self.open_folder if is_folder(path) else self.open_file
        return opened(name, path, me, stale_after_hours=stale_after_hours)

    def open_folder(
        self,
        name: str,
        path: Path,
        me: Collection[str] = (),
        *,
        stale_after_hours: float | None = None,
    ) -> CalendarPort:
        """Return the vdir in `path`, which need not be there yet."""

        def plain() -> CalendarPort:
            from iris_harness.sources.calendars import VdirCalendar

            return VdirCalendar(name, path, me, stale_after_hours=stale_after_hours)

        files = FolderFiles(name, path, addresses(me))
        return self._indexed(name, files, plain, me, stale_after_hours)

    def open_file(
        self,
        name: str,
        path: Path,
        me: Collection[str] = (),
        *,
        stale_after_hours: float | None = None,
    ) -> CalendarPort:
        """Return the calendar in the .ics file `path`, which need not be there yet."""

        def plain() -> CalendarPort:
            from iris_harness.sources.calendars import IcsCalendar

            return IcsCalendar(name, (path,), me, stale_after_hours=stale_after_hours)

        files = SingleFile(name, path, addresses(me))
        return self._indexed(name, files, plain, me, stale_after_hours)

    def _indexed(
        self,
        name: str,
        files: SourceFiles,
        plain: Callable[[], CalendarPort],
        me: Collection[str],
        stale_after_hours: float | None,
    ) -> CalendarPort:
        cache = CacheFile(self._folder, self._stamp)
        index = CalendarIndex(name, files, addresses(me), cache)
        return IndexedCalendar(
            plain, files, index, cache, self._clock, stale_after_hours=stale_after_hours
        )
