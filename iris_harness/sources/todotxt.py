"""todo.txt: one todo per line (https://github.com/todotxt/todo.txt). Implements `TodoPort`.

Beyond the format itself the tags that its programs share are understood: ``due:`` and ``t:``
(threshold) with a date, ``est:`` with a length, ``rec:`` (said by other programs when a todo
comes again, nothing for a day), and ``h:1`` (a line that is not to be shown).

Four more say when a todo can be done: ``after:09:00`` and ``before:12:00`` (times of any day),
``energy:high`` (a word), and ``split:30m`` (the least piece; ``split:no``: in one piece). No other
program writes them, but some use the same names for something else, as ``after:`` with the id of
another todo: a value that is no time there stays in the text without a word.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple

from iris_harness.contracts.day import Todo
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind, SourceRef
from iris_harness.errors import SourceError
from iris_harness.sources.day_terms import (
    looks_like_time,
    parse_chunk,
    parse_energy,
    parse_minutes,
    parse_time_of_day,
)
from iris_harness.sources.decoding import decode, looks_binary, plain_bytes, shorten
from iris_harness.sources.files import SourceFile, file_label, path_text, read_file
from iris_harness.sources.ical.entries import UNTITLED
from iris_harness.sources.ical.moments import Moment
from iris_harness.sources.ical.zone_edge import in_zone
from iris_harness.sources.status import age_at, failed, read_status

_HEAD = re.compile(r"(?:\(([A-Z])\)\s+)?(?:(\d{4}-\d\d-\d\d)\s+)?(.*)", re.ASCII | re.DOTALL)
_TAG = re.compile(r"([A-Za-z][\w-]*):(\S+)", re.ASCII)
_UNDERSTOOD = frozenset({"due", "t", "est", "rec", "h", "after", "before", "energy", "split"})
_SHARED = frozenset({"after", "before", "energy", "split"})
"""What other programs may mean something else by."""
_READ: Mapping[str, Callable[[str], object]] = {
    "after": parse_time_of_day,
    "before": parse_time_of_day,
    "energy": parse_energy,
    "split": parse_chunk,
}
_LOWEST_PRIORITY = 9


class TodoTxtList:
    """A todo.txt file. Reads it anew each time; thread-safe."""

    def __init__(self, name: str, path: Path, *, stale_after_hours: float | None = None) -> None:
        """Take the list's name (unique among lists) and its file."""
        self.name = name
        self._path = path
        self._stale_after_hours = stale_after_hours

    def read(self, window: ReadWindow) -> Reading[Todo]:
        """Return the open todos in the order of the file; see `TodoPort.read`."""
        try:
            return self._read(window)
        except SourceError as error:
            return Reading(status=failed(self.name, SourceKind.TODO, error.message))
        except Exception as error:  # noqa: BLE001 - the source's boundary: a reading never raises
            detail = f"could not be read ({type(error).__name__}: {error})"
            return Reading(status=failed(self.name, SourceKind.TODO, detail))

    def _read(self, window: ReadWindow) -> Reading[Todo]:
        label = file_label(self.name, self._path)
        file = read_file(self._path, label)
        lines = list(_lines(file))
        zone = zoneinfo.ZoneInfo(window.timezone)
        reader = _LineReader(self.name, path_text(PurePath(self._path.name)), label, zone)
        todos = tuple(todo for line in lines if (todo := reader.read(line)) is not None)
        status = read_status(
            self.name,
            SourceKind.TODO,
            empty=not lines,
            age=age_at(window.now, file.modified_at),
            stale_after_hours=self._stale_after_hours,
        )
        return Reading(status=status, items=todos, warnings=tuple(reader.warnings))


class _Line(NamedTuple):
    number: int
    """1-based."""
    text: str


def _lines(file: SourceFile) -> Iterator[_Line]:
    data = plain_bytes(file.data)
    if looks_binary(data):
        raise SourceError(f"{file.label}: is binary, not a todo.txt")
    for number, text in enumerate(decode(data).split("\n"), start=1):
        if text.strip():
            yield _Line(number=number, text=text.strip())


