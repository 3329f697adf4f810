"""Who a component is: its UID, which instance of a series it is, and which revision."""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from iris_harness.sources.decoding import decode, shorten
from iris_harness.sources.ical.components import Component
from iris_harness.sources.ical.moments import Moment, parse_moment, says_its_offset
from iris_harness.sources.ical.properties import Properties, Property, parse_properties
from iris_harness.sources.ical.zones import ZoneTable

_UID = re.compile(
    rb"^UID(?:;[^:\r\n]*)?[ \t]*:([^\r\n]*(?:\r*\n[ \t][^\r\n]*)*)",
    re.MULTILINE | re.IGNORECASE,
)
_FOLD = re.compile(rb"\r*\n[ \t]")
UNTITLED = "(untitled)"
DIGEST_UID = "iris-"
"""How the UID begins that stands for a component without one."""
IDENTITY = ("UID", "RECURRENCE-ID", "SEQUENCE", "LAST-MODIFIED", "DTSTAMP", "SUMMARY", "STATUS")
"""The properties that this module reads."""

_LOOKS = ("SUMMARY", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE")


class Entry(NamedTuple):
    """One component with what identifies it."""

    component: Component
    properties: Properties
    uid: str
    recurrence_id: Moment | None
    """The instance of the series that it replaces; None for a series or a single item."""
    this_and_future: bool
    """Whether the later instances follow it (RFC 5545 §3.2.13)."""
    sequence: int
    revised_at: dt.datetime | None
    notes: tuple[str, ...] = ()
    """What was assumed in reading it, as clauses; said only when it matters for the days."""

    @property
    def title(self) -> str:
        """SUMMARY on one line, never empty."""
        return shorten(self.properties.text("SUMMARY") or UNTITLED)

    @property
    def locator(self) -> str:
        """Where it is in its source: its UID, or its line where it has none."""
        return self.properties.text("UID") or f"line {self.component.line}"

    def warn(self, text: str) -> str:
        """Return a warning that names file, line, title and UID."""
        return warning(self.component, self.title, self.properties.text("UID"), text)


def warning(component: Component, title: str, uid: str, text: str) -> str:
    """Return one line: where it stands, what it is called, and what is the matter."""
    who = f'"{shorten(title)}"' + (f" ({shorten(uid)})" if uid else "")
    return f"{component.file}:{component.line}: {who} {text}"


def raw_uid(component: Component) -> str:
    """Find the UID in the bytes of a component; where it has none, a digest of its content."""
    found = _UID.search(component.body)
    uid = _uid_in(found)
    if uid:
        return uid
    body = _FOLD.sub(b"", component.body)
    uid = _uid_in(_UID.search(body))  # it may be folded before its colon
    if uid:
        return uid
    lines = sorted(body.replace(b"\r", b"").split(b"\n"))
    digest = hashlib.sha256(b"\n".join(lines)).hexdigest()
    return f"{DIGEST_UID}{digest[:32]}"


def _uid_in(found: re.Match[bytes] | None) -> str:
    return decode(_FOLD.sub(b"", found[1])).strip() if found else ""


def identify(component: Component, properties: Properties, uid: str, zones: ZoneTable) -> Entry:
    """Read what identifies a component.

    Raises:
        ValueError: its RECURRENCE-ID cannot be read.
    """
    replaced = properties.find("RECURRENCE-ID")
    recurrence_id, note = None, ""
    if replaced:
        recurrence_id, note = read_moment(replaced, zones, component)
    scope = replaced.parameters.get("RANGE", "").upper() if replaced else ""
    notes = [note] if note else []
    if scope == "THISANDPRIOR":
        notes.append("has RANGE=THISANDPRIOR, which RFC 5545 took back; only its own day changes")
    return Entry(
        component=component,
        properties=properties,
        uid=uid,
        recurrence_id=recurrence_id,
        this_and_future=scope == "THISANDFUTURE",
        sequence=_sequence(properties.text("SEQUENCE")),
        revised_at=_revised_at(properties),
        notes=tuple(notes),
    )


def read_moment(item: Property, zones: ZoneTable, near: Component) -> tuple[Moment, str]:
    """Read a date or time in the zone it names; and what had to be assumed of that zone.

    Raises:
        ValueError: it is neither.
    """
    return read_value(item.value, item, zones, near)


def read_value(text: str, item: Property, zones: ZoneTable, near: Component) -> tuple[Moment, str]:
    """Read one value of the list that `item` holds. As `read_moment` otherwise."""
    tzid = item.parameters.get("TZID", "")
    date_only = item.parameters.get("VALUE", "").upper() == "DATE"
    if not tzid or date_only or says_its_offset(text):
        return parse_moment(text, zones.user_zone, date_only=date_only, floating=True), ""
    match = zones.find(tzid, near)
    moment = parse_moment(text, match.zone, floating=match.zone is zones.user_zone)
    if moment.all_day:  # a day has no zone, whatever it is said to have
        return parse_moment(text, zones.user_zone), ""
    return moment, match.problem


def _sequence(text: str) -> int:
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def _revised_at(properties: Properties) -> dt.datetime | None:
    for name in ("LAST-MODIFIED", "DTSTAMP"):
        try:
            return parse_moment(properties.text(name), dt.UTC).instant
        except (ValueError, OverflowError):
            continue
    return None


def read_entries(
    uid: str,
    components: Iterable[Component],
    wanted: Collection[str],
    zones: ZoneTable,
    warnings: list[str],
) -> list[Entry]:
    """Read the components of one UID; one that cannot be identified costs only itself."""
    found = []
    for component in components:
        properties = parse_properties(component.body, wanted)
        title = properties.text("SUMMARY") or UNTITLED
        if not component.closed:
            missing = f"has no END:{component.kind}; it is read as far as it goes"
            warnings.append(warning(component, title, properties.text("UID"), missing))
        try:
            found.append(identify(component, properties, uid, zones))
        except (ValueError, OverflowError) as error:
            warnings.append(warning(component, title, uid, f"is left out: {error}"))
    return found


def newest(entries: Sequence[Entry]) -> tuple[Entry, tuple[Entry, ...]]:
    """Return the newest revision, and those that nothing shows to be older: `rivals`."""
    first, *others = newest_first(entries)
    return first, rivals(first, others)


def newest_first(entries: Sequence[Entry]) -> list[Entry]:
    """Return revisions, the newest first.

    The higher SEQUENCE wins, then the later change (RFC 5545 §3.8.7.4); between equals the last
    one in the file.
    """
    last_first = list(reversed(entries))
    return sorted(last_first, key=_age, reverse=True)


def rivals(best: Entry, others: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return which of `others`, the newest first, are no older than `best`, in file order.

    Only those that differ in title or time: they may be other items that were given the same
    UID.
    """
    age, looks = _age(best), _looks(best)
    equals = itertools.takewhile(lambda entry: _age(entry) == age, others)
    return tuple(reversed([entry for entry in equals if _looks(entry) != looks]))


def _age(entry: Entry) -> tuple[int, float]:
    return entry.sequence, entry.revised_at.timestamp() if entry.revised_at else float("-inf")


def _looks(entry: Entry) -> tuple[str, ...]:
    """Return what tells an item from another for somebody who looks at a day."""
    return tuple(entry.properties.text(name) for name in _LOOKS)


def group_by_uid(components: Iterable[Component]) -> list[tuple[str, list[Component]]]:
    """Return the components of each UID in each folder, in order of first appearance.

    In a folder of vdirs each one is a calendar: what two of them share is in both.
    """
    groups: dict[tuple[str, str], list[Component]] = {}
    for component in components:
        folder = component.file.rpartition("/")[0]
        groups.setdefault((folder, raw_uid(component)), []).append(component)
    return [(uid, found) for (_, uid), found in groups.items()]
