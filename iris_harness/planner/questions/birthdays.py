"""Birthdays: whose are coming, and when somebody's is.

They are read from address books, and from calendars for those whom no card tells of.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.day import Birthday, Event, OccasionKind
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.people import normal_name
from iris_harness.contracts.resolution import Match, resolve_name
from iris_harness.contracts.results import Choice
from iris_harness.planner.birthdays import find_birthdays
from iris_harness.planner.persons import which_person
from iris_harness.planner.questions.look import Look
from iris_harness.planner.questions.telling import (
    between,
    day_text,
    event_fact,
    limit,
    quoted,
    said_of,
    statement,
    window_text,
)

_MOST_TOLD = 12
_BIRTHDAY = "birthday"
_YEAR_DAYS = 366


class Told(NamedTuple):
    """An answer, and what it asks back where a name means several people."""

    facts: list[Fact]
    choice: Choice | None = None


def answer_birthdays(look: Look, people: Sequence[Contact], *, is_next: bool) -> list[Fact]:
    """Return the birthdays of the window by day, those in calendars included."""
    found = list(_of_people(people, look.window.days))
    known = {normal_name(birthday.person) for _, birthday in found}
    events = [
        one
        for one in _in_calendars(look)
        if not any(name in normal_name(one.summary) for name in known)
    ]
    facts = [
        fact
        for day in look.window.days
        for fact in (
            *(_fact(look, birthday, day) for on, birthday in found if on == day),
            *(event_fact(event, look.now) for event in events if _first_day(event) == day),
        )
    ]
    when = window_text(look.window, look.now) if look.is_named else between(look)
    if not facts:
        return [said_of(look, f"I found no birthdays {when}{limit(look)}.")]
    if is_next:
        return facts[:1]
    rest = len(facts) - _MOST_TOLD
    more = [said_of(look, f"{rest} more are not listed.")] if rest > 0 else []
    noun = "birthday" if len(facts) == 1 else "birthdays"
    head = said_of(look, f"{len(facts)} {noun} {when}{limit(look)}.")
    return [head, *facts[:_MOST_TOLD], *more]


def _of_people(
    people: Sequence[Contact], days: Sequence[dt.date]
) -> Iterator[tuple[dt.date, Birthday]]:
    for day in days:
        for birthday in find_birthdays(people, day):
            if birthday.kind is OccasionKind.BIRTHDAY:
                yield day, birthday


def _in_calendars(look: Look) -> Iterator[Event]:
    return (
        event for event in look.events if _BIRTHDAY in event.summary.lower() and event.takes_place
    )


def _first_day(event: Event) -> dt.date:
    return event.start.date() if isinstance(event.start, dt.datetime) else event.start


def answer_whose(look: Look, people: Sequence[Contact], name: str) -> Told:
    """Return when somebody's birthday is next; asks back where several people are called so."""
    meant = resolve_name(name, people)
    if meant.match is Match.AMBIGUOUS:
        asked = which_person(name, meant.candidates, lambda who: {"person": who})
        return Told([asked.fact], asked.choice)
    events = [one for one in _in_calendars(look) if normal_name(name) in normal_name(one.summary)]
    if meant.contact is not None:
        next_day = next(iter(_of_people([meant.contact], look.window.days)), None)
        if next_day is not None:
            return Told([_fact(look, next_day[1], next_day[0])])
    if events:
        return Told([event_fact(events[0], look.now)])
    if meant.contact is not None:
        text = f"The card of {meant.contact.name} names no birthday."
        return Told([statement(text, (meant.contact.source,))])
    return Told([said_of(look, f"I found nobody called {quoted(name)}{limit(look)}.")])


def _fact(look: Look, birthday: Birthday, day: dt.date) -> Fact:
    away = (day - look.now.date()).days
    far = f", in {away} days" if away > 1 else ""
    age = "" if not birthday.years else f", turns {birthday.years}"
    if birthday.is_deceased:
        age = ", to remember" if not birthday.years else f", would be {birthday.years}"
    return Fact(
        kind=FactKind.EVENT,
        text=f"{birthday.person}: {day_text(day, look.now)}{far}{age}.",
        value={"person": birthday.person, "day": day.isoformat(), "years": birthday.years},
        sources=(birthday.source,),
    )
