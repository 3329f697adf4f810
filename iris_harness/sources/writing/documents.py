"""A resource of iCalendar components, taken apart so that one of them can be written anew."""

from __future__ import annotations

import zoneinfo
from collections.abc import Collection, Sequence
from typing import NamedTuple

from iris_harness.contracts.changes import Change, Edit
from iris_harness.contracts.sources import SourceKind
from iris_harness.errors import SourceError, WriteError
from iris_harness.sources.files import SourceFile
from iris_harness.sources.ical.components import SAYINGS, Component, Stream, split
from iris_harness.sources.ical.entries import Entry, raw_uid, read_entries
from iris_harness.sources.ical.zones import ZoneTable
from iris_harness.sources.streams import parse_stream
from iris_harness.sources.writing.component_text import (
    ComponentText,
    parse_component,
)
from iris_harness.sources.writing.redraft import Redraft
from iris_harness.sources.writing.text import Format, Piece, find_line_end
from iris_harness.sources.writing.wrapping import encode, encoding_within, lossless_encoding, unwrap

PRODID = "-//Iris//iris-harness//EN"
_MESSAGES = SAYINGS | {"CANCEL"}
"""METHODs of calendar objects in which no reader looks for what takes place."""


def _find_pieces(data: bytes) -> list[Piece]:
    return [Piece(item.begin, item.end) for item in split(data, "").components if item.closed]


def _find_end(data: bytes) -> int:
    """Return where the last calendar object ends that is no message (RFC 5546) about something.

    Raises:
        WriteError: there is none, or it was not read to its end.
    """
    stream = split(data, "")
    if stream.unread_from_line is not None:
        raise WriteError(
            f"has more components than are read, from line {stream.unread_from_line} on",
            hint="move old entries to a file of their own",
        )
    ends = [end for number, end in stream.ends if stream.methods.get(number) not in _MESSAGES]
    if ends:
        return ends[-1]
    if stream.ends:
        raise WriteError(
            "is a message about an event, not a calendar", hint="import it into a calendar first"
        )
    raise WriteError(
        "has no END:VCALENDAR: it is no calendar, or was cut off",
        hint="mend the file, or restore it",
    )


ICALENDAR = Format(find_pieces=_find_pieces, find_end=_find_end)
"""An iCalendar stream as a text of pieces."""


class Document(NamedTuple):
    """What one resource holds."""

    resource: str
    data: bytes
    """Plain: see `wrapping.unwrap`."""
    raw: bytes
    """As the resource holds it."""
    stream: Stream
    zones: ZoneTable

    def components(self, kind: str, uid: str) -> list[Component]:
        """Return the components of a kind with that UID, in their order."""
        return [
            item for item in self.stream.components if item.kind == kind and raw_uid(item) == uid
        ]

    def text_of(self, component: Component) -> ComponentText:
        """Return a component's text.

        Raises:
            WriteError: it has no END.
        """
        if not component.closed:
            raise WriteError(f"has no END:{component.kind}", hint="mend the file first")
        piece = self.data[component.begin : component.end]
        return parse_component(piece.decode(self.encoding_of(component)))

    def encoding_of(self, component: Component) -> str:
        """Return how new text is written into a component."""
        return encoding_within(self.data[component.begin : component.end], self.data)

    def entries(
        self, uid: str, components: Sequence[Component], wanted: Collection[str]
    ) -> list[Entry]:
        """Read the components of one UID; see `entries.read_entries`."""
        return read_entries(uid, components, wanted, self.zones, [])

    def redraft(self) -> Redraft:
        """Return what edits it step by step."""
        return Redraft(self.data, ICALENDAR)

    def replace(self, redraft: Redraft, component: Component, text: ComponentText | None) -> None:
        """Put another text in the place of a component; None takes it out."""
        new = None if text is None else encode(text.text, self.encoding_of(component))
        redraft.replace(Piece(component.begin, component.end), new)

    def insert_after(self, redraft: Redraft, component: Component, text: ComponentText) -> None:
        """Put a new component after another one."""
        new = encode(text.text, self.encoding_of(component))
        redraft.insert_after(Piece(component.begin, component.end), new)

    def is_alone(self, components: Collection[Component]) -> bool:
        """Whether nothing but `components` (and zones) is in the resource."""
        others = [item for item in self.stream.components if item not in components]
        return all(item.kind == "VTIMEZONE" for item in others)


def open_document(resource: str, raw: bytes, timezone: str) -> Document:
    """Take a resource apart.

    Raises:
        WriteError: it is no calendar, or in an encoding that cannot be written back.
    """
    data, _ = unwrap(raw)
    try:
        stream = parse_stream(SourceFile(label=resource, data=data, modified_at=0.0))
    except SourceError as error:
        raise WriteError(error.message.removeprefix(f"{resource}: ")) from error
    definitions = (item for item in stream.components if item.kind == "VTIMEZONE")
    zones = ZoneTable(zoneinfo.ZoneInfo(timezone), definitions)
    return Document(resource, data, raw, stream, zones)


def whole_edit(before: bytes | None, after: bytes | None) -> tuple[tuple[Edit, ...], str]:
    """Return the edit that makes or removes a whole resource, and its encoding."""
    encoding = lossless_encoding([text for text in (before, after) if text is not None])
    old, new = (None if text is None else text.decode(encoding) for text in (before, after))
    return (Edit(before=old, after=new),), encoding


def calendar_around(component: ComponentText) -> bytes:
    """Return a calendar object of one component (RFC 5545 §3.4)."""
    head = ("BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{PRODID}")
    lines = [*(f"{line}\r\n" for line in head), component.text, "\r\nEND:VCALENDAR\r\n"]
    return "".join(lines).encode()


class About(NamedTuple):
    """Which source and item a change is about."""

    source: str
    kind: SourceKind
    resource: str
    uid: str
    title: str
    note: str = ""


def change_of(
    about: About, edits: tuple[Edit, ...], encoding: str, *, whole: bool = False
) -> Change:
    """Return a change of an item."""
    return Change(
        source=about.source,
        kind=about.kind,
        resource=about.resource,
        uid=about.uid,
        edits=edits,
        whole=whole,
        encoding=encoding,
        title=" ".join(about.title.split()),
        note=about.note,
    )


def line_end_of(document: Document) -> str:
    """Return how the lines of a resource end."""
    return find_line_end(document.data).decode()
