from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.sources import SourceState
from iris_harness.curator.speech import MOST_WORDS, answers_speech, day_speech, days_speech
from iris_harness.curator.strings import ENGLISH
from tests.day_plans import DAYS, ODD_DAYS, DayBuilder, calendar, misfit
from tests.support import examples

ALL_DAYS = {**DAYS, **ODD_DAYS}

words = st.lists(st.text("abcdefg\u4f1a.!", min_size=1, max_size=12), max_size=40).map(" ".join)


def worst_day(titles: list[str], offset: int = 0) -> DailyPlan:
    """Return a day on which everything is wrong at once."""
    day = DayBuilder(date=dt.date(2026, 3, 12) + dt.timedelta(days=offset))
    events = tuple(day.event(title or "x", "09:00", "10:00") for title in titles)
    todos = tuple(
        day.todo(title or "x", line, "due today", due=day.date)
        for line, title in enumerate(titles, start=1)
    )
    pairs = tuple(day.conflict(events[0], other, "09:00", "10:00") for other in events[1:])
    return day.plan(
        now="08:15" + "-" * offset,
        events=events,
        todos=todos,
        blocks=tuple(day.block(todo, "10:00", "10:30") for todo in todos[:1]),
        conflicts=pairs,
        unplaced=tuple(misfit(todo, "no room", "", 990) for todo in todos[1:]),
        birthdays=tuple(day.birthday(title or "x", 1980) for title in titles),
        sources=tuple(calendar(title or "x", SourceState.FAILED) for title in titles),
        free=(day.free("10:30", "11:30"),),
    )


@settings(max_examples=examples(150))
@given(titles=st.lists(words, min_size=1, max_size=8), days=st.integers(1, 31))
def test_what_is_said_is_always_short(titles: list[str], days: int) -> None:
    plans = [worst_day(titles, offset) for offset in range(days)]
    for said in (day_speech(plans[0]), days_speech(plans), answers_speech([*titles] * 9, ENGLISH)):
        assert len(said.split()) <= MOST_WORDS < 90
        assert len(said) < 1000


@pytest.mark.parametrize("name", sorted(ALL_DAYS))
def test_a_voice_says_every_kind_of_day_in_full(name: str) -> None:
    said = day_speech(ALL_DAYS[name]())
    assert 0 < len(said.split()) < 90
    assert "on the screen" not in said


def test_the_three_things_that_matter_come_first() -> None:
    said = day_speech(worst_day(["Standup", "Review", "Dentist"]))
    sentences = said.split(". ")
    assert sentences[0] == "Today: 2 due todos do not fit, 33 hours"
    assert sentences[1].startswith("I could not read calendar Standup")
    assert sentences[2] == "3 events"
    assert sentences[3] == "Standup and Review overlap at 9:00"


def test_several_days_say_what_is_wrong_on_any_of_them_before_the_rest() -> None:
    calm = DayBuilder(date=dt.date(2026, 3, 12)).plan(sources=(calendar("work"),))
    said = days_speech([calm, worst_day(["Standup", "Review"], 1)])
    assert said.startswith("Tomorrow: 1 due todo does not fit")
    assert said.index("Events overlap tomorrow.") < said.index("Today: your calendar is clear.")


def test_days_that_are_over_are_not_told_unless_all_are() -> None:
    day = DayBuilder(date=dt.date(2026, 3, 11))
    past = day.plan(now="08:00+")
    today = DayBuilder(date=dt.date(2026, 3, 12)).plan()
    assert "Yesterday" not in days_speech([past, today])
    assert days_speech([past, past]).startswith("Yesterday")


def test_many_answers_are_cut_at_a_sentence() -> None:
    said = answers_speech(["Here is one sentence."] * 30, ENGLISH)
    assert said == "Here is one sentence. " * 20 + "The rest is on the screen."
