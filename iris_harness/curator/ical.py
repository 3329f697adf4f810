"""The blocks of a plan as a calendar to import (RFC 5545).

A block's UID is made of the day and of what the block is for, so that importing a later plan of
the same day moves the events that an earlier one made. `SEQUENCE` and `DTSTAMP` come from the
plan's own "now", so the same plan gives the same bytes and a later one is the newer revision
(RFC 5546 §2.1.5). Times are UTC: no client needs to know the zone.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

import icalendar

from iris_harness.contracts.day import Block, DailyPlan
from iris_harness.curator.clean import clean, cleaned
from iris_harness.curator.language import Language
from iris_harness.curator.sections import ID_DIGITS
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.view import source_labels

UID_DOMAIN = "blocks.iris"
"""What stands behind the @ of every UID: by it a block is known wherever it is imported."""

_UID_DIGITS = 32
_MINUTE = 60


def days_calendar(
    plans: Sequence[DailyPlan], language: Language = ENGLISH, *, refresh_minutes: int | None = None
) -> str:
    """Return the blocks of plans, at least one, as iCalendar text with its CRLF line ends.

    `refresh_minutes` is for a calendar that is subscribed to: how often to look at it again.
    """
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Iris//Daily plan//EN")
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    name = language.say("ical.name")
    calendar.add("name", name)  # RFC 7986 §5.1
    calendar.add("x-wr-calname", name)  # what Google, Apple and Outlook read instead
    if refresh_minutes is not None:
        interval = dt.timedelta(minutes=refresh_minutes)
        calendar.add(
            "refresh-interval", interval, parameters={"VALUE": "DURATION"}
        )  # RFC 7986 §5.7
        calendar.add("x-published-ttl", icalendar.vDuration(interval))
    for plan in plans:
        for uid, block in _with_uids(plan):
            calendar.add_component(_event(uid, block, plan, language))
    if not calendar.subcomponents:
        calendar.add_component(_utc())
    written: bytes = calendar.to_ical()
    return written.decode()


def _with_uids(plan: DailyPlan) -> Iterator[tuple[str, Block]]:
    """Yield each block with its UID; of several for one thing, the first, the second and so on."""
    seen: Counter[tuple[str, ...]] = Counter()
    for block in plan.blocks:
        key = (plan.date.isoformat(), block.kind.value, *_named(block))
        seen[key] += 1
        digest = hashlib.sha256("\0".join((*key, str(seen[key]))).encode()).hexdigest()
        yield f"{digest[:_UID_DIGITS]}@{UID_DOMAIN}", block


def _named(block: Block) -> tuple[str, str]:
    """Return what a block is for, in words that stay the same while its todo does.

    The line of a todo in a text file does not: it moves with every line above it.
    """
    if block.source is None:
        return "", block.title
    by_line = block.source.locator.startswith("line ")
    return block.source.source, block.title if by_line else block.source.locator


def _event(uid: str, block: Block, plan: DailyPlan, language: Language) -> icalendar.Event:
    now = plan.now.astimezone(dt.UTC).replace(microsecond=0)
    event = icalendar.Event()
    event.add("uid", uid)
    event.add("dtstamp", now)
    event.add("last-modified", now)
    event.add("sequence", max(0, int(now.timestamp())) // _MINUTE)
    event.add("dtstart", block.start.astimezone(dt.UTC))
    event.add("dtend", block.end.astimezone(dt.UTC))
    event.add("summary", clean(block.title) or language.say("untitled"))
    event.add("description", "\n".join(_about(block, plan, language)))
    event.add("categories", [language.say(f"page.legend.{block.kind.value}")])
    event.add("status", "CONFIRMED")
    event.add("transp", "OPAQUE")
    return event


def _about(block: Block, plan: DailyPlan, language: Language) -> Iterator[str]:
    if block.pinned:
        yield language.say("mark.pinned")
    yield from cleaned(block.reason)
    if block.source:
        yield from source_labels((block.source,))
    yield language.say("ical.plan", id=plan.plan_id[:ID_DIGITS])


def _utc() -> icalendar.Timezone:
    """Return a component that says nothing: RFC 5545 §3.6 has no calendar without any."""
    zone, standard = icalendar.Timezone(), icalendar.TimezoneStandard()
    zone.add("tzid", "Etc/UTC")
    standard.add("dtstart", dt.datetime(1970, 1, 1))  # noqa: DTZ001 - local by definition (§3.6.5)
    standard.add("tzoffsetfrom", dt.timedelta())
    standard.add("tzoffsetto", dt.timedelta())
    zone.add_component(standard)
    return zone
