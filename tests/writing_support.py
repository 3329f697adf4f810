"""Lists and calendars in files, with their readers and writers."""

from __future__ import annotations

import datetime as dt
import itertools
from pathlib import Path

from iris_harness.contracts.changes import Change, ChangeApplier, Standing, TurnTime
from iris_harness.contracts.day import Event, Todo
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceKind
from iris_harness.sources.opening import open_calendar, open_todos
from iris_harness.sources.writing.resources import Resources
from iris_harness.sources.writing.stores import FileStore, FolderStore
from iris_harness.sources.writing.vevents import VeventWriter
from iris_harness.sources.writing.vtodos import VtodoWriter

ZONE = "Europe/Berlin"
AT = TurnTime(now=dt.datetime(2026, 4, 16, 8, tzinfo=dt.UTC), timezone=ZONE)


def window(first: str, last: str = "") -> ReadWindow:
    """Return the days from `first` to `last`, both included, in Berlin."""
    from zoneinfo import ZoneInfo

    start = dt.datetime.fromisoformat(first).replace(tzinfo=ZoneInfo(ZONE))
    end = dt.datetime.fromisoformat(last or first).replace(tzinfo=ZoneInfo(ZONE))
    end = (end.replace(tzinfo=None) + dt.timedelta(days=1)).replace(tzinfo=ZoneInfo(ZONE))
    return ReadWindow(
        start=start.astimezone(dt.UTC), end=end.astimezone(dt.UTC), timezone=ZONE, now=AT.now
    )


def calendar(*components: str, line_end: str = "\r\n") -> bytes:
    """Return a calendar of components, given as their lines."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//y//EN"]
    for component in components:
        lines += [line.rstrip() for line in component.strip().splitlines()]
    return line_end.join([*lines, "END:VCALENDAR", ""]).encode()


class Written:
    """Applies changes, and looks at each step whether the writer knows how they stand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._numbers = itertools.count(1)

    @property
    def applier(self) -> ChangeApplier:
        raise NotImplementedError

    def new_uid(self) -> str:
        return f"new-{next(self._numbers)}"

    def resources(self, kind: SourceKind) -> Resources:
        store = FolderStore if self.path.is_dir() else FileStore
        return Resources("mine", kind, store("mine", self.path))

    @property
    def files(self) -> dict[str, bytes]:
        """Every byte of the source, hidden files included."""
        if self.path.is_dir():
            found = sorted(path for path in self.path.rglob("*") if path.is_file())
            return {path.relative_to(self.path).as_posix(): path.read_bytes() for path in found}
        found = sorted(self.path.parent.iterdir())
        return {path.name: path.read_bytes() for path in found}

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()

    def apply(self, *changes: Change) -> None:
        for change in changes:
            assert Change.from_json(change.to_json()) == change
            assert self.applier.standing(change) is Standing.PENDING
            made = self.applier.apply(change)
            assert made == change
            assert self.applier.standing(change) is Standing.DONE
            assert self.applier.standing(change.inverse()) is Standing.PENDING

    def undo(self, *changes: Change) -> None:
        self.apply(*(change.inverse() for change in reversed(changes)))


class TodoSource(Written):
    @property
    def writer(self) -> VtodoWriter:
        return VtodoWriter(self.resources(SourceKind.TODO), self.new_uid)

    @property
    def applier(self) -> ChangeApplier:
        return self.writer

    def todos(self, day: str = "2026-04-16") -> tuple[Todo, ...]:
        reading = open_todos("mine", self.path).read(window(day))
        assert reading.status.was_read, reading.status
        return reading.items

    def todo(self, title: str, day: str = "2026-04-16") -> Todo:
        return next(todo for todo in self.todos(day) if todo.summary == title)


class EventSource(Written):
    @property
    def writer(self) -> VeventWriter:
        return VeventWriter(self.resources(SourceKind.CALENDAR), {"ada@example.org"}, self.new_uid)

    @property
    def applier(self) -> ChangeApplier:
        return self.writer

    def events(self, first: str = "2026-04-16", last: str = "") -> tuple[Event, ...]:
        reading = open_calendar("mine", self.path).read(window(first, last))
        assert reading.status.was_read, reading.status
        assert not reading.warnings
        return reading.items

    def event(self, title: str, first: str = "2026-04-16", last: str = "") -> Event:
        return next(event for event in self.events(first, last) if event.summary == title)
