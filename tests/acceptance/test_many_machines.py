"""One job on several machines: each has folders of its own, and they share the queue alone.

Two daemons ask a server over HTTP and have no database's driver; a third opens PostgreSQL itself.
"""

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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.faulty_server import tool_call
from tests.jobs_support import make_database, postgres
from tests.postgres_server import PostgresServer

__all__ = ["postgres"]

REPO = "https://git.example.org/site.git"
FILES = {
    "a.py": "A = 1\n",
    "b.py": "B = 1\n",
    "test_all.py": (
        "import unittest, a, b\nclass T(unittest.TestCase):\n"
        "    def test_both(self):\n        self.assertEqual(a.A + b.B, 2)\n"
    ),
}
PLAN = {
    "summary": "comments",
    "workers": [
        {"id": "w1", "task": "comment the first", "file": "a.py"},
        {"id": "w2", "task": "comment the second", "file": "b.py"},
        {"id": "w3", "task": "comment the third", "file": "a.py", "depends_on": ["w1", "w2"]},
    ],
}
EDITS = {
    "the first": ("a.py", "A = 1", "A = 1  # one"),
    "the second": ("b.py", "B = 1", "B = 1  # two"),
    "the third": ("a.py", "# one", "# one and three"),
}
WITHOUT_DATABASES = (
    "import sys; sys.modules.update(dict.fromkeys(('sqlalchemy', 'psycopg', 'alembic')));"
    "from iris_harness.__main__ import run; sys.exit(run())"
)
PATIENCE_SECONDS = 120


class Model(http.server.BaseHTTPRequestHandler):
    """A server of OpenAI's kind that edits as its task says; each first answer waits at a gate."""

    gate: Callable[[str], None]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        """Say nothing."""

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
        told = json.dumps(messages[:2])
        task = next(name for name in EDITS if f"comment {name}" in told)
        made = sum(message["role"] == "assistant" for message in messages)
        if not made:
            self.gate(task)
        path, old, new = EDITS[task]
        name, given = (
            ("edit", {"path": path, "old": old, "new": new}) if not made
            else ("finish", {"summary": f"Commented {task}."})
        )  # fmt: skip
        body = json.dumps(tool_call(made, name, given)).encode()
        with contextlib.suppress(OSError):  # whoever asked was killed
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)


@contextlib.contextmanager
def serve_model(gate: Callable[[str], None]) -> Iterator[str]:
    handler = type("Handler", (Model,), {"gate": staticmethod(gate)})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["/usr/bin/env", "git", *identity, *words], cwd=folder, check=True)


class Machine:
    """Folders of its own, and settings; its git finds the repository where the tests keep it."""

    def __init__(self, folder: Path, origin: Path, model: str, database: str | None) -> None:
        folder.mkdir()
        self.folder = folder
        (folder / ".gitconfig").write_text(
            f'[url "{origin.as_uri()}"]\n\tinsteadOf = {REPO}\n', encoding="utf-8"
        )
        supported = "supports: [tools]"
        one = f"{{name: m, type: openai, base_url: '{model}', model: m, {supported}}}"
        where = f"  database_url: '{database}'\n" if database else ""
        (folder / "config.yaml").write_text(
            f"models:\n  default: m\n  available: [{one}]\n"
            f"jobs:\n  lease_seconds: 2\n  max_deliveries: 9\n{where}",
            encoding="utf-8",
        )

    def start(self, *words: str, program: tuple[str, ...] = ("-m", "iris_harness"),
              more: Mapping[str, str] | None = None) -> subprocess.Popen[str]:  # fmt: skip
        kept = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        environment = {
            **kept, "HOME": str(self.folder), "IRIS_CONFIG": str(self.folder / "config.yaml"),
            "TZ": "UTC", "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CACHE_HOME": str(self.folder / "cache"), **(more or {}),
        }  # fmt: skip
        with (self.folder / "stderr").open("a") as said:
            return subprocess.Popen(
                [sys.executable, *program, *words], env=environment, text=True,
                stdout=subprocess.PIPE, stderr=said,
            )  # fmt: skip

    def iris(self, *words: str) -> str:
        with self.start(*words) as process:
            out, _ = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, (self.folder / "stderr").read_text(encoding="utf-8")
        return out


