"""Which events of a day cannot both be attended."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import islice

from iris_harness.contracts.day import Conflict, Event

MOST_CONFLICTS = 500
"""A day with more lists no more: a thousand meetings at once would be half a million pairs."""


def find_conflicts(events: Sequence[Event]) -> tuple[Conflict, ...]:
    """Return every pair of busy timed events that overlap for more than zero time.

    `events` are in the plan's order, and so are the pairs: by the first, then by the second.
    The overlap is not cut to the day. All-day events are in no pair. Of a day that has more
    than `MOST_CONFLICTS` the first ones are given, and one more: whoever lists them says so.
    """
    timed = [event for event in events if event.busy and not event.all_day]
    pairs = (conflict for index in range(len(timed)) for conflict in _with_later(timed, index))
    return tuple(islice(pairs, MOST_CONFLICTS + 1))


def _with_later(events: Sequence[Event], index: int) -> Iterator[Conflict]:
    first = events[index]
    _, first_end = bounds(first)
    for second in islice(events, index + 1, None):
        start, second_end = bounds(second)
        if start >= first_end:
            return  # sorted by start: none of the rest overlaps
        end = min(first_end, second_end)
        if start < end:
            yield Conflict(first=first, second=second, start=start, end=end)


def bounds(event: Event) -> tuple[dt.datetime, dt.datetime]:
    """Return start and end of a timed event.

    Raises:
        TypeError: the event is an all-day one.
    """
    if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
        raise TypeError(f"{event.summary!r} has no times of day")
    return event.start, event.end
