from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from iris_harness.contracts.scopes import ScopeKind
from iris_router.english import build_english
from iris_router.scopes import FoundScope, ScopeGrammar

GRAMMAR = ScopeGrammar(build_english().scopes)
BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = dt.datetime(2026, 5, 13, 9, 0, tzinfo=BERLIN)


def find(text: str, reference: dt.datetime = WEDNESDAY) -> FoundScope:
    found = GRAMMAR.find(text, reference)
    assert found is not None, text
    return found


def window(text: str, reference: dt.datetime = WEDNESDAY) -> tuple[str, str]:
    scope = find(text, reference).scope
    start, end = (moment.strftime("%Y-%m-%d %H") for moment in (scope.start, scope.end))
    return start, end


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-05-13"),
        ("tomorrow", "2026-05-14"),
        ("tommorow", "2026-05-14"),
        ("the day after tomorrow", "2026-05-15"),
        ("yesterday", "2026-05-12"),
        ("the day before yesterday", "2026-05-11"),
        ("friday", "2026-05-15"),
        ("wednesday", "2026-05-20"),
        ("this wednesday", "2026-05-13"),
        ("this monday", "2026-05-18"),
        ("next friday", "2026-05-22"),
        ("next monday", "2026-05-18"),
        ("last friday", "2026-05-08"),
        ("last wednesday", "2026-05-06"),
        ("2026-02-01", "2026-02-01"),
        ("12 june", "2026-06-12"),
        ("12th of june", "2026-06-12"),
        ("June 3rd", "2026-06-03"),
        ("june 3rd, 2028", "2028-06-03"),
        ("13 may", "2026-05-13"),
        ("12 may", "2027-05-12"),
        ("12 may 2026", "2026-05-12"),
        ("29 february", "2028-02-29"),
    ],
)
def test_a_day_is_midnight_to_midnight(text: str, day: str) -> None:
    first = dt.date.fromisoformat(day)
    scope = find(f"what is on {text} then").scope
    assert scope.days() == (first,)
    assert scope.kind is ScopeKind.DATE
    assert window(text) == (f"{first} 00", f"{first + dt.timedelta(days=1)} 00")


@pytest.mark.parametrize(
    ("text", "start", "end", "kind"),
    [
        ("tomorrow morning", "2026-05-14 06", "2026-05-14 12", ScopeKind.DAY_PART),
        ("friday afternoon", "2026-05-15 12", "2026-05-15 18", ScopeKind.DAY_PART),
        ("next friday in the evening", "2026-05-22 18", "2026-05-22 22", ScopeKind.DAY_PART),
        ("tomorrow night", "2026-05-14 20", "2026-05-15 00", ScopeKind.DAY_PART),
        ("this afternoon", "2026-05-13 12", "2026-05-13 18", ScopeKind.DAY_PART),
        ("my morning", "2026-05-13 06", "2026-05-13 12", ScopeKind.DAY_PART),
        ("tonight", "2026-05-13 18", "2026-05-14 00", ScopeKind.DAY_PART),
        ("last night", "2026-05-12 20", "2026-05-13 00", ScopeKind.DAY_PART),
        ("this week", "2026-05-11 00", "2026-05-18 00", ScopeKind.WEEK),
        ("my week", "2026-05-11 00", "2026-05-18 00", ScopeKind.WEEK),
        ("next week", "2026-05-18 00", "2026-05-25 00", ScopeKind.WEEK),
        ("this weekend", "2026-05-16 00", "2026-05-18 00", ScopeKind.WEEKEND),
        ("next weekend", "2026-05-23 00", "2026-05-25 00", ScopeKind.WEEKEND),
        ("this month", "2026-05-01 00", "2026-06-01 00", ScopeKind.MONTH),
        ("next month", "2026-06-01 00", "2026-07-01 00", ScopeKind.MONTH),
    ],
)
def test_spans_end_exclusively(text: str, start: str, end: str, kind: ScopeKind) -> None:
    assert window(text) == (start, end)
    assert find(text).scope.kind is kind


