"""The server killed, its disk full, its database locked: nothing lost, doubled or stuck."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from wyoming.asr import Transcript
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.handle import Handled

from tests.acceptance.web.conftest import Server, start_server
from tests.slow_agent import SECONDS, install_slow_agent
from tests.support import RunIris, examples

SETTINGS = "timezone: Europe/Berlin\ntodos: [~/todo.txt]\n"
_MADE_ON = re.compile(r"^\d{4}-\d\d-\d\d ")
NO_LIMIT = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
Start = Callable[..., Server]


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with a short path: that of a socket has an end."""
    with tempfile.TemporaryDirectory(prefix="iris-") as name:
        home = Path(name)
        (home / ".config" / "iris").mkdir(parents=True)
        (home / ".config" / "iris" / "config.yaml").write_text(SETTINGS)
        (home / "todo.txt").write_text("Buy milk\n")
        yield home


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Starts servers with an agent that sleeps; whatever is left of them is killed."""
    plugin = str(install_slow_agent(home / "plugin"))
    started: list[Server] = []

    def start(*arguments: str, **more: str) -> Server:
        environment = {"PYTHONPATH": plugin, **more}
        started.append(start_server(home, *arguments, source=(), **environment))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


def ask(server: Server, text: str, chat: str = "fault") -> httpx.Response:
    question = {"model": "iris", "messages": [{"role": "user", "content": text}]}
    with server.client() as http:
        return http.post("/v1/chat/completions", json=question, headers={"X-Chat-Id": chat})


def said(answer: httpx.Response) -> str:
    return str(answer.json()["choices"][0]["message"]["content"]).strip()


def todos(home: Path) -> list[str]:
    """Return the titles on the list, without the days they were made on."""
    return [_MADE_ON.sub("", line) for line in (home / "todo.txt").read_text().splitlines()]


def database(home: Path) -> Path:
    return home / ".local" / "share" / "iris" / "iris.db"


def test_a_server_killed_at_any_moment_loses_and_doubles_nothing(
    start: Start, home: Path, iris: RunIris
) -> None:
    moments = random.Random(8)  # noqa: S311 - the same moments in every run
    confirmed: list[str] = []
    asked: list[str] = []
    for number in range(examples(6)):
        server = start()
        killer = threading.Timer(moments.uniform(0.05, 1.5), server.process.kill)
        killer.start()
        with contextlib.suppress(httpx.TransportError):
            for index in range(1000):
                asked.append(f"errand {number} {index}")
                if "Added" in said(ask(server, f"add '{asked[-1]}' to my list", f"chat {index}")):
                    confirmed.append(asked[-1])
                ask(server, "plan my day")
        killer.join()
        server.process.communicate()
    server = start()
    lines = todos(home)
    assert "Buy milk" in lines
    assert set(confirmed) <= set(lines)
    assert set(lines) <= {"Buy milk", *asked}
    assert len(lines) == len(set(lines))
    assert "Added" in said(ask(server, "add 'the last one' to my list"))
    server.stop()
    with contextlib.closing(sqlite3.connect(database(home))) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        open_entries = opened.execute("SELECT count(*) FROM journal WHERE state = 'intended'")
        assert open_entries.fetchone() == (0,)
    assert iris("undo").returncode == 0
    assert todos(home) == lines


def test_a_full_disk_costs_the_record_of_a_turn_and_not_its_answer(
    start: Start, home: Path, iris: RunIris
) -> None:
    server = start()
    ask(server, "plan my day")
    with full_disk(server, database(home)):
        for _ in range(60):
            assert "Buy milk" in said(ask(server, "show my todos"))
        assert ask(server, "plan my day").status_code == HTTPStatus.OK
        # A change that cannot be noted first is not made; one that was made is said to be.
        was_added = "Added" in said(ask(server, "add 'stamps' to my list"))
        assert todos(home) == ["Buy milk", *(["stamps"] if was_added else [])]
    if not was_added:
        assert "Added" in said(ask(server, "add 'stamps' to my list"))
    assert "Added" in said(ask(server, "add 'bread' to my list"))  # settles what was left open
    assert todos(home) == ["Buy milk", "stamps", "bread"]
    kept = json.loads(iris("history", "--json").stdout)
    assert [entry["state"] for entry in kept["changes"]].count("done") == 2
    assert "Traceback" not in server.stop()


@contextlib.contextmanager
def full_disk(server: Server, file: Path) -> Iterator[None]:
    """Let no file of the server's grow, which to SQLite is a disk that is full."""
    size = max(path.stat().st_size for path in file.parent.glob("iris.db*"))
    limit = (size, resource.RLIM_INFINITY)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limit)
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, NO_LIMIT)


