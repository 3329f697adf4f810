"""`iris jobs` as a user runs it."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import open_database
from iris_harness.jobs.host import this_host
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.reading import JobReader
from iris_harness.surfaces.cli.jobs_words import graph_lines
from tests.faulty_server import completion, faulty_server, says
from tests.support import RunIris

PLAN = """\
summary: two steps
workers:
- {id: model, task: add the model, file: model.py}
- {id: view, task: add the view, file: view.py, depends_on: [model], test_cmd: pytest -q}
"""

MODEL = """\
models:
  available:
    - name: thinker
      type: openai
      base_url: {base_url}
      model: gpt-test
      api_key: {{env: PLAN_KEY}}
      retries: 0
jobs: {{planner_model: thinker}}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def job(iris: RunIris, repo: Path) -> str:
    """The id of a job that waits."""
    done = iris("jobs", "submit", "first fix a.py, then b.py", "--repo", repo, "--json")
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["id"])


def test_a_plan_is_shown_and_nothing_is_kept(iris: RunIris, home: Path) -> None:
    done = iris("jobs", "plan", "first fix a.py, then b.py")
    assert done.returncode == 0, done.stderr
    assert "after w1" in done.stdout
    assert "order" in done.stdout
    assert not list(home.rglob("jobs.db"))


def test_a_printed_plan_can_be_submitted(iris: RunIris, repo: Path, tmp_path: Path) -> None:
    printed = iris("jobs", "plan", "fix a.py and b.py", "--json").stdout
    file = tmp_path / "plan.json"
    file.write_text(printed)
    done = iris("jobs", "submit", "--plan", file, "--repo", repo, "--json")
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    assert [worker["file"] for worker in job["workers"]] == ["a.py", "b.py"]
    assert (job["planner"], job["task"]) == ("user", "fix a.py and b.py")


def test_a_job_is_submitted_listed_and_shown(iris: RunIris, repo: Path, job: str) -> None:
    assert "queued (0 of 2 done)" in iris("jobs", "list").stdout
    shown = iris("jobs", "show", job[:5])
    assert shown.returncode == 0, shown.stderr
    assert repo.as_uri() in shown.stdout
    assert "waits for a daemon" in shown.stdout
    assert "needs      host:" in shown.stdout
    told = json.loads(iris("jobs", "show", job, "--json").stdout)
    assert [worker["state"] for worker in told["workers"]] == ["ready", "blocked"]


@pytest.mark.parametrize("command", ["diff", "apply"])
def test_a_job_that_nobody_began_is_told_without_a_fetch(
    iris: RunIris, tmp_path: Path, command: str
) -> None:
    gone = "file:///nowhere/site.git"
    job = json.loads(iris("jobs", "submit", "fix a.py", "--repo", gone, "--json").stdout)["id"]
    (tmp_path / ".git").mkdir()
    into = ["--into", str(tmp_path)] if command == "apply" else []
    done = iris("jobs", command, job, *into)
    assert done.returncode == 1
    assert f"no worker of {job} has run" in done.stderr
    assert "iris daemon run" in done.stderr


def test_a_manifest_is_printed_as_the_bytes_of_its_id(iris: RunIris, job: str) -> None:
    told = json.loads(iris("jobs", "show", job, "--json").stdout)
    printed = iris("jobs", "manifest", job, "--json").stdout
    assert hashlib.sha256(printed.encode()).hexdigest() == told["manifest_id"]
    assert told["manifest_id"] in iris("jobs", "manifest", told["manifest_id"][:12]).stdout


def test_damage_is_found_and_said(iris: RunIris, home: Path, job: str) -> None:
    assert "1 of 1 manifests are sound" in iris("jobs", "verify").stdout
    assert iris("jobs", "verify", job).returncode == 0
    (file,) = home.rglob("jobs.db")
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TRIGGER manifests_no_update")
        connection.execute("UPDATE manifests SET body = replace(body, 'a.py', 'c.py')")
    connection.close()
    done = iris("jobs", "verify")
    assert done.returncode == 1
    assert "0 of 1 manifests are sound" in done.stdout


@pytest.mark.parametrize(
    "change",
    ["UPDATE workers SET spec = replace(spec, 'fix a.py', 'rm a.py')",
     "UPDATE workers SET spec = 'gone'", "UPDATE workers SET spec = '{}'"],
)  # fmt: skip
def test_a_worker_that_is_not_what_its_manifest_says_is_found_and_said(
    iris: RunIris, home: Path, job: str, change: str
) -> None:
    meddle(home, "DROP TRIGGER workers_no_update", change)
    done = iris("jobs", "verify")
    assert done.returncode == 1
    assert f"the workers of job {job} are not what its manifest" in done.stdout
    assert iris("jobs", "manifest", job).returncode == 1


