"""The events of a window, and the one that a question means: when, where and how long it is."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace

from iris_harness.contracts.day import Event
from iris_harness.contracts.facts import Fact
from iris_harness.planner import words
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.questions.look import Look, taking_time
from iris_harness.planner.questions.reading import Ask, Question
from iris_harness.planner.questions.telling import (
    between,
    event_fact,
    event_time,
    limit,
    listing,
    on_day,
    quoted,
    said_of,
    window_text,
)
from iris_harness.planner.questions.topics import Topics, first_of_each

_MOST_FOUND = 5
"""Events told in answer to one question."""
_NEAR = re.compile("Today|Tomorrow|Yesterday")
_NEAR_MINUTES = 48 * 60
_TOLD_OF_ONE = frozenset({Ask.WHERE, Ask.HOW_LONG, Ask.UNTIL, Ask.WHO})
"""Questions that are answered in a sentence on each event."""
_MINUTE = dt.timedelta(minutes=1)


def list_events(look: Look, events: Sequence[Event]) -> list[Fact]:
    """Return a sentence on how many there are, then a fact for each."""
    when = window_text(look.window, look.now)
    count = sum(event.takes_place for event in events)
    if not count and look.is_complete:
        # What is declined or cancelled is listed, but does not count as something you have.
        text = f"You have no events {when}." if events else f"Your calendar is clear {when}."
    elif not count:
        nothing = "nothing that takes place" if events else "nothing"
        text = f"I found {nothing} {when}{limit(look)}."
    else:
        noun = "event" if count == 1 else "events"
        text = f"You have {count} {noun} {when}."
    return [said_of(look, text), *(event_fact(event, look.now) for event in events)]


def find_events(look: Look, question: Question, topics: Topics) -> list[Fact]:
    """Return the events that a question means, told as it asks; or that there are none."""
    events = [
        event for event in look.events if event.takes_place and _counts(event, look, question)
    ]
    meant = [event for event in events if topics.all_in(event)]
    if question.is_last:
        meant.reverse()
    if not meant:
        return _none(look, topics, [event for event in events if topics.any_in(event)])
    alone = question.is_next or question.is_last or topics.is_empty
    chosen = meant[:1] if alone else first_of_each(meant)[:_MOST_FOUND]
    return [_told(event, look, question.ask) for event in chosen]


def _counts(event: Event, look: Look, question: Question) -> bool:
    """Return whether an event can be "the next one", or the last: begun ones and days are not."""
    if not (question.is_next or question.is_last):
        return True
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return event.busy and (
            event.end <= look.now if question.is_last else event.start > look.now
        )
    return False


def _none(look: Look, topics: Topics, near: Sequence[Event]) -> list[Fact]:
    if topics.is_empty:
        return [said_of(look, f"I found no event {between(look)}{limit(look)}.")]
    named = listing([quoted(word) for word in topics.shown()])
    head = said_of(look, f"I found no event that mentions {named} {between(look)}{limit(look)}.")
    if not near or len(topics.shown()) == 1:
        return [head]
    shown = first_of_each(near)[:_MOST_FOUND]
    return [head, said_of(look, "Some of it is in:"), *(event_fact(one, look.now) for one in shown)]


def _told(event: Event, look: Look, ask: Ask) -> Fact:
    """Return an event with what was asked of it first."""
    fact = event_fact(event, look.now)
    if ask not in _TOLD_OF_ONE:
        return fact
    when = event_time(event, look.now)
    if _NEAR.match(when):
        when = when[:1].lower() + when[1:]
    if ask is Ask.HOW_LONG:
        return replace(fact, text=f"{event.summary} {_length(event)}: {when}.")
    if ask is Ask.WHO:
        return replace(fact, text=f"I do not read who takes part. {fact.text}")
    if ask is Ask.UNTIL:
        return replace(fact, text=f"{event.summary} {_until(event, look)}: {when}.")
    where = f"is at {event.location}" if event.location else "names no place"
    return replace(fact, text=f"{event.summary} {where}: {when}.")


def _until(event: Event, look: Look) -> str:
    """Return how long it is until an event begins: in hours and minutes for two days, in days."""
    if isinstance(event.start, dt.datetime):
        minutes = (event.start - look.now) // _MINUTE
        if minutes <= 0:
            return "has begun"
        if minutes < _NEAR_MINUTES:
            return f"begins in {words.duration_text(minutes)}"
    day = event.start.date() if isinstance(event.start, dt.datetime) else event.start
    days = (day - look.now.date()).days
    return f"begins in {'1 day' if days == 1 else f'{days} days'}" if days > 0 else "has begun"


def _length(event: Event) -> str:
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        minutes = (event.end - event.start) // _MINUTE
        return f"takes {words.duration_text(minutes)}" if minutes else "has no length"
    days = event.end.toordinal() - event.start.toordinal()
    return "is all day" if days <= 1 else f"takes {days} days"


def list_or_find(look: Look, question: Question | None, topics: Topics) -> list[Fact]:
    """Return the events of the time that was named; those that are meant, where some are."""
    inside = [event for event in look.events if look.window.holds(event)]
    meant = [event for event in inside if not topics.is_empty and topics.all_in(event)]
    told = meant or (list(taking_time(inside)) if topics.is_empty else [])
    if question is not None and question.ask in _TOLD_OF_ONE and told:
        return [_told(event, look, question.ask) for event in told[:_MOST_FOUND]]
    if topics.calls and not meant:
        named = listing([quoted(word) for word in topics.shown()])
        when = window_text(look.window, look.now)
        return [said_of(look, f"I found no event that mentions {named} {when}{limit(look)}.")]
    return list_events(look, meant or inside)


def edge_event(look: Look, *, is_last: bool) -> list[Fact]:
    """Return the first (or the last) event of the time that takes the user's time."""
    timed = [one for one in look.events if one.busy and one.takes_place and not one.all_day]
    if not timed:
        return [
            said_of(
                look, f"Nothing is at a time {window_text(look.window, look.now)}{limit(look)}."
            )
        ]
    chosen = max(timed, key=lambda one: bounds(one)[1]) if is_last else timed[0]
    fact = event_fact(chosen, look.now)
    if not is_last:
        return [fact]
    end = bounds(chosen)[1]
    when = f"{on_day(end.date(), look.now)} at {words.clock_text(end)}"
    return [replace(fact, text=f"The last one, {chosen.summary}, ends {when}.")]
