"""Jobs in the plan of today, as a user sees them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import open_database
from iris_harness.jobs.host import this_host
from iris_harness.jobs.leases import Daemon, Queue
from tests.acceptance.test_imports import loaded
from tests.support import RunIris

CALENDAR = (
    "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:a\nSUMMARY:Standup\n"
    "DTSTART:20250301T090000Z\nRRULE:FREQ=DAILY\nEND:VEVENT\nEND:VCALENDAR\n"
)


@pytest.fixture
def own(home: Path) -> Path:
    """Settings of one's own, and a folder to work on."""
    (home / "cal.ics").write_text(CALENDAR)
    settings = home / ".config" / "iris" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"timezone: Europe/Berlin\ncalendars: [{home / 'cal.ics'}]\n")
    folder = home / "code" / "site"
    folder.mkdir(parents=True)
    return folder


def jobs_file(home: Path) -> Path:
    return home / ".local" / "share" / "iris" / "jobs.db"


def submit(iris: RunIris, repo: Path, task: str) -> str:
    done = iris("jobs", "submit", task, "--repo", repo, "--json")
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["id"])


def end_next(home: Path, *, why: str = "") -> None:
    """Let a daemon complete the next worker, or fail it."""
    with contextlib.closing(open_database(jobs_file(home), SystemClock())) as opened:
        queue = Queue(opened, SystemClock())
        lease = queue.lease(Daemon(name="den", offers=frozenset({f"host:{this_host()}"})))
        assert lease is not None
        if why:
            queue.fail(lease, "unverifiable", why)
        else:
            queue.complete(lease, {"summary": "done"})


def plan_json(iris: RunIris, *more: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(iris("plan", "--json", *more).stdout)
    return found


def test_a_plan_of_somebody_without_jobs_says_nothing_of_them(iris: RunIris, own: Path) -> None:
    assert own.is_dir()
    assert "jobs" not in plan_json(iris)
    assert "job" not in iris("plan").stdout


def test_what_failed_and_what_waits_for_a_review_is_in_every_view_of_today(
    iris: RunIris, own: Path, home: Path
) -> None:
    done = submit(iris, own, "add dark mode to style.css")
    failed = submit(iris, own, "fix the login in auth.py")
    submit(iris, own, "update README.md")
    end_next(home)
    end_next(home, why="the tests fail before any change")
    text = iris("plan").stdout
    assert "fix the login in auth.py (failed; the tests fail before any change" in text
    assert f"`iris jobs show {failed}`" in " ".join(text.split())
    assert "add dark mode to style.css (done, waits for your review" in text
    assert f"`iris jobs apply {done}`" in " ".join(text.split())
    assert "update README.md (waits for a daemon) [jobs]" in text
    assert "1 job failed. 1 job waits for your review." in iris("plan", "--speech").stdout
    assert "Dark" not in text
    page = iris("plan", "--html").stdout
    assert f"iris jobs apply {done}" in page
    stages = [(one["job"], one["stage"]) for one in plan_json(iris)["jobs"]]  # type: ignore[attr-defined]
    assert stages[:2] == [(failed, "failed"), (done, "review")]
    asked = iris("ask", "plan my day").stdout
    assert "add dark mode to style.css (done, waits for your review" in asked
    checked = iris("plan", "--verify")
    assert (checked.returncode, "the plan holds" in checked.stderr) == (0, True)


def test_a_plan_is_byte_for_byte_the_same_while_nothing_happens(
    iris: RunIris, own: Path, home: Path
) -> None:
    submit(iris, own, "add dark mode to style.css")
    end_next(home)
    today = plan_json(iris)["now"]
    first, second = (iris("plan", "--now", str(today)).stdout for _ in range(2))
    assert first == second
    plan_id = plan_json(iris, "--now", str(today))["plan_id"]
    jobs_file(home).unlink()
    assert iris("plan", "--replay", str(plan_id)).stdout == first


def test_a_job_that_is_dismissed_is_told_of_no_more(iris: RunIris, own: Path, home: Path) -> None:
    job = submit(iris, own, "add dark mode to style.css")
    early = iris("jobs", "dismiss", job)
    assert "has not ended yet" in early.stderr
    end_next(home)
    assert iris("jobs", "dismiss", job[:6]).returncode == 0
    assert plan_json(iris)["jobs"] == []
    shown = json.loads(iris("jobs", "show", job, "--json").stdout)
    assert shown["reviewed_at"] is not None


def test_jobs_that_cannot_be_read_leave_the_rest_of_the_plan(
    iris: RunIris, own: Path, home: Path
) -> None:
    submit(iris, own, "add dark mode to style.css")
    jobs_file(home).write_bytes(b"no database at all, but long enough to look like one" * 99)
    done = iris("plan")
    assert "Standup" in done.stdout
    assert "your jobs: not read" in done.stdout
    assert "Not read, so something may be missing: your jobs." in done.stdout
    assert done.returncode == 3


def test_a_database_of_an_older_program_is_brought_up_to_date_and_told_of(
    iris: RunIris, own: Path, home: Path
) -> None:
    submit(iris, own, "add dark mode to style.css")
    with contextlib.closing(sqlite3.connect(jobs_file(home))) as older:
        older.execute("ALTER TABLE jobs DROP COLUMN reviewed_at")
        older.execute("UPDATE alembic_version SET version_num = '0004'")
        older.commit()
    assert "add dark mode to style.css (waits for a daemon)" in iris("plan").stdout


def test_planning_with_jobs_loads_no_sqlalchemy(iris: RunIris, own: Path, home: Path) -> None:
    submit(iris, own, "add dark mode to style.css")
    assert loaded(home, {"sqlalchemy", "alembic"}, "plan") == "[]"
