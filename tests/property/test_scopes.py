"""What holds for every date and time that can be said, on every day, in every zone."""

from __future__ import annotations

import calendar
import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_router.english import build_english
from iris_router.scopes import ScopeGrammar
from tests.support import examples

GRAMMAR = ScopeGrammar(build_english().scopes)
ZONE_NAMES = ("UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe")
ZONES = st.sampled_from([ZoneInfo(name) for name in ZONE_NAMES])
FIRST, LAST = (dt.datetime.combine(dt.date(year, 1, 1), dt.time()) for year in (1990, 2080))
REFERENCES = st.datetimes(FIRST, LAST, timezones=ZONES)
LOCALES = st.sampled_from(["en", "en-GB", "en-US", "en-CA"])
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY = dt.timedelta(days=1)
EVERY = settings(deadline=None, max_examples=examples(100))


def read(text: str, reference: dt.datetime, locale: str = "en") -> Scope:
    found = GRAMMAR.find(text, reference, locale)
    assert found is not None, text
    return found.scope


@given(reference=REFERENCES)
@EVERY
def test_a_day_lasts_from_midnight_to_midnight_however_long_that_is(reference: dt.datetime) -> None:
    scope = read("tomorrow", reference)
    day = reference.date() + DAY
    for moment, date in ((scope.start, day), (scope.end, day + DAY)):
        assert moment.date() == date
        assert moment.astimezone(dt.UTC).astimezone(reference.tzinfo) == moment
    hours = (scope.end.astimezone(dt.UTC) - scope.start.astimezone(dt.UTC)) / dt.timedelta(hours=1)
    assert hours in {23, 23.5, 24, 24.5, 25}


@given(reference=REFERENCES, weekday=st.sampled_from(WEEKDAYS))
@EVERY
def test_a_weekday_is_its_next_one_and_the_same_said_in_other_words(
    reference: dt.datetime, weekday: str
) -> None:
    (day,) = read(f"on {weekday}", reference).days()
    assert DAY <= day - reference.date() <= 7 * DAY
    assert WEEKDAYS[day.weekday()] == weekday
    assert read(f"in {(day - reference.date()).days} days", reference).days() == (day,)
    assert read(f"{day:%d %B %Y}", reference).days() == (day,)
    assert read(f"{day.isoformat()}", reference).days() == (day,)


@given(reference=REFERENCES)
@EVERY
def test_next_month_is_the_whole_of_the_one_after_this(reference: dt.datetime) -> None:
    scope = read("next month", reference)
    days = scope.days()
    following = reference.year * 12 + reference.month
    assert (days[0].year, days[0].month, days[0].day) == (following // 12, following % 12 + 1, 1)
    assert len(days) == calendar.monthrange(days[0].year, days[0].month)[1]
    assert scope.kind is ScopeKind.MONTH


@given(reference=REFERENCES, locale=LOCALES)
@EVERY
def test_this_week_holds_today_and_next_week_follows_it(
    reference: dt.datetime, locale: str
) -> None:
    this, following = (read(f"{which} week", reference, locale) for which in ("this", "next"))
    assert reference.date() in this.days()
    assert (len(this.days()), len(following.days())) == (7, 7)
    assert following.start == this.end
    assert this.start.weekday() == (6 if locale in {"en-US", "en-CA"} else 0)


@given(reference=REFERENCES)
@EVERY
def test_this_afternoon_is_todays_however_late_it_is(reference: dt.datetime) -> None:
    scope = read("this afternoon", reference)
    assert scope.start.date() == scope.end.date() == reference.date()
    assert (scope.start.hour, scope.end.hour) == (12, 18)


@given(reference=REFERENCES, first=st.integers(0, 22), length=st.integers(1, 8))
@EVERY
def test_a_range_of_hours_ends_after_it_begins(
    reference: dt.datetime, first: int, length: int
) -> None:
    last = (first + length) % 24
    scope = read(f"tomorrow from {first:02}:00 to {last:02}:00", reference)
    start, end = (moment.astimezone(dt.UTC) for moment in (scope.start, scope.end))
    assert start < end
    assert end - start <= dt.timedelta(hours=length + 1)
    assert scope.start.date() - reference.date() == DAY


@pytest.mark.parametrize("feast", ["easter", "thanksgiving", "mother's day", "good friday"])
@given(reference=REFERENCES)
@EVERY
def test_a_feast_is_never_over_and_within_a_year(feast: str, reference: dt.datetime) -> None:
    (day,) = read(feast, reference).days()
    assert reference.date() <= day <= reference.date() + 400 * DAY
    assert read(f"{feast} {day.year}", reference).days() == (day,)


@given(reference=REFERENCES, hours=st.integers(1, 60))
@EVERY
def test_a_length_from_now_is_counted_in_real_time(reference: dt.datetime, hours: int) -> None:
    scope = read(f"in {hours} hours", reference)
    elapsed = scope.start.astimezone(dt.UTC) - reference.astimezone(dt.UTC)
    assert elapsed == dt.timedelta(hours=hours)
