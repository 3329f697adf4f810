"""Who writes the user's sources: from the settings, or from paths, to writers."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from iris_harness.contracts.changes import BlockWriter, EventWriter, TodoWriter, Writers
from iris_harness.contracts.sources import SourceKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from iris_harness.config.settings import Settings, Source
    from iris_harness.contracts.ports import SourcePorts
    from iris_harness.sources.writing.resources import Resources

_CLOSED = ("is closed to changes in the settings", "its write: true opens it")
_SERVER = ("is on a server that Iris may only read", "write: true in its settings allows more")
_ICS_URL = (
    "is an .ics file at an address, which can only be read",
    "change it where it was made, or use the server's CalDAV address",
)
DEMO_IS_NOT_WRITTEN = "is part of the demonstration, which is never changed"


def configured_writers(settings: Settings) -> Writers:
    """Return the writers of the sources that `settings` name; nothing is opened yet."""
    calendars = {source.name: _calendar(source, settings.me) for source in settings.calendars}
    todos = {source.name: _todos(source) for source in settings.todos}
    wanted = settings.write_blocks_to
    blocks = next((_blocks(source) for source in settings.calendars if source.name == wanted), None)
    return Writers(
        todos=MappingProxyType(todos), calendars=MappingProxyType(calendars), blocks=blocks
    )


def adhoc_writers(
    calendars: Sequence[Path] = (), todos: Sequence[Path] = (), me: Collection[str] = ()
) -> Writers:
    """Return the writers of paths on the command line, named as `adhoc_ports` names them."""
    from iris_harness.sources.opening import named_paths
    from iris_harness.sources.writing.opening import open_event_writer, open_todo_writer

    events = {name: open_event_writer(name, path, me) for name, path in named_paths(calendars)}
    lists = {name: open_todo_writer(name, path) for name, path in named_paths(todos)}
    return Writers(todos=MappingProxyType(lists), calendars=MappingProxyType(events))


def refusing_writers(sources: SourcePorts, reason: str) -> Writers:
    """Return writers that refuse every source, for the reason given."""
    from iris_harness.sources.writing.refusing import RefusingEvents, RefusingTodos

    return Writers(
        todos=MappingProxyType(
            {port.name: RefusingTodos(port.name, reason) for port in sources.todos}
        ),
        calendars=MappingProxyType(
            {port.name: RefusingEvents(port.name, reason) for port in sources.calendars}
        ),
    )


def _todos(source: Source) -> TodoWriter:
    from iris_harness.sources.writing.opening import open_todo_writer
    from iris_harness.sources.writing.refusing import RefusingTodos
    from iris_harness.sources.writing.vtodos import VtodoWriter

    if not source.may_write:
        return RefusingTodos(source.name, *_refusal(source))
    if source.path is not None:
        return open_todo_writer(source.name, source.path)
    return VtodoWriter(_on_server(source, SourceKind.TODO))


def _calendar(source: Source, me: Collection[str]) -> EventWriter:
    from iris_harness.sources.ical.attendance import addresses
    from iris_harness.sources.writing.opening import open_event_writer
    from iris_harness.sources.writing.refusing import RefusingEvents
    from iris_harness.sources.writing.vevents import VeventWriter

    if not source.may_write:
        return RefusingEvents(source.name, *_refusal(source))
    if source.path is not None:
        return open_event_writer(source.name, source.path, me)
    return VeventWriter(_on_server(source, SourceKind.CALENDAR), addresses(me))


def _blocks(source: Source) -> BlockWriter:
    from iris_harness.sources.writing.blocks import BlockCalendar
    from iris_harness.sources.writing.opening import open_block_writer

    if source.path is not None:
        return open_block_writer(source.name, source.path)
    return BlockCalendar(_on_server(source, SourceKind.CALENDAR))


def _on_server(source: Source, kind: SourceKind) -> Resources:
    from iris_harness.bootstrap.remote import copies_folder, remote_source
    from iris_harness.clock import SystemClock
    from iris_harness.sources.remote.dav_store import DavStore
    from iris_harness.sources.remote.kept_copy import Copy
    from iris_harness.sources.remote.settings import Component
    from iris_harness.sources.writing.resources import Resources

    component = Component.TODO if kind is SourceKind.TODO else Component.EVENT
    remote = remote_source(source, component)
    copy = Copy(copies_folder() / remote.cache_key())
    return Resources(source.name, kind, DavStore(remote, copy, SystemClock().monotonic))


def _refusal(source: Source) -> tuple[str, str]:
    if source.path is not None:
        return _CLOSED
    return _ICS_URL if source.kind == "ics" else _SERVER
