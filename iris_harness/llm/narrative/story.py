"""What there is to tell of a day: its parts in order, as they are shown."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TypeAlias
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import Block, DailyPlan, Event
from iris_harness.curator.clean import clean
from iris_harness.curator.language import Language

_UNTITLED = "untitled"
_LONGEST_TITLE = 80  # characters that are told


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """An event, or a block of time."""

    title: str
    """Cleaned, without double quotes, cut where it is long; never empty."""
    start: str
    """As the language writes it; empty where it began before the day, or has no time."""
    end: str
    """As the language writes it; empty where it ends after the day, or has no time."""
    follows: bool
    """Whether the part before it is over when it starts."""

    @property
    def times(self) -> tuple[str, ...]:
        """The times that are to be said of it, in order."""
        return tuple(time for time in (self.start, self.end) if time)


def day_story(plan: DailyPlan, language: Language) -> tuple[Part, ...]:
    """Return the parts of a day: what is all day first, then by start, end and title.

    What was declined or cancelled is no part of it.
    """
    zone = ZoneInfo(plan.timezone)
    begin = dt.datetime.combine(plan.date, dt.time(), zone).astimezone(dt.UTC)
    next_day = plan.date + dt.timedelta(days=1)
    end = dt.datetime.combine(next_day, dt.time(), zone).astimezone(dt.UTC)
    events = [event for event in plan.events if event.takes_place]
    timed = sorted(
        (*filter(None, map(_event_span, events)), *map(_block_span, plan.blocks)),
        key=lambda span: (span[0].astimezone(dt.UTC), span[1].astimezone(dt.UTC), span[2]),
    )
    parts = [
        Part(title=_title(event.summary), start="", end="", follows=False)
        for event in events
        if event.all_day
    ]
    over: dt.datetime | None = None
    for start, stop, title in timed:
        parts.append(
            Part(
                title=title,
                start=language.time(start) if start >= begin else "",
                end=language.time(stop) if stop < end else "",
                follows=over is not None and over <= start,
            )
        )
        over = stop if over is None else max(over, stop)
    return tuple(parts)


_Span: TypeAlias = tuple[dt.datetime, dt.datetime, str]


def _event_span(event: Event) -> _Span | None:
    if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
        return None
    return event.start, event.end, _title(event.summary)


def _block_span(block: Block) -> _Span:
    return block.start, block.end, _title(block.title)


def _title(text: str) -> str:
    title = clean(text).replace('"', "'")
    if len(title) > _LONGEST_TITLE:
        title = title[:_LONGEST_TITLE].rstrip() + "…"
    return title or _UNTITLED
