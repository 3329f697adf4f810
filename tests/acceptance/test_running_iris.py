"""`iris ask` while `iris serve` runs: the same answers from the Iris that is there already."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.surfaces.local.place import FOLDER, SOCKET
from tests.acceptance.test_chat import ENVIRONMENT, Terminal
from tests.acceptance.test_imports import loaded
from tests.acceptance.web.conftest import Server, start_server
from tests.permissions import NOBODY
from tests.support import RunIris

HEAVY = {"starlette", "uvicorn", "anyio", "asyncio", "httpx", "numpy", "pydantic", "yaml",
         "iris_router", "iris_agents", "iris_harness.executor.agent_executor",
         "importlib.metadata"}  # fmt: skip
SETTINGS = "timezone: Europe/Berlin\ntodos: [~/todo.txt]\ncalendars: [~/work.ics]\n"
TODO_TXT = "(A) Call mum due:2020-03-26\nBuy milk\nBuy bread @shop\n"
CALENDAR = """\
BEGIN:VCALENDAR
BEGIN:VEVENT
UID:standup
DTSTART:20200326T000000Z
DTEND:20200326T001500Z
RRULE:FREQ=DAILY
SUMMARY:Stand-up
END:VEVENT
END:VCALENDAR
"""
_COUNT = re.compile(r"^iris_turn_seconds_count (\d+)", re.MULTILINE)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with a short path: that of a socket has an end."""
    with tempfile.TemporaryDirectory(prefix="iris-") as name:
        home = Path(name)
        (home / ".config" / "iris").mkdir(parents=True)
        (home / ".config" / "iris" / "config.yaml").write_text(SETTINGS)
        (home / "todo.txt").write_text(TODO_TXT)
        (home / "work.ics").write_text(CALENDAR)
        yield home


@pytest.fixture
def server(home: Path) -> Iterator[Server]:
    running = start_server(home, source=())
    yield running
    if running.process.poll() is None:
        running.process.send_signal(signal.SIGCONT)
        running.stop()


def socket_of(home: Path) -> Path:
    return home / ".local" / "share" / "iris" / FOLDER / SOCKET


def answered(server: Server) -> int:
    """Return how many questions a server has answered."""
    with server.client() as http:
        found = _COUNT.search(http.get("/metrics").text)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("form", ["--plain", "--speech"])
@pytest.mark.parametrize("words", ["what is overdue", "show my todos", "order a pizza"])
def test_a_running_iris_answers_with_the_same_bytes(
    home: Path, iris: RunIris, form: str, words: str
) -> None:
    alone = iris("ask", form, words)
    server = start_server(home, source=())
    helped = iris("ask", form, words)
    assert answered(server) == 1
    server.stop()
    assert (helped.stdout, helped.stderr, helped.returncode) == (
        alone.stdout, alone.stderr, alone.returncode,
    )  # fmt: skip


def test_json_and_trace_of_a_running_iris_have_the_form_of_ones_own(
    home: Path, iris: RunIris
) -> None:
    asking = ("ask", "--json", "--trace", "plan my day")
    alone = json.loads(iris(*asking).stdout)
    server = start_server(home, source=())
    helped = json.loads(iris(*asking).stdout)
    assert answered(server) == 1
    assert "  run " in iris("ask", "--trace", "what is overdue").stdout
    server.stop()
    assert helped.keys() == alone.keys()
    assert helped["trace"].keys() == alone["trace"].keys()
    assert helped["plans"][0]["events"] == alone["plans"][0]["events"]
    kept = iris("plan", "--replay", helped["plan_id"], "--json")
    assert json.loads(kept.stdout) == helped["plans"][0]


def test_asking_a_running_iris_loads_little(server: Server, home: Path) -> None:
    loaded(home, HEAVY, "ask", "what is overdue")  # settings are read once, and remembered
    assert loaded(home, HEAVY, "ask", "what is overdue") == "[]"
    assert answered(server) == 2


def test_a_change_is_made_by_the_running_iris_and_can_be_undone(
    server: Server, home: Path, iris: RunIris
) -> None:
    assert iris("ask", "add a todo buy stamps").returncode == 0
    assert "buy stamps" in (home / "todo.txt").read_text()
    assert iris("undo").returncode == 0
    assert "buy stamps" not in (home / "todo.txt").read_text()
    assert answered(server) == 1


def test_what_needs_a_yes_asks_for_it_or_takes_it_from_the_command(
    server: Server, home: Path, iris: RunIris
) -> None:
    unasked = iris("ask", "delete buy bread")
    assert (unasked.returncode, "--yes" in unasked.stderr) == (1, True)
    assert "Buy bread" in (home / "todo.txt").read_text()
    assert iris("ask", "--yes", "delete buy bread").returncode == 0
    assert "Buy bread" not in (home / "todo.txt").read_text()
    assert answered(server) == 2


