"""`iris jobs plan` with a planner model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faulty_server import completion, faulty_server, says
from tests.support import RunIris

PLAN = {
    "summary": "two steps",
    "workers": [
        {"id": "first", "task": "do a", "file": "a.py", "files": [], "depends_on": []},
        {"id": "second", "task": "do b", "file": "b.py", "files": [], "depends_on": ["first"]},
    ],
}


@pytest.fixture
def settings(home: Path) -> Path:
    file = home / ".config" / "iris" / "config.yaml"
    file.parent.mkdir(parents=True)
    return file


def test_a_job_is_planned_by_the_model_that_is_named(iris: RunIris, settings: Path) -> None:
    with faulty_server(says(completion(json.dumps(PLAN)))) as server:
        settings.write_text(
            "jobs: {planner_model: big}\n"
            "models: {available: [{name: small, type: llama_cpp, path: x.gguf}, "
            f"{{name: big, type: openai, base_url: '{server.base_url}', model: x}}]}}\n"
        )
        result = iris("jobs", "plan", "fix a.py and b.py", "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["planner"] == "big"
    assert [worker["id"] for worker in told["workers"]] == ["first", "second"]
    (asked,) = server.asked
    assert asked.body["response_format"]["json_schema"]["strict"]


def test_a_planner_model_that_is_not_set_up_leaves_the_rules_and_says_so(iris: RunIris) -> None:
    result = iris("jobs", "plan", "fix a.py and b.py", "--planner-model", "big", "--json")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["planner"] == "heuristic"
    assert "the planner model big cannot be asked" in told["notes"][0]
    assert "no language model is set up" in told["notes"][0]
