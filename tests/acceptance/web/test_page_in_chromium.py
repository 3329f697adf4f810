"""The page in a real browser: with its script, without it, by keyboard, on a phone, read aloud."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from iris_harness.bootstrap.shown import ShownDay
from iris_harness.contracts.day import DailyPlan, DayPreferences, DaySnapshot, PlannedDay
from iris_harness.curator.strings import ENGLISH
from iris_harness.surfaces.web.page.assets import load_assets
from iris_harness.surfaces.web.page.day import DayWriter
from iris_harness.surfaces.web.page.items import DayIndex
from iris_harness.surfaces.web.page.shell import POLICY, Shell
from iris_harness.surfaces.web.page.talk import Exchange
from iris_harness.surfaces.web.page.talk_view import Latest, TalkWriter
from tests.acceptance.web.browsing import HOSTILE, PALE, SMALL, STRUCTURE, chromium
from tests.acceptance.web.conftest import Server, start_server
from tests.acceptance.web.pages import NOW, TODO_TXT, make_home
from tests.day_plans import DAYS, ODD_DAYS

UNSURE = "drop buy milk"
"""Understood, and not surely: so it is asked about before anything is changed."""

Open = Callable[..., Page]
__all__ = ["chromium"]


@pytest.fixture
def own(home: Path) -> Iterator[Server]:
    make_home(home)
    running = start_server(home, "--now", NOW, source=())
    yield running
    running.stop()


@pytest.fixture
def opened(own: Server, chromium: Browser) -> Iterator[Open]:
    """`opened(width=360)` signs a new browser in and shows the page; it may not complain."""
    complaints: list[str] = []
    with ExitStack() as contexts:

        def opened(*, width: int = 1280, may_complain: bool = False, **options: Any) -> Page:  # noqa: ANN401 - Playwright's own
            context: BrowserContext = chromium.new_context(
                viewport={"width": width, "height": 900}, **options
            )
            contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(20_000)
            if not may_complain:
                page.on("console", lambda message: complaints.extend(_odd(message.text)))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: complaints.extend(_foreign(request.url, own.url)))
            page.goto(own.link())
            return page

        yield opened
        assert complaints == []


def _odd(message: str) -> list[str]:
    """Return a message of the console, unless it is that who has signed out is refused."""
    return [] if "401 (Unauthorized)" in message else [message]


def _foreign(url: str, own: str) -> list[str]:
    return [] if url.startswith(f"{own}/") else [f"asked elsewhere: {url}"]


def ask(page: Page, text: str) -> None:
    page.get_by_label("What do you want to know or do?").fill(text)
    page.get_by_role("button", name="Ask", exact=True).click()


def test_ask_see_the_plan_pin_replan_undo_and_find_it_all_again(opened: Open, own: Server) -> None:
    page = opened()
    ask(page, "plan my day")
    expect(page.locator("#answer")).to_contain_text("Thursday 26 March 2026")
    expect(page.get_by_role("img", name="The hours of Thursday 26 March 2026")).to_be_visible()
    page.get_by_role("button", name="Pin Write report to its time").first.click()
    expect(page.locator("#answer")).to_contain_text("Pinned “Write report”")
    page.get_by_role("button", name="Leave out Prepare slides on this day").first.click()
    moves = page.get_by_role("region", name="Changed since the plan shown before")
    expect(moves).to_contain_text("Prepare slides: no time any more")
    page.locator("#latest").get_by_role("button", name="Undo").click()
    expect(moves).to_contain_text("Prepare slides: new")
    before = page.locator("#log").inner_text()
    page.reload()
    assert page.locator("#log").inner_text() == before
    expect(
        page.get_by_role("button", name="Unpin Write report, so that it may move")
    ).not_to_have_count(0)
    assert (own.home / "todo.txt").read_text() == TODO_TXT


def test_a_question_with_a_script_leaves_the_page_where_it_is(opened: Open) -> None:
    page = opened()
    page.evaluate("window.kept = true")
    ask(page, "what is due today")
    expect(page.locator("#answer")).to_contain_text("Call mum")
    assert page.evaluate("window.kept") is True
    expect(page.get_by_label("What do you want to know or do?")).to_be_focused()
    expect(page.get_by_label("What do you want to know or do?")).to_have_value("")
    expect(page.locator("#heard")).to_contain_text("Call mum")


def test_everything_works_without_a_script(opened: Open, own: Server) -> None:
    page = opened(java_script_enabled=False)
    ask(page, "plan my day")
    expect(page.locator("#answer")).to_contain_text("Thursday 26 March 2026")
    page.get_by_role("button", name="Done: Call mum").first.click()
    expect(page.locator("#answer")).to_contain_text("Marked “Call mum”")
    page.locator("#latest").get_by_role("button", name="Undo").click()
    expect(page.locator("#answer")).to_contain_text("Took back")
    assert (own.home / "todo.txt").read_text() == TODO_TXT
    page.get_by_role("link", name="The day after").click()
    expect(page.get_by_role("heading", name="Friday 27 March 2026")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Iris is locked")).to_be_visible()


def test_what_waits_for_a_yes_is_answered_with_a_button(opened: Open, own: Server) -> None:
    page = opened()
    yes, no = (page.get_by_role("button", name=name, exact=True) for name in ("Yes", "No"))
    ask(page, UNSURE)
    no.click()
    expect(yes).to_have_count(0)
    assert (own.home / "todo.txt").read_text() == TODO_TXT
    ask(page, UNSURE)
    yes.click()
    expect(yes).to_have_count(0)
    expect(page.locator("#latest").get_by_role("button", name="Undo")).to_be_visible()
    assert (own.home / "todo.txt").read_text() != TODO_TXT


def test_the_keyboard_reaches_and_does_everything(opened: Open) -> None:
    page = opened()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Ask", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("What do you want to know or do?")).to_be_focused()
    page.keyboard.type("what is due today")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Call mum")
    done = page.get_by_role("button", name="Done: Call mum").first
    done.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Marked “Call mum”")
    focused = page.evaluate("document.activeElement.id || document.activeElement.ariaLabel")
    assert focused == "day-head"  # what had the focus is gone; it goes nowhere else than near it


def test_why_is_told_where_it_was_asked(opened: Open) -> None:
    page = opened()
    page.get_by_role("link", name="Why? Write report").first.click()
    told = page.get_by_role("region", name="Why? Write report")
    expect(told).to_contain_text("Write report is planned for")
    expect(told).to_be_in_viewport()
    told.get_by_role("link", name="Close").click()
    expect(told).to_have_count(0)


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (320, "dark"),
        (360, "light"),
        (768, "dark"),
        (1024, "light"),
        (1280, "dark"),
        (1920, "light"),
    ],
)
def test_everything_fits_is_large_enough_and_stands_out(
    opened: Open, width: int, scheme: str
) -> None:
    page = opened(width=width, color_scheme=scheme)
    ask(page, "plan my day")
    expect(page.locator("#answer")).to_contain_text("Thursday 26 March 2026")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert json.loads(page.evaluate(SMALL)) == []
    assert json.loads(page.evaluate(PALE)) == []


def test_a_screen_reader_finds_a_name_for_everything(opened: Open) -> None:
    page = opened()
    ask(page, "plan my day")
    expect(page.locator("#answer")).to_contain_text("Thursday 26 March 2026")
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    found = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored") and "role" in node
    ]
    named = {"button", "link", "textbox", "image", "heading", "region", "navigation", "Date"}
    assert [role for role, name in found if role in named and not name] == []
    roles = [role for role, _ in found]
    assert roles.count("main") == 1
    assert roles.count("banner") == 1
    assert ("region", "Conversation") in found
    assert ("heading", "Thursday 26 March 2026") in found
    assert json.loads(page.evaluate(STRUCTURE)) == []


def test_titles_from_strangers_never_act(home: Path, chromium: Browser) -> None:
    make_home(home, "".join(f"{title} due:2026-03-26\n" for title in HOSTILE), HOSTILE[0])
    running = start_server(home, "--now", NOW, source=())
    try:
        context = chromium.new_context(viewport={"width": 360, "height": 800})
        page = context.new_page()
        refused: list[str] = []
        page.on("console", lambda message: refused.append(message.text))
        page.on("dialog", lambda dialog: refused.append(dialog.message))
        page.goto(running.link())
        for text in HOSTILE:
            ask(page, text[:2000])
            expect(page.locator("#status")).to_have_text("")
        page.get_by_role("link", name="Why? <script>").first.click()
        expect(page.locator("#why")).to_be_visible()
        page.get_by_role("button", name="Done: javascript:").first.click()
        expect(page.locator("#answer")).to_contain_text("Marked “javascript:document")
        assert page.title().endswith("- Iris")
        assert page.locator("main script, main img, main [onload], main [onerror]").count() == 0
        assert page.locator('a[href^="javascript"]').count() == 0
        assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068") & set(page.content())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert refused == []
        context.close()
    finally:
        running.stop()


def test_the_policy_stops_what_no_page_of_ours_would_hold(opened: Open) -> None:
    page = opened(may_complain=True)
    assert "unsafe" not in POLICY
    blocked = page.evaluate("""async () => {
        const seen = new Promise(done => document.addEventListener(
            'securitypolicyviolation', event => done(event.effectiveDirective), {once: true}));
        const script = document.createElement('div');
        script.setAttribute('onclick', 'window.owned = true');
        document.body.append(script);
        script.click();
        const directive = await seen;
        script.remove();
        return [directive, window.owned === undefined];
    }""")
    assert blocked == ["script-src-attr", True]


def test_a_long_question_tells_what_is_going_on_and_can_be_stopped(opened: Open) -> None:
    page = opened()
    page.route("**/ask", lambda _: None)  # a server that has not answered yet
    ask(page, "plan my week")
    expect(page.locator("#status")).to_have_text("One moment")
    expect(page.locator("#log")).to_contain_text("plan my week")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#status")).to_have_text("Stopped.")
    expect(page.locator("#log")).not_to_contain_text("plan my week")
    expect(page.get_by_label("What do you want to know or do?")).to_have_value("plan my week")
    page.unroute("**/ask")
    ask(page, "what is due today")
    expect(page.locator("#answer")).to_contain_text("Call mum")


def test_on_a_phone_a_button_leaves_the_reader_where_they_are(opened: Open) -> None:
    page = opened(width=360)
    done = page.get_by_role("button", name="Done: Prepare slides").first
    done.scroll_into_view_if_needed()
    before = done.bounding_box()
    page.get_by_role("button", name="Leave out Prepare slides on this day").first.click()
    expect(page.locator("#heard")).to_contain_text("Left “Prepare slides” out")
    expect(page.locator("#heard")).to_be_in_viewport()
    after = done.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 48  # a line may have come or gone above it


def test_an_open_page_shows_the_day_as_it_is_now_and_disturbs_nobody(
    opened: Open, own: Server
) -> None:
    page = opened()
    page.clock.install()
    page.reload()
    page.get_by_text("The hours as a list").click()
    field = page.get_by_label("What do you want to know or do?")
    field.fill("half a quest")
    (own.home / "todo.txt").write_text(TODO_TXT + "Water the plants due:2026-03-26\n")
    page.clock.fast_forward("01:01")
    expect(page.locator("#day")).to_contain_text("Water the plants")
    expect(page.locator("#day details .lines")).to_be_visible()
    expect(field).to_have_value("half a quest")
    expect(field).to_be_focused()


def _page_of(plan: DailyPlan) -> str:
    """Return the page of a plan, with a conversation that has words nobody can break."""
    shown = ShownDay(
        planned=PlannedDay(
            snapshot=DaySnapshot(
                date=plan.date,
                timezone=plan.timezone,
                now=plan.now,
                events=(),
                todos=(),
                sources=(),
            ),
            preferences=DayPreferences(),
            plan=plan,
        ),
        kept_id=plan.plan_id,
        moves=(),
        notes=("Something was not kept",),
    )
    talk = (Exchange(said="W" * 300, answer="x" * 400, at=plan.now),)
    place = {"day": plan.date.isoformat(), "plan": plan.plan_id}
    answer = Shell(load_assets(), ENGLISH).page(
        "A day",
        TalkWriter(ENGLISH, "key", place).talk(talk, plan.now, Latest(is_asking=True, moved=2)),
        DayWriter(shown, DayIndex(plan, may_act=True), ENGLISH, "key").day(plan.date, None, None),
        "key",
    )
    return bytes(answer.body).decode()


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1280, "dark")])
def test_every_kind_of_day_fits(
    server: Server, chromium: Browser, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    bodies: list[str] = []
    page.route(
        "**/kinds", lambda route, _: route.fulfill(body=bodies[-1], content_type="text/html")
    )
    for name, make in {**DAYS, **ODD_DAYS}.items():
        bodies.append(_page_of(make()))
        page.goto(f"{server.url}/kinds")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        for pane in ("day", "log"):
            size = f"(one => one.scrollWidth - one.clientWidth)(document.getElementById('{pane}'))"
            assert page.evaluate(size) == 0, (name, pane)
        for check in (SMALL, PALE, STRUCTURE):
            assert json.loads(page.evaluate(check)) == [], name
    context.close()


def test_under_a_finger_everything_to_press_is_large_enough(opened: Open) -> None:
    page = opened(width=390, has_touch=True, is_mobile=True)
    pressed = "[...document.querySelectorAll('button, .tools a, a.button')]"
    shown = f"{pressed}.filter(one => one.checkVisibility())"
    sizes = page.evaluate(f"{shown}.map(one => [one.innerText, one.offsetWidth, one.offsetHeight])")
    assert {"Done", "Pin", "Leave out", "Why?"} <= {text for text, _, _ in sizes}
    assert [size for size in sizes if min(size[1:]) < 36] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
