"""Earlier jobs as examples, as a user asks for them; nobody else's are ever looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.host import this_host
from iris_harness.jobs.leases import Daemon, Queue
from tests.faulty_server import completion, faulty_server, says
from tests.support import RunIris

MINE, THEIRS = "let people switch to a night theme", "add dark mode to the settings page"
ASKED = "add a dark colour scheme"
PLAN = {"summary": "s", "workers": [
    {"id": "only", "task": "do it", "file": None, "files": [], "depends_on": []}]}  # fmt: skip


@pytest.fixture
def repo(home: Path) -> Path:
    folder = home / "code" / "site"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    file = home / ".local" / "share" / "iris" / "jobs.db"
    opened = open_database(file, SystemClock())
    yield opened
    opened.close()


def finished(iris: RunIris, database: Database, repo: Path, task: str, owner: str) -> str:
    """Return the id of a job that has succeeded."""
    made = iris("--set", f"jobs.owner={owner}", "jobs", "submit", task, "--repo", repo, "--json")
    assert made.returncode == 0, made.stderr
    queue = Queue(database, SystemClock())
    lease = queue.lease(Daemon(name="den", offers=frozenset({f"host:{this_host()}"})))
    assert lease is not None
    queue.complete(lease, {})
    return str(json.loads(made.stdout)["id"])


def test_a_job_of_the_same_meaning_is_shown_to_the_planner_and_said(
    iris: RunIris, database: Database, repo: Path, home: Path
) -> None:
    mine = finished(iris, database, repo, MINE, "local")
    finished(iris, database, repo, "repair the invoice export", "local")
    finished(iris, database, repo, THEIRS, "eve")
    with faulty_server(says(completion(json.dumps(PLAN)))) as server:
        _set_up_model(home, server.base_url)
        made = iris("jobs", "submit", ASKED, "--repo", repo, "--context", "auto", "--json")
    assert made.returncode == 0, made.stderr
    (note,) = json.loads(made.stdout)["notes"]
    assert note.startswith(f"job {mine} (")
    assert note.endswith(f"% alike by meaning) was shown to the planner: {MINE}")
    (asked,) = server.asked
    told = json.dumps(asked.body)
    assert MINE in told
    assert THEIRS not in told
    assert "invoice" not in told


def test_a_plan_alone_looks_for_them_too(iris: RunIris, database: Database, repo: Path) -> None:
    mine = finished(iris, database, repo, MINE, "local")
    told = iris("jobs", "plan", ASKED, "--context", "auto").stdout
    assert f"job {mine} (" in told
    assert "% alike by meaning) was found, but rules make no use of it" in told


@pytest.mark.parametrize("length", [12, 6])
def test_a_job_of_another_owner_cannot_be_named(
    iris: RunIris, database: Database, repo: Path, length: int
) -> None:
    theirs = finished(iris, database, repo, THEIRS, "eve")
    named = ("--context", "manual", "--context-job", theirs[:length])
    for command in ("plan", "submit"):
        refused = iris("jobs", command, ASKED, "--repo", repo, *named)
        assert refused.returncode == 1
        assert f"there is no job '{theirs[:length]}'" in refused.stderr
    for name in ("local", "mallory"):
        whose = ("--set", f"jobs.owner={name}")
        told = iris(*whose, "jobs", "plan", THEIRS, "--context", "auto").stdout
        assert "no finished job of yours means much the same." in told
        assert theirs not in told


def test_a_conversation_shows_a_planner_no_earlier_job(
    iris: RunIris, database: Database, repo: Path, home: Path
) -> None:
    finished(iris, database, repo, THEIRS, "eve")
    with faulty_server(says(completion(json.dumps(PLAN)))) as server:
        _set_up_model(home, server.base_url)
        done = iris("chat", stdin="fix the dark mode of the settings page in ~/code/site\nyes\n")
    assert "Submitted job" in done.stdout
    (asked,) = server.asked
    assert THEIRS not in json.dumps(asked.body)


def _set_up_model(home: Path, base_url: str) -> None:
    file = home / ".config" / "iris" / "config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "timezone: Europe/Berlin\njobs: {planner_model: big}\n"
        f"models: {{available: [{{name: big, type: openai, base_url: '{base_url}', model: x}}]}}\n"
    )
