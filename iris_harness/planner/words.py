"""The planner's own words: why a todo stands where it stands, why a block is where it is.

English, no locale. Times of day are the user's, on a 24-hour clock; a date has its year where
that is not the year of "now".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from types import MappingProxyType
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


def day_and_month(month: int, day: int) -> str:
    """Return a day of any year as in ``12 March``."""
    return f"{day} {_MONTHS[month - 1]}"


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


_STANDINGS = MappingProxyType(
    {
        Standing.LEFT_OUT: "no room in these days",
        Standing.SKIPPED: "skipped by you",
        Standing.PLANNED_EARLIER: "already planned on an earlier day",
        Standing.PLANNED_LATER: "planned for a later day",
    }
)


def rank_reason(ranked: RankedTodo, dates: DateWords) -> str:
    """Return what decided a todo's rank, as in ``due today at 15:00, priority 1``."""
    todo = ranked.todo
    parts = [
        _STANDINGS.get(ranked.standing, ""),
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


def block_reason(rank: str, *more: str) -> str:
    """Return why a block is where it is: the reason of the todo's rank, and what else is said."""
    return "; ".join(part for part in (rank, *more) if part)


def limits_text(earliest: dt.datetime | None, latest: dt.datetime | None, energy: str) -> str:
    """Return when a todo may be done, as in ``not before 09:00, done by 12:00``; may be empty."""
    parts = (
        f"not before {clock_text(earliest)}" if earliest else "",
        f"done by {clock_text(latest)}" if latest else "",
        f"in {energy} energy hours" if energy else "",
    )
    return ", ".join(filter(None, parts))


def times_text(earliest: dt.time | None, latest: dt.time | None, energy: str) -> str:
    """Return what a todo says of its times, as `limits_text` would on a day that is to come."""
    parts = (
        f"not before {earliest:%H:%M}" if earliest else "",
        f"done by {latest:%H:%M}" if latest else "",
        f"in {energy} energy hours" if energy else "",
    )
    return ", ".join(filter(None, parts))


def when_text(earliest: dt.datetime | None, latest: dt.datetime | None, energy: str) -> str:
    """Return the same as the end of a phrase, as in `` from 09:00 on``; may be empty."""
    if earliest and latest:
        when = f" between {clock_text(earliest)} and {clock_text(latest)}"
    elif earliest:
        when = f" from {clock_text(earliest)} on"
    else:
        when = f" before {clock_text(latest)}" if latest else ""
    return f"{when} in {energy} energy hours" if energy else when


def part_text(number: int, count: int) -> str:
    """Return which of a todo's blocks this is."""
    return f"part {number} of {count}"


def no_estimate(minutes: int) -> str:
    """Say that the preferred length was taken."""
    return f"no estimate, so {duration_text(minutes)}"


def late_text(minutes: int) -> str:
    """Say how long after the todo's due time a block ends; empty when in time."""
    return f"ends {duration_text(minutes)} after it is due" if minutes else ""


HAS_BEGUN = "already begun, so it stays"
PINNED = "pinned by you"


def break_reason(start: dt.datetime, end: dt.datetime) -> str:
    """Return why a break is where it is."""
    return f"wanted between {clock_text(start)} and {_end_text(start, end)}"


def way_title(event: str, *, is_back: bool) -> str:
    """Return the title of a way."""
    return f"Way back from {event}" if is_back else f"Way to {event}"


def way_reason(minutes: int, place: str, *, is_back: bool) -> str:
    """Return how long a way takes, and who says so."""
    if is_back:
        return f"{duration_text(minutes)}, as the way there"
    if place:
        return f"{duration_text(minutes)} to {place}, as you set it"
    return f"{duration_text(minutes)}, as the event says"


def _end_text(start: dt.datetime, end: dt.datetime) -> str:
    """Return the end of a span; the end of the day is 24:00."""
    is_midnight = end.time() == dt.time(0) and end.date() > start.date()
    return "24:00" if is_midnight else clock_text(end)


def span_text(start: dt.datetime, end: dt.datetime) -> str:
    """Return a span as in ``09:00-10:30``."""
    return f"{clock_text(start)}-{_end_text(start, end)}"


_MOST_NAMED = 3


def _named(titles: Sequence[str]) -> str:
    """Return some titles, as in ``"A", "B" and 2 more``."""
    shown = [f'"{title}"' for title in titles[:_MOST_NAMED]]
    rest = len(titles) - len(shown)
    if rest:
        shown.append(f"{rest} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def no_break_notice(title: str, minutes: int, start: dt.datetime, end: dt.datetime) -> str:
    """Say that a break found no room."""
    return (
        f"there is no {title}: no {duration_text(minutes)} are free "
        f"between {clock_text(start)} and {_end_text(start, end)}"
    )


def way_notice(way: str, start: dt.datetime, end: dt.datetime, others: Sequence[str]) -> str:
    """Say that a way collides with other things."""
    return f'"{way}" ({span_text(start, end)}) collides with {_named(others)}'


def stays_over_notice(
    title: str, start: dt.datetime, end: dt.datetime, *, pinned: bool, others: Sequence[str]
) -> str:
    """Say that what stays where it is lies over other things."""
    why = "is pinned" if pinned else "has begun and stays"
    return f'"{title}" {why} at {span_text(start, end)}, over {_named(others)}'


def stays_outside_notice(title: str, start: dt.datetime, end: dt.datetime) -> str:
    """Say that what is pinned lies outside the working hours."""
    return f'"{title}" is pinned at {span_text(start, end)}, outside the working hours'


def pin_gone_notice(title: str, start: dt.datetime, end: dt.datetime) -> str:
    """Say that what is pinned is not there any more."""
    return (
        f'"{title}" is pinned at {span_text(start, end)}, but there is no such open todo or break'
    )


def still_open_notice(title: str, start: dt.datetime, end: dt.datetime) -> str:
    """Say that a todo is planned again."""
    return (
        f'"{title}" had its time ({span_text(start, end)}) and is still open, so it is work again'
    )


def energy_notice(energy: str, titles: Sequence[str]) -> str:
    """Say that an energy has no hours."""
    verb = "asks" if len(titles) == 1 else "ask"
    return (
        f"{_named(titles)} {verb} for {energy} energy, for which no hours are set "
        "(planning.energy), so any time will do"
    )


def hours_notice(hours: str) -> str:
    """Say that hours end before they start."""
    return f"{hours} end before they start and are not counted"


def times_notice(title: str, limits: str) -> str:
    """Say that a todo's own times contradict each other."""
    return f'"{title}" can be done at no time of this day: {limits}'


PAST_DAY = "this day is over"


def not_yet_reason(start: dt.date | dt.datetime, dates: DateWords) -> str:
    """Return why a todo that is due gets no time: it may not start yet."""
    return f"it may not start before {dates.moment(start)}"


def day_off_reason(dates: DateWords) -> str:
    """Return why nothing is placed on a day without working hours."""
    return f"no working hours {dates.this_day}"


def no_room_reason(need_minutes: int, longest_minutes: int, when: str) -> str:
    """Return why a todo found no gap; `when` as `when_text` says it."""
    if not longest_minutes:
        return f"it needs {duration_text(need_minutes)} and no working time is left for it{when}"
    return (
        f"it needs {duration_text(need_minutes)}; the longest gap left for it{when} "
        f"is {duration_text(longest_minutes)}"
    )


def partly_reason(missing_minutes: int, need_minutes: int, when: str) -> str:
    """Return why a todo has time for a part of it only."""
    return (
        f"there is room for {duration_text(need_minutes - missing_minutes)} of the "
        f"{duration_text(need_minutes)} it needs{when}"
    )


def rest_later_reason(minutes: int) -> str:
    """Return why a todo is not done in full on a day that gives it all it is to give."""
    return f"there is no room for all of it, and later days have {duration_text(minutes)} of it"


PLANNED_LATER = "there is no room for it, and a later day has it"


def fits_if_shorter(minutes: int) -> str:
    """Complete "would fit if"."""
    return f"it took {duration_text(minutes)} at most"


def fits_if_working_until(end: dt.datetime, *, midnight: bool) -> str:
    """Complete "would fit if"."""
    return f"you worked until {'midnight' if midnight else clock_text(end)}"
