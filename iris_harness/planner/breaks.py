"""Which breaks a day is to have, and when.

A preferred break is wanted on a day unless

- its window is outside the working hours for as long as it takes: then the user is off anyway;
- "now" has left less than its length of the window: then it is too late;
- an event in its window that takes the user's time has its title in its own, as "Lunch with Kim":
  then that is the break;
- the plan shown before has it where it stays, or had it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import BreakWish, Event
from iris_harness.planner.conflicts import bounds
from iris_harness.planner.daytime import DayTime
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.spans import subtract


class WantedBreak(NamedTuple):
    """A break that is to be given time."""

    wish: BreakWish
    window: Span
    """In seconds of the day."""


def find_breaks(
    time: DayTime, events: Sequence[Event], served: Collection[str]
) -> tuple[WantedBreak, ...]:
    """Return the breaks that are wanted, in the order of the preferences.

    `served` are the titles of those that need no more.
    """
    if time.frame.phase(time.now) is Phase.PAST:
        return ()
    return tuple(
        WantedBreak(wish, window)
        for wish in time.preferences.breaks
        if wish.title not in served
        for window in time.frame.working_spans((wish.window,))
        if _is_wanted(time, wish, window) and not _is_event(time, wish, window, events)
    )


def _is_wanted(time: DayTime, wish: BreakWish, window: Span) -> bool:
    length = wish.minutes * 60
    off = subtract((window,), time.working)
    is_off = any(span.end - span.start >= length for span in off)
    is_too_late = window.start < time.begin and window.end - time.begin < length
    return window.start < window.end and not is_off and not is_too_late


def _is_event(time: DayTime, wish: BreakWish, window: Span, events: Sequence[Event]) -> bool:
    word = re.compile(rf"(?<!\w){re.escape(wish.title)}(?!\w)", re.IGNORECASE)
    spans = (
        time.frame.span(*bounds(event))
        for event in events
        if event.busy and not event.all_day and word.search(event.summary)
    )
    return any(max(span.start, window.start) < min(span.end, window.end) for span in spans)
