"""Calendars in files: one or more .ics files, or a vdir. Implements `CalendarPort`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind
from iris_harness.sources.calendar_reading import Found, reading_of
from iris_harness.sources.ical.attendance import addresses
from iris_harness.sources.ical.events import EventReader
from iris_harness.sources.status import failed
from iris_harness.sources.streams import Loaded, load_files, load_folder


class IcsCalendar:
    """One or more .ics files as one calendar. Reads them anew each time; thread-safe."""

    def __init__(
        self,
        name: str,
        paths: Sequence[Path],
        me: Collection[str] = (),
        *,
        stale_after_hours: float | None = None,
    ) -> None:
        """Take the calendar's name, its files, and the user's own addresses.

        Args:
            name: unique among calendars.
            paths: files; one that cannot be read makes the calendar `failed`, the others count.
            me: mail addresses, with or without ``mailto:``; what they declined takes no time.
            stale_after_hours: age of the newest file from which it is `stale`; None: never.
        """
        self.name = name
        self._paths = tuple(paths)
        self._me = addresses(me)
        self._stale_after_hours = stale_after_hours

    def read(self, window: ReadWindow) -> Reading[Event]:
        """Return the occurrences that overlap `window`; see `CalendarPort.read`."""
        try:
            loaded = load_files(self.name, self._paths)
            return _read(self.name, loaded, window, self._me, self._stale_after_hours)
        except Exception as error:  # noqa: BLE001 - the source's boundary: a reading never raises
            return _broken(self.name, error)


class VdirCalendar:
    """A folder with one .ics file per item, or a folder of such folders, as one calendar.

    Reads it anew each time; thread-safe.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        me: Collection[str] = (),
        *,
        stale_after_hours: float | None = None,
    ) -> None:
        """Take the calendar's name, its folder, and the user's own addresses."""
        self.name = name
        self._folder = folder
        self._me = addresses(me)
        self._stale_after_hours = stale_after_hours

    def read(self, window: ReadWindow) -> Reading[Event]:
        """Return the occurrences that overlap `window`; see `CalendarPort.read`."""
        try:
            loaded = load_folder(self.name, self._folder)
            return _read(self.name, loaded, window, self._me, self._stale_after_hours)
        except Exception as error:  # noqa: BLE001 - the source's boundary: a reading never raises
            return _broken(self.name, error)


def _broken(name: str, error: Exception) -> Reading[Event]:
    detail = f"could not be read ({type(error).__name__}: {error})"
    return Reading(status=failed(name, SourceKind.CALENDAR, detail))


def _read(
    name: str,
    loaded: Loaded,
    window: ReadWindow,
    me: frozenset[str],
    stale_after_hours: float | None,
) -> Reading[Event]:
    reader = EventReader(name, loaded.streams, window, me)
    events = tuple(reader.read())
    found = Found(events, tuple(reader.warnings), reader.holds_anything)
    return reading_of(name, loaded, found, window, stale_after_hours)
