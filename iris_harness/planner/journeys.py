"""The ways to and from the places of events, where it is known how long they take.

An event that takes the user's time and states its travel time, or whose location has the words of
one of the preferred places in it, has a way there that ends when it starts, and a way back that
begins when it ends and is as long. Between two such events in which there is no time for both the
way back and the next way, the user stays out: there is no way back from the first, and none to the
second where it is at the same place.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, Event, PlaceTravel
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.frame import DayFrame, Span

_MINUTE = dt.timedelta(minutes=1)
_LONGEST = 24 * 60  # minutes; more is a day away


class Way(NamedTuple):
    """One way, cut to the day."""

    event: Event
    span: Span
    is_back: bool
    minutes: int
    """Of the whole way."""
    place: str
    """The preferred place that says how long it takes; empty: the event does."""


class _Trip(NamedTuple):
    event: Event
    start: dt.datetime
    end: dt.datetime
    minutes: int
    place: str

    def is_near(self, other: _Trip) -> bool:
        """Return whether there is no time for the way back and the next way in between."""
        return other.start - self.end < (self.minutes + other.minutes) * _MINUTE

    def is_at_place_of(self, other: _Trip) -> bool:
        return bool(self.event.location) and _plain(self.event.location) == _plain(
            other.event.location
        )


def find_ways(
    frame: DayFrame, events: Sequence[Event], preferences: DayPreferences
) -> tuple[Way, ...]:
    """Return the ways of a day, by start; `events` are in the plan's order."""
    trips = list(_trips(events, preferences.travel))
    ways: list[Way] = []
    for before, trip, after in zip([None, *trips], trips, [*trips[1:], None], strict=False):
        stays = before is not None and before.is_near(trip) and before.is_at_place_of(trip)
        if not stays:
            span = frame.around(trip.start, trip.start, trip.minutes * 60, 0)
            ways.append(Way(trip.event, span, False, trip.minutes, trip.place))
        goes_on = after is not None and trip.is_near(after)
        if preferences.travel_back and not goes_on:
            span = frame.around(trip.end, trip.end, 0, trip.minutes * 60)
            ways.append(Way(trip.event, span, True, trip.minutes, trip.place))
    return tuple(sorted((way for way in ways if way.span.start < way.span.end), key=_order))


def _order(way: Way) -> tuple[object, ...]:
    event = way.event
    return (way.span, way.is_back, event.summary, event.source, event.uid, event.recurrence_id)


def _trips(events: Sequence[Event], places: Sequence[PlaceTravel]) -> Iterator[_Trip]:
    for event in events:
        if event.busy and not event.all_day:
            minutes, place = _minutes(event, places)
            if minutes > 0:
                yield _Trip(event, *bounds(event), min(minutes, _LONGEST), place)


def _minutes(event: Event, places: Sequence[PlaceTravel]) -> tuple[int, str]:
    """Return how long the way takes, and which place says so: of several the longest name."""
    if event.travel_minutes is not None:
        return event.travel_minutes, ""
    there = f" {_plain(event.location)} " if places and event.location else ""
    named = [one for one in places if (name := _plain(one.place)) and f" {name} " in there]
    best = min(named, key=lambda one: (-len(one.place), one.place), default=None)
    return (best.minutes, best.place) if best else (0, "")


def _plain(text: str) -> str:
    """Return the words of a text in one case, without what stands between them."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def overlapping(
    way: Way, events: Sequence[Event], ways: Sequence[Way], frame: DayFrame
) -> tuple[str, ...]:
    """Return the titles of what takes the user's time during a way: events, then other ways."""
    taken = (
        (event.summary, frame.span(*bounds(event)))
        for event in events
        if event.busy and not event.all_day and event is not way.event
    )
    others = ((other.event.summary, other.span) for other in ways if other.event is not way.event)
    return tuple(
        dict.fromkeys(
            title
            for title, span in itertools.chain(taken, others)
            if max(span.start, way.span.start) < min(span.end, way.span.end)
        )
    )
