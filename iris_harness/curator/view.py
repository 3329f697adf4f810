"""The view model: a day in sections and lines, before any layout.

Every view (text, terminal, later HTML) lays out the same lines, so all of them say the same.
All text in it is clean: one line, no control characters.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

from iris_harness.contracts.sources import SourceRef
from iris_harness.curator.clean import cleaned


class SectionKind(enum.StrEnum):
    """What a section is about, in the order in which they come."""

    HEAD = "head"
    SUMMARY = "summary"
    ALL_DAY = "all_day"
    BIRTHDAYS = "birthdays"
    TIMELINE = "timeline"
    CONFLICTS = "conflicts"
    DUE = "due"
    UNPLACED = "unplaced"
    SKIPPED = "skipped"
    JOBS = "jobs"
    BACKLOG = "backlog"
    SOURCES = "sources"
    WARNINGS = "warnings"
    PLAN = "plan"
    DAY = "day"  # a whole day of a range, in brief
    REASONS = "reasons"  # why something is where it is, by time
    CHANGES = "changes"  # what would make it fit


class LineKind(enum.StrEnum):
    """What a line stands for."""

    EVENT = "event"
    TODO_BLOCK = "todo_block"
    OTHER_BLOCK = "other_block"  # a break, travel
    FREE = "free"
    NOW = "now"
    CONFLICT = "conflict"
    TODO = "todo"
    NOTE = "note"


class Tone(enum.StrEnum):
    """How much attention a line or a mark asks for. Views may colour it; words carry it."""

    PLAIN = "plain"
    QUIET = "quiet"
    CAUTION = "caution"
    ALARM = "alarm"


class Mark(NamedTuple):
    """A word that qualifies a line: "conflict", "tentative"."""

    text: str
    tone: Tone


class Line(NamedTuple):
    """One statement."""

    kind: LineKind
    title: str
    """Never empty."""
    tone: Tone = Tone.PLAIN
    start: str = ""
    """When it starts, written out; empty when it has no time."""
    end: str = ""
    """When it ends; empty when it has no end of its own."""
    label: str = ""
    """What kind of thing it is, where the title does not say so; empty otherwise."""
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    """More about it, most important first."""
    sources: tuple[SourceRef, ...] = ()
    """Where it was read; empty for what Iris itself says."""
    struck: bool = False
    """Whether it does not take place for the user (declined, cancelled); a mark says so too."""
    past: bool = False
    """Whether it is over at the day's "now"."""

    @property
    def source_labels(self) -> tuple[str, ...]:
        """Its sources as people know them, without duplicates."""
        return source_labels(self.sources)


class Section(NamedTuple):
    """Lines that belong together, in order."""

    kind: SectionKind
    heading: str
    """Empty for the summary and the plan's id, which need none."""
    lines: tuple[Line, ...]
    aside: str = ""
    """What the heading's own row says beside it; empty for most."""


def source_labels(sources: Iterable[SourceRef]) -> tuple[str, ...]:
    """Return how a person would name places: each source, with the line where there is one.

    Cleaned, without duplicates. A UID is left out: it says nothing to a person, and the JSON
    view has it.
    """
    names = (str(ref) if ref.locator.startswith("line ") else ref.source for ref in sources)
    return tuple(dict.fromkeys(cleaned(*names)))