class _LineReader:
    """Turns lines into todos; collects what it could not understand."""

    def __init__(self, list_name: str, file: str, label: str, zone: zoneinfo.ZoneInfo) -> None:
        self._list = list_name
        self._file = file
        self._label = label
        self._zone = zone
        self.warnings: list[str] = []

    def read(self, line: _Line) -> Todo | None:
        """Return the open todo of a line; None when it is done or not to be shown."""
        if line.text.startswith("x ") or line.text == "x":
            return None
        priority, created, text = _head(line.text)
        words = text.split()
        tags: dict[str, str] = {}
        kept = [word for word in words if not self._take_tag(word, tags, line)]
        if tags.get("h") == "1":
            return None
        return Todo(
            uid=f"{self._file}:{line.number}",
            summary=shorten(" ".join(kept)) or UNTITLED,
            due=self._time(tags.get("due")),
            start=self._time(tags.get("t")),
            priority=priority,
            estimate_minutes=parse_minutes(tags.get("est", "")),
            created_on=created,
            list_name=self._list,
            source=SourceRef(source=self._list, locator=f"line {line.number}"),
            earliest=parse_time_of_day(tags.get("after", "")),
            latest=parse_time_of_day(tags.get("before", "")),
            energy=parse_energy(tags.get("energy", "")),
            chunk_minutes=parse_chunk(tags.get("split", "")),
        )

    def _take_tag(self, word: str, tags: dict[str, str], line: _Line) -> bool:
        """Take a tag that is understood out of the text; one with a strange value stays in it."""
        found = _TAG.fullmatch(word)
        if not found or found[1].lower() not in _UNDERSTOOD:
            return False
        name, value = found[1].lower(), found[2]
        if not self._makes_sense(name, value):
            if name in _SHARED and not looks_like_time(value):
                return False
            self.warnings.append(
                f'{self._label}:{line.number}: "{line.text[:80]}" has {word[:40]!r}, '
                "which cannot be read; it is not used"
            )
            return False
        tags.setdefault(name, value)
        return True

    def _makes_sense(self, name: str, value: str) -> bool:
        if name in _SHARED:
            return _READ[name](value) not in {None, ""}
        if name == "est":
            return parse_minutes(value) is not None
        return name not in {"due", "t"} or self._time(value) is not None

    def _time(self, text: str | None) -> dt.date | dt.datetime | None:
        try:
            time = dt.datetime.fromisoformat(text or "")
            if len(text or "") <= len("2026-04-16"):
                return time.date()
            if time.tzinfo is None:
                time = Moment(wall=time, zone=self._zone).instant
            return in_zone(time, self._zone)
        except (ValueError, OverflowError):
            return None


def _head(text: str) -> tuple[int | None, dt.date | None, str]:
    """Return priority, date of creation and the rest of a line."""
    found = _HEAD.fullmatch(text)
    letter, date, rest = found.groups() if found else (None, None, text)
    priority = min(ord(letter) - ord("A") + 1, _LOWEST_PRIORITY) if letter else None
    try:
        created = dt.date.fromisoformat(date) if date else None
    except ValueError:
        return priority, None, f"{date} {rest}"
    return priority, created, rest


def todos_by_line(data: bytes, name: str, file: str, timezone: str) -> dict[int, Todo]:
    """Read the open todos of a file's plain bytes, each by the number of its line (from 1).

    Args:
        data: as `decoding.plain_bytes` gives them.
        name: the list's name.
        file: the file's own name.
        timezone: IANA name of the user's zone.
    """
    reader = _LineReader(name, file, file, zoneinfo.ZoneInfo(timezone))
    lines = (
        _Line(number=number, text=text.strip())
        for number, text in enumerate(decode(data).split("\n"), start=1)
    )
    return {
        line.number: todo for line in lines if line.text and (todo := reader.read(line)) is not None
    }
