"""Whose fault a failed test command is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from iris_harness.daemon.failures.classify import (
    FailureClassifier,
    load_classifier,
    parse_failure,
)
from iris_harness.daemon.failures.decisions import DECISIONS
from iris_harness.daemon.failures.model import FailureClass, Verdict
from tests.repo_scores import read_rows, score_failures
from tests.support import examples

HERE = Path(__file__).parent / "failures"
ENVIRONMENT = read_rows(HERE / "environment.jsonl")
CODE = read_rows(HERE / "code.jsonl")
QUOTED: dict[str, list[str]] = json.loads((HERE / "quoted.json").read_text("utf-8"))
CLASSIFIER = load_classifier()


def classify(**row: object) -> Verdict:
    return CLASSIFIER.classify(parse_failure(row))


@pytest.fixture(scope="module")
def classifier() -> FailureClassifier:
    return CLASSIFIER


@pytest.mark.parametrize("row", ENVIRONMENT, ids=lambda row: f"{row['class']}-{row['detail']}")
def test_what_a_tool_says_of_its_environment_is_recognised(row: dict[str, Any]) -> None:
    verdict = classify(**row)
    assert (verdict.failure, verdict.detail) == (row["class"], row["detail"])
    assert verdict.is_environment
    assert verdict.remedy["action"]
    assert verdict.evidence.text


@pytest.mark.parametrize("row", CODE, ids=lambda row: f"{row['command']}-{row['detail']}")
def test_a_failure_of_the_code_is_never_blamed_on_the_environment(row: dict[str, Any]) -> None:
    verdict = classify(**row)
    assert (verdict.failure, verdict.detail) == (FailureClass.CODE, row["detail"])
    assert dict(verdict.remedy) == {"action": "let_model_work"}


@pytest.mark.parametrize("runner", QUOTED)
def test_words_of_the_environment_inside_a_failing_test_are_data(runner: str) -> None:
    command, template = QUOTED[runner]
    first = list(QUOTED).index(runner) % 4  # a quarter for each runner: all in all, every line
    for row in ENVIRONMENT[first::4]:
        for line in filter(str.strip, row["output"].split("\n")):
            output = template.replace("{q}", repr(line)).replace("{l}", line)
            verdict = classify(command=command, exit_code=1, output=output)
            assert verdict.failure is FailureClass.CODE, (line, verdict)


def test_a_later_attempt_is_not_inspected() -> None:
    verdict = classify(command="npm test", exit_code=127, output="sh: npm: not found", attempt=2)
    assert (verdict.failure, verdict.detail) == (FailureClass.UNINSPECTED, "not_first_failure")
    assert not verdict.is_environment


def test_what_never_ended_is_a_timeout_unless_it_was_watching() -> None:
    silent = classify(command="pytest", exit_code=124, output="")
    assert (silent.failure, silent.detail) == (FailureClass.TIMEOUT, "wall_clock")
    watching = classify(command="npm t", exit_code=124, output=" DEV  v3.0\n Watching for changes")
    assert (watching.failure, watching.detail) == (FailureClass.COMMAND, "watch_mode")
    assert watching.remedy["hint"] == "npx vitest run"
    failing = classify(command="pytest", exit_code=124, output="1 failed, 2 passed in 1.0s")
    assert failing.failure is FailureClass.CODE


def test_a_green_run_without_tests_is_a_wrong_command_and_with_tests_none() -> None:
    empty = classify(command="go test ./...", exit_code=0, output="?   \tx\t[no test files]\n")
    assert empty.detail == "no_tests_ran"
    mixed = "ok  \tx\t0.1s\n?   \tx/cmd\t[no test files]\n"
    assert classify(command="go test ./...", exit_code=0, output=mixed).failure is FailureClass.NONE


@pytest.mark.parametrize(
    ("module", "context", "detail"),
    [
        ("app.limiter", {"own_modules": ["app"]}, "import_own_module:app.limiter"),
        ("yaml", {"declared_deps": ["PyYAML>=6"]}, "missing_dependency:yaml"),
        ("rest_framework", {"declared_deps": ["djangorestframework"]}, "missing_dependency:"),
        ("leftpad", {"declared_deps": ["requests"]}, "undeclared_dependency:leftpad"),
        ("tomllib", {}, "version_required:python>=3.11"),
        ("tomllib", {"requires_python": ">=3.12"}, "version_required:python>=3.12"),
    ],
)
def test_own_and_third_party_modules_are_told_apart(
    module: str, context: dict[str, Any], detail: str
) -> None:
    output = f"ERROR collecting t.py\nE   ModuleNotFoundError: No module named '{module}'"
    verdict = classify(command="pytest", exit_code=2, output=output, context=context)
    assert verdict.detail.startswith(detail)


@pytest.mark.parametrize(
    ("current", "required", "failure"),
    [("python 3.8.1", ">=3.10", "environment"), ("python 3.12.1", ">=3.10", "code")],
)
def test_a_syntax_error_is_the_interpreters_fault_only_if_it_is_excluded(
    current: str, required: str, failure: str
) -> None:
    context = {"current_runtime": current, "requires_python": required}
    output = "  File 'a.py', line 1\nSyntaxError: invalid syntax"
    assert classify(command="pytest", output=output, context=context).failure == failure


def test_a_service_that_is_up_is_not_missed() -> None:
    output = "E   redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379."
    assert classify(command="pytest", output=output).detail == "not_running:redis:6379"
    up = {"services_up": ["redis:6379"]}
    assert classify(command="pytest", output=output, context=up).failure is FailureClass.CODE


def test_colours_carriage_returns_and_stamps_of_logs_do_not_hide_a_line() -> None:
    for line in (
        "\x1b[31msh: 1: npm: not found\x1b[0m\r\n",
        "loading 10 %\rsh: 1: npm: not found",
        "2025-01-01T10:00:00.1234567Z sh: 1: npm: not found",
    ):
        assert classify(command="npm test", exit_code=127, output=line).detail.endswith(":npm")


def test_every_decision_the_rules_name_exists() -> None:
    named = {rule.decide for rule in CLASSIFIER.rules if rule.decide}
    assert named == set(DECISIONS)


@given(st.text(max_size=400), st.integers(), st.dictionaries(st.text(max_size=9), st.integers()))
@hypothesis_settings(max_examples=examples(60))
def test_any_output_gets_a_verdict(output: str, exit_code: int, context: dict[str, int]) -> None:
    verdict = classify(command=output[:20], exit_code=exit_code, output=output, context=context)
    assert isinstance(verdict.failure, FailureClass)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["a/", "1 failed, ", "https://a.b "])
def test_hostile_output_is_read_in_bounded_time(piece: str) -> None:
    lines = "\n".join(f"{piece * 2000}{number}" for number in range(900))
    output = f"not found connect host permission version requires\n{lines}"
    assert isinstance(classify(command="x", output=output), Verdict)


@pytest.mark.corpus
def test_the_collected_failures_reach_the_bars(corpus: Path) -> None:
    score = score_failures(corpus)
    assert score.recognised / score.environment >= 0.85, score.wrong
    assert score.blamed / score.code <= 0.01, score.wrong
