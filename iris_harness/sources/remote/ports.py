"""Remote sources as ports: refresh the copy if that is due, then read it as any other files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from iris_harness.contracts.day import Event, Todo
from iris_harness.contracts.ports import CalendarPort, Reading, ReadWindow, TodoPort
from iris_harness.contracts.sources import SourceKind, SourceState, SourceStatus
from iris_harness.errors import SourceError
from iris_harness.sources.calendars import IcsCalendar, VdirCalendar
from iris_harness.sources.remote.kept_copy import FILE, ITEMS, Copy
from iris_harness.sources.remote.outcome import Outcome
from iris_harness.sources.remote.refreshing import Refresher
from iris_harness.sources.remote.settings import RemoteKind, RemoteSource, missing_extra
from iris_harness.sources.status import age_text, failed
from iris_harness.sources.todo_lists import VtodoList

if TYPE_CHECKING:
    from iris_harness.sources.index.opening import IndexOpener

ItemT = TypeVar("ItemT")


class RemoteCalendar:
    """A calendar on another machine. Implements `CalendarPort`; thread-safe."""

    def __init__(
        self,
        source: RemoteSource,
        refresher: Refresher,
        me: Collection[str] = (),
        index: IndexOpener | None = None,
    ) -> None:
        """Take where it is, who fetches it, the user's own addresses, and the index for the copy.

        Without an index the copy is read anew each time.
        """
        self.name = source.name
        copy = refresher.add(source)
        self._read_copy = _CopyReader(source, refresher, copy, SourceKind.CALENDAR)
        self._port = _calendar(source, _content(source, copy), me, index)

    def read(self, window: ReadWindow) -> Reading[Event]:
        """Return the occurrences that overlap `window`; see `CalendarPort.read`."""
        return self._read_copy.read(window, self._port.read)


class RemoteTodos:
    """A todo list on another machine. Implements `TodoPort`; thread-safe."""

    def __init__(self, source: RemoteSource, refresher: Refresher) -> None:
        """Take where it is and who fetches it."""
        self.name = source.name
        copy = refresher.add(source)
        self._read_copy = _CopyReader(source, refresher, copy, SourceKind.TODO)
        self._port: TodoPort = VtodoList(source.name, _content(source, copy))

    def read(self, window: ReadWindow) -> Reading[Todo]:
        """Return the open todos; see `TodoPort.read`."""
        return self._read_copy.read(window, self._port.read)


def _calendar(
    source: RemoteSource, content: Path, me: Collection[str], index: IndexOpener | None
) -> CalendarPort:
    is_file = source.kind is RemoteKind.ICS
    if index is not None:
        opened = index.open_file if is_file else index.open_folder
        return opened(source.name, content, me)
    if is_file:
        return IcsCalendar(source.name, (content,), me)
    return VdirCalendar(source.name, content, me)


def _content(source: RemoteSource, copy: Copy) -> Path:
    return copy.folder / (FILE if source.kind is RemoteKind.ICS else ITEMS)


class _CopyReader:
    """Says of a reading of the copy what became of its refresh."""

    def __init__(
        self, source: RemoteSource, refresher: Refresher, copy: Copy, kind: SourceKind
    ) -> None:
        self._source = source
        self._refresher = refresher
        self._copy = copy
        self._kind = kind

    def read(
        self, window: ReadWindow, read_files: Callable[[ReadWindow], Reading[ItemT]]
    ) -> Reading[ItemT]:
        if missing := missing_extra(self._source.kind):
            return Reading(status=self._failed(missing))
        try:
            outcome = self._refresher.refresh(self._source, window.now)
        except SourceError as error:
            outcome = Outcome(reasons=(error.message,), unread=self._copy.state() is None)
            if outcome.unread:
                return Reading(status=self._failed(error.message))
        with self._copy.shared():
            reading = read_files(window)
        if not reading.status.was_read:  # the copy itself is damaged
            return reading
        return replace(reading, status=self._status(reading.status, outcome, window.now))

    def _status(self, read: SourceStatus, outcome: Outcome, now: dt.datetime) -> SourceStatus:
        reason = "; ".join(outcome.reasons)
        if outcome.unread:
            return self._failed(reason)
        age = self._age_seconds(now)
        if reason:
            detail = f"{reason}; this is the copy of {age_text(age)} ago"
            return replace(read, state=SourceState.STALE, age_seconds=age, detail=detail)
        limit = self._source.stale_after_hours
        if limit is not None and age > limit * 3600:
            detail = f"last asked {age_text(age)} ago; it should be at most {limit:g} h"
            return replace(read, state=SourceState.STALE, age_seconds=age, detail=detail)
        detail = "the server holds no items" if read.state is SourceState.EMPTY else ""
        return replace(read, age_seconds=age, detail=detail)

    def _age_seconds(self, now: dt.datetime) -> int:
        known = self._copy.state()
        return 0 if known is None else max(int((now - known.read_at).total_seconds()), 0)

    def _failed(self, reason: str) -> SourceStatus:
        return failed(self._source.name, self._kind, reason)
