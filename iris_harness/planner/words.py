"""The planner's own words: why a todo stands where it stands, why a block is where it is.

English, no locale. Times of day are the user's, on a 24-hour clock; a date is named relative
to "now" where it is near, and with its year where that is not the year of "now".
"""

from __future__ import annotations

import datetime as dt

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


def weekday_name(day: dt.date) -> str:
    """Return the day of the week."""
    return _WEEKDAYS[day.weekday()]


def clock_text(instant: dt.datetime) -> str:
    """Return the time of day as in ``09:05``."""
    return f"{instant:%H:%M}"


def _date_text(day: dt.date, now: dt.datetime) -> str:
    near = _NEAR.get((day - now.date()).days)
    if near:
        return near
    year = "" if day.year == now.year else f" {day.year}"
    return f"{day.day} {_MONTHS[day.month - 1]}{year}"


def _on(day: dt.date, now: dt.datetime) -> str:
    text = _date_text(day, now)
    return text if text in _NEAR.values() else f"on {text}"


def _moment_text(time: dt.date | dt.datetime, now: dt.datetime) -> str:
    if isinstance(time, dt.datetime):
        return f"{_date_text(time.date(), now)} at {clock_text(time)}"
    return _date_text(time, now)


def rank_reason(ranked: RankedTodo, now: dt.datetime) -> str:
    """Return what decided a todo's rank, as in ``due today at 15:00, priority 1``."""
    todo = ranked.todo
    parts = [
        "already planned on an earlier day" if ranked.standing is Standing.PLANNED_EARLIER else "",
        f"not before {_moment_text(todo.start, now)}"
        if todo.start is not None and ranked.standing is Standing.NOT_YET
        else "",
        _due_text(ranked, now),
        f"priority {todo.priority}" if todo.priority else "",
        f"noted {_on(todo.created_on, now)}" if todo.created_on and todo.due is None else "",
    ]
    return ", ".join(part for part in parts if part)


def _due_text(ranked: RankedTodo, now: dt.datetime) -> str:
    due = ranked.todo.due
    if due is None:
        return "no due date"
    at = f" at {clock_text(due)}" if isinstance(due, dt.datetime) else ""
    day = due.date() if isinstance(due, dt.datetime) else due
    if not ranked.overdue:
        return f"due {_on(day, now)}{at}"
    if ranked.due_at is not None and ranked.due_at > now:
        return f"due {_on(day, now)}{at}, overdue by then"
    return f"overdue since {_date_text(day, now)}{at}"


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


def not_yet_reason(start: dt.date | dt.datetime, now: dt.datetime) -> str:
    """Return why a todo that is due gets no time: it may not start yet."""
    return f"it may not start before {_moment_text(start, now)}"


def day_off_reason(day: dt.date) -> str:
    """Return why nothing is placed on a day without working hours."""
    return f"{weekday_name(day)} has no working hours"


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


def fits_if_working_that_day(start: dt.datetime, end: dt.datetime, *, midnight: bool) -> str:
    """Complete "would fit if"."""
    until = "midnight" if midnight else clock_text(end)
    return f"you worked from {clock_text(start)} to {until} that day"
