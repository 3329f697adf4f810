"""When the user is free, whether that is so at a time, and whether there is time for something.

Free is what no busy timed event takes, of the working hours; on a day off of `DAY_OFF_HOURS`, and
of a part of the day that was named ("friday evening") all of that part. An all-day event that is
busy (a vacation) leaves no time that is called free; one that is not (a birthday, a holiday that
is marked as free) leaves the day as it is. Todos take no time here: they can be done when one
pleases.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import Event, TimeSpan
from iris_harness.contracts.facts import Fact
from iris_harness.planner import words
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.frame import at_offset, first_instant
from iris_harness.planner.questions.look import Look, taking_the_day, taking_time
from iris_harness.planner.questions.reading import Question
from iris_harness.planner.questions.telling import (
    between,
    capital,
    end_text,
    event_fact,
    limit,
    listing,
    on_day,
    said_of,
    window_text,
)

DAY_OFF_HOURS = TimeSpan(start=dt.time(8), end=dt.time(22))
"""The hours in which a day without working hours can be free."""
_SHORTEST_MINUTES = 15
"""A shorter gap is no time to do anything in."""
_USUAL_MINUTES = 60
"""How long something takes of which no length was said."""
_MOST_OFF = 2
"""Days that may be a weekend that was asked for; among more, days off are left out."""
_MOST_DAYS = 7
"""Days that an answer tells of."""
_MINUTE = dt.timedelta(minutes=1)
_DAY = dt.timedelta(days=1)


class Gap(NamedTuple):
    """Free time. Aware, `start < end`."""

    start: dt.datetime
    end: dt.datetime

    @property
    def minutes(self) -> int:
        """Whole minutes of it."""
        return (self.end - self.start) // _MINUTE


class OpenDay(NamedTuple):
    """What of a day is free."""

    day: dt.date
    hours: tuple[Gap, ...]
    """What could be free: the part of the day that counts."""
    gaps: tuple[Gap, ...]
    """By start."""
    filling: tuple[Event, ...]
    """All-day events that take the day."""


def open_day(look: Look, day: dt.date, minutes: int, part: TimeSpan | None = None) -> OpenDay:
    """Return what of a day is free, from "now" on, in gaps of at least so many minutes.

    `part` is the part of the day that counts; None: the hours that the module states.
    """
    events = look.events_of(day)
    hours = tuple(_cut(look, _hours(look, day, part)))
    taken = [(start, end) for start, end in map(bounds, taking_time(events)) if start < end]
    gaps = [gap for span in hours for gap in _without(span, taken) if gap.minutes >= minutes]
    filling = taking_the_day(events)
    return OpenDay(day, hours, () if filling else tuple(gaps), filling)


def _hours(look: Look, day: dt.date, part: TimeSpan | None) -> Sequence[Gap]:
    if look.window.is_part:
        return [Gap(look.window.start, look.window.end)]
    own = look.preferences.working_hours[day.weekday()] or (DAY_OFF_HOURS,)
    spans = own if part is None else (part,)
    return [
        Gap(
            first_instant(day, span.start, look.zone),
            first_instant(day if span.end != dt.time() else day + _DAY, span.end, look.zone),
        )
        for span in spans
    ]


def _cut(look: Look, hours: Sequence[Gap]) -> Iterator[Gap]:
    """Yield what of `hours` is in the window and to come."""
    for span in hours:
        start = max(span.start, look.window.start, look.now)
        end = min(span.end, look.window.end)
        if start < end:
            yield Gap(at_offset(start, look.zone), at_offset(end, look.zone))


def _without(span: Gap, taken: Sequence[tuple[dt.datetime, dt.datetime]]) -> Iterator[Gap]:
    start = span.start
    for first, last in sorted(taken):
        if first >= span.end:
            break
        if first > start:
            yield Gap(start, first)
        start = max(start, last)
    if start < span.end:
        yield Gap(start, span.end)


def answer_when_free(look: Look, question: Question) -> list[Fact]:
    """Return when the user is free: of the days that were named, else of the first free one.

    A part of a day ("a free evening") is free as a whole.
    """
    minutes, is_next = question.minutes, question.is_next
    least = max(minutes, _SHORTEST_MINUTES)
    part = question.part
    among = look.window.days if part else _working_days(look)
    days = [open_day(look, day, least, part) for day in among]
    if part is not None:
        days = [one._replace(gaps=one.gaps if one.gaps == one.hours else ()) for one in days]
    ahead = [one for one in days if one.hours]
    if is_next or not look.is_named:
        ahead = [one for one in ahead if one.gaps][:1] or ahead
    if not ahead:
        return [said_of(look, f"{capital(window_text(look.window, look.now))} is over.")]
    if not any(one.gaps for one in ahead) and len(ahead) > 1:
        long = f" of {_length(minutes)} or more" if minutes else ""
        return [said_of(look, f"I found no free time{long} {between(look)}{limit(look)}.")]
    facts = [_day_fact(look, one, minutes, is_next=is_next) for one in ahead[:_MOST_DAYS]]
    rest = len(ahead) - _MOST_DAYS
    if rest > 0:
        facts.append(said_of(look, f"These are the first {_MOST_DAYS} days of {len(ahead)}."))
    return facts


def _working_days(look: Look) -> Sequence[dt.date]:
    """Return the days to look at: of several those with working hours, where there are any."""
    days = look.window.days
    working = [day for day in days if look.preferences.working_hours[day.weekday()]]
    return working if len(days) > _MOST_OFF and working else days


def _length(minutes: int) -> str:
    return words.duration_text(minutes)


def _day_fact(look: Look, one: OpenDay, minutes: int, *, is_next: bool) -> Fact:
    when = capital(on_day(one.day, look.now))
    gaps = one.gaps[:1] if is_next else one.gaps
    value: Json = {"day": one.day.isoformat(), "free": [_json(gap) for gap in gaps]}
    if gaps:
        much = f"{_length(minutes)} " if minutes else ""
        what = f"you have {much}free" if minutes else "you are free"
        return said_of(look, f"{when} {what} {spans_text(gaps)}{limit(look)}.", value)
    return said_of(look, f"{when} {_nothing(one, minutes)}{limit(look)}.", value)


def _json(gap: Gap) -> Json:
    return {"start": gap.start.isoformat(), "end": gap.end.isoformat()}


def _nothing(one: OpenDay, minutes: int) -> str:
    if one.filling:
        return f"no time counts as free; all day: {titles(one.filling)}"
    long = f" of {_length(minutes)} or more" if minutes else ""
    return f"nothing{long} is free {spans_text(one.hours)}"


def spans_text(gaps: Sequence[Gap]) -> str:
    """Return spans in words: ``from 09:00 to 10:00 and from 14:00 to 17:00``."""
    return listing([f"from {words.clock_text(one.start)} to {end_text(one.end)}" for one in gaps])


def titles(events: Sequence[Event]) -> str:
    """Return what events are called, in a row."""
    return listing([event.summary for event in events])


def answer_whether_free(look: Look, *, busy: bool) -> list[Fact]:
    """Return whether the user's time is taken; `busy`: whether that was the question."""
    inside = [event for event in look.events if look.window.holds(event)]
    taken = taking_time(inside)
    filling = taking_the_day(inside)
    when = window_text(look.window, look.now)
    if look.window.is_part or not (taken or filling):
        return _yes_or_no(look, [*filling, *taken], when, busy=busy)
    facts = [event_fact(event, look.now) for event in (*filling, *taken)]
    if not taken:
        text = f"Nothing is at a time {when}{limit(look)}; all day: {titles(filling)}."
        return [said_of(look, text), *facts]
    count = f"{len(taken)} {'event takes' if len(taken) == 1 else 'events take'} your time"
    all_day = f"; all day: {titles(filling)}" if filling else ""
    return [said_of(look, f"{capital(when)} {count}{all_day}.{_rest(look)}"), *facts]


