"""A language: a table of messages, and dates, times and lengths said with it.

Python's own `locale` and `strftime` names depend on the machine, so nothing here uses them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from iris_harness.curator.clean import clean

Forms: TypeAlias = Mapping[str, str]
"""Plural category (CLDR: one, few, many, other, …) to text; `other` is always there."""

Message: TypeAlias = str | Forms
"""A text with ``{named}`` placeholders; one with forms is chosen by its ``count``."""


class Language(NamedTuple):
    """Everything that differs from one language, or one country's use of it, to the next."""

    tag: str
    """BCP 47 tag."""
    messages: Mapping[str, Message]
    plural_category: Callable[[int], str]
    weekdays: tuple[str, ...]
    """Seven names, Monday first."""
    weekdays_short: tuple[str, ...]
    months: tuple[str, ...]
    """Twelve names, January first."""
    months_short: tuple[str, ...]
    halves: tuple[str, str] = ("am", "pm")
    """Names of the two halves of the day, for tables that write times with them."""

    def say(self, key: str, **values: str | int) -> str:
        """Return the message `key` with its placeholders filled in.

        Text among `values` is cleaned: it may come from anyone. A message with plural forms
        takes its form from ``count``.

        Raises:
            KeyError: no such message, or a placeholder without a value.
        """
        message = self.messages[key]
        if not isinstance(message, str):
            category = self.plural_category(int(values["count"]))
            message = message.get(category, message["other"])
        safe = {name: clean(v) if isinstance(v, str) else v for name, v in values.items()}
        return message.format(**safe)

    def knows(self, key: str) -> bool:
        """Return whether the table has the message `key`."""
        return key in self.messages

    def listing(self, items: Sequence[str]) -> str:
        """Return "a", "a and b" or "a, b and c"; empty for no items."""
        if len(items) < 2:  # noqa: PLR2004 - one item needs no joining
            return "".join(items)
        return self.say("list", first=", ".join(items[:-1]), last=items[-1])

    def date_long(self, day: dt.date) -> str:
        """Return the date in full: weekday, day, month, year."""
        return self._date("date.long", day)

    def date_spoken(self, day: dt.date) -> str:
        """Return the date as it is said, without the year."""
        return self._date("date.spoken", day)

    def date_short(self, day: dt.date, near: dt.date) -> str:
        """Return the date in short; the year only where it differs from that of `near`."""
        return self._date("date.short" if day.year == near.year else "date.short_year", day)

    def _date(self, key: str, day: dt.date) -> str:
        return self.say(
            key,
            weekday=self.weekdays[day.weekday()],
            weekday_short=self.weekdays_short[day.weekday()],
            day=day.day,
            month=self.months[day.month - 1],
            month_short=self.months_short[day.month - 1],
            year=day.year,
        )

    def time(self, moment: dt.time | dt.datetime) -> str:
        """Return hour and minute as they are written, in the zone `moment` carries."""
        return self._time("time", moment)

    def time_spoken(self, moment: dt.time | dt.datetime) -> str:
        """Return hour and minute as they are said."""
        return self._time("time.spoken", moment)

    def _time(self, key: str, moment: dt.time | dt.datetime) -> str:
        return self.say(
            key,
            hour=moment.hour,
            hour12=moment.hour % 12 or 12,
            minute=moment.minute,
            half=self.halves[moment.hour // 12],
        )

    def day_and_time(self, moment: dt.datetime, near: dt.date) -> str:
        """Return weekday and time; the date too where it is a week or more from `near`."""
        if abs((moment.date() - near).days) < 7:  # noqa: PLR2004 - days of a week
            day = self.weekdays_short[moment.weekday()]
        else:
            day = self.date_short(moment.date(), near)
        return self.say("day_and_time", day=day, time=self.time(moment))

    def duration(self, minutes: int) -> str:
        """Return a length of time in short: "1 h 45 min"."""
        return self._duration("duration", minutes)

    def duration_spoken(self, minutes: int) -> str:
        """Return a length of time in words: "1 hour 45 minutes"."""
        return self._duration("duration.spoken", minutes)

    def _duration(self, key: str, minutes: int) -> str:
        hours, rest = divmod(minutes, 60)
        parts = [self.say(f"{key}.hours", count=hours)] if hours else []
        if rest or not hours:
            parts.append(self.say(f"{key}.minutes", count=rest))
        return " ".join(parts)

    def age(self, seconds: int) -> str:
        """Return an age in its largest whole unit: "3 days", "5 hours", "12 minutes"."""
        minutes = seconds // 60
        if minutes >= 2 * 24 * 60:
            return self.say("age.days", count=minutes // (24 * 60))
        if minutes >= 2 * 60:
            return self.say("age.hours", count=minutes // 60)
        return self.say("age.minutes", count=minutes)

    def days_from_now(self, days: int) -> str:
        """Return how far off a day is: "today", "in 3 days", "2 days ago"."""
        match days:
            case 0:
                return self.say("day.today")
            case 1:
                return self.say("day.tomorrow")
            case -1:
                return self.say("day.yesterday")
            case _ if days > 0:
                return self.say("day.ahead", count=days)
            case _:
                return self.say("day.ago", count=-days)
