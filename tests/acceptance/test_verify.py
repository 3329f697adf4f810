"""`iris plan --verify`, as it is run."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.support import RunIris


def test_a_plan_is_verified_beside_being_printed(iris: RunIris) -> None:
    plain, verified = iris("plan", "--demo"), iris("plan", "--demo", "--verify")

    assert (verified.returncode, verified.stdout) == (0, plain.stdout)
    assert verified.stderr == "Verified: the plan holds.\n"


def test_a_kept_plan_is_verified_by_its_id_by_its_file_and_when_it_is_replayed(
    iris: RunIris, home: Path
) -> None:
    printed = iris("plan", "--demo", "--json").stdout
    plan_id = json.loads(printed)["plan_id"]
    (home / "plan.json").write_text(printed)

    for what in (plan_id, home / "plan.json"):
        result = iris("plan", "--verify", what)
        assert (result.returncode, result.stdout) == (0, "Verified: the plan holds.\n")
    replayed = iris("plan", "--replay", plan_id, "--json", "--verify")
    assert (replayed.returncode, replayed.stdout) == (0, printed)
    assert replayed.stderr == "Verified: the plan holds.\n"


def test_a_file_that_was_changed_is_refused_with_what_was_changed(
    iris: RunIris, home: Path
) -> None:
    week = json.loads(iris("plan", "--demo", "--week", "--json").stdout)
    week["days"][3]["blocks"].pop()
    (home / "week.json").write_text(json.dumps(week))

    result = iris("plan", "--verify", home / "week.json")

    assert (result.returncode, result.stdout) == (1, "2026-04-16: blocks is not what was kept\n")


def test_a_kept_plan_that_was_tampered_with_exits_1_with_the_violations(
    iris: RunIris, home: Path
) -> None:
    plan_id = json.loads(iris("plan", "--demo", "--json").stdout)["plan_id"]
    (database,) = home.rglob("iris.db")
    with sqlite3.connect(database) as connection:
        (payload,) = connection.execute("SELECT payload FROM plans").fetchone()
        day = json.loads(payload)
        gone = day["planned_day"]["plan"]["events"].pop()
        connection.execute("UPDATE plans SET payload = ?", (json.dumps(day).encode(),))
    connection.close()

    result = iris("plan", "--verify", plan_id)

    assert result.returncode == 1
    assert f"2026-04-16: {gone['summary']}: this event is missing\n" in result.stdout


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"days": []}', '{"plan_id": 1}', "[" * 100_000]
)
def test_a_file_without_a_plan_is_a_mistake_of_use(iris: RunIris, home: Path, content: str) -> None:
    (home / "plan.json").write_text(content)

    result = iris("plan", "--verify", home / "plan.json")

    assert result.returncode == 2
    assert "holds no plan" in result.stderr
