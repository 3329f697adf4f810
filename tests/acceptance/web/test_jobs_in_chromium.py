"""Jobs on the page, in a real browser: the graph, buttons, a phone, and no script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.leases import Daemon, Lease, Queue
from iris_harness.jobs.logs import WorkerLogs
from iris_harness.jobs.reading import JobReader
from iris_harness.jobs.values import Plan, PlannedWorker
from tests.acceptance.web.browsing import HOSTILE, PALE, SMALL, STRUCTURE, chromium
from tests.acceptance.web.conftest import Server, start_server
from tests.acceptance.web.pages import make_home
from tests.jobs_support import dag, submit

__all__ = ["chromium"]
DEN = Daemon(name="den")
PLAN = {
    "tokens": [],
    "header": ["tokens"],
    "footer": ["tokens"],
    "charts": ["tokens"],
    "docs": ["header", "tokens"],
    "check": ["header", "footer", "charts", "docs"],
}
Open = Callable[..., Page]


@pytest.fixture
def own(home: Path) -> Iterator[Server]:
    make_home(home)
    running = start_server(home, source=())
    yield running
    running.stop()


@pytest.fixture
def kept(own: Server) -> Iterator[Database]:
    """The jobs of the server's user, as `iris daemon run` has them."""
    folder = own.home / ".local" / "share" / "iris"
    with closing(open_database(folder / "jobs.db", SystemClock())) as opened:
        yield opened


@pytest.fixture
def opened(own: Server, chromium: Browser) -> Iterator[Open]:
    """`opened("/jobs", width=360)` signs a new browser in and shows a page; it may not complain."""
    complaints: list[str] = []
    with ExitStack() as contexts:

        def opened(path: str = "/jobs", *, width: int = 1280, **options: Any) -> Page:  # noqa: ANN401 - Playwright's own
            context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
            contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(20_000)
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(own.link())
            page.goto(f"{own.url}{path}")
            return page

        yield opened
        assert complaints == []


def leased(queue: Queue) -> Lease:
    lease = queue.lease(DEN)
    assert lease is not None
    return lease


def begin(database: Database) -> tuple[str, Queue]:
    """Submit a job of six workers; the first is done, another has failed, a third runs."""
    job = submit(database, dag(**PLAN), task="add dark mode to the site").job_id
    queue = Queue(database, SystemClock())
    queue.complete(
        leased(queue),
        {
            "summary": "Colours are tokens now",
            "changed": ["style.css"],
            "attempts": 2,
            "tokens": {"sent": 9120, "made": 840},
            "commit": "0f1e2d3c4b5a69788796a5b4c3d2e1f001234567",
        },
    )
    queue.fail(leased(queue), "tests", "two tests of the header fail")
    running = leased(queue)
    WorkerLogs(database).append(running, "reading footer.py\nrunning pytest -q\n")
    return job, queue


def test_a_job_is_found_in_the_list_and_shown_with_its_graph(opened: Open, kept: Database) -> None:
    job, _ = begin(kept)
    page = opened("/")
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.get_by_role("link", name="add dark mode to the site").click()
    graph = page.get_by_role("group", name=f"The workers of job {job} and what each waits for")
    expect(graph.get_by_role("link")).to_have_count(len(PLAN))
    expect(graph.get_by_role("link", name="tokens, done: do tokens")).to_be_visible()
    expect(
        graph.get_by_role("link", name="header, failed: do header, after tokens")
    ).to_be_visible()
    expect(graph.get_by_role("link", name="footer, running")).to_be_visible()
    expect(graph.locator("path.way")).to_have_count(sum(map(len, PLAN.values())))
    expect(graph.locator(".failed .word").first).to_have_text("failed")
    expect(page.locator("#live")).to_contain_text("two tests of the header fail")


def test_a_box_opens_the_report_and_the_log_of_its_worker(opened: Open, kept: Database) -> None:
    job, _ = begin(kept)
    page = opened(f"/jobs?id={job}")
    page.get_by_role("link", name="tokens, done: do tokens").click()
    report = page.get_by_role("region", name="tokens: report and log")
    for said in ("Colours are tokens now", "style.css", "9120 sent, 840 made", "0f1e2d3c4b"):
        expect(report).to_contain_text(said)
    page.get_by_role("link", name="Report and log of footer").click()
    expect(page.get_by_role("region", name="Log", exact=True)).to_have_text(
        "reading footer.py\nrunning pytest -q"
    )


