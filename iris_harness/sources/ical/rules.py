"""Recurrence rules (RFC 5545 §3.3.10, RFC 7529 SKIP), checked before anything is counted out.

Real files hold rules that a counter would never come back from: INTERVAL=0, the 30th of
February, the sixth Monday of a month. They are refused here, with the reason.
"""

from __future__ import annotations

import calendar
import dataclasses
import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from iris_harness.sources.ical.moments import parse_moment, wall_clock

Frequency: TypeAlias = Literal[0, 1, 2, 3, 4, 5, 6]

# As dateutil numbers them; its import waits until something is counted.
YEARLY: Final = 0
MONTHLY: Final = 1
WEEKLY: Final = 2
DAILY: Final = 3
HOURLY: Final = 4
MINUTELY: Final = 5
SECONDLY: Final = 6

_FREQUENCIES: dict[str, Frequency] = {
    "YEARLY": YEARLY,
    "MONTHLY": MONTHLY,
    "WEEKLY": WEEKLY,
    "DAILY": DAILY,
    "HOURLY": HOURLY,
    "MINUTELY": MINUTELY,
    "SECONDLY": SECONDLY,
}
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BYDAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
# part -> lowest and highest absolute value, and whether it may count from the end
_RANGES = {
    "BYSECOND": (0, 59, False),
    "BYMINUTE": (0, 59, False),
    "BYHOUR": (0, 23, False),
    "BYMONTHDAY": (1, 31, True),
    "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True),
    "BYMONTH": (1, 12, False),
    "BYSETPOS": (1, 366, True),
}
_COARSER: dict[Frequency, Frequency] = {SECONDLY: MINUTELY, MINUTELY: HOURLY, HOURLY: DAILY}
OWN_PART = {SECONDLY: "BYSECOND", MINUTELY: "BYMINUTE", HOURLY: "BYHOUR"}
"""The BY part that names the unit a frequency steps in."""
_SKIPS = ("OMIT", "BACKWARD", "FORWARD")
_END_OF_DAY = dt.time(23, 59, 59)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One valid RRULE."""

    frequency: Frequency
    """dateutil's constant: YEARLY 0 to SECONDLY 6."""
    interval: int = 1
    count: int | None = None
    until: dt.datetime | None = None
    """Last possible wall-clock start in the zone of the series, inclusive."""
    week_start: int = 0
    """0 is Monday."""
    by: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The numeric BY parts that were given."""
    by_day: tuple[tuple[int, int], ...] = ()
    """BYDAY as (weekday, which); 0 for which means every one."""
    skip: str = "OMIT"
    """RFC 7529: what becomes of a day that its month does not have."""


def parse_rule(text: str, start: dt.datetime, zone: dt.tzinfo, *, all_day: bool = False) -> Rule:
    """Read an RRULE value for a series that begins at the wall-clock time `start` in `zone`.

    An UNTIL that is a date includes that day, whatever the series is (§3.3.10 wants the same
    type as DTSTART; most of what is written is not).

    Raises:
        ValueError: it is none, or can never match; the message says what is wrong.
    """
    parts = _split(text)
    frequency = parts.pop("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise ValueError(f"FREQ={frequency} is no frequency" if frequency else "it has no FREQ")
    scale = parts.get("RSCALE", "GREGORIAN")
    if scale not in {"GREGORIAN", "GREGORY"}:
        raise ValueError(f"RSCALE={scale} is a calendar Iris cannot count in")
    rule = Rule(
        frequency=_FREQUENCIES[frequency],
        interval=_positive("INTERVAL", parts.get("INTERVAL", "1")),
        count=_count(parts),
        until=_until(parts["UNTIL"], zone, all_day=all_day) if "UNTIL" in parts else None,
        week_start=_week_start(parts.get("WKST", "MO")),
        by=_numeric_parts(parts, all_day=all_day),
        by_day=_days(parts["BYDAY"]) if "BYDAY" in parts else (),
        skip=_skip(parts.get("SKIP", "OMIT")),
    )
    _check_possible(rule)
    return _explicit(rule, start)


def _split(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    # Some programs write the property's name a second time, or a semicolon too many.
    plain = text.upper().replace(" ", "").removeprefix("RRULE:")
    for part in filter(None, plain.split(";")):
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"{part[:40]!r} is no part of a rule")
        if value:  # an empty value is the same as not set
            parts[name] = value
    return parts


def _positive(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise ValueError(f"{name}={text[:12]} is no positive number")
    return int(text[:9])


def _count(parts: Mapping[str, str]) -> int | None:
    text = parts.get("COUNT", "")
    # Some programs write COUNT=-1 for "no end".
    return None if not text or text.startswith("-") else _positive("COUNT", text)


def _until(text: str, zone: dt.tzinfo, *, all_day: bool) -> dt.datetime:
    moment = parse_moment(text, zone)
    if moment.all_day or all_day:
        return dt.datetime.combine(moment.day, _END_OF_DAY)
    return moment.wall if moment.zone is zone else wall_clock(moment.instant, zone)


def _week_start(text: str) -> int:
    if text not in _WEEKDAYS:
        raise ValueError(f"WKST={text[:12]} is no weekday")
    return _WEEKDAYS.index(text)


def _numeric_parts(parts: Mapping[str, str], *, all_day: bool) -> dict[str, tuple[int, ...]]:
    """Read the numeric BY parts; those of the time of day mean nothing to a day (§3.3.10)."""
    ignored = frozenset(OWN_PART.values()) if all_day else frozenset()
    return {
        name: _numbers(name, parts[name])
        for name in _RANGES
        if name in parts and name not in ignored
    }


def _numbers(name: str, text: str) -> tuple[int, ...]:
    lowest, highest, from_end = _RANGES[name]
    numbers = []
    for part in text.split(","):
        digits = part.lstrip("+-")
        if not (digits.isascii() and digits.isdigit() and lowest <= int(digits[:9]) <= highest):
            raise ValueError(f"{name}={text[:40]} is out of range")
        if part.startswith("-") and not from_end:
            raise ValueError(f"{name}={text[:40]} is out of range")
        numbers.append(-int(digits) if part.startswith("-") else int(digits))
    return tuple(dict.fromkeys(numbers))


def _days(text: str) -> tuple[tuple[int, int], ...]:
    days = []
    for part in text.split(","):
        found = _BYDAY.fullmatch(part)
        if not found or (found[1] and int(found[1]) == 0):
            raise ValueError(f"BYDAY={text[:40]} is no list of weekdays")
        days.append((_WEEKDAYS.index(found[2]), int(found[1] or 0)))
    return tuple(dict.fromkeys(days))


def _skip(text: str) -> str:
    if text not in _SKIPS:
        raise ValueError(f"SKIP={text[:12]} is none of {', '.join(_SKIPS)}")
    return text


def _check_possible(rule: Rule) -> None:
    """Refuse what no day and no set can satisfy: dateutil would look for it until the year 9999.

    Raises:
        ValueError: it can never match.
    """
    days = {
        name: rule.by[name] for name in ("BYMONTH", "BYMONTHDAY", "BYYEARDAY") if name in rule.by
    }
    if len(days) > 1 and not any(_day_fits(day, days) for day in _days_of_two_years()):
        raise ValueError(f"no year has such a day ({_spell(days)})")
    positions = rule.by.get("BYSETPOS", ())
    if positions and min(map(abs, positions)) > _largest_set(rule):
        raise ValueError(f"no period has so many ({_spell({'BYSETPOS': positions})})")


def _spell(parts: Mapping[str, tuple[int, ...]]) -> str:
    return ";".join(f"{name}={','.join(map(str, values))}" for name, values in parts.items())


def _days_of_two_years() -> tuple[dt.date, ...]:
    leap_year = dt.date(2024, 1, 1)
    return tuple(leap_year + dt.timedelta(days=n) for n in range(366 + 365))


def _day_fits(day: dt.date, parts: Mapping[str, tuple[int, ...]]) -> bool:
    month_length = calendar.monthrange(day.year, day.month)[1]
    year_length = 365 + calendar.isleap(day.year)
    year_day = day.timetuple().tm_yday
    values = {
        "BYMONTH": {day.month},
        "BYMONTHDAY": {day.day, day.day - month_length - 1},
        "BYYEARDAY": {year_day, year_day - year_length - 1},
    }
    return all(values[name].intersection(wanted) for name, wanted in parts.items())


def _largest_set(rule: Rule) -> int:
    """Return how many instances one period can have at most."""
    times = 1
    for frequency, name in ((DAILY, "BYHOUR"), (HOURLY, "BYMINUTE"), (MINUTELY, "BYSECOND")):
        if rule.frequency <= frequency:
            times *= len(rule.by.get(name, (0,)))
    weekdays = {day for day, _ in rule.by_day}
    each_weekday_is_once = rule.by_day and all(which for _, which in rule.by_day)
    days = {
        YEARLY: 53 * len(weekdays) if weekdays and not each_weekday_is_once else 366,
        MONTHLY: 5 * len(weekdays) if weekdays and not each_weekday_is_once else 31,
        WEEKLY: len(weekdays) or 7,
    }.get(rule.frequency, 1)
    return days * times


def _explicit(rule: Rule, start: dt.datetime) -> Rule:
    """Write down what the rule takes from its start (§3.3.10), so that the start may move."""
    by = dict(rule.by)
    by_day = rule.by_day
    names_days = by_day or by.keys() & {"BYMONTHDAY", "BYYEARDAY"}
    in_weeks = rule.frequency == WEEKLY or (rule.frequency == YEARLY and "BYWEEKNO" in by)
    if in_weeks and not (by_day if rule.frequency == WEEKLY else names_days):
        by_day = ((start.weekday(), 0),)
    elif rule.frequency in {YEARLY, MONTHLY} and not names_days:
        by["BYMONTHDAY"] = (start.day,)
        if rule.frequency == YEARLY:
            by.setdefault("BYMONTH", (start.month,))
    for frequency, name, value in (
        (HOURLY, "BYHOUR", start.hour),
        (MINUTELY, "BYMINUTE", start.minute),
        (SECONDLY, "BYSECOND", start.second),
    ):
        if rule.frequency < frequency:
            by.setdefault(name, (value,))
    skip = rule.skip if _may_miss_days(by) else "OMIT"
    return _coarser(dataclasses.replace(rule, by=by, by_day=by_day, skip=skip))


def _may_miss_days(by: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a rule names days that some month or year lacks; no other ones are ever moved."""
    return any(
        abs(number) > always_there
        for name, always_there in (("BYMONTHDAY", 28), ("BYYEARDAY", 365))
        for number in by.get(name, ())
    )


def _coarser(rule: Rule) -> Rule:
    """Turn "every second, but only at 09:00:00" into "every day at 09:00:00"."""
    frequency = rule.frequency
    while frequency in OWN_PART and OWN_PART[frequency] in rule.by and rule.interval == 1:
        if "BYSETPOS" in rule.by:
            break
        frequency = _COARSER[frequency]
    return dataclasses.replace(rule, frequency=frequency)
