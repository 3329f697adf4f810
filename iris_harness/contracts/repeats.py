"""How often something comes again, from words to a rule (RFC 5545 §3.3.10): "every other friday".

English. A rule here has no times in it: what comes again does so at the time of day it was set for.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from iris_harness.contracts.month_days import (
    LAST_SAFE_DAY,
    by_day,
    find_month_days,
    month_day_words,
    parse_month_days,
)
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
    "fortnightly": "fortnight",
    "quarterly": "quarter",
}
_UNITS = {"hour": "HOURLY", "day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
_PARTS = {
    "morning": dt.time(8),
    "afternoon": dt.time(14),
    "evening": dt.time(19),
    "night": dt.time(21),
}
_LONGER = {"fortnight": ("week", 2), "quarter": ("month", 3)}
_COUNTS = {
    "other": 2, "second": 2, "two": 2, "third": 3, "three": 3, "fourth": 4, "four": 4, "five": 5,
    "six": 6, "single": 1,
}  # fmt: skip
_NTH = re.compile(r"(\d{1,3})(?:st|nd|rd|th)")
_EVERY = re.compile(
    r"(?:every|each)\s+(?:(?P<count>\d{1,3}(?:st|nd|rd|th)?|[a-z]+)\s+)?(?P<rest>.+)"
)
_SAID = re.compile(
    r"\b(?:every|each) [\w ]+?(?:(?:,? and|,) (?:every |each )?\w+)*"
    r"(?=$| (?:at|to|about|that|for|from|in|starting|on)\b)",
    re.IGNORECASE,
)
_PLURAL = rf"(?:{'|'.join(_FULL)}|weekday|workday|weekend)s"
_ON_DAYS = re.compile(
    rf"\b(?:weekly )?(?:on |(?<=me )){_PLURAL}(?:(?:,? and|,) (?:on )?{_PLURAL})*\b", re.IGNORECASE
)
_FILLER = frozenset({"on", "weekly", "every", "each"})


class Repeat(NamedTuple):
    """How often, and at what time of day where that was said with it."""

    rule: str
    """RFC 5545 RRULE without DTSTART."""
    time: dt.time | None = None
    """Of "every morning"; None: it was not said."""


def parse_repeat(text: str) -> Repeat:
    """Read "every friday", "every 2 weeks", "mon, wed and fri", "weekdays", "daily", "every 31st".

    Raises:
        UsageError: it is none of these.
    """
    if rule := parse_month_days(text):
        return Repeat(rule)
    words = " ".join(text.lower().replace(",", " ").replace(" and ", " ").split())
    if _ON_DAYS.fullmatch(text):
        return _of_days([word for word in words.split() if word not in _FILLER], 1, text)
    if words in _ADVERBS:
        return _of_days([_ADVERBS[words]], 1, text)
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
    days = _ON_DAYS.search(text)
    return find_month_days(text) or next((one[0] for one in (days, found) if one), None)


def _count(word: str | None) -> int | None:
    if word is None:
        return 1
    if nth := _NTH.fullmatch(word):
        word = nth[1]
    if word.isdigit():
        return int(word) or None
    return _COUNTS.get(word)


def _of_days(words: list[str], count: int, text: str) -> Repeat:
    time = _PARTS.get(words[-1].removesuffix("s")) if words else None
    if time is not None:
        words = words[:-1] or ["day"]
    unit = words[0].removesuffix("s") if len(words) == 1 else ""
    if unit in _LONGER:
        unit, times = _LONGER[unit]
        count *= times
    if unit in _UNITS:
        return Repeat(_rule(unit, count), time)
    if unit in {"weekday", "workday"}:
        return Repeat(f"{_rule('week', count)};BYDAY={_WORKDAYS}", time)
    if unit == "weekend":
        return Repeat(f"{_rule('week', count)};BYDAY={_WEEKEND}", time)
    days = [_day(word) for word in words if word not in _FILLER]
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
    is_monthly = rule.partition(";")[0] == "FREQ=MONTHLY"
    if not is_monthly or names_days(rule) or day.day <= LAST_SAFE_DAY:
        return rule
    return f"{rule};{by_day(day.day)}"


def names_days(rule: str) -> bool:
    """Return whether a rule says itself on which days, of the week or of the month."""
    return ";BY" in rule


def is_hourly(rule: str) -> bool:
    """Return whether a rule counts hours, not days."""
    return rule.startswith("FREQ=HOURLY")


def repeat_words(rule: str) -> str:
    """Return a rule of `parse_repeat` in words: "every 2 weeks on Monday and Friday"."""
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    unit = next(word for word, name in _UNITS.items() if name == parts["FREQ"])
    count = int(parts.get("INTERVAL", "1"))
    every = f"every {unit}" if count == 1 else f"every {count} {unit}s"
    if unit in {"month", "year"}:
        return " ".join(filter(None, (every, month_day_words(parts))))
    days = parts.get("BYDAY", "")
    if not days:
        return every
    if days == _WORKDAYS:
        named = "weekday" if count == 1 else "weekdays"
    else:
        found = [full.capitalize() for full, day in zip(_FULL, _DAYS, strict=True) if day in days]
        named = " and ".join(part for part in (", ".join(found[:-1]), found[-1]) if part)
    return f"every {named}" if count == 1 else f"{every} on {named}"
