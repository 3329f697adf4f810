"""Work on a repository, asked for in own words: planned, shown, and begun after a yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iris_harness.jobs.host import this_host
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
