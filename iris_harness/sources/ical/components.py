"""Split an iCalendar stream into its components, as bytes, before anything can fail.

What is nested in a component (alarms, RFC 9073 participants) is cut out: nothing here needs it,
and an alarm that cannot be read is no reason to lose its event.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TOP_LEVEL = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VAVAILABILITY"})
"""Components that never stand inside another one: their BEGIN ends what is still open."""

SAYINGS = frozenset({"REPLY", "REFRESH", "COUNTER", "DECLINECOUNTER"})
"""METHODs (RFC 5546 §1.4) of what an attendee says about an item."""
_DEEPEST = 30  # what is nested deeper belongs to the hole around it
# Files that were put together from several keep the byte order mark of each.
_MARK = re.compile(
    rb"^(?:\xef\xbb\xbf)?(BEGIN|END|METHOD)[ \t]*:([^\r\n]{0,80})", re.MULTILINE | re.IGNORECASE
)


MAX_COMPONENTS = 300_000
"""Top-level components that are read of one file: more than a calendar of a life has."""


class Component(NamedTuple):
    """One top-level component of a stream."""

    kind: str
    """Its name in capitals, as VEVENT."""
    body: bytes
    """Its own content lines, still folded; of a VTIMEZONE all lines between BEGIN and END."""
    file: str
    """Label of the file it stands in."""
    line: int
    """1-based line of its BEGIN."""
    closed: bool
    """False when its END is missing."""
    calendar: int
    """Which VCALENDAR of the file it belongs to, counted from 1; 0 is outside of any."""
    begin: int = 0
    """Where its BEGIN stands in the data that was split."""
    end: int = 0
    """Where the line of its END ends, without line end; of one that is cut off: where it is."""


class Stream(NamedTuple):
    """The components of one file, in its order."""

    file: str
    """Label of the file."""
    components: tuple[Component, ...]
    calendars: int
    """How many VCALENDAR objects the file has."""
    methods: dict[int, str]
    """METHOD (RFC 5546) of each VCALENDAR that has one, in capitals."""
    closed: bool
    """False when the last VCALENDAR has no END: the file may have been cut off."""
    ends: tuple[tuple[int, int], ...] = ()
    """The VCALENDAR objects that have their END, in order: which one, counted from 1 (0: none
    began), and where the line of its END begins."""
    unread_from_line: int | None = None
    """The line from which on nothing was read: there are too many components. None: all was."""

    def is_message(self, item: Component) -> bool:
        """Whether it is what an attendee says about an item, and not the item (RFC 5546)."""
        return self.methods.get(item.calendar) in SAYINGS


def has_folds(body: bytes) -> bool:
    """Whether any line goes on in the next one (RFC 5545 §3.1); most events have no such line."""
    return b"\n " in body or b"\n\t" in body


def split(data: bytes, file: str) -> Stream:
    """Split `data` (see `decoding.plain_bytes`). Linear in its size; never raises."""
    splitter = _Splitter(data, file)
    for mark in _MARK.finditer(data):
        if splitter.is_full and mark[1].upper() == b"BEGIN":
            return splitter.cut(mark.start())
        splitter.take(mark)
    return splitter.finish()


class _Open(NamedTuple):
    kind: str
    begin: int
    content: int
    holes: list[tuple[int, int]]
    nested: list[tuple[str, int]]


class _Splitter:
    """Follows BEGIN and END; forgiving where they do not match."""

    def __init__(self, data: bytes, file: str) -> None:
        self._data = data
        self._file = file
        self._components: list[Component] = []
        self._methods: dict[int, str] = {}
        self._ends: list[tuple[int, int]] = []
        self._calendars = 0
        self._inside = False
        self._open: _Open | None = None
        self._counted_to = 0
        self._line = 1

    def take(self, mark: re.Match[bytes]) -> None:
        word = mark[1].upper()
        name = mark[2].decode("ascii", "replace").strip().upper()
        if word == b"METHOD":
            if self._open is None:
                self._methods[self._calendars] = name
        elif name == "VCALENDAR":
            self._close(mark.start(), mark.start(), closed=False)
            self._inside = word == b"BEGIN"
            self._calendars += self._inside
            if not self._inside:
                self._ends.append((self._calendars, mark.start()))
        elif word == b"BEGIN":
            self._begin(name, mark)
        elif self._open is not None:
            self._end(self._open, name, mark)

    @property
    def is_full(self) -> bool:
        return len(self._components) >= MAX_COMPONENTS

    def cut(self, offset: int) -> Stream:
        """Return what was read up to `offset`."""
        self._open, self._inside = None, False
        return self.finish()._replace(unread_from_line=self._line_of(offset))

    def finish(self) -> Stream:
        self._close(len(self._data), len(self._data), closed=False)
        return Stream(
            file=self._file,
            components=tuple(self._components),
            calendars=self._calendars,
            methods=self._methods,
            closed=not self._inside,
            ends=tuple(self._ends),
        )

    def _begin(self, name: str, mark: re.Match[bytes]) -> None:
        if self._open is not None and name not in TOP_LEVEL:
            if len(self._open.nested) < _DEEPEST:
                self._open.nested.append((name, mark.start()))
            return
        self._close(mark.start(), mark.start(), closed=False)
        self._open = _Open(name, mark.start(), mark.end(), [], [])

    def _end(self, component: _Open, name: str, mark: re.Match[bytes]) -> None:
        names = [nested for nested, _ in component.nested]
        if name in names:
            position = len(names) - 1 - names[::-1].index(name)
            begin = component.nested[position][1]
            del component.nested[position:]
            if not component.nested:
                component.holes.append((begin, mark.end()))
        elif name == component.kind:
            self._close(mark.start(), mark.end(), closed=True)

    def _close(self, end: int, line_end: int, *, closed: bool) -> None:
        component, self._open = self._open, None
        if component is None:
            return
        if component.nested:
            component.holes.append((component.nested[0][1], end))
        self._components.append(
            Component(
                kind=component.kind,
                body=self._body(component, end),
                file=self._file,
                line=self._line_of(component.begin),
                closed=closed,
                calendar=self._calendars if self._inside else 0,
                begin=component.begin,
                end=line_end,
            )
        )

    def _body(self, component: _Open, end: int) -> bytes:
        if component.kind == "VTIMEZONE" or not component.holes:
            return self._data[component.content : end]
        pieces: list[bytes] = []
        position = component.content
        for begin, hole_end in component.holes:
            pieces.append(self._data[position:begin])
            position = hole_end
        pieces.append(self._data[position:end])
        return b"".join(pieces)

    def _line_of(self, offset: int) -> int:
        self._line += self._data.count(b"\n", self._counted_to, offset)
        self._counted_to = offset
        return self._line
