"""Whose birthday or anniversary a day is."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterable

from iris_harness.contracts.contacts import Contact, PersonDate
from iris_harness.contracts.day import Birthday, OccasionKind

_LEAP_DAY = (2, 29)


def find_birthdays(people: Iterable[Contact], day: dt.date) -> tuple[Birthday, ...]:
    """Return the birthdays, anniversaries and other dates that fall on `day`, in plan order.

    One of 29 February falls on 28 February of common years: it is better to be told a day early
    than not at all, and the entry carries the day itself. One that has not happened by then for
    the first time is left out.
    """
    found = (
        _birthday(person, date, day)
        for person in people
        for date in person.dates
        if falls_on(date, day)
    )
    return tuple(sorted(set(found), key=birthday_order))


def falls_on(date: PersonDate, day: dt.date) -> bool:
    """Return whether `day` is one on which `date` is kept; not before its first year."""
    if date.year is not None and date.year > day.year:
        return False
    kept_on = (date.month, date.day)
    if kept_on == _LEAP_DAY and not calendar.isleap(day.year):
        kept_on = (2, 28)
    return kept_on == (day.month, day.day)


def _birthday(person: Contact, date: PersonDate, day: dt.date) -> Birthday:
    return Birthday(
        person=person.name,
        kind=date.kind,
        label=date.label,
        month=date.month,
        day=date.day,
        year=date.year,
        years=day.year - date.year if date.year is not None else None,
        is_deceased=person.is_deceased,
        source=person.source,
    )


def birthday_order(birthday: Birthday) -> tuple[object, ...]:
    """Return the sort key of birthdays that `DailyPlan.birthdays` states, total within a plan."""
    kind = list(OccasionKind).index(birthday.kind)
    date = (birthday.month, birthday.day, birthday.year or 0)
    return (birthday.is_deceased, kind, birthday.person, birthday.source, birthday.label, date)
