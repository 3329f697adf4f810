"""From a task to a commit in the user's checkout, through the command line alone."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest


@dataclass(frozen=True)
class Project:
    """A repository with a bug, in one language."""

    files: dict[str, str]
    path: str
    wrong: str
    right: str

    @property
    def calls(self) -> list[tuple[str, dict[str, str]]]:
        """What the model asks for, in order."""
        mend = {"path": self.path, "old": self.wrong, "new": self.right}
        return [("edit", mend), ("finish", {"summary": "Add adds."})]


PROJECTS = {
    "python": Project(
        files={
            "calc.py": "def add(a, b):\n    return a - b\n",
            "tests/test_calc.py": (
                "import unittest, calc\nclass T(unittest.TestCase):\n"
                "    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"
            ),
            "tests/__init__.py": "",
            "setup.py": "from setuptools import setup\nsetup(name='calc', py_modules=['calc'])\n",
            ".github/workflows/ci.yml": (
                "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
                "      - run: python3 -m unittest\n"
            ),
        },
        path="calc.py", wrong="a - b", right="a + b",
    ),
    "node": Project(
        files={
            "calc.js": "exports.add = (a, b) => a - b;\n",
            "calc.test.js": (
                "const test = require('node:test');\nconst assert = require('node:assert');\n"
                "const { add } = require('./calc');\n"
                "test('add', () => assert.strictEqual(add(1, 2), 3));\n"
            ),
            "package.json": '{"name": "calc", "scripts": {"test": "node --test"}}\n',
        },
        path="calc.js", wrong="a - b", right="a + b",
    ),
    "c": Project(
        files={
            "calc.c": "int add(int a, int b) { return a - b; }\n",
            "test_calc.c": (
                "#include <assert.h>\n#include <stdio.h>\nint add(int, int);\n"
                'int main(void) { assert(add(1, 2) == 3); puts("1 passed"); return 0; }\n'
            ),
            "Makefile": (
                "test: test_calc\n\t./test_calc\n\n"
                "test_calc: test_calc.c calc.c\n\t$(CC) -o $@ $^\n.PHONY: test\n"
            ),
            ".gitignore": "/test_calc\n",
        },
        path="calc.c", wrong="a - b", right="a + b",
    ),
}  # fmt: skip


class Iris(Protocol):
    """Runs `iris` with a home of the test's own; where it `fails`, that is what it says."""

    def __call__(self, *words: str, fails: str = "") -> str: ...


class ModelServer(http.server.BaseHTTPRequestHandler):
    """Answers as a server of OpenAI's kind whose model makes the calls above."""

    left: list[tuple[str, dict[str, str]]]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        """Say nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        name, arguments = type(self).left.pop(0)
        function = {"name": name, "arguments": json.dumps(arguments)}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
        answer = {
            "id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }  # fmt: skip
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def served(calls: list[tuple[str, dict[str, str]]]) -> Iterator[str]:
    handler = type("Handler", (ModelServer,), {"left": list(calls)})
    server = http.server.HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    command = ["/usr/bin/env", "git", *identity, *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("language", sorted(PROJECTS))
def test_a_task_is_planned_queued_done_proved_and_applied(tmp_path: Path, language: str) -> None:
    project = PROJECTS[language]
    repo = tmp_path / "repo"
    for name, text in project.files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text, encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        git(repo, *words)
    settings = tmp_path / "config.yaml"

    def iris(*words: str, fails: str = "") -> str:
        environment = {
            **os.environ, "IRIS_CONFIG": str(settings), "XDG_DATA_HOME": str(tmp_path / "data"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "iris_harness", *words],
            env=environment, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert (done.returncode == 0) == (not fails), done.stderr
        assert fails in done.stderr
        return done.stdout

    with served(project.calls) as url:
        model = f"{{name: m, type: openai, base_url: '{url}', model: m, supports: [tools]}}"
        settings.write_text(f"models:\n  default: m\n  available: [{model}]\n", encoding="utf-8")
        iris("jobs", "submit", f"fix add in {project.path}", "--repo", str(repo))
        assert "runs workers in bubblewrap" in iris("daemon", "run", "--once")
    (job,) = json.loads(iris("jobs", "list", "--json"))["jobs"]
    assert job["state"] == "succeeded", iris("jobs", "show", job["id"])
    right = project.files[project.path].replace(project.wrong, project.right)
    assert f"+{right.splitlines()[-1]}" in iris("jobs", "diff", job["id"])
    assert git(repo, "branch", "--format=%(refname:short)").split() == [
        git(repo, "branch", "--show-current").strip()
    ]
    assert (repo / project.path).read_text(encoding="utf-8") == project.files[project.path]
    assert job["reviewed_at"] is None
    _patch_and_open(iris, repo, settings, job["id"])
    assert json.loads(iris("jobs", "show", job["id"], "--json"))["reviewed_at"] is not None
    iris("jobs", "apply", job["id"], "--into", str(repo))
    assert (repo / project.path).read_text(encoding="utf-8") == right
    assert git(repo, "status", "--porcelain") == ""


def _patch_and_open(iris: Iris, repo: Path, settings: Path, job: str) -> None:
    iris("jobs", "apply", job, "--into", str(repo), "--patch")
    assert git(repo, "diff", "--stat") != ""
    git(repo, "checkout", "-q", ".")
    allowed = settings.read_text(encoding="utf-8")
    iris("jobs", "open", job, "--in", str(repo), fails="pushing is not allowed")
    assert f"iris/{job}" not in git(repo, "branch")
    then = "[git, log, '-1', '--format=%s', '{branch}']"
    settings.write_text(f"{allowed}jobs: {{publish: {{push: true, then: {then}}}}}\n", "utf-8")
    said = iris("jobs", "open", job, "--in", str(repo))
    assert said.splitlines()[-1].startswith("fix add in ")
    git(repo, "branch", "-q", "-D", f"iris/{job}")
