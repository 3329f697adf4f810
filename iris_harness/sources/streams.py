"""The .ics files of one source: read, told from what is no calendar, and split."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from iris_harness.errors import SourceError
from iris_harness.sources.decoding import looks_binary, plain_bytes
from iris_harness.sources.files import (
    SourceFile,
    file_label,
    list_folder,
    none_read,
    path_text,
    read_entry,
    read_file,
)
from iris_harness.sources.ical.components import MAX_COMPONENTS, TOP_LEVEL, Stream, split

MAX_WARNINGS = 5_000
"""Warnings of one reading; nobody reads more, and a plan keeps them all."""
EMPTY_FOLDER = "the folder holds no .ics files"

_OTHERS = (
    (b"<", "it looks like a web page: check the address or the login it was downloaded with"),
    (b"BEGIN:VCARD", "it holds contacts (vCard)"),
    (b"{", "it looks like JSON"),
    (b"PK", "it is a zip archive: unpack it first"),
    (b"\x1f\x8b", "it is compressed: unpack it first"),
)


class Loaded(NamedTuple):
    """What the files of a source held."""

    streams: tuple[Stream, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    """Why files that the user named could not be read, or nothing in a folder could."""
    unread: tuple[str, ...] = ()
    """Why files and folders in a folder could not be read; they are warned of, too."""
    modified_at: float | None = None
    """The latest change of any of them, POSIX seconds."""
    detail: str = ""
    """What is odd about it though it was read; empty when nothing is."""


def load_files(name: str, paths: Iterable[Path]) -> Loaded:
    """Read .ics files that the user named: each one that cannot be read is a failure."""
    streams: list[Stream] = []
    warnings: list[str] = []
    failures: list[str] = []
    changes: list[float] = []
    for path in paths:
        try:
            file = read_file(path, file_label(name, path))
            stream = parse_stream(file)
        except SourceError as error:
            failures.append(error.message)
            continue
        streams.append(stream)
        changes.append(file.modified_at)
        warnings += doubts(stream)
    return Loaded(
        streams=tuple(streams),
        warnings=tuple(warnings),
        failures=tuple(failures),
        modified_at=max(changes, default=None),
    )


def load_folder(name: str, folder: Path) -> Loaded:
    """Read a vdir, or a folder of vdirs: each item that cannot be read is a warning."""
    try:
        entries = list_folder(folder, name, ".ics")
        changed_at = folder.stat().st_mtime
    except (SourceError, OSError) as error:
        return Loaded(failures=(str(error),))
    streams: list[Stream] = []
    warnings: list[str] = []
    unread: list[str] = []
    changes = [changed_at]
    for entry in entries:
        try:
            file = read_entry(entry, item_label(name, entry.path.relative_to(folder)))
            stream = parse_stream(file)
        except SourceError as error:
            warnings.append(error.message)
            unread.append(error.message)
            continue
        streams.append(stream)
        changes.append(file.modified_at)
        warnings += doubts(stream)
    return Loaded(
        streams=tuple(streams),
        warnings=tuple(warnings),
        unread=tuple(unread),
        failures=(none_read(unread),) if unread and not streams else (),
        modified_at=max(changes),
        detail="" if entries else EMPTY_FOLDER,
    )


def item_label(name: str, relative: PurePath) -> str:
    """Return how messages name an item of the vdir `name`, by its path below the folder."""
    return f"{name}/{path_text(relative)}"


def parse_stream(file: SourceFile) -> Stream:
    """Split a file into its components.

    Raises:
        SourceError: it is empty, binary, or anything but a calendar.
    """
    data = plain_bytes(file.data)
    if not data.strip(b"\0 \t\r\n"):
        raise SourceError(f"{file.label}: is empty: not a calendar")
    stream = split(data, file.label)
    if not stream.calendars and not any(c.kind in TOP_LEVEL for c in stream.components):
        raise SourceError(f"{file.label}: {_what_it_is(data)}")
    return stream


def _what_it_is(data: bytes) -> str:
    beginning = data.lstrip()[:64].upper()
    for mark, explanation in _OTHERS:
        if beginning.startswith(mark):
            return f"is not a calendar; {explanation}"
    return "is binary, not a calendar" if looks_binary(data) else "is not a calendar"


def doubts(stream: Stream) -> Sequence[str]:
    """Return what is odd about a file as a whole."""
    if stream.unread_from_line is not None:
        most = f"more than {MAX_COMPONENTS:,} entries"
        line = stream.unread_from_line
        return (f"{stream.file}: holds {most}; nothing from line {line} on is read",)
    if stream.closed:
        return ()
    return (f"{stream.file}: has no END:VCALENDAR; it may have been cut off",)


def bounded(warnings: Iterable[str]) -> tuple[str, ...]:
    """Return the warnings of a reading, each once; of too many the first, and how many more."""
    said = tuple(dict.fromkeys(warnings))
    if len(said) <= MAX_WARNINGS:
        return said
    return (*said[:MAX_WARNINGS], f"… and {len(said) - MAX_WARNINGS:,} more warnings of this kind")
