"""Keep a calendar of the blocks of plans. Implements `BlockWriter`."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from iris_harness.contracts.block_uids import UID_DOMAIN, block_uids
from iris_harness.contracts.changes import Change, Standing, TurnTime
from iris_harness.contracts.day import Block, DailyPlan
from iris_harness.sources.ical.components import Component
from iris_harness.sources.ical.entries import IDENTITY, Entry
from iris_harness.sources.ical.lengths import TIMES
from iris_harness.sources.writing.component_text import (
    ComponentText,
    escape,
    new_component,
    one_line,
)
from iris_harness.sources.writing.documents import Document
from iris_harness.sources.writing.naming import named
from iris_harness.sources.writing.resources import Item, Resources
from iris_harness.sources.writing.times import find_written, stamp, time_line, touched

_WANTED = frozenset({*IDENTITY, *TIMES})


class _Written(NamedTuple):
    """A block as the calendar has it."""

    document: Document
    component: Component
    entry: Entry


class BlockCalendar:
    """The calendar that plans are written to. Thread-safe."""

    def __init__(self, resources: Resources) -> None:
        """Take where its events are."""
        self.name = resources.name
        self._resources = resources

    def write(self, plan: DailyPlan, at: TurnTime) -> tuple[Change, ...]:
        """Plan that the calendar holds the blocks of a plan; see `BlockWriter.write`."""
        with named(self.name):
            written = dict(self._written(plan.timezone))
            planned = dict(block_uids(plan))
            changes: list[Change] = []
            for uid, block in planned.items():
                if uid in written:
                    changes += self._updated(written[uid], block, at)
                else:
                    changes.append(
                        self._resources.added(_component(uid, block, at), _item(uid, block))
                    )
            return (*changes, *self._outdated(written, planned, plan))

    def apply(self, change: Change) -> Change:
        """Make a change; see `ChangeApplier.apply`."""
        return self._resources.apply(change)

    def standing(self, change: Change) -> Standing:
        """Return how a change stands; see `ChangeApplier.standing`."""
        return self._resources.standing(change)

    def _written(self, timezone: str) -> Iterator[tuple[str, _Written]]:
        for document in self._resources.every(timezone, f"@{UID_DOMAIN}"):
            for component in document.stream.components:
                if component.kind != "VEVENT" or not component.closed:
                    continue
                entry = next(iter(document.entries("", (component,), _WANTED)), None)
                uid = entry.properties.text("UID") if entry else ""
                if entry is not None and uid.endswith(f"@{UID_DOMAIN}"):
                    yield uid, _Written(document, component, entry)

    def _updated(self, written: _Written, block: Block, at: TurnTime) -> tuple[Change, ...]:
        text = before = written.document.text_of(written.component)
        for name, content in _contents(block):
            line = text.find(name)
            if line is None or f"{line.head}:{line.value}" != content:
                text = text.with_line(name, content)
        if text == before:
            return ()
        redraft = written.document.redraft()
        written.document.replace(redraft, written.component, touched(text.without("DURATION"), at))
        item = _item(written.entry.properties.text("UID"), block)
        return self._resources.changed(written.document, redraft, item)

    def _outdated(
        self, written: Mapping[str, _Written], planned: Mapping[str, Block], plan: DailyPlan
    ) -> Iterator[Change]:
        """Yield that blocks of the plan's day which it does not have are taken out."""
        for uid, old in written.items():
            if uid not in planned and _day_of(old, plan.timezone) == plan.date:
                item = Item(uid, old.entry.title)
                yield from self._resources.removed(old.document, (old.component,), item)


def _day_of(written: _Written, timezone: str) -> dt.date | None:
    text = written.document.text_of(written.component)
    start = find_written(written.document, written.entry, text, "DTSTART")
    if start is None:
        return None
    if start.moment.all_day:
        return start.moment.day
    return start.moment.instant.astimezone(zoneinfo.ZoneInfo(timezone)).date()


def _item(uid: str, block: Block) -> Item:
    return Item(uid, block.title)


def _contents(block: Block) -> list[tuple[str, str]]:
    """Return what of an event says what the block is, by property."""
    found = [
        ("SUMMARY", f"SUMMARY:{escape(one_line(block.title)) or block.kind.value}"),
        ("DTSTART", time_line("DTSTART", block.start, None)),
        ("DTEND", time_line("DTEND", block.end, None)),
    ]
    if block.reason.strip():
        found.append(("DESCRIPTION", f"DESCRIPTION:{escape(block.reason.strip())}"))
    return found


def _component(uid: str, block: Block, at: TurnTime) -> ComponentText:
    now = stamp(at.now)
    head = [f"UID:{uid}", f"DTSTAMP:{now}", f"CREATED:{now}", f"LAST-MODIFIED:{now}"]
    own = [content for _, content in _contents(block)]
    return new_component("VEVENT", [*head, *own, "TRANSP:OPAQUE"], "\r\n")
