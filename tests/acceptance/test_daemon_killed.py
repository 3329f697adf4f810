"""A daemon is killed in every phase of its work; the next goes on, and pays for nothing twice."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import open_database
from tests.faulty_server import tool_call
from tests.other_machine import change_elsewhere

FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "other.py": "X = 1\n",
    "test_calc.py": (
        "import unittest, calc, other\nclass T(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(calc.add(1, other.X), 2)\n"
    ),
}
CALLS = [
    ("read", {"path": "calc.py"}),
    ("edit", {"path": "calc.py", "old": "a - b", "new": "a + b"}),
    ("run_tests", {}),
    ("finish", {"summary": "Add adds."}),
]
KEPT = ["baseline", "reply", "reply", "reply", "tests", "reply", "verify", "commit"]
"""What the journal holds in the end, in order."""
PATIENCE_SECONDS = 60


class Gate:
    """How many answers the model may give, and how many it gave."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._allowed = 0
        self._turn = 0
        self.answered = 0

    def allow(self, count: int) -> None:
        """Begin another daemon's turn, in which answers up to `count` may be given."""
        with self._changed:
            self._allowed, self._turn = count, self._turn + 1
            self._changed.notify_all()

    def pass_through(self, number: int) -> bool:
        """Wait until an answer may be given; return whether the one who asked still lives."""
        with self._changed:
            turn = self._turn
            self._changed.wait_for(lambda: number < self._allowed or self._turn != turn)
            if self._turn != turn:
                return False
            self.answered += 1
            return True


class ModelServer(http.server.BaseHTTPRequestHandler):
    """Answers as a server of OpenAI's kind whose model makes the calls above, in order."""

    gate: Gate

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        number = sum(message["role"] == "assistant" for message in asked["messages"])
        if not self.gate.pass_through(number):
            return
        name, arguments = CALLS[number]
        body = json.dumps(tool_call(number, name, arguments)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def model_url(gate: Gate) -> Iterator[str]:
    handler = type("Handler", (ModelServer,), {"gate": gate})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    gate.allow(0)  # whoever waits for an answer is let go
    server.shutdown()
    thread.join()
    server.server_close()


class House:
    """A repository, a job on it, and daemons that may be killed."""

    def __init__(self, folder: Path, model_url: str) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self.repo.mkdir()
        for name, text in FILES.items():
            (self.repo / name).write_text(text, encoding="utf-8")
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
            self.git(self.repo, *words)
        model = f"{{name: m, type: openai, base_url: '{model_url}', model: m, supports: [tools]}}"
        self.settings = folder / "config.yaml"
        self.settings.write_text(
            f"models:\n  default: m\n  available: [{model}]\n"
            "jobs:\n  lease_seconds: 1\n  max_deliveries: 50\n",
            encoding="utf-8",
        )
        self.iris("jobs", "submit", "fix add in calc.py", "--repo", str(self.repo),
                  "--test-cmd", "sleep 0.2 && python3 -m unittest")  # fmt: skip
        (job,) = json.loads(self.iris("jobs", "list", "--json"))["jobs"]
        self.job: str = job["id"]
        (self.data,) = (folder / "data").iterdir()

    @staticmethod
    def git(folder: Path, *words: str) -> str:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        command = ["/usr/bin/env", "git", *identity, *words]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def start(self, *words: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ, "IRIS_CONFIG": str(self.settings),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-m", "iris_harness", *words],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def iris(self, *words: str) -> str:
        with self.start(*words) as process:
            out, error = process.communicate(timeout=200)
        assert process.returncode == 0, error
        return out

    @property
    def worker(self) -> Path:
        (place,) = (self.data / "daemon" / "jobs" / self.job).iterdir()
        return place

    @property
    def clone(self) -> Path:
        (place,) = (self.data / "daemon" / "clones").glob("*.git")
        return place

    def has_worktree(self) -> bool:
        """Return whether the worker's files are there."""
        return (self.worker / self.worker.name / ".git").exists()

    def is_merging(self) -> bool:
        """Return whether the worker's files are no longer on its branch."""
        head = self.clone / "worktrees" / self.worker.name / "HEAD"
        return bool(head.read_text(encoding="ascii")) and "ref:" not in head.read_text("ascii")

    def kept(self) -> list[str]:
        """Return the kinds of what the journal holds whole."""
        text = (self.worker / "journal.jsonl").read_text(encoding="utf-8")
        return [json.loads(line)["kind"] for line in text.split("\n")[:-1]]

    def kill_when(self, reached: Callable[[], bool]) -> None:
        """Run a daemon until something is so, and kill it; nothing that it started may be left."""
        until = time.monotonic() + PATIENCE_SECONDS
        with self.start("daemon", "run") as process:
            try:
                while not _is_so(reached):
                    assert process.poll() is None, process.communicate()
                    assert time.monotonic() < until, "it never came to this"
                    time.sleep(0.005)
            finally:
                process.send_signal(signal.SIGKILL)
        while left := [one for one in psutil.process_iter() if self._is_of_a_run(one)]:
            assert time.monotonic() < until, left
            time.sleep(0.02)

    def _is_of_a_run(self, process: psutil.Process) -> bool:
        try:
            return str(self.data / "daemon") in " ".join(process.cmdline())
        except psutil.Error:
            return False

    def meanwhile(self, path: str, text: str) -> None:
        """Hand in another worker's commit, as a daemon on another machine does."""
        place = self.data / "jobs.db"
        with contextlib.closing(open_database(place, SystemClock())) as database:
            change_elsewhere(database, self.job, self.repo, path, text)


def _is_so(reached: Callable[[], bool]) -> bool:
    try:
        return reached()
    except (OSError, ValueError):  # what is looked at is not there yet
        return False


def test_a_daemon_may_be_killed_in_every_phase(tmp_path: Path, model_url: str, gate: Gate) -> None:
    house = House(tmp_path, model_url)
    gate.allow(0)
    house.kill_when(house.has_worktree)
    for count in range(1, len(KEPT) - 1):
        gate.allow(KEPT[:count].count("reply"))
        house.kill_when(lambda count=count: len(house.kept()) >= count)  # type: ignore[misc]
        assert house.kept() == KEPT[:count]
    house.meanwhile("other.py", "X = 1  # theirs\n")
    gate.allow(len(CALLS))
    house.kill_when(house.is_merging)
    assert house.git(house.clone, "show", f"iris/{house.job}:calc.py") == FILES["calc.py"].strip()

    gate.allow(len(CALLS))
    _run_to_its_end(house)

    assert (house.kept(), gate.answered) == (KEPT, len(CALLS))
    shown = house.git(house.clone, "show", f"iris/{house.job}:calc.py")
    assert shown == "def add(a, b):\n    return a + b"
    commits = house.git(house.clone, "log", "--format=%s", f"iris/{house.job}").splitlines()
    assert sorted(commits) == [
        "Merge " + house.worker.name,
        "first",
        "fix add in calc.py",
        "theirs",
    ]
    assert house.git(house.repo, "status", "--porcelain") == ""


def _run_to_its_end(house: House) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while json.loads(house.iris("jobs", "list", "--json"))["jobs"][0]["state"] != "succeeded":
        assert time.monotonic() < until, house.iris("jobs", "show", house.job)
        house.iris("daemon", "run", "--once")
