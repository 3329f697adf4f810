"""`iris repo` as people and programs use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import RunIris


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "markers").mkdir(parents=True)
    (folder / "files.txt").write_text("package.json\nyarn.lock\ntest/a.test.js\nsrc/Footer.jsx\n")
    (folder / "markers" / "package.json").write_text('{"scripts": {"test": "mocha"}}')
    return folder


def test_inspect_says_the_command_and_the_line_that_says_so(iris: RunIris, site: Path) -> None:
    result = iris("repo", "inspect", site)
    assert result.returncode == 0
    assert "tests         yarn test" in result.stdout
    assert 'package.json:1: {"scripts": {"test": "mocha"}}' in result.stdout


def test_inspect_json_is_for_programs(iris: RunIris, site: Path) -> None:
    found = json.loads(iris("repo", "inspect", site, "--json").stdout)
    assert found["test_command"] == "yarn test"
    assert found["runtime"]["name"] == "node"
    assert found["package_manager"] == "yarn"
    own = json.loads(iris("repo", "inspect", site, "--json", "--test-command", "make x").stdout)
    assert (own["test_command"], own["test"]["rule"]) == ("make x", "user")


def test_resolve_answers_hints_and_lines_of_objects(iris: RunIris, site: Path) -> None:
    result = iris("repo", "resolve", site / "files.txt", "components/Footer.jsx:3")
    assert result.stdout.startswith("components/Footer.jsx:3: edit src/Footer.jsx (")
    asked = [
        {"hint": "Footer.jsx", "intent": None, "discovery": None},
        {"hint": "a.rs", "intent": "create", "discovery": [], "tree": ["go.mod", "a.go"]},
        {"hint": 3, "intent": "guess", "discovery": "x"},
    ]
    lines = "\n".join([*map(json.dumps, asked), "no json", "[1]"])
    result = iris("repo", "resolve", site, "--jsonl", stdin=lines)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer.get("outcome") for answer in answers] == ["edit", "edit", "refuse", None, None]
    assert answers[1]["path"] == "a.go"
    assert answers[3] == {"error": "not a JSON object"}
    assert result.returncode == 1


def test_classify_reads_an_output_or_lines_of_objects(iris: RunIris) -> None:
    result = iris("repo", "classify", "--command", "npm test", stdin="sh: 1: npm: not found\n")
    assert result.stdout.startswith("environment: missing_executable:npm\n")
    assert "because line 1 says: sh: 1: npm: not found" in result.stdout
    asked = {"command": "pytest", "exit_code": 1, "output": "1 failed, 2 passed in 0.1s"}
    line = json.dumps({**asked, "context": None, "attempt": "x"})
    answer = json.loads(iris("repo", "classify", "--jsonl", stdin=line).stdout)
    assert (answer["class"], answer["is_environment"]) == ("code", False)
    assert answer["remedy"] == {"action": "let_model_work"}


def test_a_place_that_is_no_repository_is_said_in_one_line(iris: RunIris, tmp_path: Path) -> None:
    result = iris("repo", "inspect", tmp_path / "nowhere")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "there is no repository" in result.stderr


def test_no_command_takes_a_container_image(iris: RunIris) -> None:
    commands = [("repo", name) for name in ("inspect", "resolve", "classify", "test")]
    for command in (*commands, ("jobs", "submit"), ("jobs", "plan"), ("daemon", "run")):
        assert "image" not in iris(*command, "--help").stdout
