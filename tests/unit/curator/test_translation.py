"""No view has words of its own: with a table of no letters, no letters appear."""

from __future__ import annotations

import dataclasses
import io
import re
import string

import pytest
from rich.console import Console

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.sources import SourceState
from iris_harness.curator.language import Language, Message
from iris_harness.curator.markdown import day_markdown
from iris_harness.curator.page.document import days_page
from iris_harness.curator.speech import day_speech, days_speech, text_speech
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.text import day_text, days_text
from iris_harness.surfaces.terminal import print_day
from tests.day_plans import DayBuilder, calendar, misfit, todo_list


def _without_letters(text: str) -> str:
    parts = re.split(r"(\{[^}]*\})", text)
    return "".join(p if p.startswith("{") else re.sub(r"[A-Za-z]", "#", p) for p in parts)


def _blank(message: Message) -> Message:
    if isinstance(message, str):
        return _without_letters(message)
    return {category: _without_letters(text) for category, text in message.items()}


LETTERLESS: Language = ENGLISH._replace(
    messages={key: _blank(message) for key, message in ENGLISH.messages.items()},
    weekdays=("1.",) * 7,
    weekdays_short=("1.",) * 7,
    months=("1.",) * 12,
    months_short=("1.",) * 12,
)


def letterless_plan() -> DailyPlan:
    day = DayBuilder(timezone="UTC")
    first = day.event("1", "22:00-", "10:00", calendar="10", location="100")
    second = day.event("2", "09:30", "01:00+", calendar="10", busy=False)
    todos = tuple(day.todo(str(n), n, "9", due=day.date, overdue=True, minutes=60) for n in (3, 4))
    numbered = [
        dataclasses.replace(
            planned,
            todo=dataclasses.replace(
                planned.todo,
                source=dataclasses.replace(planned.todo.source, source="7", locator=""),
            ),
        )
        for planned in todos
    ]
    return day.plan(
        events=(day.all_day("5", -1, 3, calendar="10"), first, second),
        todos=tuple(numbered),
        backlog=tuple(numbered) * 4,
        blocks=(day.block(numbered[0], "11:00", "11:30", pinned=True),),
        free=(day.free("12:00", "13:00"),),
        unplaced=tuple(misfit(planned, "8", "9") for planned in numbered),
        conflicts=(day.conflict(first, second, "09:30", "10:00"),),
        sources=(
            calendar("10", SourceState.FAILED, "1"),
            calendar("11", SourceState.STALE, "2", 99_999),
            calendar("12", SourceState.EMPTY),
            todo_list("13"),
        ),
        warnings=("77",),
    )


def _terminal(plan: DailyPlan) -> str:
    file = io.StringIO()
    print_day(plan, console=Console(file=file, width=80, color_system=None), language=LETTERLESS)
    return file.getvalue()


def _words_of_page(page: str) -> str:
    """Return what a person reads or hears of a page: its texts and labels, without its markup."""
    body = page.partition("<body>")[2]
    labels = re.findall(r'aria-label="([^"]*)"', body)
    return " ".join((re.sub(r"<[^>]*>", " ", body), *labels))


@pytest.mark.parametrize(
    "view",
    [
        lambda plan: day_text(plan, LETTERLESS),
        lambda plan: day_speech(plan, LETTERLESS),
        lambda plan: days_speech((plan, plan), LETTERLESS),
        _terminal,
        lambda plan: days_text((plan, plan), LETTERLESS, brief=True),
        lambda plan: day_markdown(plan, LETTERLESS),
        lambda plan: _words_of_page(days_page((plan,), LETTERLESS)),
        lambda plan: _words_of_page(days_page((plan, plan), LETTERLESS, brief=True)),
        lambda _: text_speech("1 2 3 4 5 6 7 8 9 10\n" * 9, LETTERLESS),
    ],
    ids=["text", "speech", "brief", "terminal", "range", "markdown", "page", "pages", "rest"],
)
def test_every_word_comes_from_the_table(view: object) -> None:
    assert callable(view)
    shown = view(letterless_plan())
    assert len(shown) > 40
    assert set(shown) & set(string.ascii_letters) <= set("UTC")
