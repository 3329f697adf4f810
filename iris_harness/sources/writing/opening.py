"""Choose the writer for a path, as `sources.opening` chooses the reader."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from iris_harness.contracts.changes import BlockWriter, EventWriter, TodoWriter
from iris_harness.contracts.sources import SourceKind
from iris_harness.files import is_folder
from iris_harness.sources.ical.attendance import addresses
from iris_harness.sources.opening import find_todo_txt
from iris_harness.sources.writing.blocks import BlockCalendar
from iris_harness.sources.writing.resources import Resources
from iris_harness.sources.writing.stores import FileStore, FolderStore, Store
from iris_harness.sources.writing.todotxt import TodoTxtWriter
from iris_harness.sources.writing.vevents import VeventWriter
from iris_harness.sources.writing.vtodos import VtodoWriter


def open_todo_writer(name: str, path: Path) -> TodoWriter:
    """Return who writes the list in `path`."""
    text = find_todo_txt(path)
    if text is not None:
        return TodoTxtWriter(name, text)
    return VtodoWriter(Resources(name, SourceKind.TODO, _store(name, path)))


def open_event_writer(name: str, path: Path, me: Collection[str] = ()) -> EventWriter:
    """Return who writes the calendar in `path`; `me` are the user's own mail addresses."""
    resources = Resources(name, SourceKind.CALENDAR, _store(name, path))
    return VeventWriter(resources, addresses(me))


def open_block_writer(name: str, path: Path) -> BlockWriter:
    """Return who writes blocks of plans to the calendar in `path`."""
    return BlockCalendar(Resources(name, SourceKind.CALENDAR, _store(name, path)))


def _store(name: str, path: Path) -> Store:
    return FolderStore(name, path) if is_folder(path) else FileStore(name, path)
