"""Work on a repository, asked for in own words: planned, shown, and begun after a yes."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import open_database
from iris_harness.jobs.host import this_host
from iris_harness.jobs.leases import Daemon, Queue
from tests.faulty_server import completion, faulty_server, says
from tests.support import RunIris


@pytest.fixture
def site(home: Path) -> Path:
    settings = home / ".config" / "iris" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("timezone: Europe/Berlin\n")
    folder = home / "code" / "site"
    folder.mkdir(parents=True)
    return folder


def jobs(iris: RunIris) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(iris("jobs", "list", "--json").stdout)["jobs"]
    return found


def test_a_job_is_shown_and_submitted_only_after_a_yes(iris: RunIris, site: Path) -> None:
    asked = "first fix parser.py in ~/code/site, then update README.md"
    refused = iris("chat", stdin=f"{asked}\nno\n")
    assert "with 2 workers: 1) fix parser.py [parser.py]; 2)" in refused.stdout
    assert "Say yes or no" in refused.stdout
    assert jobs(iris) == []
    done = iris("chat", stdin=f"{asked}\nyes\n")
    (job,) = jobs(iris)
    assert f"Submitted job {job['id']}" in done.stdout
    assert (job["state"], job["repo_url"]) == ("queued", site.as_uri())
    told = json.loads(iris("jobs", "show", str(job["id"]), "--json").stdout)
    assert told["needs"] == [f"host:{this_host()}"]
    assert [worker["file"] for worker in told["workers"]] == ["parser.py", "README.md"]


def plan_with(home: Path, base_url: str) -> None:
    (home / ".config" / "iris" / "config.yaml").write_text(
        "timezone: Europe/Berlin\njobs: {planner_model: big}\n"
        f"models: {{available: [{{name: big, type: openai, base_url: '{base_url}', model: x}}]}}\n"
    )


def test_a_job_is_planned_by_the_planner_model(iris: RunIris, site: Path, home: Path) -> None:
    assert site.is_dir()
    workers: list[dict[str, object]] = [
        {"id": one, "task": f"do {one}", "file": f"{one}.py", "files": [], "depends_on": []}
        for one in ("a", "b", "c")
    ]
    plan = json.dumps({"summary": "three at once", "workers": workers})
    with faulty_server(says(completion(plan))) as server:
        plan_with(home, server.base_url)
        done = iris("chat", stdin="fix the failing tests in ~/code/site\nyes\n")
    assert "with 3 workers: 1) do a [a.py]" in done.stdout
    assert len(server.asked) == 1, "it was planned again after the yes"
    (job,) = jobs(iris)
    told = json.loads(iris("jobs", "show", str(job["id"]), "--json").stdout)
    assert told["planner"] == "big"


def test_why_the_planner_model_did_not_plan_is_said(iris: RunIris, site: Path, home: Path) -> None:
    assert site.is_dir()
    with faulty_server(says(completion("no plan at all"))) as server:
        plan_with(home, server.base_url)
        done = iris("chat", stdin="fix parser.py in ~/code/site\nno\n")
    assert "with 1 worker: 1) fix parser.py [parser.py]" in done.stdout
    assert "planned by rules" in done.stdout


def test_where_the_repository_is_is_never_guessed(iris: RunIris, site: Path) -> None:
    assert site.is_dir()
    done = iris("ask", "fix the login in the repo me/site")
    assert "It is not clear where the repository 'me/site' is" in done.stdout
    missing = iris("ask", "fix the failing test in ~/code/nowhere")
    assert "It is not clear where" in missing.stdout
    assert jobs(iris) == []


def test_a_job_that_was_submitted_is_no_change_that_undo_takes_back(
    iris: RunIris, site: Path
) -> None:
    assert site.is_dir()
    iris("chat", stdin="fix the failing test in ~/code/site\nyes\n")
    assert "nothing to undo" in iris("undo").stderr
    assert len(jobs(iris)) == 1


def test_the_demonstration_submits_nothing(iris: RunIris, site: Path) -> None:
    assert site.is_dir()
    done = iris("ask", "fix the failing test in ~/code/site", "--demo")
    assert "only your own" in done.stdout.lower()
    assert jobs(iris) == []


def work(home: Path, *, until: int) -> None:
    """Let a daemon complete `until` workers, and hold the next."""
    folder = home / ".local" / "share" / "iris"
    with contextlib.closing(open_database(folder / "jobs.db", SystemClock())) as opened:
        queue = Queue(opened, SystemClock())
        den = Daemon(name="den", offers=frozenset({f"host:{this_host()}"}))
        for number in range(until + 1):
            lease = queue.lease(den)
            if lease is not None and number < until:
                queue.complete(lease, {"summary": "It handles empty input now."})


def test_how_a_job_goes_is_told_while_it_runs_and_when_it_is_done(
    iris: RunIris, site: Path, home: Path
) -> None:
    assert site.is_dir()
    assert "There are no jobs yet" in iris("ask", "how is my job going").stdout
    asked = "first fix parser.py in ~/code/site, then update README.md"
    iris("chat", stdin=f"{asked}\nyes\n")
    (job,) = jobs(iris)
    waiting = iris("ask", "how is my job going").stdout
    assert f"({job['id']}) is waiting for a daemon to take it" in waiting
    work(home, until=1)
    running = iris("ask", "what is the status of my job?").stdout
    assert "is running: 1 of 2 workers done" in running
    assert "is done: It handles empty input now" in running
    assert "is at work: update README.md" in running
    told = iris("ask", "what did the job do", "--json").stdout
    assert f"jobs: {job['id']}" in told or f'"{job["id"]}"' in told, "it names its source"


def test_a_job_is_cancelled_after_a_yes_and_only_the_one_that_is_meant(
    iris: RunIris, site: Path
) -> None:
    assert site.is_dir()
    assert "No job is running or waiting" in iris("ask", "cancel the job").stdout
    iris("chat", stdin="fix parser.py in ~/code/site\nyes\nfix the login in ~/code/site\nyes\n")
    kept = iris("chat", stdin="cancel the job on the login\nno\n").stdout
    assert "Cancel job" in kept
    assert {job["state"] for job in jobs(iris)} == {"queued"}
    which = iris("chat", stdin="cancel the job\n").stdout
    assert "Which job do you mean" in which
    done = iris("chat", stdin="cancel the job on the login\nyes\n").stdout
    assert "Cancelled job" in done
    states = {str(job["task"]): job["state"] for job in jobs(iris)}
    assert states == {"fix parser.py": "queued", "fix the login": "cancelled"}


def test_what_is_said_next_is_about_the_job_that_was_submitted(iris: RunIris, site: Path) -> None:
    assert site.is_dir()
    iris("chat", stdin="fix the login in ~/code/site\nyes\n")
    said = "fix parser.py in ~/code/site\nyes\nhow is it going?\ncancel it\nyes\nhow is it going?\n"
    told = iris("chat", stdin=said).stdout
    assert "The job “fix parser.py”" in told
    assert "Cancelled job" in told
    assert "was cancelled: 0 of 1 workers done" in told
    assert "fix the login" not in told
    assert {str(one["task"]): one["state"] for one in jobs(iris)} == {
        "fix the login": "queued", "fix parser.py": "cancelled",
    }  # fmt: skip


def test_a_job_is_applied_by_a_command_which_the_answer_names(
    iris: RunIris, site: Path, home: Path
) -> None:
    assert site.is_dir()
    iris("chat", stdin="fix parser.py in ~/code/site\nyes\n")
    (job,) = jobs(iris)
    assert "No job is done" in iris("ask", "apply the job").stdout
    work(home, until=1)
    assert f"`iris jobs apply {job['id']}`" in iris("ask", "apply the job").stdout
    assert f"`iris jobs open {job['id']}`" in iris("ask", "open the job").stdout