def test_a_locked_database_delays_answers_and_stops_none(start: Start, home: Path) -> None:
    server = start()
    ask(server, "hello")
    with contextlib.closing(sqlite3.connect(database(home), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(4) as asking:
            answers = list(asking.map(lambda n: ask(server, "show my todos", str(n)), range(4)))
        assert all("Buy milk" in said(answer) for answer in answers)
        refused = said(ask(server, "add 'stamps' to my list"))
        assert "Added" not in refused
        assert todos(home) == ["Buy milk"]
        other.execute("ROLLBACK")
    begun = time.perf_counter()
    assert "Added" in said(ask(server, "add 'stamps' to my list"))
    assert time.perf_counter() - begun < 5


def test_a_server_that_is_stopped_lets_running_questions_end(
    start: Start, home: Path, iris: RunIris
) -> None:
    server = start()
    with ThreadPoolExecutor(2) as asking:
        over_http = asking.submit(ask, server, "sleep now")
        plugin = {"PYTHONPATH": str(home / "plugin")}
        at_socket = asking.submit(lambda: iris("ask", "sleep now", **plugin))
        wait_until(lambda: running(server) == 2)
        server.process.send_signal(signal.SIGTERM)
        assert said(over_http.result()) == "I slept well."
        assert at_socket.result().returncode == 0
        assert "I slept well." in at_socket.result().stdout
    assert server.process.wait(timeout=30) == 0


def test_a_question_that_outlasts_the_grace_of_a_stop_is_ended_told_and_kept(
    start: Start, home: Path, iris: RunIris
) -> None:
    install_slow_agent(home / "slower", seconds=600)
    slower = {"PYTHONPATH": str(home / "slower")}
    with (home / ".config" / "iris" / "config.yaml").open("a") as settings:
        settings.write("server: {grace_seconds: 1}\n")
    server = start("--voice-port", "0", **slower)
    with ThreadPoolExecutor(4) as asking:
        over_http = asking.submit(ask, server, "sleep now")
        streamed = asking.submit(ask_streaming, server, "sleep now")
        at_socket = asking.submit(lambda: iris("ask", "sleep now", **slower))
        by_voice = asking.submit(lambda: asyncio.run(talk(server, "sleep now")))
        wait_until(lambda: running(server) == 4)
        begun = time.perf_counter()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=30) == 0
    assert 1 <= time.perf_counter() - begun < 6
    for answer in (said(over_http.result()), streamed.result(), at_socket.result().stdout):
        assert "cancelled" in answer
    event = by_voice.result()
    assert event is not None
    assert "cancelled" in str(Handled.from_event(event).text)
    kept = iris("history", "--questions").stdout
    assert kept.count("sleep now") == 4


def ask_streaming(server: Server, text: str) -> str:
    question = {"model": "iris", "messages": [{"role": "user", "content": text}], "stream": True}
    with server.client() as http:
        return http.post("/v1/chat/completions", json=question).text


def running(server: Server) -> int:
    with server.client() as http:
        lines = http.get("/metrics").text.splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("iris_turns_running "))


def wait_until(condition: Callable[[], bool]) -> None:
    give_up = time.perf_counter() + 30
    while not condition():
        assert time.perf_counter() < give_up
        time.sleep(0.05)


async def talk(server: Server, text: str) -> Event | None:
    """Say something by voice, and return what is answered."""
    host, _, port = server.voice.removeprefix("tcp://").partition(":")
    async with AsyncTcpClient(host, int(port)) as client:
        await client.write_event(Transcript(text=text).event())
        return await asyncio.wait_for(client.read_event(), 60)


def test_a_voice_assistant_hears_its_answer_before_the_server_stops(start: Start) -> None:
    server = start("--voice-port", "0")
    with ThreadPoolExecutor(1) as asking:
        heard = asking.submit(lambda: asyncio.run(talk(server, "sleep now")))
        wait_until(lambda: running(server) == 1)
        server.process.send_signal(signal.SIGTERM)
        event = heard.result()
    assert event is not None
    assert Handled.from_event(event).text == "I slept well."


def test_whoever_asked_a_server_that_is_killed_is_told_and_asks_nobody_else(
    start: Start, home: Path
) -> None:
    server = start()
    program = [sys.executable, "-m", "iris_harness", "ask", "sleep now"]
    environment = {**server.environment, "PYTHONPATH": str(home / "plugin")}
    asking = subprocess.Popen(
        program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: running(server) == 1)
    server.process.kill()
    output, errors = asking.communicate(timeout=30)
    assert (asking.returncode, output) == (1, "")
    assert "iris history" in errors


def test_a_client_that_hangs_up_leaves_the_server_free(start: Start) -> None:
    server = start()
    question = {"model": "iris", "messages": [{"role": "user", "content": "sleep now"}]}
    with server.client() as http, pytest.raises(httpx.ReadTimeout):
        http.post("/v1/chat/completions", json=question, timeout=0.5)
    wait_until(lambda: running(server) == 0)
    with server.client() as http:
        assert "iris_turns_failed_total 0\n" in http.get("/metrics").text
    begun = time.perf_counter()
    assert ask(server, "hello").status_code == HTTPStatus.OK
    assert time.perf_counter() - begun < SECONDS + 10
