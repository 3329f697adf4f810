"""The fakes keep the contracts that they stand in for."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.day import EventStatus
from iris_harness.contracts.model import (
    ChatMessage,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
)
from iris_harness.contracts.ports import CalendarPort, TodoPort
from iris_harness.contracts.sources import SourceState
from iris_harness.errors import ModelError
from iris_harness.testing import (
    NOW,
    ManualClock,
    MemoryCalendar,
    MemoryTodoList,
    ScriptedModel,
    make_event,
    make_todo,
    make_window,
)

BERLIN = ZoneInfo("Europe/Berlin")
DAY = dt.date(2025, 3, 30)  # 23 hours long in Berlin
REQUEST = ChatRequest(messages=(ChatMessage(role="user", content="hello"),), max_tokens=20)


def test_a_manual_clock_moves_only_when_told_to() -> None:
    manual = ManualClock()
    clock: Clock = manual
    assert (clock.now(), clock.monotonic()) == (NOW, 0)
    manual.advance(90)
    assert (clock.now(), clock.monotonic()) == (NOW + dt.timedelta(seconds=90), 90)
    with pytest.raises(ValueError, match="does not go back"):
        manual.advance(-1)
    with pytest.raises(ValueError, match="aware"):
        ManualClock(dt.datetime(2025, 3, 3))  # noqa: DTZ001 - naive on purpose


def test_a_scripted_model_follows_its_script_and_records_what_it_was_asked() -> None:
    cut_off = ChatResponse(
        text="half a",
        finish_reason=FinishReason.LENGTH,
        usage=TokenUsage(prompt_tokens=3, completion_tokens=2),
    )
    scripted = ScriptedModel(["good morning", cut_off, ModelError("overloaded")])
    model: ChatModel = scripted
    first = model.complete(REQUEST)
    assert (first.text, first.finish_reason) == ("good morning", FinishReason.STOP)
    assert model.complete(REQUEST) is cut_off
    with pytest.raises(ModelError, match="overloaded"):
        model.complete(REQUEST)
    with pytest.raises(ModelError, match="no answer left"):
        model.complete(REQUEST)
    assert scripted.requests == [REQUEST] * 4


@pytest.mark.parametrize("text", ["", "a", "exactly8", "räksmörgås and so on\n"])
def test_streamed_pieces_add_up_to_the_answer(text: str) -> None:
    pieces = list(ScriptedModel([text]).stream(REQUEST))
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= 4 for piece in pieces)


def test_a_stream_without_a_script_fails_as_complete_does() -> None:
    with pytest.raises(ModelError):
        ScriptedModel([]).stream(REQUEST)


def at(hour: int, minute: int = 0, *, day: dt.date = DAY) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(hour, minute), BERLIN)


def test_a_calendar_in_memory_shows_what_overlaps_the_window_in_the_stated_order() -> None:
    yesterday, tomorrow = DAY - dt.timedelta(days=1), DAY + dt.timedelta(days=1)
    late = make_event("late", at(15), at(16))
    calendar: CalendarPort = MemoryCalendar(
        events=(
            late,
            make_event("early in UTC", dt.datetime(2025, 3, 30, 6, tzinfo=dt.UTC)),
            make_event("overnight", at(23, day=yesterday), at(1)),
            make_event("ends at midnight", at(20, day=yesterday), at(0)),
            make_event("starts at midnight", at(0, day=tomorrow), at(1, day=tomorrow)),
            make_event("a moment", at(0), at(0)),
            make_event("tomorrow's moment", at(0, day=tomorrow), at(0, day=tomorrow)),
            make_event("trip", DAY - dt.timedelta(days=3), tomorrow),
            make_event("holiday", DAY),
            make_event("yesterday all day", yesterday),
            replace(make_event("called off", at(10)), status=EventStatus.CANCELLED),
        )
    )
    reading = calendar.read(make_window(DAY, "Europe/Berlin"))
    assert [event.summary for event in reading.items] == [
        "trip",
        "holiday",
        "overnight",
        "a moment",
        "early in UTC",
        "late",
    ]
    assert reading.items[4].start == at(8)
    assert isinstance(reading.items[4].start, dt.datetime)
    assert reading.items[4].start.tzinfo is not None
    assert reading.items[4].start.utcoffset() == dt.timedelta(hours=2)
    assert reading.items[5] == late
    assert reading.status.state is SourceState.OK


@pytest.mark.parametrize(
    ("calendar", "state"),
    [
        (MemoryCalendar(), SourceState.EMPTY),
        (MemoryCalendar(failure="permission denied"), SourceState.FAILED),
        (MemoryCalendar(events=(make_event("x", DAY),), stale_seconds=90), SourceState.STALE),
        (MemoryCalendar(events=(make_event("next year", at(9).replace(year=2026)),)),
         SourceState.OK),
    ],
    ids=["nothing in it", "unreadable", "old", "nothing today"],
)  # fmt: skip
def test_a_calendar_says_how_its_reading_went(calendar: MemoryCalendar, state: SourceState) -> None:
    reading = calendar.read(make_window(DAY))
    assert reading.status.state is state
    if state is SourceState.FAILED:
        assert reading.items == ()
        assert reading.status.detail == "permission denied"


def test_a_todo_list_in_memory_keeps_its_order_and_can_fail() -> None:
    todos = (make_todo("b", due=DAY), make_todo("a", priority=1))
    good: TodoPort = MemoryTodoList(todos=todos, warnings=("line 3 was left out",))
    reading = good.read(make_window(DAY))
    assert reading.items == todos
    assert reading.warnings == ("line 3 was left out",)
    bad = MemoryTodoList(todos=todos, failure="locked").read(make_window(DAY))
    assert (bad.items, bad.status.state, bad.status.detail) == ((), SourceState.FAILED, "locked")


def test_a_window_spans_whole_local_days() -> None:
    window = make_window(DAY, "Europe/Berlin", days=2)
    assert window.end.astimezone(dt.UTC) - window.start.astimezone(dt.UTC) == dt.timedelta(hours=47)
