"""The planner's own words: why a todo stands where it stands, why a block is where it is.

English, no locale. Times of day are the user's, on a 24-hour clock; a date has its year where
that is not the year of "now".
"""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from iris_harness.planner.conflicts import MOST_CONFLICTS
from iris_harness.planner.ranking import RankedTodo, Standing

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NEAR = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_HOUR = 60

MANY_CONFLICTS = f"more than {MOST_CONFLICTS} pairs of events overlap; only the first are listed"


def duration_text(minutes: int) -> str:
    """Return a length as in ``45 min``, ``2 h`` or ``1 h 5 min``."""
    hours, rest = divmod(minutes, _HOUR)
    parts = (f"{hours} h" if hours else "", f"{rest} min" if rest or not hours else "")
    return " ".join(part for part in parts if part)


def day_name(day: dt.date) -> str:
    """Return a date as in ``Wednesday 12 March 2025``."""
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


def clock_text(instant: dt.datetime) -> str:
    """Return the time of day as in ``09:05``."""
    return f"{instant:%H:%M}"


class DateWords(NamedTuple):
    """How dates are said in the plan of one day.

    In today's plan a near date is "yesterday", "today" or "tomorrow". A reader of another
    day's plan could take those for either day, so there the plan's own day is "that day" and
    all others are dates.
    """

    day: dt.date
    """The day that is planned."""
    now: dt.datetime
    """The moment it is planned at, in the user's zone."""

    @property
    def this_day(self) -> str:
        """The name of the plan's own day."""
        return "today" if self.day == self.now.date() else "that day"

    def on(self, day: dt.date) -> str:
        """Return a date as in ``on Sat 18 April``, ``today`` or ``that day``."""
        text = self.name(day)
        return f"on {text}" if text == self._full(day) else text

    def name(self, day: dt.date) -> str:
        """Return a date as in ``Sat 18 April``, ``today`` or ``that day``."""
        if day == self.day:
            return self.this_day
        near = _NEAR.get((day - self.now.date()).days) if self.day == self.now.date() else None
        return near or self._full(day)

    def _full(self, day: dt.date) -> str:
        year = "" if day.year == self.now.year else f" {day.year}"
        return f"{_WEEKDAYS[day.weekday()][:3]} {day.day} {_MONTHS[day.month - 1]}{year}"

    def moment(self, time: dt.date | dt.datetime) -> str:
        """Return a date, or a date with its time of day: ``today at 09:05``."""
        if isinstance(time, dt.datetime):
            return f"{self.name(time.date())} at {clock_text(time)}"
        return self.name(time)


def rank_reason(ranked: RankedTodo, dates: DateWords) -> str:
    """Return what decided a todo's rank, as in ``due today at 15:00, priority 1``."""
    todo = ranked.todo
    parts = [
        "already planned on an earlier day" if ranked.standing is Standing.PLANNED_EARLIER else "",
        f"not before {dates.moment(todo.start)}"
        if todo.start is not None and ranked.standing is Standing.NOT_YET
        else "",
        _due_text(ranked, dates),
        f"priority {todo.priority}" if todo.priority else "",
        f"noted {dates.on(todo.created_on)}" if todo.created_on and todo.due is None else "",
    ]
    return ", ".join(part for part in parts if part)


def _due_text(ranked: RankedTodo, dates: DateWords) -> str:
    due = ranked.todo.due
    if due is None:
        return "no due date"
    at = f" at {clock_text(due)}" if isinstance(due, dt.datetime) else ""
    day = due.date() if isinstance(due, dt.datetime) else due
    if not ranked.overdue:
        return f"due {dates.on(day)}{at}"
    if ranked.due_at is not None and ranked.due_at > dates.now:
        return f"due {dates.on(day)}{at}, overdue by {dates.this_day}"
    return f"overdue since {dates.name(day)}{at}"


def block_reason(
    rank: str, *, default_minutes: int | None, earliest: dt.datetime | None, late_minutes: int
) -> str:
    """Return why a block is where it is.

    Args:
        rank: the reason of the todo's rank.
        default_minutes: its length when the todo does not say how long it takes, else None.
        earliest: the time of this day before which the todo may not start, if any.
        late_minutes: how long after the todo's due time it ends; 0 when in time.
    """
    parts = [
        rank,
        f"not before {clock_text(earliest)}" if earliest else "",
        f"no estimate, so {duration_text(default_minutes)}" if default_minutes else "",
        f"ends {duration_text(late_minutes)} after it is due" if late_minutes else "",
    ]
    return "; ".join(part for part in parts if part)


PAST_DAY = "this day is over"


def not_yet_reason(start: dt.date | dt.datetime, dates: DateWords) -> str:
    """Return why a todo that is due gets no time: it may not start yet."""
    return f"it may not start before {dates.moment(start)}"


def day_off_reason(dates: DateWords) -> str:
    """Return why nothing is placed on a day without working hours."""
    return f"no working hours {dates.this_day}"


def no_room_reason(need_minutes: int, longest_minutes: int, earliest: dt.datetime | None) -> str:
    """Return why a todo found no gap."""
    since = f" from {clock_text(earliest)} on" if earliest else ""
    if not longest_minutes:
        return f"it needs {duration_text(need_minutes)} and no working time is left for it{since}"
    return (
        f"it needs {duration_text(need_minutes)}; the longest gap left for it{since} "
        f"is {duration_text(longest_minutes)}"
    )


def fits_if_shorter(minutes: int) -> str:
    """Complete "would fit if"."""
    return f"it took {duration_text(minutes)} at most"


def fits_if_working_until(end: dt.datetime, *, midnight: bool) -> str:
    """Complete "would fit if"."""
    return f"you worked until {'midnight' if midnight else clock_text(end)}"
