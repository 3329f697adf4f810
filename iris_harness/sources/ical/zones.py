"""Find the zone a TZID means: IANA, Windows, a vendor's prefix, the file's own, a label.

RFC 5545 §3.2.19 lets a TZID be any text that a VTIMEZONE defines; what is found in files is
mostly a known name in disguise, and then the zone database knows more than the file.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from iris_harness.sources.ical.components import Component
from iris_harness.sources.ical.vtimezone import build_zone, zone_id

_MACHINE_NAMES = frozenset({"localtime", "posixrules", "Factory"})  # differ between machines
_LABEL = re.compile(
    r"\(?\s*(?:UTC|GMT|Z)?\s*(?:([+\-\u2212])\s*(\d{1,2})(?:[:.]?(\d{2}))?)?\s*\)?\s*(.*)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_AMBIGUOUS = frozenset({"EST", "MST", "HST", "GMT"})
"""Names of fixed offsets that programs also give to a place with daylight saving time."""
_UTC_NAMES = frozenset({"coordinated universal time", "universal coordinated time"})
_REFERENCE_YEAR = 2024  # offsets of places are compared with a label's in this year


class ZoneMatch(NamedTuple):
    """What a TZID was read as."""

    zone: dt.tzinfo
    problem: str = ""
    """Empty when it is certain; else what was assumed, as a clause."""


def find_iana(name: str) -> zoneinfo.ZoneInfo | None:
    """Return the zone of exactly that IANA name, or None."""
    if name in _MACHINE_NAMES:
        return None
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None  # no such file, no relative path, a folder


class ZoneTable:
    """The zones that the components of one or more files can name.

    Not thread-safe: it remembers what it has found; make one per reading.
    """

    def __init__(self, user_zone: zoneinfo.ZoneInfo, definitions: Iterable[Component]) -> None:
        """Take the user's zone and every VTIMEZONE of the files."""
        self.user_zone = user_zone
        self._unread: dict[str, list[Component]] = {}
        for definition in definitions:
            self._unread.setdefault(definition.file, []).append(definition)
        self._definitions: dict[tuple[str, int, str], Component] = {}
        self._matches: dict[tuple[str, int, str], ZoneMatch] = {}

    def find(self, tzid: str, near: Component) -> ZoneMatch:
        """Return what `tzid` means where `near` stands: its own VCALENDAR, then its file."""
        key = (near.file, near.calendar, tzid)
        if key not in self._matches:
            self._matches[key] = self._find(tzid.strip(" \"'"), near)
        return self._matches[key]

    def _find(self, name: str, near: Component) -> ZoneMatch:
        ways: tuple[Callable[[], dt.tzinfo | None], ...] = (
            lambda: self._known(name),
            lambda: self._defined(name, near),
        )
        if name.upper() in _AMBIGUOUS:  # what the file says of it counts for more
            ways = ways[::-1]
        zone = next((found for way in ways if (found := way()) is not None), None)
        if zone is not None:
            return ZoneMatch(zone=zone)
        return self._label(name) or self._unknown(name)

    def _known(self, name: str) -> dt.tzinfo | None:
        """Read an IANA or Windows name, whole or behind a vendor's path (the longest first)."""
        parts = [part for part in name.split("/") if part]
        for first in range(len(parts)):
            candidate = "/".join(parts[first:])
            zone = find_iana(candidate) or self._find_windows(candidate)
            if zone is not None:
                return zone
        return None

    def _find_windows(self, name: str) -> dt.tzinfo | None:
        if name.casefold() in _UTC_NAMES:
            return dt.UTC
        iana = self._windows.get(name.casefold().replace(" daylight ", " standard "))
        return find_iana(iana) if iana else None

    @cached_property
    def _windows(self) -> Mapping[str, str]:
        from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

        return {name.casefold(): iana for name, iana in WINDOWS_TO_OLSON.items()}

    def _defined(self, name: str, near: Component) -> dt.tzinfo | None:
        for own in self._unread.pop(near.file, ()):
            tzid = zone_id(own).casefold()
            self._definitions.setdefault((own.file, own.calendar, tzid), own)
            self._definitions.setdefault((own.file, 0, tzid), own)
        for calendar in (near.calendar, 0):
            definition = self._definitions.get((near.file, calendar, name.casefold()))
            zone = build_zone(definition) if definition else None
            if zone is not None:
                return zone
        return None

    def _label(self, name: str) -> ZoneMatch | None:
        """Read ``GMT+0200``, ``(UTC+01:00) Amsterdam, Berlin``, or an IANA name in lower case."""
        plain = name.casefold().replace(" ", "_")
        for spelling in (plain, plain.replace("-", "/", 1)):  # US-Mountain
            if spelling in self._cities.whole_names:
                return ZoneMatch(zone=zoneinfo.ZoneInfo(self._cities.whole_names[spelling]))
        found = _LABEL.fullmatch(name)
        if not found or name == found[4]:
            return None  # no offset and no UTC in it
        sign, hours, minutes, places = found.groups()
        offset = dt.timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
        if offset >= dt.timedelta(hours=24):
            return None
        return self._place(name, -offset if sign in {"-", "\u2212"} else offset, places)

    def _place(self, name: str, offset: dt.timedelta, places: str) -> ZoneMatch:
        for place in _places(places):
            for candidate in (*self._cities.find(place), self._windows.get(place, "")):
                zone = find_iana(candidate) if candidate else None
                if zone is not None and _standard_offset(zone) == offset:
                    return ZoneMatch(zone=zone)
        fixed = dt.timezone(offset)
        if places.casefold().strip(" ()") in {"", *_UTC_NAMES}:
            return ZoneMatch(zone=fixed)
        return ZoneMatch(zone=fixed, problem=f"zone {name!r} is read as the fixed offset {fixed}")

    @cached_property
    def _cities(self) -> _Cities:
        return _Cities(zoneinfo.available_timezones() - _MACHINE_NAMES)

    def _unknown(self, name: str) -> ZoneMatch:
        problem = f"zone {name!r} is unknown; read as local time ({self.user_zone.key})"
        return ZoneMatch(zone=self.user_zone, problem=problem)


class _Cities:
    """IANA names by their last part. Built only when a label must be read."""

    def __init__(self, names: Iterable[str]) -> None:
        self.whole_names: dict[str, str] = {}
        self._by_city: dict[str, list[str]] = {}
        for name in sorted(names):
            self.whole_names[name.casefold()] = name
            city = name.rpartition("/")[2].casefold().replace("_", " ")
            self._by_city.setdefault(city, []).append(name)

    def find(self, place: str) -> tuple[str, ...]:
        return tuple(self._by_city.get(place, ()))


def _places(text: str) -> Iterator[str]:
    """Yield the cities and Windows names that the words of a label may stand for."""
    for part in re.split(r"[,:;/]", text.casefold()):
        place = part.strip(" ()")
        yield place
        yield f"{place.split(' time')[0]} standard time"


def _standard_offset(zone: zoneinfo.ZoneInfo) -> dt.timedelta:
    halves = (dt.datetime(_REFERENCE_YEAR, month, 1, tzinfo=zone) for month in (1, 7))
    return min(half.utcoffset() or dt.timedelta(0) for half in halves)
