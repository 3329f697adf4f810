"""How often something comes again, from words to a rule (RFC 5545 §3.3.10): "every other friday".

English. A rule here has no times in it: what comes again does so at the time of day it was set for.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from iris_harness.errors import UsageError

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FULL = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORKDAYS, _WEEKEND = "MO,TU,WE,TH,FR", "SA,SU"
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}
_UNITS = {"hour": "HOURLY", "day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
_PARTS = {
    "morning": dt.time(8),
    "afternoon": dt.time(14),
    "evening": dt.time(19),
    "night": dt.time(21),
}
_COUNTS = {
    "other": 2, "second": 2, "two": 2, "third": 3, "three": 3, "fourth": 4, "four": 4, "five": 5,
    "six": 6, "single": 1,
}  # fmt: skip
_EVERY = re.compile(r"(?:every|each)\s+(?:(?P<count>\d{1,3}|[a-z]+)\s+)?(?P<rest>.+)")
_SAID = re.compile(
    r"\b(?:every|each) [\w ]+?(?:,? and \w+|, \w+)*"
    r"(?=$| (?:at|to|about|that|for|from|in|starting|on)\b)",
    re.IGNORECASE,
)
_LAST_SAFE_DAY = 28
"""Every month has it."""


class Repeat(NamedTuple):
    """How often, and at what time of day where that was said with it."""

    rule: str
    """RFC 5545 RRULE without DTSTART."""
    time: dt.time | None = None
    """Of "every morning"; None: it was not said."""


def parse_repeat(text: str) -> Repeat:
    """Read "every friday", "every 2 weeks", "mon, wed and fri", "weekdays", "daily".

    Raises:
        UsageError: it is none of these.
    """
    words = " ".join(text.lower().replace(",", " ").replace(" and ", " ").split())
    if words in _ADVERBS:
        return Repeat(_rule(_ADVERBS[words], 1))
    match = _EVERY.fullmatch(words)
    if match is None:
        return _of_days(words.split(), 1, text)
    count = _count(match["count"])
    if count is None:  # the word belongs to what follows: "every tuesday morning"
        return _of_days(f"{match['count']} {match['rest']}".split(), 1, text)
    return _of_days(match["rest"].split(), count, text)


def find_repeat(text: str) -> str | None:
    """Return the words of a request that say how often ("every monday and friday"), or None."""
    found = _SAID.search(text)
    return found[0] if found else None


def _count(word: str | None) -> int | None:
    if word is None:
        return 1
    if word.isdigit():
        return int(word) or None
    return _COUNTS.get(word)


def _of_days(words: list[str], count: int, text: str) -> Repeat:
    time = _PARTS.get(words[-1].removesuffix("s")) if words else None
    if time is not None:
        words = words[:-1] or ["day"]
    unit = words[0].removesuffix("s") if len(words) == 1 else ""
    if unit in _UNITS:
        return Repeat(_rule(unit, count), time)
    if unit in {"weekday", "workday"}:
        return Repeat(f"{_rule('week', count)};BYDAY={_WORKDAYS}", time)
    if unit == "weekend":
        return Repeat(f"{_rule('week', count)};BYDAY={_WEEKEND}", time)
    days = [_day(word) for word in words]
    if not days or None in days:
        raise UsageError(
            f"{text!r} does not say how often", hint="as in: every friday, every 2 weeks, daily"
        )
    named = ",".join(day for day in _DAYS if day in days)
    return Repeat(f"{_rule('week', count)};BYDAY={named}", time)


def _day(word: str) -> str | None:
    bare = word.removesuffix("s") if word.removesuffix("s") in _FULL else word
    for name, full, day in zip(_NAMES, _FULL, _DAYS, strict=True):
        if bare in {name, full} or (len(bare) > len(name) and full.startswith(bare)):
            return day
    return None


def _rule(unit: str, count: int) -> str:
    return f"FREQ={_UNITS[unit]}" + (f";INTERVAL={count}" if count > 1 else "")


def of_month_day(rule: str, day: dt.date) -> str:
    """Return a monthly rule for the day of the month of `day`; of a short month the last day."""
    if rule.partition(";")[0] != "FREQ=MONTHLY" or day.day <= _LAST_SAFE_DAY:
        return rule
    days = ",".join(str(number) for number in range(_LAST_SAFE_DAY, day.day + 1))
    return f"{rule};BYMONTHDAY={days};BYSETPOS=-1"


def is_hourly(rule: str) -> bool:
    """Return whether a rule counts hours, not days."""
    return rule.startswith("FREQ=HOURLY")


def repeat_words(rule: str) -> str:
    """Return a rule of `parse_repeat` in words: "every 2 weeks on Monday and Friday"."""
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    unit = next(word for word, name in _UNITS.items() if name == parts["FREQ"])
    count = int(parts.get("INTERVAL", "1"))
    every = f"every {unit}" if count == 1 else f"every {count} {unit}s"
    days = parts.get("BYDAY", "")
    if not days:
        return every
    if days == _WORKDAYS:
        named = "weekday" if count == 1 else "weekdays"
    else:
        found = [full.capitalize() for full, day in zip(_FULL, _DAYS, strict=True) if day in days]
        named = " and ".join(part for part in (", ".join(found[:-1]), found[-1]) if part)
    return f"every {named}" if count == 1 else f"{every} on {named}"
