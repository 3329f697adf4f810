"""Plan changes to a todo.txt. Implements `TodoWriter`."""

from __future__ import annotations

import dataclasses
import datetime as dt
import zoneinfo
from pathlib import Path
from typing import NamedTuple

from iris_harness.contracts.changes import (
    Change,
    Keep,
    Standing,
    TodoDraft,
    TodoEdit,
    TurnTime,
)
from iris_harness.contracts.day import Todo
from iris_harness.contracts.sources import SourceKind, SourceRef
from iris_harness.errors import WriteError
from iris_harness.sources.decoding import looks_binary, shorten
from iris_harness.sources.ical.zone_edge import in_zone
from iris_harness.sources.todotxt import todos_by_line
from iris_harness.sources.writing.naming import named, not_found
from iris_harness.sources.writing.redraft import Redraft
from iris_harness.sources.writing.stores import FileStore, apply_change, change_standing
from iris_harness.sources.writing.text import Format, Piece
from iris_harness.sources.writing.todotxt_line import (
    Line,
    next_line,
    parse_line,
    parse_repeat,
    plain_title,
)
from iris_harness.sources.writing.wrapping import encode, encoding_of, encoding_within, unwrap

_LETTERS = "ABCDEFGHI"


def _find_pieces(data: bytes) -> list[Piece]:
    """Return the lines that are not blank."""
    found: list[Piece] = []
    begin = 0
    for line in data.split(b"\n"):
        if line.strip():
            found.append(Piece(begin, begin + len(line.rstrip(b"\r"))))
        begin += len(line) + 1
    return found


TODO_TXT = Format(find_pieces=_find_pieces, find_end=len)
"""A todo.txt as a text of pieces."""


class _Found(NamedTuple):
    """A todo in the file as it is now."""

    data: bytes
    piece: Piece
    encoding: str

    @property
    def line(self) -> Line:
        """The line, taken apart."""
        return parse_line(self.data[self.piece.begin : self.piece.end].decode(self.encoding))

    def replaced(self, text: str | None) -> Redraft:
        """Return the file with another line in its place; None: without it."""
        redraft = Redraft(self.data, TODO_TXT)
        redraft.replace(self.piece, None if text is None else encode(text, self.encoding))
        return redraft


