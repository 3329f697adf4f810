"""`iris repo test` runs a repository's tests apart from everything, and says what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GIT = ("/usr/bin/env", "git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")


class Repository:
    """A small repository, and the command under test on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repo"
        self.data = folder / "data"
        self.folder.mkdir()
        self.git("init", "-q")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            [*GIT, *words], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout

    def commit(self, **files: str) -> None:
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "change")

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "XDG_DATA_HOME": str(self.data), **environment}
        return subprocess.run(
            [sys.executable, "-m", "iris_harness", "repo", "test", str(self.folder), *words],
            capture_output=True, text=True, env=variables, timeout=240, check=False,
        )  # fmt: skip

    def result(self, *words: str) -> dict[str, Any]:
        done = self.run("--json", *words)
        assert done.stdout, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


TEST = """
import unittest, add

class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add.add(1, 2), 3)
"""
COMMAND = ("--test-command", "python3 -m unittest")


def test_tests_that_fail_are_the_codes_until_it_is_mended(repository: Repository) -> None:
    repository.commit(add_py="def add(a, b):\n    return a - b\n", test__add_py=TEST)
    repository.git("mv", "test/add.py", "test_add.py")
    repository.git("commit", "-q", "-m", "move")
    red = repository.run(*COMMAND)
    assert red.returncode == 1, red.stderr
    assert "the tests run, and fail" in red.stdout
    assert "AssertionError: -1 != 3" in red.stdout
    repository.commit(add_py="def add(a, b):\n    return a + b\n")
    green = repository.result(*COMMAND)
    assert (green["standing"], green["exit_code"], green["confined"]) == ("green", 0, True)
    assert green["toolchain"].startswith("python 3.")


def test_a_program_that_is_missing_is_not_the_codes(repository: Repository) -> None:
    repository.commit(README_md="x\n")
    done = repository.run("--test-command", "frobnicate --all")
    assert done.returncode == 3
    assert "the tests cannot run here" in done.stdout
    assert "frobnicate: command not found" in done.stdout


def test_tests_that_need_the_network_are_not_the_codes(repository: Repository) -> None:
    script = "import urllib.request\nurllib.request.urlopen('http://example.org/')\n"
    repository.commit(check_py=script)
    found = repository.result("--test-command", "python3 check.py")
    assert found["standing"] == "impossible"
    assert found["failure"]["class"] == "network"


def test_tests_that_never_end_are_ended(repository: Repository) -> None:
    repository.commit(README_md="x\n")
    found = repository.result("--test-command", "sleep 4400", "--seconds", "1")
    assert (found["standing"], found["exit_code"]) == ("impossible", 124)
    assert found["failure"]["class"] == "timeout"


def test_a_repository_without_tests_runs_nothing(repository: Repository) -> None:
    repository.commit(README_md="x\n")
    found = repository.result()
    assert (found["standing"], found["exit_code"]) == ("unverifiable", None)


def test_a_version_that_is_not_here_runs_nothing(repository: Repository) -> None:
    project = '[project]\nname = "x"\nrequires-python = ">=3.99"\n'
    repository.commit(pyproject_toml=project, test__x_py="def test_x():\n    pass\n")
    found = repository.result("--test-command", "python -m pytest")
    assert (found["standing"], found["exit_code"]) == ("impossible", None)
    assert found["why"].startswith("pyproject.toml:3 says >=3.99")
    assert found["can_do"]


def test_the_checkout_is_left_as_it_was(repository: Repository, tmp_path: Path) -> None:
    repository.commit(README_md="x\n")
    (repository.folder / "own.txt").write_text("not committed\n", encoding="utf-8")
    before = (repository.git("status", "--porcelain"), repository.git("for-each-ref"))
    repository.run("--test-command", "touch made; rm -f README.md; git tag mine")
    assert (repository.git("status", "--porcelain"), repository.git("for-each-ref")) == before
    left = [path for path in (repository.data / "iris" / "trials").rglob("*") if path.is_file()]
    assert left == []
    assert tmp_path.exists()


def test_without_a_sandbox_nothing_runs(repository: Repository, tmp_path: Path) -> None:
    repository.commit(README_md="x\n")
    (tmp_path / "bin").mkdir()
    for name in ("git", "sh", "bash"):
        found = subprocess.run(
            ["/usr/bin/env", "which", name], capture_output=True, text=True, check=True
        )
        (tmp_path / "bin" / name).symlink_to(found.stdout.strip())
    done = repository.run("--test-command", f"touch {tmp_path}/ran", PATH=str(tmp_path / "bin"))
    assert done.returncode == 1
    assert "bubblewrap" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_is_no_repository_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "iris_harness", "repo", "test", str(tmp_path)],
        capture_output=True, text=True, env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "d")},
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "is no git repository" in done.stderr


def test_a_tool_that_only_a_task_runner_names_is_installed(repository: Repository) -> None:
    repository.commit(
        Makefile="check: ready\n\tpytest -q\n\nready:\n\ttrue\n",
        pyproject_toml="[project]\nname = 'x'\nversion = '1'\n[tool.setuptools]\npy-modules = []\n",
        tests__test__x_py="",
    )
    (repository.folder / "tests" / "test_x.py").write_text("def test_x(): pass\n", "utf-8")
    repository.git("add", ".")
    repository.git("commit", "-q", "-m", "a test")
    found = repository.result("--test-command", "make check")
    assert (found["standing"], found["exit_code"]) == ("green", 0), found
