"""What is said and cannot be done as it is said: refused or asked about, never something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness import Iris
from tests.talk_support import HOME, TODO_TXT, WORK, Say, settle_in


@pytest.fixture
def iris(home: Path) -> Iterator[Iris]:
    with settle_in(home) as opened:
        yield opened


@pytest.fixture
def say(iris: Iris) -> Say:
    """Say something in one conversation."""
    return lambda words: iris.turn(words, "conversation")


@pytest.fixture
def unchanged(iris: Iris, home: Path) -> Iterator[None]:
    """Nothing is written, and no reminder is set."""
    yield
    assert (home / "work.ics").read_bytes() == WORK
    assert (home / "home.ics").read_bytes() == HOME
    assert (home / "todo.txt").read_text() == TODO_TXT
    assert "No reminder is set." in iris.ask("list my reminders").text


@pytest.mark.parametrize(
    ("utterance", "length"),
    [
        ("find me 0 free minutes tomorrow", "0 free minutes"),
        ("find me -5 free minutes tomorrow", "-5 free minutes"),
        ("find me a free slot for 0 minutes", "0 minutes"),
        ("do I have time for a 0 hour run tomorrow", "0 hour"),
        ("set a timer for -5 minutes", "-5 minutes"),
        ("remind me in minus 5 minutes to call", "minus 5 minutes"),
        ("meeting tomorrow at 10 for 0 minutes", "0 minutes"),
        ("add call mum for 0 minutes to my list", "0 minutes"),
        ("schedule reading for 9999999 hours tomorrow at 10", "9999999 hours"),
    ],
)
@pytest.mark.usefixtures("unchanged")
def test_a_length_that_nothing_can_have_is_asked_about(
    say: Say, utterance: str, length: str
) -> None:
    assert say(utterance).reply.text.startswith(f"“{length}” is no length of time")


@pytest.mark.parametrize(
    ("utterance", "time"),
    [
        ("meeting on 9999-12-31 at 23:30 for 5 hours", "9999-12-31"),
        ("when am I free on 9999-12-31", "9999-12-31"),
        ("plan 9999-12-31", "9999-12-31"),
        ("what's on 10000-01-01", "10000-01-01"),
        ("what did I plan for 0001-01-01", "0001-01-01"),
        ("plan 31 december 10000", "31 december 10000"),
        ("what's on christmas 99999", "christmas 99999"),
        ("plan my day in 9999999 weeks", "in 9999999 weeks"),
        ("what's on in 9999999999999 days", "in 9999999999999 days"),
        ("what's on the next 99999999 days", "the next 99999999 days"),
        ("remind me on 9999-12-31 to dance", "9999-12-31"),
        ("remind me in 99999999999999999 hours to dance", "in 99999999999999999 hours"),
        ("add pay rent to my list due 31 june", "31 june"),
        ("move book flights to 31 june", "31 june"),
        ("move the dentist to 9999-12-31", "9999-12-31"),
        ("mark book flights as done on 31 june", "31 june"),
        ("pin the report on 31 june", "31 june"),
        ("am I free on 31 june or on friday", "31 june"),
    ],
)
@pytest.mark.usefixtures("unchanged")
def test_a_time_that_is_named_and_is_not_in_the_calendar_is_said_to_be_so(
    say: Say, utterance: str, time: str
) -> None:
    assert f"here is no “{time}” in the calendar" in say(utterance).reply.text


@pytest.mark.parametrize(
    "utterance",
    [
        "remind me in {} minutes to run",
        "set a timer for {} seconds",
        "set a timer for {}.{} hours",
        "snooze for {} minutes",
        "postpone the dentist by {} hours",
        "what's on in {} days",
        "plan my day on {}-01-01",
        "meeting tomorrow at {}",
        "add milk to my list with priority {}",
        "schedule lunch for the first free {} minutes",
        "undo the last {} changes",
        "what time is it in {}",
        "plan {} june {}",
    ],
)
@pytest.mark.usefixtures("unchanged")
def test_no_number_of_any_length_raises(say: Say, utterance: str) -> None:
    reply = say(utterance.replace("{}", "1" * 310)).reply
    assert "Error" not in reply.text


@pytest.mark.parametrize(
    "utterance",
    [
        "remind me tomorrow",
        "remind me in half an hour",
        "set a reminder for tomorrow at 9",
        "remind me every friday",
    ],
)
@pytest.mark.usefixtures("unchanged")
def test_of_what_to_remind_is_asked_where_it_is_not_said(say: Say, utterance: str) -> None:
    assert "I do not know what to remind you of" in say(utterance).reply.text


@pytest.mark.parametrize(
    "utterance",
    [
        "don't add milk",
        "do not add milk to my list",
        "no, don't remind me of the dentist tomorrow",
        "Don\u2019t schedule a meeting tomorrow at 10",
        "never add milk again",
        "please don't move the task report to friday",
    ],
)
@pytest.mark.usefixtures("unchanged")
def test_what_is_not_to_be_done_is_not_done(say: Say, utterance: str) -> None:
    assert "All right, nothing was changed." in say(utterance).reply.text


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("utterance", ["add a todo {}", "remind me tomorrow to {}", "buy {}"])
def test_a_title_that_nobody_would_read_is_not_written_down(say: Say, utterance: str) -> None:
    text = say(utterance.format("word " * 2000)).reply.text
    assert "more than 300 letters" in text or "I can't do that yet." in text


def test_escape_codes_are_neither_read_nor_stored(say: Say, home: Path) -> None:
    text = say("add \x1b[31mred\x1b[0m paint to my list").reply.text
    assert text.startswith("Added “red paint” to todo.")
    assert (home / "todo.txt").read_text().splitlines()[-1].endswith(" red paint")
