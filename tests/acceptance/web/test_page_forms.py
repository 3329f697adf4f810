"""The page without a script: forms, links, and the pages they lead to."""

from __future__ import annotations

import contextlib
import datetime as dt
import html
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from iris_harness.clock import SystemClock
from iris_harness.storage.records import Delivery, DeliveryKind, DeliveryState
from iris_harness.storage.store import IrisStore
from tests.acceptance.web.conftest import Server, start_server
from tests.acceptance.web.pages import NOW, TODO_TXT, form_fields, make_home, words


@pytest.fixture
def todo(home: Path) -> Path:
    return make_home(home)


@pytest.fixture
def own(home: Path, todo: Path) -> Iterator[Server]:
    assert todo.exists()
    running = start_server(home, "--now", NOW, source=())
    yield running
    running.stop()


@pytest.fixture
def visitor(own: Server) -> Iterator[httpx.Client]:
    with own.visitor() as client:
        yield client


def ask(visitor: httpx.Client, text: str) -> str:
    fields = form_fields(visitor.get("/").text, "/ask")
    answer = visitor.post("/ask", data={**fields, "text": text})
    assert answer.status_code == 200
    return answer.text


def press(visitor: httpx.Client, page: str, label: str) -> str:
    answer = visitor.post("/do", data=form_fields(page, "/do", label))
    assert answer.status_code == 200
    return answer.text


def undo(visitor: httpx.Client, page: str) -> str:
    latest = page.partition('id="latest"')[2]
    fields = form_fields(latest.partition("</li>")[0], "/do")
    answer = visitor.post("/do", data={**fields, "do": "undo"})
    assert answer.status_code == 200
    return answer.text


def test_a_question_is_answered_and_the_day_is_shown_beside_it(visitor: httpx.Client) -> None:
    page = words(ask(visitor, "plan my day"))
    assert "plan my day" in page
    assert "Thursday 26 March 2026" in page
    assert "Write report" in page


def test_the_day_that_an_answer_is_about_is_shown(visitor: httpx.Client) -> None:
    page = words(ask(visitor, "plan tomorrow"))
    assert "Friday 27 March 2026 tomorrow" in page


def test_the_conversation_stays_and_a_new_one_begins_empty(visitor: httpx.Client) -> None:
    ask(visitor, "what is due today")
    page = visitor.get("/").text
    assert "what is due today" in words(page)
    fresh = visitor.post("/new", data=form_fields(page, "/new")).text
    assert "what is due today" not in words(fresh)
    assert "what is due today" not in words(visitor.get("/").text)


def test_two_browsers_have_conversations_of_their_own(own: Server, visitor: httpx.Client) -> None:
    ask(visitor, "what is due today")
    with own.visitor() as other:
        assert "what is due today" not in words(other.get("/").text)


def test_a_todo_is_done_and_brought_back(visitor: httpx.Client, todo: Path) -> None:
    page = press(visitor, visitor.get("/").text, "Done: Call mum")
    assert "Call mum due" not in todo.read_text().partition("x ")[0]
    assert "Marked “Call mum” on todo as done." in words(page)
    assert "Call mum: no time any more" in words(page)
    page = undo(visitor, page)
    assert todo.read_text() == TODO_TXT
    assert "Call mum: new, 09:00-09:30" in words(page)


def test_a_pinned_todo_stays_and_may_move_again(visitor: httpx.Client) -> None:
    page = press(visitor, visitor.get("/").text, "Pin Write report to its time")
    assert "Pinned “Write report”" in words(page)
    page = press(visitor, page, "Unpin Write report, so that it may move")
    assert "Unpin Write report" not in page
    assert "Pin Write report to its time" in page


def test_a_todo_is_left_out_and_planned_again(visitor: httpx.Client) -> None:
    page = press(visitor, visitor.get("/").text, "Leave out Prepare slides on this day")
    assert "Left out by you" in words(page)
    assert "Prepare slides: no time any more" in words(page)
    page = press(visitor, page, "Plan it: Prepare slides")
    assert "Prepare slides: new" in words(page)


def test_what_changed_stays_on_the_page_when_it_is_loaded_again(visitor: httpx.Client) -> None:
    page = visitor.get("/").text
    fields = form_fields(page, "/do", "Leave out Prepare slides on this day")
    answer = visitor.post("/do", data=fields)
    assert words(visitor.get(answer.url).text) == words(answer.text)


def test_a_page_that_is_loaded_again_shows_the_same_plan(visitor: httpx.Client) -> None:
    assert visitor.get("/").text == visitor.get("/").text


def test_why_is_answered_beside_the_plan_that_was_looked_at(visitor: httpx.Client) -> None:
    page = visitor.get("/").text
    link = page.partition('aria-label="Why? Write report"')[0].rpartition('href="')[2]
    told = visitor.get(link.partition('"')[0].replace("&amp;", "&")).text
    assert "Write report is planned for" in words(told)


def test_a_todo_that_was_changed_meanwhile_is_not_mistaken_for_another(
    visitor: httpx.Client, todo: Path
) -> None:
    page = visitor.get("/").text
    other = "Pay rent due:2026-03-26\n"
    todo.write_text(other)
    told = words(press(visitor, page, "Done: Call mum"))
    assert "is not open any more" in told
    assert todo.read_text() == other


