"""Lists and calendars in files, with their readers and writers."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from iris_harness.contracts.changes import (
    Change,
    ChangeApplier,
    EventDraft,
    Standing,
    TodoDraft,
    TodoEdit,
    TurnTime,
)
from iris_harness.contracts.day import Event, Todo
from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceKind, SourceRef
from iris_harness.errors import WriteError
from iris_harness.sources.opening import open_calendar, open_todos
from iris_harness.sources.writing.opening import open_event_writer, open_todo_writer
from iris_harness.sources.writing.resources import Resources
from iris_harness.sources.writing.stores import FileStore, FolderStore
from iris_harness.sources.writing.vevents import VeventWriter
from iris_harness.sources.writing.vtodos import VtodoWriter

ZONE = "Europe/Berlin"
AT = TurnTime(now=dt.datetime(2026, 4, 16, 8, tzinfo=dt.UTC), timezone=ZONE)


def window(first: str, last: str = "") -> ReadWindow:
    """Return the days from `first` to `last`, both included, in Berlin."""
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
        return files_below(self.path)

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


class Tally(Counter[str]):
    """How many changes were made and taken back, and how many were refused in words."""


def check_todos(path: Path, at: TurnTime, when: ReadWindow, most: int = 20) -> Tally:
    """Make every kind of change to the todos of a list, and take each back."""
    tally = Tally()
    port, writer = open_todos("mine", path), open_todo_writer("mine", path)
    kept = port.read(when).items

    def done(changes: Sequence[Change], todo: Todo | None) -> None:
        left = port.read(when).items
        if todo is None:
            assert len(left) == len(kept) + 1
            assert any(found.summary == "written by a test" for found in left)
            return
        now, twins = (
            [found for found in items if _read_as(found) == _read_as(todo)]
            for items in (left, kept)
        )
        assert len(now) < len(twins) or changes == ()

    draft = TodoDraft(summary="written by a test", due=dt.date(2026, 5, 1), priority=4)
    _check(path, writer, lambda: writer.add(draft, at), lambda made: done(made, None), tally)
    for todo in kept[:most]:
        edits = (
            TodoEdit(due=dt.date(2033, 2, 3)),
            TodoEdit(summary="another; title, ü"),
            TodoEdit(priority=5, estimate_minutes=25, start=dt.date(2026, 1, 2)),
        )
        plans: list[Callable[[], tuple[Change, ...]]] = [
            partial(writer.done, todo, at),
            partial(writer.delete, todo, at),
            *(partial(writer.edit, todo, edit, at) for edit in edits),
        ]
        for plan in plans:
            _check(path, writer, plan, partial(_call_with, done, todo), tally)
    return tally


def _read_as(todo: Todo) -> Todo:
    return replace(todo, uid="", source=SourceRef(source="mine"))


def _call_with(
    check: Callable[[Sequence[Change], Todo | None], None],
    todo: Todo,
    changes: Sequence[Change],
) -> None:
    check(changes, todo)


def check_events(path: Path, at: TurnTime, when: ReadWindow, most: int = 8) -> Tally:
    """Make every kind of change to the events of a calendar, and take each back."""
    tally = Tally()
    port, writer = open_calendar("mine", path), open_event_writer("mine", path)
    kept = port.read(when).items

    def others(event: Event) -> list[Event]:
        return [found for found in port.read(when).items if _same(found) != _same(event)]

    start, end = when.start + dt.timedelta(hours=3), when.start + dt.timedelta(hours=4)
    draft = EventDraft(summary="written by a test", start=start, end=end, location="here")

    def is_added(_: Sequence[Change]) -> None:
        found = [event for event in port.read(when).items if event.summary == draft.summary]
        assert [(event.start, event.end, event.location) for event in found] == [
            (start, end, "here")
        ]

    _check(path, writer, lambda: writer.add(draft, at), is_added, tally)
    for event in kept[:most]:
        before = others(event)

        def is_gone(_: Sequence[Change], event: Event = event) -> None:
            assert _same(event) not in {_same(found) for found in port.read(when).items}

        def is_moved(
            changes: Sequence[Change], event: Event = event, before: list[Event] = before
        ) -> None:
            if not changes:
                return
            found = [one for one in port.read(when).items if _same(one) == _same(event)]
            assert [one.start for one in found] == [_target(event, when)]
            if not any("the rest is cut" in warning for warning in port.read(when).warnings):
                assert [_shown(one) for one in others(event)] == [_shown(one) for one in before]

        target = _target(event, when)
        _check(path, writer, partial(writer.move, event, target, None, at), is_moved, tally)
        _check(path, writer, partial(writer.delete, event, at), is_gone, tally)
        whole = partial(writer.delete, event, at, whole_series=True)
        _check(path, writer, whole, is_gone, tally)
    return tally


def _target(event: Event, when: ReadWindow) -> dt.date | dt.datetime:
    if isinstance(event.start, dt.datetime):
        return when.start + dt.timedelta(hours=7, minutes=5)
    return when.start.astimezone(ZoneInfo(when.timezone)).date()


def _same(event: Event) -> tuple[str, str, str]:
    return event.uid, event.recurrence_id, event.summary


def _shown(event: Event) -> tuple[object, ...]:
    return event.summary, event.start, event.end, event.busy, event.location


def _check(
    path: Path,
    writer: ChangeApplier,
    plan: Callable[[], tuple[Change, ...]],
    check: Callable[[tuple[Change, ...]], None],
    tally: Tally,
) -> None:
    before = files_below(path)
    try:
        changes = plan()
    except WriteError:
        tally["refused"] += 1
        changes = ()
    else:
        assert files_below(path) == before
        made = [writer.apply(change) for change in changes]
        assert all(writer.standing(change) is Standing.DONE for change in changes)
        check(changes)
        for change in reversed(made):
            writer.apply(change.inverse())
        tally["made"] += 1
    assert files_below(path) == before


def files_below(path: Path) -> dict[str, bytes]:
    """Return every byte of a source, hidden files of its folder included."""
    folder = path if path.is_dir() else path.parent
    found = sorted(one for one in folder.rglob("*") if one.is_file())
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in found}
