"""`iris jobs watch` on a terminal: it fits, shows what goes on, and ends as the job does."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import open_database
from iris_harness.jobs.host import this_host
from iris_harness.jobs.leases import Daemon, Lease, Queue
from tests.acceptance.test_chat import Terminal
from tests.support import RunIris

ROWS = 24
MANY = 40


@pytest.fixture
def job(iris: RunIris, home: Path) -> str:
    """The id of a job of many workers that nothing holds."""
    (home / "site").mkdir()
    plan = home / "plan.json"
    workers = [
        {
            "id": f"part{number}",
            "task": f"{'convert the part ' * 9}{number}",
            "file": f"{number}.py",
        }
        for number in range(MANY)
    ]
    plan.write_text(json.dumps({"summary": "many", "workers": workers}))
    done = iris("jobs", "submit", "--plan", plan, "--repo", home / "site", "--json")
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["id"])


@pytest.fixture
def queue(home: Path, job: str) -> Iterator[Queue]:
    assert job
    (file,) = home.rglob("jobs.db")
    with contextlib.closing(open_database(file, SystemClock())) as opened:
        yield Queue(opened, SystemClock())


def leased(queue: Queue) -> Lease:
    lease = queue.lease(Daemon(name="den", offers=frozenset({f"host:{this_host()}"})))
    assert lease is not None
    return lease


@pytest.fixture
def terminal(home: Path, job: str) -> Iterator[Terminal]:
    """A terminal on which the job begins to be watched."""
    command = [sys.executable, "-m", "iris_harness", "jobs", "watch", job]
    size = {"COLUMNS": "80", "LINES": str(ROWS), "TERM": "xterm-256color"}
    environment = {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8", **size}
    with contextlib.closing(Terminal(command, environment)) as opened:
        yield opened


def rows(screen: str) -> list[str]:
    """Return what is shown, without what moves the cursor and colours it."""
    return [row.rstrip() for row in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen).splitlines()]


def test_a_job_larger_than_the_terminal_shows_what_goes_on_and_counts_the_rest(
    terminal: Terminal, job: str, queue: Queue
) -> None:
    for _ in range(30):
        queue.complete(leased(queue))
    queue.fail(leased(queue), "tests", "two tests fail")
    leased(queue)
    terminal.wait_for("running  ")  # all of it is as it is to be from here on
    terminal.wait_for("and 18 done")
    shown = rows(terminal.wait_for("and 18 done"))
    told = [row for row in shown if row]
    assert len(told) < ROWS
    assert all(len(row) <= 80 for row in told)
    assert told[0] == f"Job {job}: running (30 of {MANY} done)"
    text = "\n".join(told)
    assert "part30  failed" in text
    assert "part31  running" in text
    assert "part39  waits for a daemon" in text
    assert "part11  done" in text
    assert "part12" not in text
    os.killpg(terminal.program.pid, signal.SIGINT)
    terminal.wait_for(f"the job goes on: `iris jobs watch {job}`")
    assert terminal.program.wait(20) == 130


def test_at_the_end_the_whole_job_is_shown(terminal: Terminal, queue: Queue) -> None:
    terminal.wait_for("waiting for a daemon")
    for _ in range(MANY):
        queue.complete(leased(queue))
    terminal.wait_for(f"done ({MANY})")
    shown = terminal.wait_for(f"part{MANY - 1}")
    assert "part0 " in shown
    assert terminal.program.wait(20) == 0


def test_what_is_not_a_terminal_gets_no_colours(iris: RunIris, job: str, queue: Queue) -> None:
    for _ in range(MANY):
        queue.complete(leased(queue))
    done = iris("jobs", "watch", job)
    assert (done.returncode, "\x1b" in done.stdout) == (0, False)
    assert f"part{MANY - 1}: done" in done.stdout