def test_a_todo_whose_line_has_moved_is_still_the_one_meant(
    visitor: httpx.Client, todo: Path
) -> None:
    page = visitor.get("/").text
    todo.write_text("Pay rent\n" + TODO_TXT)
    press(visitor, page, "Done: Call mum")
    lines = todo.read_text().splitlines()
    assert lines[0] == "Pay rent"
    assert not any(line.startswith("(A) Call mum") for line in lines)


def test_other_days_are_shown_and_what_is_no_day_is_said(visitor: httpx.Client) -> None:
    assert "Friday 27 March 2026" in words(visitor.get("/?day=2026-03-27").text)
    for day in ("2026-02-30", "0001-01-01", "9999-12-31", "yesterday", "<script>"):
        page = visitor.get("/", params={"day": day})
        assert page.status_code == 200
        assert "There is no such day" in words(page.text)


@pytest.mark.parametrize(
    "fields",
    [
        {"do": "done", "item": "0", "plan": ""},
        {"do": "done", "item": "99999", "plan": "f" * 64},
        {"do": "done", "item": "x"},
        {"do": "format my disk", "item": "0"},
        {"do": "undo", "entry": "\u00b2"},
        {"do": "undo"},
        {},
    ],
)
def test_a_form_that_names_nothing_does_nothing(
    visitor: httpx.Client, todo: Path, fields: dict[str, str]
) -> None:
    own = form_fields(visitor.get("/").text, "/ask")
    answer = visitor.post("/do", data={**own, **fields})
    assert answer.status_code == 410
    assert todo.read_text() == TODO_TXT


def test_an_undo_that_is_impossible_says_why(visitor: httpx.Client) -> None:
    own = form_fields(visitor.get("/").text, "/ask")
    answer = visitor.post("/do", data={**own, "do": "undo", "entry": "77"})
    assert "77" in words(answer.text)


def test_how_each_source_was_read_is_said(visitor: httpx.Client, home: Path) -> None:
    (home / "work.ics").unlink()
    page = words(visitor.get("/").text)
    assert "not read work calendar" in page
    assert "read todo todo list" in page


def test_an_empty_question_is_none(visitor: httpx.Client) -> None:
    page = words(ask(visitor, "   "))
    assert "Ask about your day" in page


def test_an_answer_that_cannot_be_kept_is_shown_all_the_same(
    visitor: httpx.Client, home: Path
) -> None:
    fields = form_fields(visitor.get("/").text, "/ask")
    database = home / ".local" / "share" / "iris" / "iris.db"
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # another program writes, and takes its time
        page = words(visitor.post("/ask", data={**fields, "text": "what is due today"}).text)
    assert "Call mum" in page
    assert "this turn was not kept" in page
    page = words(visitor.post("/ask", data={**fields, "text": "what time is it"}).text)
    assert "not kept" not in page


def test_a_damaged_database_is_said_with_what_helps(own: Server) -> None:
    own.stop()
    database = own.home / ".local" / "share" / "iris" / "iris.db"
    database.write_bytes(b"no database at all" * 1000)
    again = start_server(own.home, "--now", NOW, source=())
    try:
        name = f"iris-{httpx.URL(again.url).port}"
        answer = httpx.get(again.url, cookies={name: "anything"})
        assert answer.status_code == 503
        assert "iris restore FILE" in words(answer.text)
    finally:
        again.stop()


def test_what_was_said_unasked_is_shown_for_a_day(visitor: httpx.Client, home: Path) -> None:
    now = SystemClock().now()
    said = {
        dt.timedelta(hours=1): "Call <b>Ada</b>\nIt is five.",
        dt.timedelta(days=2): "Long over\nIndeed.",
    }
    with IrisStore.open(home / ".local" / "share" / "iris", SystemClock()) as store:
        for age, content in said.items():
            delivery = Delivery(
                kind=DeliveryKind.REMINDER, name="r1", channel="web", day=now.date(),
                due_at=now - age,
            )  # fmt: skip
            store.deliveries.enter([delivery], now - age)
            assert store.deliveries.claim(delivery, now - age)
            store.deliveries.end(delivery, DeliveryState.DELIVERED, now - age, content=content)
    page = visitor.get("/").text
    assert "Reminders and briefings" in words(page)
    assert "Call &lt;b&gt;Ada&lt;/b&gt;" in page
    assert "It is five." in words(page)
    assert "Long over" not in page


def test_what_a_question_back_offers_is_a_button(home: Path) -> None:
    file = make_home(home, "Concert\n", summary="Concert")
    running = start_server(home, "--now", NOW, source=())
    try:
        with running.visitor() as visitor:
            page = ask(visitor, "move the concert to sunday")
            assert "Which “concert”" in words(page)
            latest = page.partition('id="latest"')[2]
            offered = re.findall(r'<button name="text" value="([^"]*)"', latest)
            todo = next(html.unescape(one) for one in offered if "todo" in one)
            page = ask(visitor, todo)
        assert "Made “Concert” due" in words(page)
        assert "due:2026-03-29" in file.read_text()
        assert 'name="text" value="the event' not in page
    finally:
        running.stop()