def _yes_or_no(look: Look, taken: Sequence[Event], when: str, *, busy: bool) -> list[Fact]:
    """Return yes or no, then what stands in the way; with a calendar unread, no yes."""
    if not taken and not look.is_complete:
        return [said_of(look, f"I found nothing that takes your time {when}{limit(look)}.")]
    answer = "Yes" if bool(taken) == busy else "No"
    rest = _rest(look) if taken and look.window.end - look.window.start > _MINUTE else ""
    text = f"{answer}, you are {'busy' if taken else 'free'} {when}.{rest}"
    return [said_of(look, text), *(event_fact(event, look.now) for event in taken)]


def _rest(look: Look) -> str:
    """Return what is left of a single day, as a sentence of its own."""
    if len(look.window.days) > 1:
        return ""
    one = open_day(look, look.window.days[0], _SHORTEST_MINUTES)
    if one.gaps:
        return f" You are free {spans_text(one.gaps)}."
    if look.window.is_part or not one.hours or one.filling:
        return ""
    return f" Nothing else is free {spans_text(one.hours)}."


def answer_whether_it_fits(look: Look, minutes: int) -> list[Fact]:
    """Return whether there is time for something of a length, and when first."""
    wanted = minutes or _USUAL_MINUTES
    days = [open_day(look, day, _SHORTEST_MINUTES) for day in look.window.days]
    fitting = [(one, gap) for one in days for gap in one.gaps if gap.minutes >= wanted]
    guess = "" if minutes else f" (I took it to last {_length(wanted)})"
    when = window_text(look.window, look.now) if look.is_named else between(look)
    if fitting and len(days) == 1:
        gaps = [gap for _, gap in fitting]
        return [
            said_of(
                look,
                f"Yes: {when} you are free {spans_text(gaps)}{guess}{limit(look)}.",
                [_json(gap) for gap in gaps],
            )
        ]
    if fitting:
        one, gap = fitting[0]
        first = f"{on_day(one.day, look.now)} {spans_text([gap])}"
        return [said_of(look, f"Yes: first {first}{guess}{limit(look)}.", [_json(gap)])]
    filling = list(dict.fromkeys(event for one in days for event in one.filling))
    longest = max((gap.minutes for one in days for gap in one.gaps), default=0)
    much = f"the longest free time is {_length(longest)}" if longest else "no time is free"
    why = f"; all day: {titles(filling)}" if filling else ""
    text = f"No, not {_length(wanted)}: {when} {much}{why}{guess}{limit(look)}."
    return [said_of(look, text), *(event_fact(event, look.now) for event in filling)]
