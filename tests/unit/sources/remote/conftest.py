"""A remote source on loopback, and windows at any moment."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.ports import ReadWindow
from iris_harness.sources.index.opening import IndexOpener
from iris_harness.sources.remote.ports import RemoteCalendar, RemoteTodos
from iris_harness.sources.remote.refreshing import Refresher
from iris_harness.sources.remote.settings import Component, Login, RemoteKind, RemoteSource

BERLIN = ZoneInfo("Europe/Berlin")
MORNING = dt.datetime(2026, 4, 16, 8, tzinfo=BERLIN)

At = Callable[..., ReadWindow]
MakeSource = Callable[..., RemoteSource]
OpenCalendar = Callable[[RemoteSource], RemoteCalendar]
OpenTodos = Callable[[RemoteSource], RemoteTodos]


def calendar_text(*summaries: str, uid: str = "") -> bytes:
    """Return a calendar with one event at noon of 2026-04-16 for each summary, its UID too."""
    events = "".join(
        f"BEGIN:VEVENT\r\nUID:{uid or name}\r\nDTSTAMP:20260101T000000Z\r\n"
        f"DTSTART:20260416T100000Z\r\n"
        f"DTEND:20260416T110000Z\r\nSUMMARY:{name}\r\nEND:VEVENT\r\n"
        for name in summaries
    )
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//\r\n"
    return f"{head}{events}END:VCALENDAR\r\n".encode()


@pytest.fixture
def at() -> At:
    """Make the window of 2026-04-16, asked for some time after 08:00."""

    def make(**later: float) -> ReadWindow:
        start = MORNING.replace(hour=0)
        return ReadWindow(
            start=start,
            end=start + dt.timedelta(days=1),
            timezone="Europe/Berlin",
            now=MORNING + dt.timedelta(**later),
        )

    return make


@pytest.fixture
def source() -> MakeSource:
    """Make a source on loopback, always due for a refresh."""

    def make(url: str, *, login: tuple[str, str] | None = None, **changed: object) -> RemoteSource:
        options: dict[str, object] = {
            "name": "work",
            "url": url,
            "kind": RemoteKind.ICS,
            "component": Component.EVENT,
            "timeout_seconds": 5.0,
            "refresh_every": dt.timedelta(),
            "allow_private_addresses": True,
        }
        if login is not None:
            user, password = login
            options["login"] = Login(username=user, password=lambda: password)
        return RemoteSource(**{**options, **changed})  # type: ignore[arg-type]

    return make


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def open_calendar(cache: Path) -> OpenCalendar:
    index = IndexOpener(cache, SystemClock())
    return lambda source: RemoteCalendar(source, Refresher(cache, time.monotonic), (), index)


@pytest.fixture
def open_todos(cache: Path) -> OpenTodos:
    return lambda source: RemoteTodos(source, Refresher(cache, time.monotonic))
