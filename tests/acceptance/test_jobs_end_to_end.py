"""From a task to a commit in the user's checkout, through the command line alone."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": (
        "import unittest, calc\nclass T(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"
    ),
}
CALLS = [
    ("edit", {"path": "calc.py", "old": "a - b", "new": "a + b"}),
    ("finish", {"summary": "Add adds."}),
]


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


@pytest.fixture
def model_url() -> Iterator[str]:
    handler = type("Handler", (ModelServer,), {"left": list(CALLS)})
    server = http.server.HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    command = ["/usr/bin/env", "git", *identity, *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def test_a_task_is_planned_queued_done_proved_and_applied(tmp_path: Path, model_url: str) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    for name, text in FILES.items():
        (repo / name).write_text(text, encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        git(repo, *words)
    model = f"{{name: m, type: openai, base_url: '{model_url}', model: m, supports: [tools]}}"
    settings = tmp_path / "config.yaml"
    settings.write_text(f"models:\n  default: m\n  available: [{model}]\n", encoding="utf-8")

    def iris(*words: str) -> str:
        environment = {
            **os.environ, "IRIS_CONFIG": str(settings), "XDG_DATA_HOME": str(tmp_path / "data"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "iris_harness", *words],
            env=environment, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    iris("jobs", "submit", "fix add in calc.py", "--repo", str(repo),
         "--test-cmd", "python3 -m unittest")  # fmt: skip
    assert "runs workers in bubblewrap" in iris("daemon", "run", "--once")
    (job,) = json.loads(iris("jobs", "list", "--json"))["jobs"]
    assert job["state"] == "succeeded"
    assert "+    return a + b" in iris("jobs", "diff", job["id"])
    assert git(repo, "branch", "--format=%(refname:short)").split() == [
        git(repo, "branch", "--show-current").strip()
    ]
    assert (repo / "calc.py").read_text(encoding="utf-8") == FILES["calc.py"]
    iris("jobs", "apply", job["id"], "--into", str(repo))
    assert (repo / "calc.py").read_text(encoding="utf-8") == "def add(a, b):\n    return a + b\n"