class Site:
    """The machine with the queue, its server, and the daemons of the others."""

    def __init__(
        self, folder: Path, model: str, database: str, stack: contextlib.ExitStack
    ) -> None:
        self.folder, self.model, self.database, self.stack = folder, model, database, stack
        self.origin = folder / "origin"
        self.origin.mkdir()
        for name, text in FILES.items():
            (self.origin / name).write_text(text, encoding="utf-8")
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"],
                      ["config", "uploadpack.allowFilter", "true"]):  # fmt: skip
            git(self.origin, *words)
        self.desk = Machine(folder / "desk", self.origin, model, database)
        self.daemons: dict[str, subprocess.Popen[str]] = {}
        serving = self._running(self.desk.start("jobs", "serve", "--port", "0"))
        assert serving.stdout is not None
        self.url = serving.stdout.readline().split()[-1]

    def _running(self, process: subprocess.Popen[str]) -> subprocess.Popen[str]:
        def end() -> None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_SECONDS)

        self.stack.callback(end)
        return process

    def over_http(self, name: str) -> None:
        """Run a daemon on a machine without databases."""
        machine = Machine(self.folder / name, self.origin, self.model, None)
        token = self.desk.iris("jobs", "token", "new", name).strip()
        self.daemons[name] = self._running(machine.start(
            "daemon", "run", "--server", self.url,
            program=("-c", WITHOUT_DATABASES), more={"IRIS_JOBS_TOKEN": token},
        ))  # fmt: skip

    def over_postgres(self, name: str) -> None:
        """Run a daemon that opens the database."""
        machine = Machine(self.folder / name, self.origin, self.model, self.database)
        self.daemons[name] = self._running(machine.start("daemon", "run", "--name", name))

    def submit(self, *workers: str) -> str:
        chosen = [one for one in PLAN["workers"] if one["id"] in workers]  # type: ignore[index]
        plan = self.folder / "plan.json"
        plan.write_text(json.dumps({**PLAN, "workers": chosen}), encoding="utf-8")
        self.desk.iris("jobs", "submit", "--plan", str(plan), "--repo", REPO,
                       "--test-cmd", "python3 -m unittest")  # fmt: skip
        (job,) = json.loads(self.desk.iris("jobs", "list", "--json"))["jobs"]
        return str(job["id"])

    def show(self, job: str) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(self.desk.iris("jobs", "show", job, "--json"))
        return shown

    def wait_for(self, job: str, state: str) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_SECONDS
        while (shown := self.show(job))["state"] != state:
            assert time.monotonic() < until, (shown, self._said())
            time.sleep(0.3)
        return shown

    def _said(self) -> str:
        return "\n".join(
            f"{name}: {(self.folder / name / 'stderr').read_text(encoding='utf-8')[-1500:]}"
            for name in ("desk", *self.daemons)
        )


class Gate:
    """Holds first answers until it is opened, and remembers who came."""

    def __init__(self, holds: int) -> None:
        self.open = threading.Event()
        self.came: list[str] = []
        self._holds = holds

    def __call__(self, task: str) -> None:
        self.came.append(task)
        if len(self.came) >= self._holds:
            self.open.set()
        self.open.wait(PATIENCE_SECONDS)


@pytest.fixture
def stack() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as opened:
        yield opened


def build(tmp_path: Path, server: PostgresServer, stack: contextlib.ExitStack, gate: Gate) -> Site:
    model = stack.enter_context(serve_model(gate))
    stack.callback(gate.open.set)
    return Site(tmp_path, model, make_database(server), stack)


def test_a_worker_starts_from_those_it_depends_on_whichever_machines_they_ran_on(
    tmp_path: Path, postgres: PostgresServer, stack: contextlib.ExitStack
) -> None:
    gate = Gate(holds=2)  # so that two machines have one each
    site = build(tmp_path, postgres, stack, gate)
    for name in ("den", "attic"):
        site.over_http(name)
    site.over_postgres("cellar")
    job = site.submit("w1", "w2", "w3")
    shown = site.wait_for(job, "succeeded")
    ran = {one["id"]: one["leased_by"] for one in shown["workers"]}
    assert ran["w1"] != ran["w2"]
    assert set(ran.values()) <= {"den", "attic", "cellar"}
    patch = site.desk.iris("jobs", "diff", job)  # the desk has run nothing
    assert "+A = 1  # one and three" in patch
    assert "+B = 1  # two" in patch
    logs = site.desk.iris("jobs", "logs", job)
    for name in ran.values():
        assert f"{name} has taken it" in logs
    heads = [one["result"]["head"][:12] for one in shown["workers"]]
    third = site.desk.iris("jobs", "logs", job, "w3")
    assert any(f"it starts from {head}" in third for head in heads[:2])


def test_another_machine_takes_over_what_a_dead_one_had(
    tmp_path: Path, postgres: PostgresServer, stack: contextlib.ExitStack
) -> None:
    gate = Gate(holds=2)
    site = build(tmp_path, postgres, stack, gate)
    site.over_http("den")
    job = site.submit("w1")
    _until(lambda: len(gate.came) == 1)
    site.daemons["den"].kill()
    site.over_http("attic")
    shown = site.wait_for(job, "succeeded")
    assert shown["workers"][0]["leased_by"] == "attic"
    logs = site.desk.iris("jobs", "logs", job)
    assert logs.index("den has taken it") < logs.index("attic has taken it")


def test_cancelling_and_revoking_reach_another_machine(
    tmp_path: Path, postgres: PostgresServer, stack: contextlib.ExitStack
) -> None:
    gate = Gate(holds=99)
    site = build(tmp_path, postgres, stack, gate)
    site.over_http("den")
    job = site.submit("w1")
    _until(lambda: len(gate.came) == 1)
    site.desk.iris("jobs", "cancel", job)
    time.sleep(1.5)  # the daemon renews meanwhile, and hears of it
    gate.open.set()
    site.wait_for(job, "cancelled")
    site.desk.iris("jobs", "token", "revoke", "den")
    assert site.daemons["den"].wait(timeout=PATIENCE_SECONDS) != 0
    said = (tmp_path / "den" / "stderr").read_text(encoding="utf-8")
    assert "the token is missing or wrong" in said
    assert "Traceback" not in said


def _until(reached: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not reached():
        assert time.monotonic() < until
        time.sleep(0.05)
