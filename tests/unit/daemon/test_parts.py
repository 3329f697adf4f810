"""A test command that needs several ecosystems says so, each with its folder and its line."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from iris_harness.daemon.inspection import Report, inspect_repository
from iris_harness.daemon.parts import Part
from tests.unit.daemon.repositories import CI, make_evidence, workflow

PYTHON = '[project]\nname = "x"\nrequires-python = ">=3.10"\n'
NODE = '{"name": "web", "engines": {"node": ">=18"}, "scripts": {"test": "node --test"}}'
GO = "module example.org/x\n\ngo 1.21\n"
CARGO = '[package]\nname = "x"\nedition = "2021"\nrust-version = "1.70"\n'


def inspect(files: Mapping[str, str], own: str = "", *listing: str) -> Report:
    return inspect_repository(make_evidence(files, listing), own)


def shown(report: Report) -> list[tuple[str, str, str]]:
    return [
        (part.runtime.name, part.folder, str(part.source) if part.source else "")
        for part in report.parts
        if part.is_needed
    ]


def part_of(report: Report, name: str) -> Part:
    return next(part for part in report.parts if part.runtime.name == name)


BOTH = "\tpytest -q\n\tcd web && npm test\n"


def test_a_target_that_calls_two_ecosystems_needs_both_each_in_its_folder() -> None:
    files = {
        "Makefile": f"test:\n{BOTH}",
        "pyproject.toml": PYTHON,
        "web/package.json": NODE,
        "web/package-lock.json": "{}",
    }
    report = inspect(files, "make test")
    assert shown(report) == [("python", "", "Makefile:2"), ("node", "web", "web/package.json:1")]
    node = part_of(report, "node")
    assert node.manager is not None
    assert (node.manager.install, node.runtime.constraint) == ("npm ci", ">=18")
    assert report.runtime.name == "python"
    assert report.needs.also_requires == ("node",)


JUST = "test: unit\n    cd web && npm test\n\nunit:\n    go test ./...\n"
TASK = "tasks:\n  test:\n    cmds:\n      - go test ./...\n      - cd web && npm test\n"
MISE = '[tasks.test]\nrun = ["go test ./...", "npm --prefix web test"]\n'
SCRIPT = "#!/bin/sh\nset -e\ngo test ./...\n(cd web && npm test)\n"
MAKE = "test: web\n\tgo test ./...\n\nweb:\n\tnpm -C web test\n"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("justfile", JUST, "just test"),
        ("Taskfile.yml", TASK, "task test"),
        ("mise.toml", MISE, "mise run test"),
        ("test.sh", SCRIPT, "./test.sh"),
        ("Makefile", MAKE, "make test"),
    ],
)
def test_every_runner_of_tasks_is_read_to_the_bottom(name: str, text: str, command: str) -> None:
    files = {name: text, "go.mod": GO, "web/package.json": NODE}
    found = {(part[0], part[1]) for part in shown(inspect(files, command))}
    assert found == {("go", ""), ("node", "web")}


def test_what_a_package_is_compiled_with_comes_before_it() -> None:
    files = {
        "pyproject.toml": '[build-system]\nrequires = ["maturin>=1"]\n' + PYTHON,
        "Cargo.toml": CARGO,
        "tests/test_x.py": "",
    }
    report = inspect(files, "pytest")
    assert shown(report) == [("rust", "", "pyproject.toml:2"), ("python", "", "")]
    assert part_of(report, "rust").runtime.constraint == "1.70"
    assert part_of(report, "python").compiled_with == "rust"


def test_the_crate_of_a_package_may_lie_in_a_folder_of_its_own() -> None:
    settings = '[tool.maturin]\nmanifest-path = "native/Cargo.toml"\n'
    files = {
        "pyproject.toml": f'[build-system]\nrequires = ["maturin"]\n{PYTHON}{settings}',
        "native/Cargo.toml": CARGO,
    }
    assert ("rust", "native", "pyproject.toml:2") in shown(inspect(files, "pytest"))


def test_environments_of_tox_and_sessions_of_nox_are_read() -> None:
    tox = "[testenv]\nallowlist_externals = npm\ncommands =\n    pytest {posargs}\n    npm test\n"
    nox = '@nox.session\ndef tests(session):\n    session.run("npm", "test", external=True)\n'
    for command, files in (("tox", {"tox.ini": tox}), ("nox -s tests", {"noxfile.py": nox})):
        report = inspect({**files, "pyproject.toml": PYTHON, "package.json": NODE}, command)
        assert {part[0] for part in shown(report)} == {"python", "node"}
        assert report.runtime.name == "python"


def test_what_only_a_branch_of_a_script_starts_is_not_needed() -> None:
    script = '#!/bin/sh\npytest\nif [ -n "$WEB" ]; then\n  npm test\nfi\n'
    files = {"test.sh": script, "pyproject.toml": PYTHON, "package.json": NODE}
    report = inspect(files, "./test.sh")
    assert shown(report) == [("python", "", "test.sh:2")]
    assert not part_of(report, "node").is_needed


def test_what_the_ci_installs_before_it_tests_is_prepared_but_not_needed() -> None:
    files = {
        CI: workflow("npm ci", "pip install -r requirements/ci.txt\npip install .[test]", "pytest"),
        "pyproject.toml": PYTHON,
        "package.json": NODE,
        "package-lock.json": "{}",
        "requirements/ci.txt": "pytest\n",
    }
    report = inspect(files, "", "tests/test_a.py")
    node = part_of(report, "node")
    assert not node.is_needed
    assert node.source is not None
    assert (node.source.file, node.source.quote) == (
        CI,
        "- run: |",
    ) or node.source.quote == "npm ci"
    assert part_of(report, "python").installs == (
        "python -m pip install -r requirements/ci.txt",
        "python -m pip install -e '.[test]'",
    )


def test_what_another_job_of_the_ci_installs_is_nothing_to_this_one() -> None:
    both = workflow("npm ci", job="web") + workflow("pytest").partition("jobs:\n")[2]
    files = {CI: both, "pyproject.toml": PYTHON, "package.json": NODE}
    report = inspect(files, "", "tests/test_a.py")
    assert [part.runtime.name for part in report.parts] == ["python"]


def test_the_packages_of_one_workspace_are_installed_at_its_root() -> None:
    files = {
        "package.json": '{"workspaces": ["apps/*"], "scripts": {"test": "cd apps/a && npm test"}}',
        "package-lock.json": "{}",
        "apps/a/package.json": NODE,
    }
    assert [(part.runtime.name, part.folder) for part in inspect(files, "npm test").parts] == [
        ("node", "")
    ]


def test_a_server_in_a_folder_is_installed_there() -> None:
    files = {"Makefile": "test:\n\tcd backend && pytest\n", "backend/pyproject.toml": PYTHON}
    report = inspect(files, "make test")
    assert [(part.folder, part.runtime.constraint) for part in report.parts] == [
        ("backend", ">=3.10")
    ]
    assert report.manager is not None


def test_a_program_that_bun_runs_needs_no_node() -> None:
    files = {"package.json": '{"scripts": {"test": "vitest run"}}', "bun.lock": ""}
    assert [part.runtime.name for part in inspect(files, "bun run test").parts] == ["bun"]
