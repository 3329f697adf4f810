"""What a repository's own evidence decides: test command, runtime, versions, needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from iris_harness.daemon.inspection import Report, inspect_repository
from iris_harness.daemon.report_json import report_to_json
from iris_harness.daemon.test_command import Rule
from tests.repo_scores import score_repos
from tests.support import examples
from tests.unit.daemon.repositories import CI, Case, load_cases, make_evidence, workflow

PYTEST = '[project]\nname = "x"\nrequires-python = ">=3.10"\n[tool.pytest.ini_options]\n'


def inspect(files: Mapping[str, str], *listing: str, own: str = "") -> Report:
    return inspect_repository(make_evidence(files, listing), own)


def command_of(report: Report) -> str | None:
    return report.test.chosen.command if report.test.chosen else None


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_a_repository_says_itself_how_it_is_tested(case: Case) -> None:
    report = inspect_repository(case.evidence)
    assert (command_of(report), report.runtime.name) == (case.command, case.runtime)


def test_the_users_own_command_comes_before_everything() -> None:
    report = inspect({CI: workflow("pytest")}, "tests/test_a.py", own="make verify")
    assert command_of(report) == "make verify"
    assert (report.test.confidence, report.test.chosen and report.test.chosen.rule) == (
        "high",
        Rule.USER,
    )


def test_each_answer_names_the_file_and_the_line_that_decided() -> None:
    report = inspect({CI: workflow("pip install -e .", "ruff check .\npytest")}, "tests/test_a.py")
    chosen = report.test.chosen
    assert chosen is not None
    assert (chosen.sources[0].file, chosen.sources[0].quote) == (CI, "pytest")
    lines = workflow("pip install -e .", "ruff check .\npytest").split("\n")
    assert lines[chosen.sources[0].line - 1].strip() == "pytest"


def test_a_script_or_target_that_the_ci_runs_is_read_too() -> None:
    files = {
        CI: workflow("make test"),
        "Makefile": "test:\n\t./scripts/test --all\n",
        "scripts/test": '#!/bin/sh\nset -e\nuv run pytest "$@"\n',
    }
    chosen = inspect(files, "tests/test_a.py").test.chosen
    assert chosen is not None
    assert [source.file for source in chosen.sources] == [CI, "Makefile", "scripts/test"]
    assert chosen.runtime == "python"


@pytest.mark.parametrize(
    "body",
    [
        "cargo watch -x test",
        "docker compose run --rm app cargo test",
        "eslint --fix . && mocha",
        "echo no tests here",
        "nodemon --exec mocha",
    ],
)
def test_a_target_that_does_not_end_or_needs_more_than_a_sandbox_has_is_not_taken(
    body: str,
) -> None:
    files = {"justfile": f"test:\n    {body}\n", "Cargo.toml": '[package]\nname = "x"\n'}
    assert command_of(inspect(files, "src/lib.rs")) == "cargo test"


def test_a_watcher_named_as_another_recipe_is_found_through_it() -> None:
    files = {
        "justfile": "test: (watch 'test')\nwatch +ARGS:\n  cargo watch -x {{ARGS}}\n",
        "Cargo.toml": '[package]\nname = "x"\n',
    }
    assert command_of(inspect(files, "src/lib.rs")) == "cargo test"


def test_no_tests_means_no_command_and_says_why() -> None:
    report = inspect({"package.json": '{"scripts": {"start": "node server.js"}}'}, "server.js")
    assert command_of(report) is None
    assert report.test.confidence == "none"
    assert "no test" in report.test.why
    assert report.runtime.name == "node"


@pytest.mark.parametrize(
    ("files", "version", "constraint", "source"),
    [
        ({"pyproject.toml": PYTEST}, "3.10", ">=3.10", "pyproject.toml"),
        (
            {"pyproject.toml": PYTEST, ".python-version": "3.12\n"},
            "3.12",
            "3.12",
            ".python-version",
        ),
        ({"go.mod": "module x\n\ngo 1.22.3\n"}, "1.22.3", "1.22.3", "go.mod"),
        (
            {"package.json": '{"engines": {"node": "^20 || >=22"}}'},
            "20",
            "^20 || >=22",
            "package.json",
        ),
        ({"composer.json": '{"require": {"php": "~8.1"}}'}, "8.1", "~8.1", "composer.json"),
        ({"x.gemspec": "s.required_ruby_version = '>= 3.1'"}, "3.1", ">= 3.1", "x.gemspec"),
        ({"pom.xml": "<p><java.version>17</java.version></p>"}, "17", "17", "pom.xml"),
        ({".java-version": "1.8\n", "build.sbt": "x"}, "8", "8", ".java-version"),
        ({"mix.exs": 'elixir: "~> 1.15"'}, "1.15", "~> 1.15", "mix.exs"),
        ({"Cargo.toml": '[package]\nrust-version = "1.80"\n'}, "1.80", "1.80", "Cargo.toml"),
        ({"pubspec.yaml": "environment:\n  sdk: ^3.2.0\n"}, "3.2.0", "^3.2.0", "pubspec.yaml"),
        ({"Package.swift": "// swift-tools-version: 5.9\n"}, "5.9", "5.9", "Package.swift"),
        (
            {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)"},
            "3.20",
            "3.20",
            "CMakeLists.txt",
        ),
    ],
)
def test_every_ecosystem_says_its_version_somewhere(
    files: Mapping[str, str], version: str, constraint: str, source: str
) -> None:
    runtime = inspect(files).runtime
    assert (runtime.version, runtime.constraint) == (version, constraint)
    assert runtime.source is not None
    assert runtime.source.file == source


def test_of_the_versions_that_satisfy_all_the_one_the_ci_runs_is_chosen() -> None:
    ci = workflow(
        "pytest", extra='    strategy:\n      matrix:\n        python: ["3.9", "3.11", "3.13"]\n'
    )
    runtime = inspect({"pyproject.toml": PYTEST.replace(">=3.10", ">=3.10,<3.13"), CI: ci}).runtime
    assert runtime.version == "3.11"
    assert runtime.conflicts == ()


def test_a_pin_that_breaks_a_promise_is_reported() -> None:
    runtime = inspect({"pyproject.toml": PYTEST, ".python-version": "3.8\n"}).runtime
    assert runtime.version == "3.10"
    assert runtime.conflicts == (".python-version:1: 3.8",)


def test_a_devcontainer_counts_at_the_root_only_and_may_have_comments() -> None:
    text = '\n// made by hand\n{ "image": "mcr.example/devcontainers/python:1-3.12", /* x */ }'
    root = inspect({".devcontainer/devcontainer.json": text})
    assert root.devcontainer is not None
    assert (root.runtime.name, root.runtime.version) == ("python", "3.12")
    assert root.devcontainer.image_alone_enough
    assert inspect({"test/fixtures/.devcontainer/devcontainer.json": text}).devcontainer is None
    more = text.replace("{ ", '{ "features": {"ghcr.io/x/go:1": {}}, ')
    found = inspect({".devcontainer.json": more}).devcontainer
    assert found is not None
    assert not found.image_alone_enough


def test_the_lockfile_names_the_package_manager_and_a_pin_comes_before_it() -> None:
    script = '{"scripts": {"test": "mocha"}%s}'
    locked = inspect({"package.json": script % ""}, "yarn.lock", "test/a.js")
    assert (locked.manager and locked.manager.name, command_of(locked)) == ("yarn", "yarn test")
    pinned = inspect({"package.json": script % ', "packageManager": "pnpm@9.1.0"'}, "test/a.js")
    assert (pinned.manager and pinned.manager.install) == "pnpm install"


def test_services_of_the_job_and_other_toolchains_are_named() -> None:
    services = "    services:\n      db:\n        image: postgres:16\n"
    files = {
        CI: workflow("maturin develop", "pytest", extra=services),
        "pyproject.toml": '[build-system]\nrequires = ["maturin"]\n' + PYTEST,
        "Cargo.toml": '[package]\nname = "x"\n',
    }
    report = inspect(files, "tests/test_a.py", "src/lib.rs")
    assert report.needs.services == ("postgres",)
    assert report.needs.also_requires == ("rust",)
    assert [found.ecosystem for found in report.alternates] == ["rust"]


def keys_of(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in keys_of(inner)}
    if isinstance(value, list):
        return {key for inner in value for key in keys_of(inner)}
    return set()


def test_no_answer_tells_anybody_which_container_image_to_run() -> None:
    """The only image is the one a devcontainer file names itself; nothing else may choose one."""
    for case in load_cases():
        keys = keys_of(report_to_json(inspect_repository(case.evidence)))
        assert not {
            key for key in keys if "image" in key or "docker" in key or "container" in key
        } - {
            "devcontainer",
            "devcontainer_detail",
        }


def test_a_report_is_the_same_whatever_order_the_files_come_in() -> None:
    for case in load_cases()[:20]:
        backwards = make_evidence(dict(reversed(list(case.files.items()))), case.listing[::-1])
        one, two = inspect_repository(case.evidence), inspect_repository(backwards)
        assert json.dumps(report_to_json(one)) == json.dumps(report_to_json(two))


HOSTILE = [
    "",
    "\0\0",
    "{" * 5000,
    "[" * 100_000,
    "a: &a [x,x]\n"
    + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)}]\n" for n in range(20)
    ),
    "jobs: {t: {steps: [{run: 'a'}, 3, null, [x]]}}",
    "test: test\n\tmake test\n",
    "/*" * 50_000,
    '"\\' * 50_000,
    "<" * 50_000,
    "test:\n" + "\t$(A)\n" * 3000 + "A = $(A)$(A)\n",
]
NAMES = [
    CI, "package.json", "Makefile", "pyproject.toml", "Cargo.toml", "pom.xml", "justfile",
    "mix.exs",
    ".devcontainer.json", "Taskfile.yml", "composer.json", "deno.json", "CMakeLists.txt",
    "x.gemspec",
    ".gitlab-ci.yml", "global.json", "build.gradle", "pubspec.yaml", "x.cabal", "Rakefile",
]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_cost_an_answer_never_an_exception(text: str) -> None:
    report = inspect(dict.fromkeys(NAMES, text), "tests/test_a.py")
    assert report.runtime.name


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=120)), st.text(max_size=40))
@hypothesis_settings(max_examples=examples(50))
def test_any_content_gets_a_report(files: dict[str, str], script: str) -> None:
    report = inspect({**files, ".github/workflows/x.yml": workflow(script.replace("\r", ""))})
    assert json.loads(json.dumps(report_to_json(report)))["runtime"]["name"]


@pytest.mark.corpus
def test_the_collected_repositories_reach_the_bars(corpus: Path) -> None:
    score = score_repos(corpus)
    assert score.share >= 0.85, score.lines
    assert score.rejected / score.repos <= 0.02, score.lines
    assert score.runtimes / score.repos >= 0.95, score.lines