@pytest.mark.parametrize(
    ("text", "start", "end", "kind"),
    [
        ("at 4pm", "05-13 16:00", "05-13 16:01", ScopeKind.TIME),
        ("half past 7 on friday", "05-15 07:30", "05-15 07:31", ScopeKind.DATETIME),
        ("half three", "05-13 15:30", "05-13 15:31", ScopeKind.TIME),
        ("friday at quarter to nine", "05-15 08:45", "05-15 08:46", ScopeKind.DATETIME),
        ("at ten to five", "05-13 16:50", "05-13 16:51", ScopeKind.TIME),
        ("at 8", "05-13 20:00", "05-13 20:01", ScopeKind.TIME),
        ("noon", "05-13 12:00", "05-13 12:01", ScopeKind.TIME),
        ("at midnight", "05-14 00:00", "05-14 00:01", ScopeKind.TIME),
        ("tomorrow morning at 9", "05-14 09:00", "05-14 09:01", ScopeKind.DATETIME),
        ("9 tomorrow evening", "05-14 21:00", "05-14 21:01", ScopeKind.DATETIME),
        ("tomorrow night at 1", "05-15 01:00", "05-15 01:01", ScopeKind.DATETIME),
        ("2026-06-03 08:05", "06-03 08:05", "06-03 08:06", ScopeKind.DATETIME),
        ("8.30pm today", "05-13 20:30", "05-13 20:31", ScopeKind.DATETIME),
        ("in half an hour", "05-13 09:30", "05-13 09:31", ScopeKind.DATETIME),
        ("in an hour and a half", "05-13 10:30", "05-13 10:31", ScopeKind.DATETIME),
        ("20 minutes ago", "05-13 08:40", "05-13 08:41", ScopeKind.DATETIME),
        ("from 2 to 4 on friday", "05-15 14:00", "05-15 16:00", ScopeKind.TIME_RANGE),
        ("between 10 and 11:30", "05-13 10:00", "05-13 11:30", ScopeKind.TIME_RANGE),
        ("thursday 11-1pm", "05-14 11:00", "05-14 13:00", ScopeKind.TIME_RANGE),
        ("tomorrow 9 to 5", "05-14 09:00", "05-14 17:00", ScopeKind.TIME_RANGE),
        ("10pm to 2am", "05-13 22:00", "05-14 02:00", ScopeKind.TIME_RANGE),
        ("tomorrow from 9am for 3 hours", "05-14 09:00", "05-14 12:00", ScopeKind.TIME_RANGE),
        ("friday 3pm to saturday 10am", "05-15 15:00", "05-16 10:00", ScopeKind.TIME_RANGE),
        ("sat 9am", "05-16 09:00", "05-16 09:01", ScopeKind.DATETIME),
        ("friday late afternoon", "05-15 15:00", "05-15 18:00", ScopeKind.DAY_PART),
        ("the morning of the 3rd", "06-03 06:00", "06-03 12:00", ScopeKind.DAY_PART),
        ("the week after next", "05-25 00:00", "06-01 00:00", ScopeKind.WEEK),
        ("the week of 3 june", "06-01 00:00", "06-08 00:00", ScopeKind.WEEK),
        ("the weekend", "05-16 00:00", "05-18 00:00", ScopeKind.WEEKEND),
        ("in december", "12-01 00:00", "2027-01-01 00:00", ScopeKind.MONTH),
        ("12 to 16 september", "09-12 00:00", "09-17 00:00", ScopeKind.DATE_RANGE),
        ("september 12 to 16", "09-12 00:00", "09-17 00:00", ScopeKind.DATE_RANGE),
        ("12 to 16 may", "05-12 00:00", "05-17 00:00", ScopeKind.DATE_RANGE),
        ("1 may to 3 june", "05-01 00:00", "06-04 00:00", ScopeKind.DATE_RANGE),
        ("next 3 days", "05-14 00:00", "05-17 00:00", ScopeKind.DATE_RANGE),
        ("the next 4 business days", "05-14 00:00", "05-20 00:00", ScopeKind.DATE_RANGE),
        ("from today to friday", "05-13 00:00", "05-16 00:00", ScopeKind.DATE_RANGE),
        ("9-5 tomorrow", "05-14 09:00", "05-14 17:00", ScopeKind.TIME_RANGE),
        ("the next hour", "05-13 09:00", "05-13 10:00", ScopeKind.TIME_RANGE),
        ("the month of june", "06-01 00:00", "07-01 00:00", ScopeKind.MONTH),
        ("evening of friday", "05-15 18:00", "05-15 22:00", ScopeKind.DAY_PART),
        ("monday to wednesday", "05-18 00:00", "05-21 00:00", ScopeKind.DATE_RANGE),
        ("3 days from monday", "05-21 00:00", "05-22 00:00", ScopeKind.DATE),
        ("for 3 days from monday", "05-18 00:00", "05-21 00:00", ScopeKind.DATE_RANGE),
        ("end of the month", "05-21 00:00", "06-01 00:00", ScopeKind.DATE_RANGE),
        ("the rest of the week", "05-13 00:00", "05-18 00:00", ScopeKind.DATE_RANGE),
        ("q3", "07-01 00:00", "10-01 00:00", ScopeKind.DATE_RANGE),
        ("before friday", "05-13 00:00", "05-15 00:00", ScopeKind.DATE_RANGE),
        ("by friday", "05-13 00:00", "05-16 00:00", ScopeKind.DATE_RANGE),
        ("until 5pm", "05-13 09:00", "05-13 17:00", ScopeKind.TIME_RANGE),
        ("after 3pm", "05-13 15:00", "05-14 00:00", ScopeKind.TIME_RANGE),
        ("after friday", "05-16 00:00", "05-23 00:00", ScopeKind.DATE_RANGE),
        ("since monday", "05-11 00:00", "05-14 00:00", ScopeKind.DATE_RANGE),
    ],
)
def test_times_and_ranges_are_what_people_mean(
    text: str, start: str, end: str, kind: ScopeKind
) -> None:
    scope = find(f"{text}.").scope
    year = "2026-"
    found = tuple(f"{t:%Y-%m-%d %H:%M}".removeprefix(year) for t in (scope.start, scope.end))
    assert (*found, scope.kind) == (start, end, kind)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("the 3rd", "2026-06-03"),
        ("the 31st", "2026-05-31"),
        ("on the first", "2026-06-01"),
        ("in 3 days", "2026-05-16"),
        ("in a fortnight", "2026-05-27"),
        ("in two days' time", "2026-05-15"),
        ("a month ago", "2026-04-13"),
        ("friday in two weeks", "2026-05-29"),
        ("friday week", "2026-05-22"),
        ("coming friday", "2026-05-15"),
        ("in two weeks on monday", "2026-05-25"),
        ("thursday of next week", "2026-05-21"),
        ("wednesday after next", "2026-05-27"),
        ("two sundays from now", "2026-05-24"),
        ("first monday in june", "2026-06-01"),
        ("last friday in october", "2026-10-30"),
        ("the last day of next month", "2026-06-30"),
        ("20th of next month", "2026-06-20"),
        ("christmas", "2026-12-25"),
        ("new year's eve", "2026-12-31"),
        ("15.3.2027", "2027-03-15"),
        ("13/6", "2026-06-13"),
        ("Saturday, June 13", "2026-06-13"),
        ("friday 13 november", "2026-11-13"),
        ("on sat", "2026-05-16"),
    ],
)
def test_a_day_is_found_however_it_is_said(text: str, day: str) -> None:
    assert find(text).scope.days() == (dt.date.fromisoformat(day),)


