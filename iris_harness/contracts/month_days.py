"""Days of every month or year, from words to a rule and back: "every 31st", "every 4th of July".

English; a part of `repeats`. A day that a month does not have is its last one, as people mean the
31st of every month.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping

from iris_harness.errors import UsageError

LAST_SAFE_DAY = 28
"""Every month has it."""
_LAST = -1
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september",
           "october", "november", "december")  # fmt: skip
_TEENS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
          "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
          "seventeenth", "eighteenth", "nineteenth")  # fmt: skip
_SAID = {
    **{word: number for number, word in enumerate(_TEENS, 1)},
    "twentieth": 20,
    **{f"twenty-{word}": number for number, word in enumerate(_TEENS[:9], 21)},
    "thirtieth": 30,
    "thirty-first": 31,
    "last": _LAST,
}
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)"
_WORD = "|".join(sorted(_SAID, key=len, reverse=True)).replace("-", "[- ]")
_ORDINAL = re.compile(rf"\b(?:{_NUMBER}|{_WORD})\b")
_DAY = rf"(?:{'|'.join(_NAMES)})"


def _several(one: str) -> str:
    return rf"(?:the )?(?:{one})(?:(?:,? and|,) (?:the )?(?:{one}))*"


_ANY, _NUMBERS = _several(f"{_NUMBER}|{_WORD}"), _several(_NUMBER)
_EVERY = r"(?:every|each)"
_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_YEARLY = tuple(
    re.compile(rf"\b{form}\b")
    for form in (
        rf"{_EVERY} (?P<day>{_NUMBER}|\d{{1,2}}|{_WORD}) (?:of )?(?P<month>{_MONTH})",
        rf"{_EVERY} (?P<month>{_MONTH}) (?:the )?(?P<day>{_NUMBER}|\d{{1,2}}|{_WORD})",
    )
)
_MONTHLY = tuple(
    re.compile(rf"\b{form}\b")
    for form in (
        rf"{_EVERY} {_ANY}(?: {_DAY}s?| days?)? of (?:the|every|each) month",
        rf"(?:on )?the {_ANY}(?: {_DAY}s?| days?)? of {_EVERY} month",
        rf"(?:{_EVERY} month|monthly) on {_ANY}(?: {_DAY}| day)?",
        rf"{_EVERY} (?:first|last) {_DAY}",
        # "every 2nd" is a day of the month; "every 2nd day" and "every second" are none.
        rf"{_EVERY} {_NUMBERS}(?! (?:{_DAY}|mon|tue|wed|thu|fri|sat|sun|week|day|month|year|hour))",
    )
)
_FIFTH = 5
_LEAP_YEAR = 2024


def find_month_days(text: str) -> str | None:
    """Return the words of a request that name days of every month, or None."""
    lowered = text.lower()
    for form in (*_YEARLY, *_MONTHLY):
        if found := form.search(lowered):
            return text[found.start() : found.end()]
    return None


def parse_month_days(text: str) -> str | None:
    """Return the rule of words that `find_month_days` gives (RFC 5545 RRULE), or None.

    Raises:
        UsageError: a month has no such day.
    """
    words = " ".join(text.lower().split())
    for form in _YEARLY:
        if found := form.fullmatch(words):
            return _yearly(found["month"], _number(found["day"]), text)
    if not any(form.fullmatch(words) for form in _MONTHLY):
        return None
    numbers = sorted({_number(one) for one in _ORDINAL.findall(words)})
    weekday = re.search(_DAY, words)
    if weekday is None:
        return f"FREQ=MONTHLY;{_by_number(numbers, text)}"
    if numbers[-1] > _FIFTH:
        raise UsageError(f"no month has so many of a day: {text!r}")
    day = _DAYS[_NAMES.index(weekday[0])]
    return f"FREQ=MONTHLY;BYDAY={','.join(f'{number}{day}' for number in numbers)}"


def _yearly(name: str, day: int, text: str) -> str:
    month = _MONTHS.index(name) + 1
    try:
        dt.date(_LEAP_YEAR, month, day)
    except ValueError:
        raise UsageError(f"{text!r} names no day of a year") from None
    return f"FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={day}"


def _number(ordinal: str) -> int:
    digits = ordinal.rstrip("stndrh")
    return int(digits) if digits.isdigit() else _SAID[ordinal.replace(" ", "-")]


def _by_number(numbers: list[int], text: str) -> str:
    if not 1 <= numbers[-1] <= _SAID["thirty-first"] and numbers != [_LAST]:
        raise UsageError(f"{text!r} names no day of a month", hint="they are 1 to 31")
    if len(numbers) == 1:
        return by_day(numbers[0])
    safe = [_LAST if number == _SAID["thirty-first"] else number for number in numbers]
    if safe[-1] > LAST_SAFE_DAY:
        raise UsageError("some months are too short for that", hint="set one for each day")
    return f"BYMONTHDAY={','.join(str(number) for number in safe)}"


def by_day(number: int) -> str:
    """Return the part of a monthly rule for one day; in a short month that is the last one."""
    if number <= LAST_SAFE_DAY:
        return f"BYMONTHDAY={number}"
    days = ",".join(str(one) for one in range(LAST_SAFE_DAY, number + 1))
    return f"BYMONTHDAY={days};BYSETPOS=-1"


def month_day_words(parts: Mapping[str, str]) -> str:
    """Return which days a rule names, as "on the 1st and 15th" or "on 4 July"; "" for none.

    `parts` are those of a rule that `parse_month_days` or `by_day` made.
    """
    if month := parts.get("BYMONTH"):
        return f"on {parts['BYMONTHDAY']} {_MONTHS[int(month) - 1].capitalize()}"
    days, weekdays = parts.get("BYMONTHDAY", ""), parts.get("BYDAY", "")
    if weekdays:
        numbers = [int(one[:-2]) for one in weekdays.split(",")]
        named = ["last" if number == _LAST else _TEENS[number - 1] for number in numbers]
        return f"on the {' and '.join(named)} {_NAMES[_DAYS.index(weekdays[-2:])].capitalize()}"
    if not days:
        return ""
    numbers = [int(one) for one in days.split(",")]
    shown = numbers[-1:] if "BYSETPOS" in parts else sorted(numbers, key=lambda one: one % 32)
    return f"on the {' and '.join(map(_ordinal, shown))}"


def _ordinal(number: int) -> str:
    if number == _LAST:
        return "last day"
    is_teen = number // 10 == 1
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
