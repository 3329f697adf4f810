"""Count out a rule for the days asked for, and no further.

dateutil counts, on wall-clock times. It steps from the start of the series, so a rule without
COUNT is first given a start in step with its own that is near the days asked for.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from iris_harness.sources.ical.rules import (
    DAILY,
    HOURLY,
    MINUTELY,
    MONTHLY,
    OWN_PART,
    SECONDLY,
    WEEKLY,
    YEARLY,
    Rule,
)
from iris_harness.sources.ical.skipping import expand_skipping

if TYPE_CHECKING:
    from dateutil.rrule import rrule

MAX_PER_DAY = 300
"""A series that happens more often on one day is not listed (every five minutes is 288)."""
MAX_STEPS = 200_000
"""A counted rule that needs more steps to reach the days asked for is given up."""

_SHORTEST_SECONDS = {
    YEARLY: 365 * 86400,
    MONTHLY: 28 * 86400,
    WEEKLY: 7 * 86400,
    DAILY: 86400,
    HOURLY: 3600,
    MINUTELY: 60,
    SECONDLY: 1,
}


class TooOftenError(ValueError):
    """A rule that is valid, and too much to be counted out."""


def expand(
    rule: Rule, start: dt.datetime, first: dt.datetime, last: dt.datetime
) -> list[dt.datetime]:
    """Return the wall-clock starts in [first, last] of the rule begun at `start`, ascending.

    Raises:
        TooOftenError: it happens too often, or is counted from too long ago.
        ValueError: it can never match, or its SKIP cannot be counted out.
    """
    if rule.until is not None:
        last = min(last, rule.until)
    if last < max(first, start):
        return []
    if rule.skip != "OMIT" and rule.frequency in {YEARLY, MONTHLY}:
        walls = expand_skipping(rule, start, last)
    else:
        _check_effort(rule, start, last)
        walls = _count_out(rule, start, first, last)
    return [wall for wall in walls if max(first, start) <= wall <= last]


def _check_effort(rule: Rule, start: dt.datetime, last: dt.datetime) -> None:
    count = rule.count
    if min(_most_per_day(rule), MAX_PER_DAY + 1 if count is None else count) > MAX_PER_DAY:
        raise TooOftenError(f"it repeats more than {MAX_PER_DAY} times a day")
    if count is not None:
        period = _SHORTEST_SECONDS[rule.frequency] * rule.interval
        if min((last - start).total_seconds() / period, count) > MAX_STEPS:
            raise TooOftenError("its repetitions are counted from too long ago")


def _most_per_day(rule: Rule) -> int:
    most = 1
    for frequency, name, full in (
        (HOURLY, "BYHOUR", 24),
        (MINUTELY, "BYMINUTE", 60),
        (SECONDLY, "BYSECOND", 60),
    ):
        if name in rule.by:
            most *= len(rule.by[name])
        elif rule.frequency >= frequency:
            most *= full
    if rule.frequency > DAILY and OWN_PART[rule.frequency] not in rule.by:
        most //= rule.interval
    if "BYSETPOS" in rule.by and rule.frequency <= DAILY:
        most = min(most, len(rule.by["BYSETPOS"]))
    return most


def _count_out(
    rule: Rule, start: dt.datetime, first: dt.datetime, last: dt.datetime
) -> list[dt.datetime]:
    if rule.frequency == WEEKLY and "BYSETPOS" in rule.by:
        # dateutil would count the positions of the first week from its start.
        week = start - dt.timedelta(days=(start.weekday() - rule.week_start) % 7)
        before = len(_rrule(rule, week, None).between(week, start, inc=True))
        before -= start in _rrule(rule, week, None)
        count = None if rule.count is None else rule.count + before
        begin = week
    else:
        begin, count = start, rule.count
    if count is None:
        begin = _nearer_start(rule, begin, first)
    return _rrule(rule, begin, count).between(first, last, inc=True)


def _rrule(rule: Rule, start: dt.datetime, count: int | None) -> rrule:
    from dateutil.rrule import rrule, weekday  # a plan of days that are listed counts nothing

    return rrule(
        rule.frequency,
        dtstart=start,
        interval=rule.interval,
        wkst=rule.week_start,
        count=count,
        byweekday=[weekday(day, which or None) for day, which in rule.by_day] or None,
        bysetpos=rule.by.get("BYSETPOS"),
        bymonth=rule.by.get("BYMONTH"),
        bymonthday=rule.by.get("BYMONTHDAY"),
        byyearday=rule.by.get("BYYEARDAY"),
        byweekno=rule.by.get("BYWEEKNO"),
        byhour=rule.by.get("BYHOUR"),
        byminute=rule.by.get("BYMINUTE"),
        bysecond=rule.by.get("BYSECOND"),
    )


def _nearer_start(rule: Rule, start: dt.datetime, first: dt.datetime) -> dt.datetime:
    """Return a start in step with the rule and at least one period before `first`."""
    if rule.frequency in {YEARLY, MONTHLY}:
        months = rule.interval * (12 if rule.frequency == YEARLY else 1)
        between = (first.year - start.year) * 12 + first.month - start.month
        skipped = (between // months - 1) * months
        if skipped <= 0:
            return start
        year, month = divmod(start.year * 12 + start.month - 1 + skipped, 12)
        month = 0 if rule.frequency == YEARLY else month
        return start.replace(year=year, month=month + 1, day=1)
    period = _SHORTEST_SECONDS[rule.frequency] * rule.interval
    skipped = int((first - start).total_seconds()) // period - 1
    return start + dt.timedelta(seconds=max(skipped, 0) * period)