def test_a_time_without_a_day_that_is_long_gone_is_tomorrows() -> None:
    late = WEDNESDAY.replace(hour=18)
    assert find("at 8am", late).scope.start.day == 14
    assert find("at 5:30pm", late).scope.start.day == 13
    assert find("from 9 to 11", late).scope.start.day == 13


def test_the_locale_decides_where_the_month_stands() -> None:
    days = []
    for locale in ("en", "en-US", "en-GB"):
        found = GRAMMAR.find("3/4/2026", WEDNESDAY, locale)
        assert found is not None
        days.append(found.scope.start.date())
    assert days == [dt.date(2026, 3, 4), dt.date(2026, 3, 4), dt.date(2026, 4, 3)]


def test_times_on_the_days_of_a_clock_change_are_instants_that_exist() -> None:
    spring = dt.datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    assert find("tomorrow at 2:30am", spring).scope.start.isoformat() == "2026-03-29T03:30:00+02:00"
    night = find("in 12 hours", spring.replace(hour=15)).scope.start
    assert night.isoformat() == "2026-03-29T04:00:00+02:00"
    autumn = dt.datetime(2026, 10, 25, 0, 30, tzinfo=BERLIN)
    twice = [find(text, autumn).scope.start for text in ("at 2:30am", "in 2 hours", "in 3 hours")]
    offsets = [moment.isoformat() for moment in twice]
    assert offsets == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-25T02:30:00+02:00",
        "2026-10-25T02:30:00+01:00",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "31 february",
        "32 december",
        "2026-02-30",
        "30.2.2027",
        "25:00",
        "friday 13 june",
        "31st of next month",
        "fifth friday of next month",
    ],
)
def test_what_does_not_exist_is_reported_and_never_read_as_another_time(text: str) -> None:
    reading = GRAMMAR.read(f"what is on {text} then", WEDNESDAY)
    assert reading.found is None
    assert [one.text for one in reading.impossible] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "call 3 people", "may i ask", "march on", "second thoughts", "sun cream", "he sat down",
        "book for sat nav", "read chapter 5", "the first thing", "the second floor", "we wed",
        "may the force be with you", "for 30 minutes", "a 30 minute meeting", "an hour", "a week",
        "good morning", "evening dress", "christmas cards", "meet at 10 downing street",
        "at 3 locations", "10 to 12 people", "two to three cups", "24/7", "1/2 cup sugar",
        "version 3.5", "add 1984 to my list", "for 2000 euros", "week planner", "weekend bag",
        "next time", "last name", "the end", "3d printing", "number 7", "the last mile",
        "do it now", "what day of the week is it", "half a kilo", "mon ami", "buy 3 sun hats",
        "from 10 to 12 guests", "how long until lunch", "a table for 3 at the grill",
        "in the first place", "dec 12345",
    ],
)  # fmt: skip
def test_numbers_and_names_in_titles_are_no_times(text: str) -> None:
    assert GRAMMAR.find(text, WEDNESDAY) is None


