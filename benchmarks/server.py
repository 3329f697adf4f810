"""The server beside the same questions asked in its own process.

Run it with ``make bench``; ``--turns 2000`` shortens the longest part. Bars: a warm "plan my day"
over HTTP takes at most 1.3 times as long as in the process, and 2 ms more; 200 questions at once
are all answered, the slowest in a hundred in at most 10 times the median; memory after 10,000 turns
is within 5 % of that after 500; a stream begins within 50 ms while an agent sleeps for 2 s.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
from _support import describe_machine, print_table

from iris_harness.sources import demo

ROUNDS = 200
AT_ONCE = 200
SETTLED = 500
TURNS = 10_000
SLEEP_SECONDS = 2
FACTOR, ALLOWANCE_MS = 1.3, 2.0
TAIL = 10.0
GROWTH = 1.05
FIRST_BYTE_MS = 50.0
_DATA = Path(demo.__file__).parent / "demo_data"
_QUESTIONS = ("plan my day", "what is overdue", "what is on tomorrow", "show my todos", "hello")
_AGENT = f"""
import time
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, Intent, Rule, RoutingRule

def agent(ports):
    def answer(task):
        time.sleep({SLEEP_SECONDS})
        return HandlerResult(text="I slept.")
    rule = RoutingRule(pattern="sleep now", kind=Rule.EXACT)
    intent = Intent(name="slow.query", description="sleep", examples=("sleep now",), rules=(rule,))
    return Agent(name="slow", intents=(intent,), handler=answer, read_only=True)
