"""Questions about days that want an answer and no plan."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from iris_harness.contracts.day import BlockKind, PlannedDay, ShownBlock, ShownPlan
from iris_harness.contracts.facts import FactKind
from iris_harness.contracts.memory import DayMemory
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.sources import SourceState
from iris_harness.errors import TaskError
from tests.unit.agents.world import (
    BERLIN,
    Book,
    Calendar,
    TodoList,
    ask,
    event,
    person,
    texts,
    todo,
)

STANDUP = event("Stand-up", "2026-05-14T09:15", "2026-05-14T09:30", place="Room 2")
REVIEW = event("Quarterly review", "2026-05-14T14:00", "2026-05-14T15:30")
BUDGET = event("Budget", "2026-05-14T15:00", "2026-05-14T16:00")
LUNCH = event("Lunch with Ada", "2026-05-15T12:00", "2026-05-15T13:00", place="Osteria")
HOLIDAY = event("Ascension Day", "2026-05-14", "2026-05-15")
VACATION = replace(event("Vacation", "2026-05-25", "2026-05-30"), busy=True)
WORK = Calendar("work", (STANDUP, REVIEW, BUDGET, LUNCH, HOLIDAY, VACATION))
BROKEN = Calendar("phone", state=SourceState.FAILED)
PEOPLE = Book(
    "people",
    (
        person("Ada Byron", "1990-05-20"),
        person("Ada Lovelace", "1985-12-10"),
        person("Grace Hopper", "--05-17"),
        person("Mia Moll"),
    ),
)


def said(result: HandlerResult) -> str:
    return texts(result)[0]


# Free time


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "when am I free tomorrow",
            (
                "Tomorrow you are free from 09:00 to 09:15, from 09:30 to 14:00"
                " and from 16:00 to 17:00."
            ),
        ),
        (
            "when do I have a free hour tomorrow",
            "Tomorrow you have 1 h free from 09:30 to 14:00 and from 16:00 to 17:00.",
        ),
        ("when is my first free hour tomorrow", "Tomorrow you have 1 h free from 09:30 to 14:00."),
        ("when do I have a free half hour", "Today you have 30 min free from 09:00 to 17:00."),
        ("when am I free tomorrow evening", "Tomorrow you are free from 18:00 to 22:00."),
        ("when am I free on saturday", "On Saturday 16 May 2026 you are free from 08:00 to 22:00."),
        (
            "when am I free on 26 may",
            "On Tuesday 26 May 2026 no time counts as free; all day: Vacation.",
        ),
        ("when was I free yesterday", "Yesterday is over."),
        ("when is my next free evening", "Today you are free from 18:00 to 22:00."),
        (
            "am I free between 2 and 4 on saturday",
            "Yes, you are free on Saturday 16 May 2026 from 14:00 to 16:00.",
        ),
    ],
)
def test_free_time_is_what_no_event_takes_of_the_working_hours(question: str, answer: str) -> None:
    assert texts(ask("calendar", question, WORK)) == [answer]


def test_free_time_of_several_days_is_told_for_each() -> None:
    result = ask("calendar", "when am I free tomorrow and friday", WORK)
    assert [text.split(" you")[0] for text in texts(result)] == [
        "Tomorrow",
        "On Friday 15 May 2026",
    ]


def test_a_length_that_is_free_nowhere_is_not_found_in_what_was_read() -> None:
    result = ask(
        "calendar", "when am I free next week for 15 hours", WORK, BROKEN,
        slots={"duration_minutes": "900"},
    )  # fmt: skip
    assert texts(result) == [
        (
            "I found no free time of 15 h or more between Monday 18 May 2026 and Sunday 24 May 2026"
            " in what could be read (work)."
        ),
        "The calendar phone could not be read: the file is gone.",
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "am I free tomorrow",
            (
                "Tomorrow 3 events take your time. You are free from 09:00 to 09:15,"
                " from 09:30 to 14:00 and from 16:00 to 17:00."
            ),
        ),
        ("am I free on 26 may", "Nothing is at a time on Tuesday 26 May 2026; all day: Vacation."),
        ("am I busy on saturday", "No, you are free on Saturday 16 May 2026."),
        ("am I free", "Yes, you are free today."),
        ("am I free at 3pm on 26 may", "No, you are busy on Tuesday 26 May 2026 at 15:00."),
        (
            "am I free tomorrow afternoon",
            (
                "No, you are busy tomorrow from 12:00 to 18:00. You are free from 12:00 to 14:00"
                " and from 16:00 to 18:00."
            ),
        ),
    ],
)
def test_whether_a_day_is_free_names_what_takes_it(question: str, answer: str) -> None:
    assert said(ask("calendar", question, WORK)) == answer


def test_what_is_on_after_hours_takes_none_of_them() -> None:
    opera = Calendar("home", (event("Opera", "2026-05-14T19:00", "2026-05-14T22:00"),))
    assert said(ask("calendar", "when am I free tomorrow", opera)) == (
        "Tomorrow you are free from 09:00 to 17:00."
    )


def test_a_holiday_that_takes_no_time_does_not_make_anybody_busy() -> None:
    assert said(ask("calendar", "am I free tomorrow", Calendar("work", (HOLIDAY,)))) == (
        "Yes, you are free tomorrow."
    )


@pytest.mark.parametrize(
    ("question", "minutes", "answer"),
    [
        (
            "do I have time for a 2 hour run on saturday", 120,
            "Yes: on Saturday 16 May 2026 you are free from 08:00 to 22:00.",
        ),
        (
            "is there time for lunch tomorrow", 0,
            ("Yes: tomorrow you are free from 09:30 to 14:00 and from 16:00 to 17:00"
            " (I took it to last 1 h)."),
        ),
        (
            "do I have an hour", 60,
            "Yes: today you are free from 09:00 to 17:00.",
        ),
        (
            "do I have time for a 6 hour hike tomorrow", 360,
            "No, not 6 h: tomorrow the longest free time is 4 h 30 min.",
        ),
        (
            "do I have time for a run on 26 may", 60,
            "No, not 1 h: on Tuesday 26 May 2026 no time is free; all day: Vacation.",
        ),
    ],
)  # fmt: skip
def test_whether_something_fits_is_yes_or_no_with_the_time(
    question: str, minutes: int, answer: str
) -> None:
    slots = {"duration_minutes": str(minutes)} if minutes else {}
    assert said(ask("calendar", question, WORK, slots=slots)) == answer


# Conflicts


@pytest.mark.parametrize(
    "question", ["any conflicts", "do I have anything clashing this week", "am I double booked"]
)
def test_conflicts_are_the_pairs_that_overlap(question: str) -> None:
    head, pair = texts(ask("calendar", question, WORK))
    assert head.startswith("1 pair of events overlaps ")
    assert pair == "Tomorrow, 15:00 to 15:30: Quarterly review and Budget."


def test_conflicts_with_one_event_are_those_of_that_event() -> None:
    assert texts(ask("calendar", "is anything clashing with the budget", WORK)) == [
        "1 pair of events overlaps between today and Tuesday 26 May 2026.",
        "Tomorrow, 15:00 to 15:30: Quarterly review and Budget.",
    ]
    assert texts(ask("calendar", "does anything overlap lunch", WORK)) == [
        "Nothing overlaps Lunch with Ada."
    ]


def test_an_event_about_conflicts_is_an_event() -> None:
    talk = event("Conflict workshop", "2026-05-18T10:00", "2026-05-18T12:00")
    assert texts(ask("calendar", "when is the conflict workshop", Calendar("work", (talk,)))) == [
        "Monday 18 May 2026, 10:00 to 12:00: Conflict workshop."
    ]


def test_no_conflicts_is_said_of_what_was_read() -> None:
    result = ask("calendar", "any conflicts tomorrow", Calendar("work", (STANDUP, LUNCH)), BROKEN)
    assert said(result) == "No events overlap tomorrow in what could be read (work)."


# Birthdays


def test_birthdays_come_by_day_and_those_in_calendars_are_among_them() -> None:
    marked = event("Birthday of Tom", "2026-05-18", "2026-05-19")
    double = event("Ada Byron's birthday", "2026-05-20", "2026-05-21")
    calendar = Calendar("home", (double, marked))
    assert texts(ask("calendar", "what birthdays are coming up", PEOPLE, calendar)) == [
        "3 birthdays between today and Friday 12 June 2026.",
        "Grace Hopper: Sunday 17 May 2026, in 4 days.",
        "Monday 18 May 2026, all day: Birthday of Tom, does not take your time.",
        "Ada Byron: Wednesday 20 May 2026, in 7 days, turns 36.",
    ]
    assert texts(ask("calendar", "whose birthday is next", PEOPLE, calendar)) == [
        "Grace Hopper: Sunday 17 May 2026, in 4 days."
    ]


def test_no_birthdays_are_said_of_the_books_that_were_read() -> None:
    broken = Book("phone", state=SourceState.FAILED)
    result = ask("calendar", "birthdays in july", PEOPLE, broken)
    assert texts(result) == [
        (
            "I found no birthdays from Wednesday 1 July 2026 to Friday 31 July 2026"
            " in what could be read (people)."
        ),
        "The source phone could not be read: the file is gone.",
    ]
    assert texts(ask("calendar", "any birthdays", broken))[0] == (
        "No address book and no calendar could be read, so I cannot say whose birthday is when."
    )


def test_without_an_address_book_it_says_how_to_set_one_up() -> None:
    assert "`iris setup` finds yours" in said(ask("calendar", "any birthdays"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when is Grace's birthday", "Grace Hopper: Sunday 17 May 2026, in 4 days."),
        ("when is ada lovelace's birthday", "Ada Lovelace: Thursday 10 December 2026, in 211 days, turns 41."),  # noqa: E501 - one sentence
        ("When is Ada\u2019s birthday?", "Which Ada: Ada Byron or Ada Lovelace?"),
        ("when is Mia's birthday", "The card of Mia Moll names no birthday."),
        ("when is Zoe's birthday", "I found nobody called \u201cZoe\u201d."),
        ("how old is grace hopper", "Grace Hopper: Sunday 17 May 2026, in 4 days."),
    ],
)  # fmt: skip
def test_a_birthday_is_that_of_the_person_meant_and_never_a_guess(
    question: str, answer: str
) -> None:
    assert texts(ask("calendar", question, PEOPLE)) == [answer]


def test_several_people_of_a_name_are_a_choice() -> None:
    result = ask("calendar", "when is ada's birthday", PEOPLE)
    assert result.choice is not None
    assert [option.label for option in result.choice.options] == ["Ada Byron", "Ada Lovelace"]
    assert [dict(option.slots) for option in result.choice.options][1] == {"person": "Ada Lovelace"}


# The event that is meant


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when is my next stand-up", "Tomorrow, 09:15 to 09:30: Stand-up (Room 2)."),
        ("when is my next standup", "Tomorrow, 09:15 to 09:30: Stand-up (Room 2)."),
        ("where is my next meeting", "Stand-up is at Room 2: tomorrow, 09:15 to 09:30."),
        ("where is the review", "Quarterly review names no place: tomorrow, 14:00 to 15:30."),
        ("how long is the review", "Quarterly review takes 1 h 30 min: tomorrow, 14:00 to 15:30."),
        ("how long is my vacation", "Vacation takes 5 days: Monday 25 May 2026 to Friday 29 May 2026, all day."),  # noqa: E501 - one sentence
        ("where is lunch on friday", "Lunch with Ada is at Osteria: Friday 15 May 2026, 12:00 to 13:00."),  # noqa: E501 - one sentence
    ],
)  # fmt: skip
def test_one_event_is_told_as_it_is_asked(question: str, answer: str) -> None:
    assert texts(ask("calendar", question, WORK)) == [answer]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what time is my first meeting tomorrow", "Tomorrow, 09:15 to 09:30: Stand-up (Room 2)."),
        ("when does my last meeting end tomorrow", "The last one, Budget, ends tomorrow at 16:00."),
        ("what time do I finish on friday", "The last one, Lunch with Ada, ends on Friday 15 May 2026 at 13:00."),  # noqa: E501 - one sentence
        ("what is my first meeting on saturday", "Nothing is at a time on Saturday 16 May 2026."),
        (
            "how long until my next meeting",
            "Stand-up begins in 24 h 35 min: tomorrow, 09:15 to 09:30.",
        ),
        ("how many days until my vacation", "Vacation begins in 12 days: Monday 25 May 2026 to Friday 29 May 2026, all day."),  # noqa: E501 - one sentence
    ],
)  # fmt: skip
def test_the_ends_of_a_day_and_the_time_until_something_are_told(
    question: str, answer: str
) -> None:
    assert texts(ask("calendar", question, WORK)) == [answer]


def test_a_person_is_found_by_what_nobody_else_is_called() -> None:
    talk = event("1:1 with Grace", "2026-05-18T10:00", "2026-05-18T10:30")
    calendar = Calendar("work", (LUNCH, talk))
    asked = "when am I meeting grace hopper"
    assert texts(ask("calendar", asked, calendar, PEOPLE)) == [
        "Monday 18 May 2026, 10:00 to 10:30: 1:1 with Grace."
    ]
    assert texts(ask("calendar", "do I have a meeting with grace on friday", calendar, PEOPLE)) == [
        "I found no event that mentions \u201cGrace Hopper\u201d on Friday 15 May 2026."
    ]
    assert said(ask("calendar", "when am I meeting ada byron", calendar, PEOPLE)).startswith(
        "I found no event that mentions \u201cAda Byron\u201d"
    )


def test_only_the_next_of_a_series_is_told() -> None:
    series = tuple(
        replace(
            event("Stand-up", f"2026-05-{day}T09:15", f"2026-05-{day}T09:30"),
            recurrence_id=f"2026-05-{day}",
        )
        for day in (14, 15, 18)
    )
    assert texts(ask("calendar", "when is the stand-up", Calendar("work", series))) == [
        "Tomorrow, 09:15 to 09:30: Stand-up."
    ]


def test_the_last_one_is_looked_for_in_the_days_that_are_over() -> None:
    past = event("Dentist", "2026-03-02T15:00", "2026-03-02T16:00")
    later = event("Dentist", "2026-07-02T15:00", "2026-07-02T16:00")
    later = replace(later, uid="later")
    assert texts(
        ask("calendar", "when was my last dentist appointment", Calendar("home", (past, later)))
    ) == ["Monday 2 March 2026, 15:00 to 16:00: Dentist."]


def test_what_mentions_a_part_only_is_told_as_such() -> None:
    assert texts(ask("calendar", "when is lunch with zoe", WORK)) == [
        (
            "I found no event that mentions \u201clunch\u201d and \u201czoe\u201d"
            " between today and Monday 10 August 2026."
        ),
        "Some of it is in:",
        "Friday 15 May 2026, 12:00 to 13:00: Lunch with Ada (Osteria).",
    ]


# How busy, and what was planned


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "how busy am I tomorrow",
            (
                "Tomorrow is half full: 3 events (1 pair overlaps), 30 min of todos due by then,"
                " and 5 h 45 min of working time for them."
            ),
        ),
        (
            "how busy is friday",
            (
                "Friday 15 May 2026 is quiet: 1 event, 30 min of todos due by then,"
                " and 7 h of working time for them."
            ),
        ),
        ("is sunday a busy day", "Sunday 17 May 2026 is a day off"),
        ("how full is 26 may", "Tuesday 26 May 2026 is taken by Vacation"),
        ("how busy was yesterday", "Yesterday is over"),
    ],
)
def test_how_busy_a_day_is_counts_events_and_the_work_due(question: str, answer: str) -> None:
    rent = todo("Pay rent", dt.date(2026, 5, 14))
    assert said(ask("planner", question, WORK, TodoList("todo", (rent,)))).startswith(answer)


def test_a_day_with_more_work_than_time_is_fuller_than_it_can_be() -> None:
    work = replace(todo("Write", dt.date(2026, 5, 14)), estimate_minutes=600)
    assert "is fuller than it can be" in said(
        ask("planner", "how busy am I tomorrow", WORK, TodoList("todo", (work,)))
    )


def test_how_busy_months_are_is_not_answered_day_by_day() -> None:
    with pytest.raises(TaskError, match="31 days"):
        ask("planner", "how busy is this year", WORK)


def test_what_was_planned_is_the_plan_that_was_shown() -> None:
    start = dt.datetime(2026, 5, 15, 10, 0, tzinfo=BERLIN)
    block = ShownBlock(
        kind=BlockKind.TODO, title="Write report", start=start,
        end=start + dt.timedelta(hours=1),
    )  # fmt: skip
    shown = DayMemory(shown=ShownPlan(blocks=(block,)))
    result = ask(
        "planner", "what did I plan for friday", WORK,
        recall=lambda days: dict.fromkeys(days, shown),
    )  # fmt: skip
    assert texts(result) == [
        "On Friday 15 May 2026 you planned 1 todo, and there is 1 event.",
        "Friday 15 May 2026, 10:00 to 11:00: Write report.",
        "Friday 15 May 2026, 12:00 to 13:00: Lunch with Ada (Osteria).",
    ]
    assert said(ask("planner", "what did I plan for friday", WORK)) == (
        "No plan of Friday 15 May 2026 was shown so far; there is 1 event."
    )


# A plan from an hour on


def test_a_plan_at_an_hour_is_the_plan_of_that_hour() -> None:
    result = ask("planner", "plan my day at 14:10", WORK, TodoList("todo", (todo("Buy milk"),)))
    (fact,) = result.facts
    assert isinstance(fact.value, PlannedDay)
    assert f"{fact.value.plan.now:%H:%M}" == "14:10"
    assert all(f"{block.start:%H:%M}" >= "14:10" for block in fact.value.plan.blocks)
    assert result.focus is None


def test_the_rest_of_the_day_and_an_hour_of_it_are_shown_alone() -> None:
    rest = ask("planner", "plan the rest of my day", WORK).focus
    hour = ask("planner", "what's on at 3pm", WORK).focus
    assert rest is not None
    assert hour is not None
    assert (f"{rest.start:%H:%M}", f"{rest.end:%d %H:%M}") == ("08:40", "14 00:00")
    assert (f"{hour.start:%H:%M}", f"{hour.end:%H:%M}") == ("15:00", "16:00")


@pytest.mark.parametrize(
    "question", ["when am I free tomorrow", "any conflicts", "where is lunch", "am I free today"]
)
def test_nothing_is_said_where_no_calendar_was_read(question: str) -> None:
    first, state = ask("calendar", question, BROKEN).facts
    assert first.text.startswith("None of your calendars could be read")
    assert state.kind is FactKind.SOURCE
