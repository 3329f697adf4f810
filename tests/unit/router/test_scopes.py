from __future__ import annotations

import datetime as dt
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


def test_the_first_scope_that_exists_counts() -> None:
    assert find("on 31 february or 2026-02-30 or friday or monday").scope.text == "friday"


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