class TodoTxtWriter:
    """A todo.txt whose lines are changed one by one. Thread-safe."""

    def __init__(self, name: str, path: Path) -> None:
        """Take the list's name (unique among lists) and its file."""
        self.name = name
        self._store = FileStore(name, path)
        self._file = self._store.resource

    def add(self, draft: TodoDraft, at: TurnTime) -> tuple[Change, ...]:
        """Plan a new last line; see `TodoWriter.add`."""
        with named(self.name):
            data = self._read()
            today = _today(at)
            line = Line("", "", "", today.isoformat(), " ", _title(draft.summary))
            line = _with_fields(line, _edit_of(draft), at)
            redraft = Redraft(data, TODO_TXT)
            redraft.append(encode(line.text, encoding_of(data)))
            number = redraft.data.rstrip(b"\n").count(b"\n") + 1
            self._check_reading(line.text, _read_title(draft.summary), at)
            return (self._change(redraft, f"{self._file}:{number}", draft.summary),)

    def done(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:
        """Plan that a line is done; one with ``rec:`` comes again. See `TodoWriter.done`."""
        with named(self.name):
            found = self._find(todo, at)
            line, today = found.line, _today(at)
            redraft = found.replaced(line.done(today))
            note = ""
            if rec := line.tag("rec"):
                again, note = _next(line, rec, today)
                if again is not None:
                    redraft.append(encode(again.text, found.encoding))
            change = self._change(redraft, todo.uid, todo.summary)
            return (dataclasses.replace(change, note=note),)

    def edit(self, todo: Todo, edit: TodoEdit, at: TurnTime) -> tuple[Change, ...]:
        """Plan other values in a line; see `TodoWriter.edit`."""
        with named(self.name):
            found = self._find(todo, at)
            line = found.line
            title = read_as = todo.summary
            if not isinstance(edit.summary, Keep):
                title, read_as = edit.summary, _read_title(edit.summary)
                line = line.with_title(_title(title), lambda word: self._is_tag(word, at))
            line = _with_fields(line, edit, at)
            if line == found.line:
                return ()
            self._check_reading(line.text, read_as, at)
            return (self._change(found.replaced(line.text), todo.uid, title),)

    def delete(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:
        """Plan that a line is taken out; see `TodoWriter.delete`."""
        with named(self.name):
            found = self._find(todo, at)
            return (self._change(found.replaced(None), todo.uid, todo.summary),)

    def apply(self, change: Change) -> Change:
        """Make a change; see `ChangeApplier.apply`."""
        with named(self.name, change.title):
            apply_change(self._store, change, TODO_TXT)
            return change

    def standing(self, change: Change) -> Standing:
        """Return how a change stands; see `ChangeApplier.standing`."""
        with named(self.name, change.title):
            return change_standing(self._store.read(change.resource), change)

    def _read(self) -> bytes:
        self._store.check_open(self._file)
        data = unwrap(self._store.read(self._file) or b"")[0]
        if looks_binary(data):
            raise WriteError("is binary, not a todo.txt")
        return data

    def _find(self, todo: Todo, at: TurnTime) -> _Found:
        """Find the line of a todo: where it was read, else the one line that reads the same."""
        data = self._read()
        same = [
            number
            for number, found in todos_by_line(data, self.name, self._file, at.timezone).items()
            if _content(found) == _content(todo)
        ]
        number = next((n for n in same if f"{self._file}:{n}" == todo.uid), None)
        if number is None and len(same) == 1:
            number = same[0]
        if number is None:
            raise not_found(todo.uid, "", "todo")
        begin = 0
        for line in data.split(b"\n")[: number - 1]:
            begin += len(line) + 1
        piece = next(piece for piece in _find_pieces(data) if piece.begin == begin)
        whole = encoding_of(data)
        eight_bit = encoding_within(data[piece.begin : piece.end], data)
        return _Found(data, piece, whole if whole == "utf-8" else eight_bit)

    def _is_tag(self, word: str, at: TurnTime) -> bool:
        """Whether the reader takes a word out of the title."""
        read = todos_by_line(f"- {word}".encode(), self.name, self._file, at.timezone).get(1)
        return read is None or read.summary == "-"

    def _check_reading(self, line: str, title: str, at: TurnTime) -> None:
        """Refuse a line that its readers would not take for the todo that is meant.

        Raises:
            WriteError: they would not.
        """
        read = todos_by_line(line.encode(), self.name, self._file, at.timezone).get(1)
        if read is None or read.summary != title:
            raise WriteError(
                f"cannot hold the title {title!r}: in a todo.txt it would mean something else",
                hint="begin it with another word",
            )

    def _change(self, redraft: Redraft, uid: str, title: str) -> Change:
        edits, encoding = redraft.edits()
        return Change(
            source=self.name,
            kind=SourceKind.TODO,
            resource=self._file,
            uid=uid,
            edits=edits,
            encoding=encoding,
            title=" ".join(title.split()),
        )


def _read_title(title: str) -> str:
    """Return how a reader gives back what `plain_title` makes of a title."""
    return shorten(plain_title(title))


def _content(todo: Todo) -> Todo:
    """Return a todo without where it stands."""
    return dataclasses.replace(todo, uid="", source=SourceRef(source=todo.source.source))


def _title(summary: str) -> str:
    title = plain_title(summary)
    if not title:
        raise WriteError("takes no todo without a title")
    return title


def _today(at: TurnTime) -> dt.date:
    return at.now.astimezone(zoneinfo.ZoneInfo(at.timezone)).date()


def _edit_of(draft: TodoDraft) -> TodoEdit:
    return TodoEdit(
        due=draft.due,
        start=draft.start,
        priority=draft.priority,
        estimate_minutes=draft.estimate_minutes,
    )


def _with_fields(line: Line, edit: TodoEdit, at: TurnTime) -> Line:
    if not isinstance(edit.priority, Keep):
        line = line.with_priority(_letter(edit.priority))
    for name, time in (("due", edit.due), ("t", edit.start)):
        if not isinstance(time, Keep):
            line = line.with_tag(name, _time_text(time, at))
    if not isinstance(edit.estimate_minutes, Keep):
        minutes = edit.estimate_minutes
        line = line.with_tag("est", f"{minutes}m" if minutes else "")
    return line


def _letter(priority: int | None) -> str:
    return _LETTERS[min(max(priority, 1), len(_LETTERS)) - 1] if priority else ""


def _time_text(time: dt.date | dt.datetime | None, at: TurnTime) -> str:
    """Return a day, or a time on the user's clock; with its offset in an hour that comes twice."""
    if not isinstance(time, dt.datetime):
        return time.isoformat() if time else ""
    zone = zoneinfo.ZoneInfo(at.timezone)
    local = in_zone(time, zone)
    wall = local.replace(tzinfo=None)
    certain = wall.replace(tzinfo=zone).astimezone(dt.UTC) == time.astimezone(dt.UTC)
    shown = wall if certain else local
    return shown.isoformat(timespec="minutes" if not wall.second else "seconds")


def _next(line: Line, rec: str, today: dt.date) -> tuple[Line | None, str]:
    """Return the line of the next time, and what is to be said of it."""
    repeat = parse_repeat(rec)
    if repeat is None:
        return None, f"does not come again: rec:{rec} cannot be read"
    try:
        again = next_line(line, repeat, today)
    except (OverflowError, ValueError):
        return None, f"does not come again: rec:{rec} leads to no day"
    return again, f"comes again on {again.tag('due') or again.tag('t')}"