def test_an_open_page_follows_the_job_to_its_end(opened: Open, kept: Database) -> None:
    job, queue = begin(kept)
    page = opened(f"/jobs?id={job}")
    page.evaluate("window.kept = true")
    page.get_by_text("Cancel …").click()
    box = page.get_by_role("link", name="charts, waits for a daemon")
    box.focus()
    queue.complete(leased(queue))
    expect(page.get_by_role("link", name="charts, done: do charts")).to_be_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("charts")
    expect(page.get_by_role("button", name="Cancel the job")).to_be_visible()
    assert page.evaluate("window.kept") is True


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_job_is_paused_cancelled_and_tried_again(
    opened: Open, kept: Database, *, script: bool
) -> None:
    job, _ = begin(kept)
    page = opened(f"/jobs?id={job}", java_script_enabled=script)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_text("Cancel …").click()
    page.get_by_role("button", name="Cancel the job").click()
    expect(page.get_by_role("link", name="footer, being cancelled")).to_be_visible()
    page.get_by_role("link", name="Report and log of header").click()
    page.get_by_role("button", name="Try header again").click()
    expect(page.get_by_role("link", name="header, waits for a daemon")).to_be_visible()


@pytest.mark.parametrize(
    ("width", "scheme"), [(320, "dark"), (360, "light"), (1024, "dark"), (1920, "light")]
)
def test_it_fits_every_screen_by_day_and_by_night(
    opened: Open, kept: Database, width: int, scheme: Literal["dark", "light"]
) -> None:
    job, _ = begin(kept)
    for path in ("/jobs", f"/jobs?id={job}", f"/jobs?id={job}&worker=footer"):
        page = opened(path, width=width, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for check in (SMALL, PALE, STRUCTURE):
            assert json.loads(page.evaluate(check)) == [], path


def test_hostile_words_stay_words(opened: Open, kept: Database) -> None:
    workers = tuple(
        PlannedWorker(id=f"w{at}", task=said[:2000], file=f"{at}.py")
        for at, said in enumerate(HOSTILE)
    )
    job = submit(kept, Plan(summary=HOSTILE[0], workers=workers), task=HOSTILE[0]).job_id
    queue = Queue(kept, SystemClock())
    for said in HOSTILE:
        lease = leased(queue)
        WorkerLogs(kept).append(lease, said)
        queue.fail(
            lease, "odd", said, {"changed": [said], "tokens": {"sent": said, "made": [said]}}
        )
    for worker in workers:
        page = opened(f"/jobs?id={job}&worker={worker.id}", width=360)
        expect(page.get_by_role("region", name="Log", exact=True)).to_be_visible()
        assert "owned" not in page.title()[:5]
        assert page.evaluate("document.querySelectorAll('script').length") == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_on_a_phone_the_graph_is_one_column_that_fits(opened: Open, kept: Database) -> None:
    job, _ = begin(kept)
    page = opened(f"/jobs?id={job}", width=360)
    graph = page.get_by_role("group", name=f"The workers of job {job}")
    expect(graph).to_have_count(1)
    expect(graph.get_by_role("link")).to_have_count(len(PLAN))
    frame = page.locator("#graph")
    assert frame.evaluate("one => one.scrollWidth <= one.clientWidth")
    lefts = graph.locator(".step").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().left)"
    )
    assert len(set(lefts)) == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_a_long_graph_opens_at_what_runs_and_a_refresh_leaves_it_where_it_is(
    opened: Open, kept: Database, width: int
) -> None:
    chain = {f"step{n:02}": [f"step{n - 1:02}"] if n else [] for n in range(50)}
    job = submit(kept, dag(**chain), task="a long way").job_id
    queue = Queue(kept, SystemClock())
    for _ in range(30):
        queue.complete(leased(queue))
    running = leased(queue)
    page = opened(f"/jobs?id={job}", width=width)
    frame = page.locator("#graph")
    seen = """one => {
        const [box, room] = [one, one.closest("#graph")].map((any) => any.getBoundingClientRect());
        return room.top <= box.top && box.bottom <= room.bottom;
    }"""
    assert page.get_by_role("link", name="step30, running").evaluate(seen)
    frame.evaluate("one => one.scrollTo(0, 40)")
    queue.complete(running)
    expect(page.get_by_role("link", name="step30, done")).to_have_count(1)
    assert frame.evaluate("one => one.scrollTop") == 40


def test_a_job_that_has_ended_is_taken_off_the_plan_with_a_button(
    opened: Open, kept: Database
) -> None:
    job = submit(kept, dag(a=[]), task="tidy up").job_id
    page = opened(f"/jobs?id={job}")
    button = page.get_by_role("button", name="Take it off my plan")
    expect(button).to_have_count(0)
    queue = Queue(kept, SystemClock())
    queue.complete(leased(queue))
    page.goto(page.url)
    button.click()
    expect(page.locator("#live")).to_contain_text("Seen to")
    expect(button).to_have_count(0)
    assert JobReader(kept, "local").get(job).summary.reviewed_at is not None
