"""Daemons that are killed, and that stand still for longer than their leases: real processes."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.values import Plan
from iris_harness.jobs.views import JobState, JobView
from tests.jobs_support import dag, make_database, reader, submit
from tests.postgres_server import PostgresServer
from tests.support import SOAK

pytestmark = pytest.mark.soak

PROJECT = Path(__file__).resolve().parents[3]
JOBS, TASKS = (25, 12) if SOAK else (6, 8)
SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)
HALF_A_WORKER = 0.8 if SOAK else 0.06
"""Seconds that half of a worker takes at most: less than a lease, long enough to be killed in."""
LEAST_DISTURBED = 40 if SOAK else 1
COMPLETIONS = 5_000 if SOAK else 400


def random_dag(chance: random.Random, size: int) -> Plan:
    """Return a plan whose workers each wait for up to three earlier ones."""
    names = [f"w{number}" for number in range(size)]
    return dag(
        **{
            name: chance.sample(names[:number], min(number, chance.randint(0, 3)))
            for number, name in enumerate(names)
        }
    )


@pytest.fixture
def live(place: Path | str) -> Iterator[Database]:
    """The database as daemons have it, with its real clock."""
    opened = open_database(place, SystemClock())
    yield opened
    opened.close()


class Daemons:
    """Four daemons, each replaced when it is killed."""

    def __init__(self, place: Path | str, folder: Path, clocks: Sequence[str] = ("+0h",)) -> None:
        """Start them; `clocks` are how far off their machines' clocks are, in turn."""
        self._command = [sys.executable, "-m", "tests.jobs_daemon", str(place)]
        self._folder = folder
        self._clocks = clocks
        self._names = itertools.count(1)
        self.running = [self._start(number) for number in range(4)]

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        name = f"d{next(self._names)}"
        off = self._clocks[number % len(self._clocks)]
        surroundings = {"PATH": os.defpath, "PYTHONPATH": str(PROJECT)}
        if off != "+0h":
            # The monotonic clock, by which intervals are measured, is right on such a machine.
            surroundings |= {"LD_PRELOAD": str(libfaketime()), "FAKETIME": off,
                             "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                             "FAKETIME_FORCE_MONOTONIC_FIX": "0"}  # fmt: skip
        return subprocess.Popen([*self._command, name, str(self._folder), str(HALF_A_WORKER)],
                                cwd=PROJECT, env=surroundings)  # fmt: skip

    def kill(self, number: int) -> None:
        self.running[number].kill()
        self.running[number].wait()
        self.running[number] = self._start(number)

    @contextlib.contextmanager
    def stopped(self, number: int) -> Iterator[None]:
        """Let one stand still, as a machine that sleeps does."""
        self.running[number].send_signal(signal.SIGSTOP)
        yield
        self.running[number].send_signal(signal.SIGCONT)

    def end(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()


def libfaketime() -> Path:
    """Return the library that gives a process another clock; the one for threads."""
    found = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
    if found is None:
        pytest.skip("libfaketime is not installed (Debian: apt install faketime)")
    return found


def test_every_worker_is_completed_once_whatever_happens_to_daemons(
    place: Path | str, live: Database, tmp_path: Path
) -> None:
    _check_torment(place, live, tmp_path / "journals", clocks=["+0h"])


def test_daemons_whose_clocks_are_an_hour_off_change_nothing_on_postgresql(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    place = make_database(postgres)
    with contextlib.closing(open_database(place, SystemClock())) as live:
        begin = SystemClock().now()
        made = _check_torment(place, live, tmp_path / "journals", clocks=["+1h", "-1h"])
        off: set[int] = set()
        for worker in (one for job in made for one in reader(live).get(job).workers):
            assert begin - SECOND <= _set(worker.started_at) <= _set(worker.finished_at)
            assert _set(worker.finished_at) <= SystemClock().now() + SECOND
            assert isinstance(worker.result, dict)
            theirs = dt.datetime.fromisoformat(str(worker.result["clock"]))
            off.add(round((theirs - _set(worker.finished_at)) / HOUR))
        assert off, "nothing was done"
        assert off <= {1, -1}, "a daemon's clock was right"


def _set(at: dt.datetime | None) -> dt.datetime:
    assert at is not None
    return at


def _check_torment(
    place: Path | str, live: Database, journals: Path, *, clocks: Sequence[str]
) -> list[str]:
    """Let daemons that are killed and stopped complete jobs; return the jobs."""
    chance = random.Random(7)  # noqa: S311 - the same graphs each time
    made = [submit(live, random_dag(chance, TASKS)).job_id for _ in range(JOBS)]
    journals.mkdir()
    daemons = Daemons(place, journals, clocks)
    try:
        _torment(daemons, live, made, chance)
    finally:
        daemons.end()
    views = [reader(live).get(job) for job in made]
    assert {view.summary.state for view in views} == {JobState.SUCCEEDED}
    for view in views:
        _check(view)
    lines = [line.split() for file in sorted(journals.iterdir()) for line in _lines(file)]
    done = Counter(worker for what, worker, _ in lines if what == "done")
    assert max(done.values()) == 1, "somebody was told twice that a worker is complete"
    started = Counter((worker, fence) for what, worker, fence in lines if what == "start")
    assert max(started.values()) == 1, "a fence was given out twice"
    return made


def _torment(daemons: Daemons, live: Database, made: list[str], chance: random.Random) -> None:
    """Kill a daemon about each second, and let another stand still, until all jobs have ended."""
    until = time.monotonic() + (1_200 if SOAK else 240)
    killed = stopped = 0
    while not all(reader(live).get(job).summary.state.is_final for job in made):
        assert time.monotonic() < until, "it did not end"
        first, second = chance.sample(range(4), 2)
        with daemons.stopped(first):
            time.sleep(0.7)
            daemons.kill(second)
            killed += 1
            time.sleep(0.6)  # stopped for longer than a lease
        stopped += 1
    assert min(killed, stopped) >= LEAST_DISTURBED
    print(f"{killed} killed, {stopped} stopped")


def _check(view: JobView) -> None:
    by_key = {worker.spec.id: worker for worker in view.workers}
    for worker in view.workers:
        assert isinstance(worker.result, dict)
        assert worker.result["fence"] == worker.fence, "the result is another lease's"
        for before in worker.spec.depends_on:
            finished, started = by_key[before].finished_at, worker.started_at
            assert finished is not None
            assert started is not None
            assert finished <= started, "it began before what it waits for was done"


def _lines(file: Path) -> list[str]:
    """Return the whole lines of a journal; a killed daemon may have left part of one."""
    return [line for line in file.read_text().split("\n")[:-1] if len(line.split()) == 3]


def test_daemons_that_complete_at_once_never_wait_in_a_circle(live: Database) -> None:
    chance = random.Random(3)  # noqa: S311 - the same graphs each time
    total = 0
    while total < COMPLETIONS:
        submit(live, random_dag(chance, 20))
        total += 20
    queue = Queue(live, SystemClock())
    left = threading.Semaphore(total)

    def work(number: int) -> int:
        done = 0
        while left.acquire(blocking=False):
            while (lease := queue.lease(Daemon(name=f"d{number}"))) is None:
                time.sleep(0.001)
            if chance.random() < 0.02:
                queue.release(lease)
                left.release()
                continue
            queue.complete(lease)
            done += 1
        return done

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == total
    jobs = reader(live).list(limit=1_000)
    assert {job.state for job in jobs} == {JobState.SUCCEEDED}
