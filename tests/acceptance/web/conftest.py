from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

_STARTED = re.compile(r"Iris listens on (https?://\S+)")
_PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class Server:
    """A running `iris serve`."""

    url: str
    token: str
    voice: str
    """Address for voice assistants; empty when it listens to none."""
    home: Path
    process: subprocess.Popen[str]
    environment: dict[str, str]

    def link(self) -> str:
        """Return a fresh address that lets a browser in, as `iris serve link` prints it."""
        program = [sys.executable, "-m", "iris_harness", "serve", "link", "--url", self.url]
        done = subprocess.run(
            program, env=self.environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    @contextlib.contextmanager
    def visitor(self) -> Iterator[httpx.Client]:
        """Give a client that was let in as a browser is: it keeps its cookie."""
        with httpx.Client(
            base_url=self.url, timeout=_PATIENCE_SECONDS, follow_redirects=True
        ) as client:
            client.get(self.link()).raise_for_status()
            yield client

    def client(self, token: str | None = None) -> httpx.Client:
        """Return a client that sends `token`; None is the right one, "" is none."""
        sent = self.token if token is None else token
        headers = {"Authorization": f"Bearer {sent}"} if sent else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=_PATIENCE_SECONDS)

    def stop(self) -> str:
        """Tell it to stop, and return what it wrote on its error stream."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.communicate(timeout=_PATIENCE_SECONDS)[1]


def start_server(
    home: Path, *arguments: str, source: tuple[str, ...] = ("--demo",), **more: str
) -> Server:
    """Start a server; without a `source` it serves what the settings in `home` name."""
    environment = {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TZ": "Europe/Berlin"}
    environment |= more
    program = [sys.executable, "-m", "iris_harness", "serve"]
    process = subprocess.Popen(
        [*program, *source, "--port", "0", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.readline()
    started = _STARTED.match(said)
    voice = process.stdout.readline().split()[-1] if "--voice-port" in arguments else ""
    if started is None:
        process.kill()
        pytest.fail(f"the server did not start: {said} {process.communicate()[1]}")
    token = subprocess.run(
        [*program, "token", *source], env=environment, capture_output=True, text=True, check=True
    )
    return Server(
        url=started[1], token=token.stdout.strip(), voice=voice, home=home, process=process,
        environment=environment,
    )  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests of a module."""
    running = start_server(tmp_path_factory.mktemp("home"))
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture
def own_server(home: Path) -> Iterator[Server]:
    """A server of one test, which may stop it."""
    running = start_server(home)
    yield running
    if running.process.poll() is None:
        running.stop()
