from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from iris_harness.contracts.day import EventStatus
from iris_harness.contracts.facts import FactKind
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.contracts.sources import SourceKind, SourceState, SourceStatus
from iris_harness.errors import TaskError, UsageError
from tests.unit.agents.world import NOW, Calendar, ask, event, texts

STANDUP = event("Standup", "2026-05-13T09:00", "2026-05-13T09:15")
DENTIST = event("Dentist", "2026-05-14T15:00", "2026-05-14T16:00", place="Main Street 1")
PARTY = event("Party", "2026-05-14T22:00", "2026-05-15T02:00")
BIRTHDAY = event("Mom's birthday", "2026-05-14", "2026-05-15")
HOME = Calendar("home", (STANDUP, DENTIST, PARTY, BIRTHDAY))
EMPTY = Calendar("work", state=SourceState.EMPTY)
BROKEN = Calendar("work", (STANDUP,), state=SourceState.FAILED)
BROKEN_TEXT = "The calendar work could not be read: the file is gone."


def test_a_day_is_listed_in_order_with_a_source_for_each_event() -> None:
    result = ask("calendar", "what meetings do I have tomorrow", HOME, EMPTY)
    assert texts(result) == [
        "You have 3 events tomorrow.",
        "Tomorrow, all day: Mom's birthday, does not take your time.",
        "Tomorrow, 15:00 to 16:00: Dentist (Main Street 1).",
        "Tomorrow, 22:00 to Friday 15 May 2026, 02:00: Party.",
    ]
    assert [str(fact.sources[0]) for fact in result.facts[1:]] == [
        "home: Mom's birthday",
        "home: Dentist",
        "home: Party",
    ]
    value = result.facts[2].value
    assert isinstance(value, dict)
    assert value["start"] == "2026-05-14T15:00:00+02:00"


def test_what_is_declined_or_cancelled_is_listed_and_not_counted() -> None:
    declined = replace(STANDUP, status=EventStatus.DECLINED, busy=False)
    later = event("Lunch", "2026-05-13T12:00", "2026-05-13T13:00")
    cancelled = replace(later, status=EventStatus.CANCELLED, busy=False)
    line = "Today, 09:00 to 09:15: Standup, declined."
    assert texts(ask("calendar", "show my calendar", Calendar("home", (declined, later)))) == [
        "You have 1 event today.",
        line,
        "Today, 12:00 to 13:00: Lunch.",
    ]
    assert texts(ask("calendar", "show my calendar", Calendar("home", (declined, cancelled)))) == [
        "You have no events today.",
        line,
        "Today, 12:00 to 13:00: Lunch, cancelled.",
    ]
    partly = ask("calendar", "show my calendar", Calendar("home", (declined,)), BROKEN)
    assert texts(partly) == [
        "I found nothing that takes place today in what could be read (home).",
        line,
        BROKEN_TEXT,
    ]


def test_without_a_day_it_is_about_today() -> None:
    assert texts(ask("calendar", "show my calendar", HOME)) == [
        "You have 1 event today.",
        "Today, 09:00 to 09:15: Standup.",
    ]


def test_a_calendar_that_was_read_may_be_clear() -> None:
    result = ask("calendar", "am i free on saturday", HOME, EMPTY)
    assert texts(result) == ["Yes, you are free on Saturday 16 May 2026."]
    listed = ask("calendar", "show my calendar on saturday", HOME, EMPTY)
    assert texts(listed) == ["Your calendar is clear on Saturday 16 May 2026."]
    assert [str(ref) for ref in result.facts[0].sources] == ["home", "work"]


def test_nothing_is_called_clear_when_a_calendar_failed() -> None:
    result = ask("calendar", "am i free on saturday", HOME, BROKEN)
    assert texts(result) == [
        (
            "I found nothing that takes your time on Saturday 16 May 2026"
            " in what could be read (home)."
        ),
        BROKEN_TEXT,
    ]
    assert result.facts[1].kind is FactKind.SOURCE
    assert result.facts[1].value == {
        "name": "work",
        "kind": "calendar",
        "state": "failed",
        "age_seconds": None,
        "detail": "the file is gone",
    }


def test_when_no_calendar_could_be_read_nothing_is_said_about_the_day() -> None:
    assert texts(ask("calendar", "am i free today", BROKEN)) == [
        "None of your calendars could be read, so I cannot say what is in them.",
        BROKEN_TEXT,
    ]


def test_without_any_calendar_it_says_how_to_set_one_up() -> None:
    (text,) = texts(ask("calendar", "am i free today"))
    assert text.startswith("No calendar is set up")
    assert "iris setup" in text


def test_a_calendar_this_program_cannot_read_is_told_and_a_todo_list_is_not() -> None:
    statuses = tuple(
        SourceStatus(name=kind.value, kind=kind, state=SourceState.FAILED, detail="not available")
        for kind in (SourceKind.CALENDAR, SourceKind.TODO)
    )
    result = ask("calendar", "show my calendar", HOME, unavailable=statuses)
    assert texts(result)[-1] == "The calendar calendar could not be read: not available."