@pytest.mark.corpus
def test_the_collected_phrases_are_read_right(corpus: Path) -> None:
    """The bars are those of the sets that are not shown; a phrase counts by its first day."""
    lines = (corpus / "dates" / "dev.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    own = [row for row in rows if row["source"] == "own"]
    assert sum(map(_starts_right, own)) / len(own) >= 0.97
    assert sum(map(_starts_right, rows)) / len(rows) >= 0.9


def _starts_right(row: Mapping[str, Any]) -> bool:
    reference = dt.datetime.fromisoformat(row["reference"]).replace(tzinfo=dt.UTC)
    found = GRAMMAR.find(row["text"], reference)
    starts = [row["expected_start"], *(pair[0] for pair in row.get("alternatives", ()))]
    days = {start[: len("2026-05-13")] for start in starts}
    return found is not None and found.scope.start.date().isoformat() in days


def test_next_month_is_the_month_after_a_long_one_too() -> None:
    reference = dt.datetime(2026, 8, 31, 6, 45, tzinfo=BERLIN)
    assert window("next month", reference) == ("2026-09-01 00", "2026-10-01 00")
    december = dt.datetime(2026, 12, 31, 6, 45, tzinfo=BERLIN)
    assert window("next month", december) == ("2027-01-01 00", "2027-02-01 00")


def test_this_afternoon_said_in_the_evening_is_still_todays() -> None:
    late = WEDNESDAY.replace(hour=19)
    assert window("this afternoon", late) == ("2026-05-13 12", "2026-05-13 18")
    assert window("in the afternoon", late) == ("2026-05-14 12", "2026-05-14 18")


def test_a_day_of_a_clock_change_has_its_real_length() -> None:
    scope = find("29 march", dt.datetime(2026, 3, 20, 9, tzinfo=BERLIN)).scope
    start, end = scope.start.astimezone(dt.UTC), scope.end.astimezone(dt.UTC)
    assert end - start == dt.timedelta(hours=23)


def test_the_span_is_what_was_said_with_its_preposition_apart() -> None:
    text = "Meetings on Friday's agenda"
    found = find(text)
    assert found.scope.text == "Friday"
    assert text[found.outer_start : found.start] == "on "
    assert text[: found.start] + text[found.end :] == "Meetings on  agenda"


def test_a_preposition_that_changes_nothing_is_no_part_of_what_was_said() -> None:
    assert find("set it for 6pm tomorrow").scope.text == "6pm tomorrow"
    assert find("free by friday").scope.text == "by friday"


def test_the_first_scope_that_exists_counts() -> None:
    assert find("on 31 february or 2026-02-30 or friday or sunday").scope.text == "friday"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plan my day",
        "monday2",
        "may i march",
        "31 february",
        "todayish",
        "12 marches",
        "\u017funday",
    ],
)
def test_what_names_no_time_has_no_scope(text: str) -> None:
    assert GRAMMAR.find(text, WEDNESDAY) is None


