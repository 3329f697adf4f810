"""How answers about days are said: sentences with their sources. English, no locale."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import Event, EventStatus
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner import words
from iris_harness.planner.questions.look import Look, Window

_NEAR = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_MOMENT = dt.timedelta(minutes=1)
"""A window this short is named as a point in time."""


def statement(text: str, sources: Iterable[SourceRef], value: Json = None) -> Fact:
    """Return a sentence as a fact."""
    return Fact(kind=FactKind.STATEMENT, text=text, value=value, sources=tuple(sources))


def refs(names: Iterable[str]) -> tuple[SourceRef, ...]:
    """Return references to whole sources."""
    return tuple(SourceRef(source=name) for name in names)


def said_of(look: Look, text: str, value: Json = None) -> Fact:
    """Return a sentence that is true of everything that was read."""
    return statement(text, refs(look.read), value)


def limit(look: Look) -> str:
    """Return to which sources a sentence is limited, for its end; empty when all were read."""
    return "" if look.is_complete else f" in what could be read ({', '.join(look.read)})"


def event_fact(event: Event, now: dt.datetime) -> Fact:
    """Return an event with its time, place and state."""
    place = f" ({event.location})" if event.location else ""
    return Fact(
        kind=FactKind.EVENT,
        text=f"{event_time(event, now)}: {event.summary}{place}{_remark(event)}.",
        value={
            "summary": event.summary,
            "start": event.start.isoformat(),
            "end": event.end.isoformat(),
            "all_day": event.all_day,
            "busy": event.busy,
            "status": event.status.value,
            "calendar": event.calendar,
            "location": event.location,
        },
        sources=(event.source,),
    )


def _remark(event: Event) -> str:
    if event.status is EventStatus.CONFIRMED:
        return "" if event.busy else ", does not take your time"
    return f", {event.status.value.lower()}"


def event_time(event: Event, now: dt.datetime) -> str:
    """Return when an event is, to stand at the beginning of a sentence."""
    start, end = event.start, event.end
    if not isinstance(start, dt.datetime) or not isinstance(end, dt.datetime):
        last = max(start, end - dt.timedelta(days=1))
        days = capital(day_text(start, now))
        if last != start:
            days = f"{days} to {day_text(last, now)}"
        return f"{days}, all day"
    first = f"{capital(day_text(start.date(), now))}, {words.clock_text(start)}"
    if start == end:
        return first
    if start.date() == end.date():
        return f"{first} to {words.clock_text(end)}"
    return f"{first} to {day_text(end.date(), now)}, {words.clock_text(end)}"


def day_text(day: dt.date, now: dt.datetime) -> str:
    """Return ``today`` or ``Friday 15 May 2026``."""
    return _NEAR.get((day - now.date()).days) or words.day_name(day)


def on_day(day: dt.date, now: dt.datetime) -> str:
    """Return ``today`` or ``on Friday 15 May 2026``."""
    return _NEAR.get((day - now.date()).days) or f"on {words.day_name(day)}"


def window_text(window: Window, now: dt.datetime) -> str:
    """Return a window in words, to stand at the end of a sentence."""
    first, last = window.days[0], window.days[-1]
    if first != last:
        return f"from {words.day_name(first)} to {words.day_name(last)}"
    near = on_day(first, now)
    if window.end - window.start <= _MOMENT:
        return f"{near} at {words.clock_text(window.start)}"
    if not window.is_part:
        return near
    return f"{near} from {words.clock_text(window.start)} to {end_text(window.end)}"


def between(look: Look) -> str:
    """Return the time that was looked through, as in ``between today and Friday 15 May 2026``."""
    first, last = look.window.days[0], look.window.days[-1]
    if first == last:
        return window_text(look.window, look.now)
    return f"between {day_text(first, look.now)} and {day_text(last, look.now)}"


def end_text(end: dt.datetime) -> str:
    """Return the end of a span; midnight is 24:00."""
    return "24:00" if end.time() == dt.time() else words.clock_text(end)


def capital(text: str) -> str:
    """Return a text as a sentence begins."""
    return text[:1].upper() + text[1:]


def listing(parts: Sequence[str]) -> str:
    """Return things in a row: ``a, b and c``."""
    if len(parts) <= 1:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def quoted(text: str) -> str:
    """Return words in quotation marks."""
    return f"\u201c{text}\u201d"