@pytest.mark.parametrize(
    "change",
    ["UPDATE jobs SET request = '{}'", "UPDATE jobs SET request = 'gone'",
     "UPDATE jobs SET created_at = 99999999999999999", "UPDATE workers SET state = 'odd'"],
)  # fmt: skip
def test_rows_that_were_never_written_so_are_said_to_be_damaged(
    iris: RunIris, home: Path, job: str, change: str
) -> None:
    meddle(home, "DROP TRIGGER IF EXISTS jobs_no_update", change)
    for words in (["list"], ["show", job], ["why", job]):
        done = iris("jobs", *words)
        assert done.returncode == 1
        assert "cannot be read (the database was changed by hand" in done.stderr


def meddle(home: Path, *statements: str) -> None:
    """Change the file of the jobs behind their back."""
    (file,) = home.rglob("jobs.db")
    with sqlite3.connect(file) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_a_key_makes_one_job_and_refuses_another_request(iris: RunIris, repo: Path) -> None:
    first = iris("jobs", "submit", "fix a.py", "--repo", repo, "--key", "k", "--json")
    again = iris("jobs", "submit", "fix a.py", "--repo", repo, "--key", "k", "--json")
    assert json.loads(first.stdout)["id"] == json.loads(again.stdout)["id"]
    assert [json.loads(done.stdout)["is_new"] for done in (first, again)] == [True, False]
    other = iris("jobs", "submit", "fix b.py", "--repo", repo, "--key", "k")
    assert other.returncode == 1
    assert "was used for another request" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("submit", "fix it"), "no repository is named"),
        (("submit", "", "--repo", "."), "the task is empty"),
        (("submit", "fix", "--repo", "./nowhere"), "there is no folder"),
        (("submit", "fix", "--repo", ".", "--needs", "gpu"), "nothing a daemon can offer"),
        (("plan", "fix", "--test-cmd", "a\nb"), "not one line"),
        (("plan", "--plan", "nowhere.yaml"), "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_said_and_is_a_usage_error(
    iris: RunIris, arguments: tuple[str, ...], said: str
) -> None:
    done = iris("jobs", *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_plan_of_the_users_own_goes_through_the_same_door(
    iris: RunIris, repo: Path, tmp_path: Path
) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(PLAN)
    job = json.loads(iris("jobs", "submit", "--plan", file, "--repo", repo, "--json").stdout)
    assert [worker["test_cmd"] for worker in job["workers"]] == [None, "pytest -q"]
    file.write_text(PLAN.replace("[model]", "[view]"))
    refused = iris("jobs", "submit", "--plan", file, "--repo", repo)
    assert refused.returncode == 2
    assert "view -> view" in refused.stderr


def test_a_plan_can_be_changed_in_an_editor(iris: RunIris, repo: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!{sys.executable}\nimport sys, pathlib\n"
                      "p = pathlib.Path(sys.argv[1])\n"
                      "p.write_text(p.read_text().replace('a.py', 'z.py'))\n")  # fmt: skip
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    done = iris(
        "jobs", "submit", "fix a.py", "--repo", repo, "--edit", "--json", EDITOR=str(editor)
    )
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    assert (job["workers"][0]["file"], job["planner"]) == ("z.py", "user")


def test_what_is_kept_of_jobs_is_private(home: Path, job: str) -> None:
    assert job
    for file in home.rglob("jobs.db*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_database_that_cannot_be_reached_is_said_without_its_password(iris: RunIris) -> None:
    url = "postgresql://me:hunter2@127.0.0.1:1/none"
    done = iris("--set", f"jobs.database_url={url}", "jobs", "list")
    assert done.returncode == 1
    assert "check jobs.database_url" in done.stderr
    assert "hunter2" not in done.stderr + done.stdout


# A job as it goes


@pytest.fixture
def queue(home: Path, job: str) -> Iterator[Queue]:
    """What a daemon of this machine sees."""
    assert job
    (file,) = home.rglob("jobs.db")
    database = open_database(file, SystemClock())
    yield Queue(database, SystemClock())
    database.close()


def work(queue: Queue, failing: str = "") -> None:
    """Do all there is to do, as a daemon of this machine does."""
    daemon = Daemon(name="den", offers=frozenset({f"host:{this_host()}"}))
    while (lease := queue.lease(daemon)) is not None:
        if lease.spec.id.endswith(f"-{failing}"):
            queue.fail(lease, "tests", "two tests fail")
        else:
            queue.complete(lease)


def test_why_says_what_holds_a_job(iris: RunIris, job: str, queue: Queue) -> None:
    assert "no daemon is there to run it" in iris("jobs", "why", job).stdout
    queue.lease(Daemon(name="elsewhere"))
    told = json.loads(iris("jobs", "why", job, "--json").stdout)
    assert told["workers"][0]["reason"] == (
        f"none of the daemons there (elsewhere) offers host:{this_host()}"
    )
    work(queue)
    assert "all of it is done" in iris("jobs", "why", job).stdout


def test_a_job_is_watched_to_its_end(iris: RunIris, job: str, queue: Queue) -> None:
    threading.Timer(1.5, work, [queue]).start()
    done = iris("jobs", "watch", job)
    assert done.returncode == 0, done.stderr
    assert "w2: done" in done.stdout
    assert f"Job {job}: done (2)" in done.stdout


def test_watching_ends_when_nobody_reads_any_more(home: Path, job: str) -> None:
    program = [sys.executable, "-m", "iris_harness", "jobs", "watch", job, "--json"]
    environment = {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8"}
    with subprocess.Popen(
        program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        assert watching.stdout.readline().startswith(b"{")
        watching.stdout.close()  # as `head -1` does; the job itself never goes on
        assert watching.wait(30) == 1
        assert watching.stderr.read() == b""


def test_watching_a_job_that_failed_ends_with_an_error(
    iris: RunIris, job: str, queue: Queue
) -> None:
    work(queue, failing="w1")
    done = iris("jobs", "watch", job)
    assert done.returncode == 1
    assert "w1: failed (two tests fail)" in done.stdout
    assert "w2: failed (w1 failed)" in done.stdout
    lines = iris("jobs", "watch", job, "--json").stdout.splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["failed"]


def test_what_failed_is_retried_and_what_is_done_is_not(
    iris: RunIris, job: str, queue: Queue
) -> None:
    work(queue, failing="w2")
    assert iris("jobs", "retry", job, "w1").returncode == 1
    assert "w2 will run again" in iris("jobs", "retry", job).stdout
    work(queue)
    assert "done (2)" in iris("jobs", "list").stdout


def test_a_job_is_paused_resumed_and_cancelled(iris: RunIris, job: str, queue: Queue) -> None:
    assert f"iris jobs resume {job}" in iris("jobs", "pause", job).stdout
    work(queue)
    assert "paused (0 of 2 done)" in iris("jobs", "list").stdout
    assert "goes on" in iris("jobs", "resume", job).stdout
    assert "is cancelled" in iris("jobs", "cancel", job[:4]).stdout
    work(queue)
    assert "cancelled (0 of 2 done)" in iris("jobs", "list").stdout
    again = iris("jobs", "cancel", job)
    assert again.returncode == 1
    assert "has ended already" in again.stderr


def test_a_graph_is_drawn_with_its_order(job: str, queue: Queue) -> None:
    work(queue, failing="w2")
    view = JobReader(queue.database, "local").get(job)
    drawn = [line for _, line in graph_lines(view, view.summary.created_at)]
    assert drawn[0].startswith("\N{CHECK MARK} w1")
    assert drawn[1].startswith("\N{BALLOT X}   w2")
    assert drawn[1].endswith("two tests fail  (after w1)")


# A model that plans


def plan_of(*workers: tuple[str, str, list[str]]) -> str:
    made = [
        {"id": name, "task": task, "file": None, "files": [], "depends_on": before}
        for name, task, before in workers
    ]
    return json.dumps({"summary": "by a model", "workers": made})


def test_a_model_plans_where_one_is_set_up_and_its_key_is_its_own(
    iris: RunIris, repo: Path, home: Path
) -> None:
    answer = plan_of(("tokens", "add colour tokens", []), ("switch", "add a switch", ["tokens"]))
    settings = home / ".config" / "iris" / "config.yaml"
    settings.parent.mkdir(parents=True)
    with faulty_server(says(completion(answer))) as server:
        settings.write_text(MODEL.format(base_url=server.base_url))
        done = iris("jobs", "submit", "add dark mode", "--repo", repo, "--worker-model", "huge",
                    "--json", PLAN_KEY="sk-0123")  # fmt: skip
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    assert job["planner"] == "thinker"
    assert [worker["depends_on"] for worker in job["workers"]] == [[], ["tokens"]]
    assert {worker["model"] for worker in job["workers"]} == {"huge"}
    (file,) = home.rglob("jobs.db")
    assert b"sk-0123" not in file.read_bytes()


def test_rules_plan_and_say_why_when_the_model_is_not_there(iris: RunIris, home: Path) -> None:
    settings = home / ".config" / "iris" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(MODEL.format(base_url="http://127.0.0.1:9/v1"))
    done = iris("jobs", "plan", "fix a.py", PLAN_KEY="sk-0123")
    assert done.returncode == 0, done.stderr
    assert "1 worker, planned by rules" in done.stdout
    assert "thinker gave no answer" in done.stdout
    unknown = iris("jobs", "plan", "fix a.py", "--planner-model", "thinkr")
    assert "no model is named 'thinkr'" in unknown.stdout


def test_a_daemon_that_nobody_edits_for_takes_no_workers(iris: RunIris, job: str) -> None:
    ran = iris("daemon", "run", "--once")
    assert ran.returncode == 2
    assert "nothing is set up that could edit" in ran.stderr
    assert "jobs.editor" in ran.stderr
    assert json.loads(iris("jobs", "show", job, "--json").stdout)["state"] == "queued"