def test_an_old_reading_is_used_and_said_to_be_old() -> None:
    stale = Calendar("work", (STANDUP,), state=SourceState.STALE)
    assert texts(ask("calendar", "show my calendar", stale)) == [
        "You have 1 event today.",
        "Today, 09:00 to 09:15: Standup.",
        "The calendar work was read, but is old.",
    ]


def test_part_of_a_day_holds_what_overlaps_it() -> None:
    assert texts(ask("calendar", "what's on tomorrow afternoon", HOME)) == [
        "You have 2 events tomorrow from 12:00 to 18:00.",
        "Tomorrow, all day: Mom's birthday, does not take your time.",
        "Tomorrow, 15:00 to 16:00: Dentist (Main Street 1).",
    ]


def test_an_overnight_event_is_of_both_its_days_and_told_once_in_a_range() -> None:
    assert texts(ask("calendar", "my calendar on friday", HOME))[1:] == [
        "Tomorrow, 22:00 to Friday 15 May 2026, 02:00: Party."
    ]
    week = texts(ask("calendar", "my calendar this week", HOME))
    assert week[0] == "You have 4 events from Monday 11 May 2026 to Sunday 17 May 2026."
    assert len([text for text in week if "Party" in text]) == 1


@pytest.mark.parametrize(
    "utterance", ["what time is my dentist appointment", "when do i go to the Dentist?"]
)
def test_a_named_event_is_looked_for_in_the_days_ahead(utterance: str) -> None:
    assert texts(ask("calendar", utterance, HOME)) == [
        "Tomorrow, 15:00 to 16:00: Dentist (Main Street 1)."
    ]


def test_a_named_event_of_a_named_day_stands_alone() -> None:
    result = ask("calendar", "when is the party tomorrow", HOME)
    assert texts(result)[1:] == ["Tomorrow, 22:00 to Friday 15 May 2026, 02:00: Party."]


def test_an_event_that_is_not_there_is_not_made_up() -> None:
    (text,) = texts(ask("calendar", "when is the opera", HOME))
    assert text.startswith("I found no event that mentions \u201copera\u201d between today and ")


def test_the_next_meeting_is_the_next_that_takes_time_and_has_not_begun() -> None:
    begun = event("Breakfast", "2026-05-13T08:00", "2026-05-13T08:50")
    home = Calendar("home", (begun, STANDUP, BIRTHDAY))
    expected = ["Today, 09:00 to 09:15: Standup."]
    assert texts(ask("calendar", "when is my next meeting", home)) == expected
    assert texts(ask("calendar", "when is my next meeting", Calendar("home"))) == [
        "I found no event between today and Monday 10 August 2026."
    ]


def test_the_same_event_in_two_calendars_shows_once() -> None:
    copy = Calendar("work", (STANDUP,))
    assert len(texts(ask("calendar", "show my calendar", HOME, copy))) == 2


def test_an_unknown_zone_is_an_error_for_the_user() -> None:
    with pytest.raises(UsageError, match="Mars/Base"):
        ask("calendar", "show my calendar", HOME, timezone="Mars/Base")


def test_more_than_a_year_is_refused() -> None:
    start = NOW.astimezone(dt.UTC)
    scope = Scope(
        start=start, end=start + dt.timedelta(days=400), kind=ScopeKind.DATE_RANGE, text="always"
    )
    with pytest.raises(TaskError, match="always is too long"):
        ask("calendar", "what is on", HOME, scope=scope)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("am I free at 3pm tomorrow", "No, you are busy tomorrow at 15:00."),
        ("am I busy at 3pm tomorrow", "Yes, you are busy tomorrow at 15:00."),
        ("am I free at 5pm tomorrow", "Yes, you are free tomorrow at 17:00."),
        (
            "will I be busy tomorrow from 4pm to 6pm",
            "No, you are free tomorrow from 16:00 to 18:00.",
        ),
    ],
)
def test_whether_the_time_is_taken_is_answered_with_yes_or_no(question: str, answer: str) -> None:
    said = texts(ask("calendar", question, HOME))
    assert said[0] == answer
    assert (len(said) == 2) == ("you are busy" in answer)


def test_no_time_is_called_free_when_a_calendar_failed() -> None:
    failed = Calendar("work", state=SourceState.FAILED)
    assert texts(ask("calendar", "am I free at 5pm tomorrow", HOME, failed))[0] == (
        "I found nothing that takes your time tomorrow at 17:00 in what could be read (home)."
    )


def test_a_question_about_an_hour_lists_that_hour() -> None:
    assert texts(ask("calendar", "what's on my calendar at 3pm tomorrow", HOME)) == [
        "You have 2 events tomorrow at 15:00.",
        "Tomorrow, all day: Mom's birthday, does not take your time.",
        "Tomorrow, 15:00 to 16:00: Dentist (Main Street 1).",
    ]
