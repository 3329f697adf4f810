"""The ways to and from events that a day demands, worked out a second time, for the verifier."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.planner.evidence_time import MINUTE, SECOND, Stretch, share, takes_time, utc

_DAY = dt.timedelta(days=1)


class Journey(NamedTuple):
    """One way, cut to the day."""

    event: Event
    stretch: Stretch
    back: bool


class _Outing(NamedTuple):
    event: Event
    begins: dt.datetime
    ends: dt.datetime
    takes: dt.timedelta


def gather_journeys(
    events: Sequence[Event], preferences: DayPreferences, day: Stretch
) -> tuple[Journey, ...]:
    """Return the ways of a day, in any order."""
    outings = [one for one in map(_Outings(preferences).of, filter(takes_time, events)) if one]
    found: list[Journey] = []
    for number, outing in enumerate(outings):
        came_from = outings[number - 1] if number else None
        goes_to = outings[number + 1] if number + 1 < len(outings) else None
        there = _there(outing, day)
        if there and not (came_from and _stays_at_place(came_from, outing)):
            found.append(Journey(outing.event, there, back=False))
        back = _back(outing, day) if preferences.travel_back else None
        if back and not (goes_to and _stays_out(outing, goes_to)):
            found.append(Journey(outing.event, back, back=True))
    return tuple(found)


def _there(outing: _Outing, day: Stretch) -> Stretch | None:
    if outing.begins <= day[0]:
        return None
    begins = outing.begins.replace(microsecond=0)
    return share((begins - outing.takes, _up(outing.begins)), day)


def _back(outing: _Outing, day: Stretch) -> Stretch | None:
    if outing.ends >= day[1]:
        return None
    return share((outing.ends.replace(microsecond=0), _up(outing.ends) + outing.takes), day)


def _up(instant: dt.datetime) -> dt.datetime:
    whole = instant.replace(microsecond=0)
    return whole if whole == instant else whole + SECOND


def _stays_out(one: _Outing, following: _Outing) -> bool:
    return following.begins - one.ends < one.takes + following.takes


def _stays_at_place(one: _Outing, following: _Outing) -> bool:
    here, there = _spoken(one.event.location), _spoken(following.event.location)
    return bool(one.event.location) and here == there and _stays_out(one, following)


def _spoken(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


class _Outings:
    """Tells which events one has to go to."""

    def __init__(self, preferences: DayPreferences) -> None:
        # The longest name first: it is the most exact one.
        places = sorted(preferences.travel, key=lambda one: (-len(one.place), one.place))
        self._places = [(_spoken(one.place), one.minutes) for one in places]

    def of(self, event: Event) -> _Outing | None:
        """Return the way that an event asks for, if any."""
        minutes = event.travel_minutes
        if minutes is None:
            minutes = self._minutes(_spoken(event.location))
        if minutes <= 0:
            return None
        if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
            raise TypeError(f"{event.summary!r} has no times of day")
        takes = min(minutes * MINUTE, _DAY)
        return _Outing(event, utc(event.start), utc(event.end), takes)

    def _minutes(self, words: Sequence[str]) -> int:
        for place, minutes in self._places:
            starts = range(len(words) - len(place) + 1)
            if place and any(list(words[at : at + len(place)]) == place for at in starts):
                return minutes
        return 0