"""


class Server(NamedTuple):
    """A running server."""

    url: str
    token: str
    pid: int

    def megabytes(self) -> float:
        """Return the memory it holds, in megabytes (2^20 bytes)."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def prepare(home: Path) -> dict[str, str]:
    """Write settings, calendars, lists and an agent that sleeps; return the environment."""
    folder = home / ".config" / "iris"
    folder.mkdir(parents=True)
    calendars = sorted(str(path) for path in _DATA.glob("*.ics"))
    settings = {
        "timezone": demo.DEMO_TIMEZONE,
        "calendars": calendars,
        "todos": [str(_DATA / "todo.txt")],
        "server": {"requests_per_minute": 1_000_000},
    }
    (folder / "config.yaml").write_text(json.dumps(settings))
    plugin = home / "plugin"
    info = plugin / "slow_agent-1.dist-info"
    info.mkdir(parents=True)
    (plugin / "slow_agent.py").write_text(_AGENT)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-agent\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[iris_harness.agents]\nslow = slow_agent:agent\n")
    return {**os.environ, "HOME": str(home), "PYTHONPATH": str(plugin)}


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[Server]:
    """Give a server that is stopped afterwards."""
    program = [sys.executable, "-m", "iris_harness", "serve"]
    process = subprocess.Popen(
        [*program, "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
    )
    url = process.stdout.readline().split()[-1]
    token = subprocess.run(
        [*program, "token"], env=environment, capture_output=True, text=True, check=True
    )
    try:
        yield Server(url, token.stdout.strip(), process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


_INSIDE = f"""
import statistics, time
from iris_harness import Iris, load_config
from iris_harness.curator.markdown import reply_markdown
from iris_harness.curator.strings import find_language
with Iris(load_config()) as iris:
    samples = []
    for number in range({ROUNDS} + 20):
        started = time.perf_counter()
        reply_markdown(iris.turn("plan my day", "inside").reply.blocks, find_language("en"))
        samples.append(time.perf_counter() - started)
print(statistics.median(samples[20:]) * 1e3)
"""


def inside_ms(environment: dict[str, str]) -> float:
    """Return the median time of a warm question in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _INSIDE], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _body(text: str, *, stream: bool = False) -> bytes:
    message = {"role": "user", "content": text}
    return json.dumps({"model": "iris", "messages": [message], "stream": stream}).encode()


class Asker:
    """Asks over one connection that is kept."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(server.url).netloc)
        self._headers = {"Authorization": f"Bearer {server.token}", "X-Chat-Id": "bench"}

    def ask(self, text: str) -> None:
        """Ask, and read the answer."""
        self._connection.request("POST", "/v1/chat/completions", _body(text), self._headers)
        answer = self._connection.getresponse()
        answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(answer.status)

    def first_byte_ms(self, text: str) -> float:
        """Return the time until a stream begins; the rest is read, too."""
        started = time.perf_counter()
        body = _body(text, stream=True)
        self._connection.request("POST", "/v1/chat/completions", body, self._headers)
        answer = self._connection.getresponse()
        answer.read(1)
        first = time.perf_counter() - started
        answer.read()
        if time.perf_counter() - started < SLEEP_SECONDS:
            raise RuntimeError("the agent did not sleep")
        return first * 1e3


def over_http_ms(server: Server) -> float:
    """Return the median time of a warm question over HTTP."""
    asker = Asker(server)
    samples = []
    for _ in range(ROUNDS + 20):
        started = time.perf_counter()
        asker.ask("plan my day")
        samples.append(time.perf_counter() - started)
    return statistics.median(samples[20:]) * 1e3


async def at_once(server: Server) -> tuple[list[float], int]:
    """Ask many questions at once; return the sorted times in milliseconds, and the errors."""
    limits = httpx.Limits(max_connections=None)
    headers = {"Authorization": f"Bearer {server.token}"}
    async with httpx.AsyncClient(
        base_url=server.url, headers=headers, limits=limits, timeout=120
    ) as client:

        async def ask(number: int) -> tuple[float, bool]:
            text = _QUESTIONS[number % len(_QUESTIONS)]
            started = time.perf_counter()
            answer = await client.post(
                "/v1/chat/completions", content=_body(text), headers={"X-Chat-Id": str(number)}
            )
            return (time.perf_counter() - started) * 1e3, answer.status_code == http.client.OK

        answers = await asyncio.gather(*map(ask, range(AT_ONCE)))
    return sorted(took for took, _ in answers), sum(not good for _, good in answers)


def memory(server: Server, turns: int) -> tuple[float, float]:
    """Return the megabytes after the first turns, and after all of them."""
    asker = Asker(server)
    early = 0.0
    for number in range(turns):
        if number == SETTLED:
            early = server.megabytes()
        asker.ask(_QUESTIONS[number % len(_QUESTIONS)])
    return early, server.megabytes()


def measure(turns: int) -> list[tuple[str, str, str, bool]]:
    """Return rows: what, figure, bar, and whether it is met."""
    with tempfile.TemporaryDirectory() as name:
        environment = prepare(Path(name))
        inside = inside_ms(environment)
        with serving(environment) as server:
            outside = over_http_ms(server)
            first = statistics.median(Asker(server).first_byte_ms("sleep now") for _ in range(5))
            times, errors = asyncio.run(at_once(server))
            early, late = memory(server, turns)
    bar = inside * FACTOR + ALLOWANCE_MS
    middle, tail = statistics.median(times), times[int(len(times) * 0.99) - 1]
    return [
        (f"in the process: {inside:.1f} ms; over HTTP", f"{outside:.1f} ms", f"{bar:.1f} ms",
         outside <= bar),
        ("first byte of a stream", f"{first:.1f} ms", f"{FIRST_BYTE_MS:.0f} ms",
         first <= FIRST_BYTE_MS),
        (f"{AT_ONCE} at once: errors", str(errors), "0", errors == 0),
        (f"{AT_ONCE} at once: median {middle:.0f} ms; 99th of a hundred", f"{tail:.0f} ms",
         f"{middle * TAIL:.0f} ms", tail <= middle * TAIL),
        (f"memory after {SETTLED}: {early:.1f} MB; after {turns:,}", f"{late:.1f} MB",
         f"{early * GROWTH:.1f} MB", late <= early * GROWTH),
    ]  # fmt: skip


def main() -> int:
    """Measure, print a table, and return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help="how many turns memory is held to")
    turns = parser.parse_args().turns
    print(describe_machine())
    rows = measure(turns)
    print_table(
        ("what", "measured", "bar", ""),
        [(what, figure, bar, "" if met else "missed") for what, figure, bar, met in rows],
    )
    return 0 if all(met for *_, met in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
