from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import icalendar
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.clean import clean
from iris_harness.curator.ical import UID_DOMAIN, days_calendar
from tests.day_plans import DAYS, ODD_DAYS, DayBuilder
from tests.support import examples

ALL_DAYS = {**DAYS, **ODD_DAYS}


def events(text: str) -> list[icalendar.Event]:
    calendar = icalendar.Calendar.from_ical(text)
    return [part for part in calendar.subcomponents if isinstance(part, icalendar.Event)]


@pytest.mark.parametrize("name", sorted(ALL_DAYS))
def test_every_block_is_an_event_with_what_rfc_5545_requires(name: str) -> None:
    plan = ALL_DAYS[name]()
    text = days_calendar([plan])
    calendar = icalendar.Calendar.from_ical(text)
    assert calendar["version"] == "2.0"
    assert calendar["prodid"]
    assert calendar.subcomponents, "a calendar holds at least one component (3.6)"
    made = events(text)
    assert [event.errors for event in made] == [[]] * len(plan.blocks)
    for event, block in zip(made, plan.blocks, strict=True):
        assert (event.start, event.end) == (block.start, block.end)
        assert str(event["summary"]) == clean(block.title)
        assert {"UID", "DTSTAMP", "SEQUENCE", "TRANSP"} <= set(event)
        assert str(event["uid"]).endswith(f"@{UID_DOMAIN}")
    assert len({str(event["uid"]) for event in made}) == len(made)


@pytest.mark.parametrize("name", sorted(ALL_DAYS))
def test_lines_end_in_crlf_and_are_folded_at_75_octets(name: str) -> None:
    raw = days_calendar([ALL_DAYS[name]()]).encode()
    assert raw.endswith(b"END:VCALENDAR\r\n")
    lines = raw.split(b"\r\n")
    assert all(
        line.endswith(b"Z") for line in raw.split(b"\r\n") if line.startswith(b"DTSTART:2026")
    )
    assert all(len(line) <= 75 and b"\n" not in line and b"\r" not in line for line in lines)


@settings(max_examples=examples(100))
@given(title=st.text(st.characters(exclude_categories=["Cs"]), max_size=120))
def test_any_title_comes_back_as_it_was(title: str) -> None:
    plan = one_block(title or "x")
    text = days_calendar([plan])
    assert summary(text) == (clean(title or "x") or "(untitled)")
    assert len(events(text)) == 1
    assert text.count("BEGIN:VEVENT") == 1
    assert all(len(line) <= 75 for line in text.encode().split(b"\r\n"))


def summary(text: str) -> str:
    """Return the title of the only event, unfolded and unescaped (RFC 5545 §3.1, §3.3.11).

    icalendar takes the N of an escaped backslash before it for a line end.
    """
    value = text.replace("\r\n ", "").partition("\r\nSUMMARY:")[2].partition("\r\n")[0]
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] in "nN" else found[1], value)


def one_block(title: str, start: str = "10:00", now: str = "08:00", line: int = 1) -> DailyPlan:
    day = DayBuilder()
    todo = day.todo(title, line, "due today", due=day.date)
    return day.plan(now=now, todos=(todo,), blocks=(day.block(todo, start, "17:00"),))


def test_a_later_plan_moves_what_an_earlier_one_made() -> None:
    (before,) = events(days_calendar([one_block("Slides")]))
    (after,) = events(days_calendar([one_block("Slides", "14:00", "12:30")]))
    assert before["uid"] == after["uid"]
    assert int(str(before["sequence"])) < int(str(after["sequence"]))
    assert before.DTSTAMP < after.DTSTAMP
    assert before.start < after.start


def test_a_line_added_above_a_todo_does_not_change_its_block() -> None:
    (before,) = events(days_calendar([one_block("Slides", line=1)]))
    (after,) = events(days_calendar([one_block("Slides", line=7)]))
    assert before["uid"] == after["uid"]


def test_pieces_of_one_todo_and_days_are_told_apart() -> None:
    day = DayBuilder()
    talk = day.todo("Talk", 1, "due today", due=day.date)
    blocks = (day.block(talk, "09:00", "10:00"), day.block(talk, "11:00", "12:00"))
    plan = day.plan(todos=(talk,), blocks=blocks)
    tomorrow = replace(plan, date=plan.date + dt.timedelta(days=1))
    uids = [str(event["uid"]) for event in events(days_calendar([plan, tomorrow]))]
    assert len(set(uids)) == 4


def test_the_same_plan_gives_the_same_bytes() -> None:
    assert days_calendar([DAYS["busy"]()]) == days_calendar([DAYS["busy"]()])