@pytest.mark.parametrize(("key", "is_left"), [("y\n", False), ("n\n", True)])
def test_a_yes_at_the_terminal_reaches_the_running_iris(
    server: Server, home: Path, key: str, is_left: bool
) -> None:
    command = [sys.executable, "-m", "iris_harness", "ask", "delete buy bread"]
    terminal = Terminal(command, {**ENVIRONMENT, "HOME": str(home), "TZ": "Europe/Berlin"})
    terminal.wait_for("Yes?")
    terminal.press(key)
    terminal.wait_for("nothing was changed" if is_left else "Deleted")
    assert terminal.program.wait(timeout=20) == 0
    terminal.close()
    assert ("Buy bread" in (home / "todo.txt").read_text()) is is_left
    assert answered(server) == 1


@pytest.mark.parametrize(
    "other",
    [
        ("--set", "planning.grid_minutes=10", "ask"), ("ask", "--demo"),
        ("ask", "--timezone", "Asia/Tokyo"), ("ask", "--now", "09:00"),
    ],
    ids=["settings", "demonstration", "zone", "time"],
)  # fmt: skip
def test_a_question_with_other_settings_is_not_put_to_the_running_iris(
    server: Server, iris: RunIris, other: tuple[str, ...]
) -> None:
    assert iris(*other, "what is overdue").returncode == 0
    assert answered(server) == 0


def test_a_changed_settings_file_is_not_answered_from_the_old_one(
    server: Server, home: Path, iris: RunIris
) -> None:
    (home / ".config" / "iris" / "config.yaml").write_text(SETTINGS + "locale: en-US\n")
    assert iris("ask", "what is overdue").returncode == 0
    assert answered(server) == 0


def test_a_socket_that_nobody_listens_at_hinders_neither_asking_nor_the_next_server(
    server: Server, home: Path, iris: RunIris
) -> None:
    server.process.kill()
    server.process.communicate()
    assert socket_of(home).exists()
    assert iris("ask", "what is overdue").returncode == 0
    following = start_server(home, source=())
    assert iris("ask", "what is overdue").returncode == 0
    assert answered(following) == 1
    following.stop()
    assert not socket_of(home).exists()


def test_a_server_that_does_not_move_is_not_waited_for(server: Server, iris: RunIris) -> None:
    server.process.send_signal(signal.SIGSTOP)
    begun = time.perf_counter()
    assert "overdue" in iris("ask", "what is overdue").stdout
    assert time.perf_counter() - begun < 10
    server.process.send_signal(signal.SIGCONT)
    server.stop()


def test_the_first_of_two_servers_keeps_the_socket(
    server: Server, home: Path, iris: RunIris
) -> None:
    second = start_server(home, source=())
    assert iris("ask", "what is overdue").returncode == 0
    assert (answered(server), answered(second)) == (1, 0)
    second.stop()
    assert iris("ask", "what is overdue").returncode == 0
    assert answered(server) == 2


def test_the_socket_is_its_owners_alone(server: Server, home: Path) -> None:
    file = socket_of(home)
    assert server.process.poll() is None
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


if os.geteuid() == 0:  # only root can be somebody else

    def test_another_user_is_not_greeted_even_where_the_file_lets_him(
        server: Server, home: Path
    ) -> None:
        file = socket_of(home)
        for folder in (home, *(file.parents[n] for n in range(4))):
            folder.chmod(0o755)
        file.chmod(0o777)
        program = (
            f"import os, socket; os.setuid({NOBODY}); s = socket.socket(socket.AF_UNIX); "
            f"s.connect({str(file)!r}); s.settimeout(20); print(s.recv(100))"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        assert done.stdout == b"b''\n"
        assert server.process.poll() is None


@pytest.mark.parametrize(
    "said",
    [b"", b"\n", b"[]\n", b"{}\n", b"{\n", b"\xff\n", b"x" * 600_000, b"[" * 100_000 + b"\n"],
    ids=["nothing", "no line", "a list", "no question", "no end", "no text", "too long", "deep"],
)
def test_nonsense_at_the_socket_harms_nobody(
    server: Server, home: Path, iris: RunIris, said: bytes
) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(socket_of(home)))
        other.settimeout(20)
        assert b"iris" in other.recv(1000)
        with contextlib.suppress(OSError):  # it may hang up before all was said
            other.sendall(said)
            other.shutdown(socket.SHUT_WR)
            while other.recv(10_000):
                pass
    assert iris("ask", "what is overdue").returncode == 0
    assert answered(server) >= 1
    errors = server.stop()
    assert "Traceback" not in errors
    assert "never retrieved" not in errors
