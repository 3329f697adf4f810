"""Choose the reader for a path, and name what was given without a name.

A reader is imported when a path asks for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path, PurePath

from iris_harness.contracts.ports import CalendarPort, ContactsPort, SourcePorts, TodoPort
from iris_harness.contracts.sources import SourceKind, SourceStatus
from iris_harness.files import is_file, is_folder
from iris_harness.sources.files import path_text
from iris_harness.sources.status import failed

_NOT_AVAILABLE = {
    SourceKind.EMAIL: "not available: this version reads no mail",
    SourceKind.FINANCE: "not available: this version reads no ledgers",
}

_ICS_SUFFIXES = {".ics", ".ical", ".icalendar", ".ifb"}


def open_calendar(
    name: str, path: Path, me: Collection[str] = (), *, stale_after_hours: float | None = None
) -> CalendarPort:
    """Return the calendar in `path`: a folder is a vdir, anything else an .ics file."""
    from iris_harness.sources.calendars import IcsCalendar, VdirCalendar

    if is_folder(path):
        return VdirCalendar(name, path, me, stale_after_hours=stale_after_hours)
    return IcsCalendar(name, (path,), me, stale_after_hours=stale_after_hours)


def open_todos(name: str, path: Path, *, stale_after_hours: float | None = None) -> TodoPort:
    """Return the list in `path`: a vdir, an .ics file, or else a todo.txt.

    A folder that holds a todo.txt and no .ics files is that todo.txt.
    """
    text = find_todo_txt(path)
    if text is not None:
        from iris_harness.sources.todotxt import TodoTxtList

        return TodoTxtList(name, text, stale_after_hours=stale_after_hours)
    from iris_harness.sources.todo_lists import VtodoList

    return VtodoList(name, path, stale_after_hours=stale_after_hours)


def find_todo_txt(path: Path) -> Path | None:
    """Return the todo.txt that the list in `path` is; None when it is one of VTODOs."""
    if not is_folder(path):
        return None if path.suffix.lower() in _ICS_SUFFIXES else path
    text = path / "todo.txt"
    return text if is_file(text) and not any(path.glob("*.ics")) else None


def open_contacts(name: str, path: Path, *, stale_after_hours: float | None = None) -> ContactsPort:
    """Return the address book in `path`: a .vcf file, or a folder of them."""
    from iris_harness.sources.contacts import VcardBook

    return VcardBook(name, path, stale_after_hours=stale_after_hours)


def adhoc_ports(
    calendars: Sequence[Path] = (),
    todos: Sequence[Path] = (),
    contacts: Sequence[Path] = (),
    emails: Sequence[Path] = (),
    finances: Sequence[Path] = (),
    me: Collection[str] = (),
) -> SourcePorts:
    """Return the sources that were named on the command line, in its order; doubles once."""
    return SourcePorts(
        calendars=tuple(open_calendar(name, path, me) for name, path in named_paths(calendars)),
        todos=tuple(open_todos(name, path) for name, path in named_paths(todos)),
        contacts=tuple(open_contacts(name, path) for name, path in named_paths(contacts)),
        unavailable=(
            *_unavailable(emails, SourceKind.EMAIL),
            *_unavailable(finances, SourceKind.FINANCE),
        ),
    )


def _unavailable(paths: Sequence[Path], kind: SourceKind) -> tuple[SourceStatus, ...]:
    return tuple(failed(name, kind, _NOT_AVAILABLE[kind]) for name, _ in named_paths(paths))


def named_paths(paths: Sequence[Path]) -> tuple[tuple[str, Path], ...]:
    """Return paths of the command line with the names they get; doubles once."""
    different = tuple(dict.fromkeys(path.absolute() for path in paths))
    return tuple(zip(short_names(different), different, strict=True))


def short_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return for each path its shortest end that no other path has; never an absolute path."""
    parts = [[part for part in path.parts if part != path.anchor] or ["."] for path in paths]
    return tuple(_shortest_end(own, parts) for own in parts)


def _shortest_end(own: list[str], everything: list[list[str]]) -> str:
    for length in range(1, len(own) + 1):
        if sum(other[-length:] == own[-length:] for other in everything) == 1:
            return path_text(PurePath(*own[-length:]))
    return path_text(PurePath(*own))
