"""The content lines of a component, one by one: a line that cannot be read costs only itself."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from iris_harness.sources.decoding import decode
from iris_harness.sources.ical.content_line import split_line

_FOLD = re.compile(rb"\r*\n[ \t]")
_NAME = re.compile(r"\s*([A-Za-z0-9-]+)\s*[:;]")
# Exchange and others write TZID=(UTC+01:00) Berlin or TZID=GMT+01:00 without quotation marks;
# the value begins at the first colon that a date follows.
_BARE_TZID = re.compile(
    r";(TZID)=([^\";]*:[^\";]*?)(?=(?:;[^\":]*)?:\s*\d{4}-?\d\d-?\d\d)", re.IGNORECASE
)


class Property(NamedTuple):
    """One content line with a value that is not empty."""

    name: str
    """In capitals."""
    value: str
    """Without RFC 5545 TEXT escapes, white space around it taken off."""
    parameters: Mapping[str, str]
    """By name in capitals; of a repeated value the first."""


MAX_PROPERTIES = 50_000
"""Lines of one component that are read: an exception for each day of a century are fewer."""


class Properties:
    """The properties of one component that somebody asked for, in file order."""

    def __init__(self, properties: Collection[Property]) -> None:
        self._by_name: dict[str, list[Property]] = {}
        for item in properties:
            self._by_name.setdefault(item.name, []).append(item)

    def all(self, name: str) -> tuple[Property, ...]:
        """Return every property of that name; an empty value counts as not set."""
        return tuple(self._by_name.get(name, ()))

    def find(self, name: str) -> Property | None:
        """Return the first property of that name, or None."""
        return next(iter(self._by_name.get(name, ())), None)

    def text(self, name: str) -> str:
        """Return the value of the first property of that name on one line, or ""."""
        found = self.find(name)
        return " ".join(found.value.split()) if found else ""

    def word(self, name: str) -> str:
        """Return `text` in capitals, for values that are keywords."""
        return self.text(name).upper()

    def ending(self, suffix: str) -> Property | None:
        """Return the first property whose name ends so (vendors' X- forms of one), or None."""
        names = sorted(name for name in self._by_name if name.endswith(suffix))
        return self._by_name[names[0]][0] if names else None


def parse_properties(body: bytes, wanted: Collection[str]) -> Properties:
    """Read the lines of `body` whose name is in `wanted`, or ends with one of its ``*NAME``.

    Raises:
        ValueError: there are more than `MAX_PROPERTIES`.
    """
    lines = decode(_FOLD.sub(b"", body)).replace("\r", "").split("\n")
    endings = tuple(name[1:] for name in wanted if name.startswith("*"))
    every = (item for line in lines for item in _parse_line(line, wanted, endings))
    found = list(itertools.islice(every, MAX_PROPERTIES + 1))
    if len(found) > MAX_PROPERTIES:
        raise ValueError(f"it has more than {MAX_PROPERTIES:,} lines that count")
    return Properties(found)


def _parse_line(line: str, wanted: Collection[str], endings: tuple[str, ...]) -> Iterator[Property]:
    found = _NAME.match(line)
    if not found:
        return
    name = found[1].upper()
    if name not in wanted and not name.endswith(endings):
        return
    value, parameters = _parts(line.rstrip(), found.end() - 1)
    if value.strip():
        yield Property(name=name, value=value.strip(), parameters=parameters)


def _parts(line: str, name_end: int) -> tuple[str, dict[str, str]]:
    try:
        return split_line(_BARE_TZID.sub(r';\1="\2"', line[name_end:]))
    except ValueError:  # parameters beyond repair: the value may still be worth something
        return line.partition(":")[2], {}
