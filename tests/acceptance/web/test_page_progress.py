"""What a script is told while a question is being answered."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.clock import FixedClock, SystemClock
from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.contracts.ports import Reading, ReadWindow, SourcePorts
from iris_harness.contracts.progress import CURRENT_SIGNAL
from iris_harness.contracts.zones import UserZones
from iris_harness.surfaces.web.access import Gate
from iris_harness.surfaces.web.app import build_app
from iris_harness.surfaces.web.page.login import Logins
from iris_harness.surfaces.web.page.progress import LINES
from iris_harness.testing import MemoryCalendar
from tests.acceptance.web.pages import form_fields, words

_NOW = dt.datetime(2026, 3, 26, 7, tzinfo=dt.UTC)


class SlowCalendar:
    """Takes its time once it is told to, and notes when a turn was told to stop."""

    name = "slow"

    def __init__(self) -> None:
        self.is_slow = False
        self.was_stopped = threading.Event()

    def read(self, window: ReadWindow) -> Reading[Event]:
        if self.is_slow:
            for _ in range(100):
                signal = CURRENT_SIGNAL.get()
                if signal is not None and signal.cancelled:
                    self.was_stopped.set()
                    break
                time.sleep(0.02)
        return MemoryCalendar(name=self.name).read(window)


@contextmanager
def _served(iris: Iris, gate: Gate) -> Iterator[str]:
    server = uvicorn.Server(
        uvicorn.Config(build_app(iris, gate), port=0, log_level="critical", lifespan="on")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def calendar() -> SlowCalendar:
    return SlowCalendar()


@pytest.fixture
def visitor(tmp_path: Path, calendar: SlowCalendar) -> Iterator[httpx.Client]:
    setting = DaySetting(
        sources=SourcePorts(calendars=(calendar,)),
        preferences=DayPreferences(),
        zones=UserZones(home="Europe/Berlin"),
        clock=FixedClock(_NOW),
        origin=Origin.ADHOC,
        data_folder=tmp_path,
    )
    gate = Gate("a token")
    link = Logins(tmp_path, gate, SystemClock()).make_link()
    with (
        Iris(setting) as iris,
        _served(iris, gate) as url,
        httpx.Client(base_url=url, follow_redirects=True, timeout=30) as client,
    ):
        client.get("/login", params={"once": link}).raise_for_status()
        yield client


def test_a_question_is_heard_at_once_told_about_and_answered(
    visitor: httpx.Client, calendar: SlowCalendar
) -> None:
    fields = {**form_fields(visitor.get("/").text, "/ask"), "text": "plan tomorrow"}
    calendar.is_slow = True
    asked_at = time.perf_counter()
    with visitor.stream("POST", "/ask", data=fields, headers={"Accept": LINES}) as answer:
        assert answer.headers["content-type"].startswith(LINES)
        lines = answer.iter_lines()
        assert json.loads(next(lines)) == {"step": "One moment"}
        assert time.perf_counter() - asked_at < 1
        rest = [json.loads(line) for line in lines]
    assert {"step": "Working: planner"} in rest
    assert time.perf_counter() - asked_at > 1
    calendar.is_slow = False
    assert "Friday 27 March 2026" in words(visitor.get(rest[-1]["go"]).text)


def test_who_stops_listening_stops_the_question(
    visitor: httpx.Client, calendar: SlowCalendar
) -> None:
    fields = {**form_fields(visitor.get("/").text, "/ask"), "text": "plan tomorrow"}
    calendar.is_slow = True
    with visitor.stream("POST", "/ask", data=fields, headers={"Accept": LINES}) as answer:
        lines = answer.iter_lines()
        while json.loads(next(lines)) != {"step": "Working: planner"}:
            pass
    assert calendar.was_stopped.wait(timeout=10)
