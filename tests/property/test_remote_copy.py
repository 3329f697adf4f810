"""Whatever happens to server and copy, what is read is what a first reading would give."""

from __future__ import annotations

import datetime as dt
import tempfile
import time
from pathlib import Path
from typing import TypeAlias
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.remote.ports import RemoteCalendar
from iris_harness.sources.remote.refreshing import Refresher
from iris_harness.sources.remote.settings import Component, RemoteKind, RemoteSource
from tests.plain_caldav import SimpleServer
from tests.remote_servers import serve_web
from tests.support import examples

Step: TypeAlias = tuple[str, str, int]

NAMES = st.sampled_from(["a.ics", "b.ics", "c d.ics", "ü@x.ics"])
COLLECTIONS = ("home", "team")
START = dt.datetime(2026, 4, 16, tzinfo=ZoneInfo("Europe/Berlin"))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, st.integers(0, 9)),
        st.tuples(st.just("delete"), NAMES, st.integers(0, 9)),
        st.tuples(st.just("lose a file"), NAMES, st.integers(0, 9)),
        st.tuples(st.just("cut a file"), NAMES, st.integers(0, 9)),
        st.tuples(st.just("break collection"), NAMES, st.integers(0, 1)),
        st.tuples(st.just("read"), NAMES, st.integers(-60, 60)),
    ),
    max_size=12,
)


def act(step: Step, served: SimpleServer, cache: Path) -> None:
    """Do one step to the server or to the copy."""
    what, name, number = step
    collection = COLLECTIONS[number % 2]
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    match what:
        case "put":
            served.items[collection][name] = f"{collection} {name} {number}"
        case "delete":
            served.items[collection].pop(name, None)
        case "lose a file" if files:
            files[number % len(files)].unlink()
        case "cut a file" if files:
            chosen = files[number % len(files)]
            chosen.write_bytes(chosen.read_bytes()[:-40])
        case "break collection":
            served.broken ^= {collection}
        case _:  # reading, or there is no file yet
            pass


def read(source: RemoteSource, cache: Path, minute: int) -> Reading[Event]:
    window = ReadWindow(
        start=START,
        end=START + dt.timedelta(days=1),
        timezone="Europe/Berlin",
        now=START + dt.timedelta(minutes=minute),
    )
    return RemoteCalendar(source, Refresher(cache, time.monotonic)).read(window)


@settings(max_examples=examples(25))
@given(steps=STEPS, ctag=st.booleans())
def test_the_copy_equals_a_first_reading(steps: list[Step], ctag: bool) -> None:
    served = SimpleServer(*COLLECTIONS)
    served.ctag = ctag
    with serve_web(served) as server, tempfile.TemporaryDirectory() as folder:
        source = RemoteSource(
            name="work",
            url=server.url("/"),
            kind=RemoteKind.CALDAV,
            component=Component.EVENT,
            allow_private_addresses=True,
            refresh_every=dt.timedelta(),
        )
        cache = Path(folder)
        for minute, step in enumerate(steps):
            act(step, served, cache)
            if step[0] == "read":
                read(source, cache, minute + step[2])
        served.broken = set()
        warm = read(source, cache, 1000)
    there = [summary for items in served.items.values() for summary in items.values()]
    assert warm.status.state is (SourceState.OK if there else SourceState.EMPTY)
    assert sorted(event.summary for event in warm.items) == sorted(there)
    assert warm.warnings == ()