def test_a_time_beyond_the_calendar_has_no_scope() -> None:
    last = dt.datetime(9999, 12, 31, 12, tzinfo=dt.UTC)
    for text in ("today", "tonight", "next week", "next month", "friday", "29 february"):
        assert GRAMMAR.find(text, last) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("easter", "2027-03-28"),
        ("easter monday", "2027-03-29"),
        ("good friday 2027", "2027-03-26"),
        ("last easter", "2026-04-05"),
        ("pentecost", "2026-05-24"),
        ("next thanksgiving", "2026-11-26"),
        ("thanksgiving 2027", "2027-11-25"),
        ("black friday", "2026-11-27"),
        ("mother's day", "2027-05-09"),
        ("memorial day", "2026-05-25"),
        ("labour day", "2026-09-07"),
    ],
)
def test_a_feast_that_moves_is_found_on_its_day_of_the_year(text: str, day: str) -> None:
    scope = find(f"what is on {text}").scope
    assert (scope.kind, scope.days()) == (ScopeKind.DATE, (dt.date.fromisoformat(day),))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("saturday and sunday", "2026-05-16", "2026-05-17"),
        ("today or tomorrow", "2026-05-13", "2026-05-14"),
        ("christmas and boxing day", "2026-12-25", "2026-12-26"),
        ("friday and sunday", "2026-05-15", "2026-05-15"),
        ("the weekend of 6 june", "2026-06-06", "2026-06-07"),
        ("next work week", "2026-05-18", "2026-05-22"),
        ("this summer", "2026-06-21", "2026-09-22"),
        ("in the winter", "2026-12-21", "2027-03-19"),
    ],
)
def test_a_span_of_days_begins_and_ends_as_it_was_said(text: str, first: str, last: str) -> None:
    days = find(text).scope.days()
    assert (days[0], days[-1]) == (dt.date.fromisoformat(first), dt.date.fromisoformat(last))


def test_a_time_as_computers_write_it_is_one_instant() -> None:
    scope = find("meeting 2026-05-14T09:30").scope
    assert scope.start == dt.datetime(2026, 5, 14, 9, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("locale", "first"), [("en", "2026-05-11"), ("en-GB", "2026-05-11"), ("en-US", "2026-05-10")]
)
def test_the_locale_decides_which_day_begins_a_week(locale: str, first: str) -> None:
    found = GRAMMAR.find("plan this week", WEDNESDAY, locale)
    assert found is not None
    days = found.scope.days()
    assert (days[0], len(days)) == (dt.date.fromisoformat(first), 7)


@pytest.mark.parametrize("locale", ["en", "en-US"])
def test_a_weekday_of_a_week_is_in_that_week(locale: str) -> None:
    found = GRAMMAR.find("friday of next week", WEDNESDAY, locale)
    assert found is not None
    assert found.scope.days() == (dt.date(2026, 5, 22),)
