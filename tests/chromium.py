"""Chromium, driven over a pipe: one page at a time, as a user's browser would show it."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 60
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip


class Browser:
    """Speaks the DevTools protocol: JSON messages that end in a zero byte."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._ids = itertools.count(1)
        self._rest = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def open(self, path: Path, *, width: int, height: int = 900, scheme: str = "light") -> None:
        """Show a file at a width, in a light or a dark surrounding, and note what happens."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Log", "Network", "Runtime"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self._wait_for("Page.loadEventFired")

    def evaluate(self, expression: str) -> Any:  # noqa: ANN401 - whatever the page's value is
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def picture(self) -> bytes:
        """Return the whole page as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def requests(self) -> list[str]:
        """Return every address that the page asked for."""
        sent = (e for e in self.events if e["method"] == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]

    def complaints(self) -> list[str]:
        """Return what the browser wrote on its console."""
        methods = {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"}
        return [json.dumps(event["params"]) for event in self.events if event["method"] in methods]

    def call(self, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 - the protocol's
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params}
        if self._session and not method.startswith("Target."):
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _wait_for(self, method: str) -> None:
        while not any(event["method"] == method for event in self.events):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], _SECONDS)
            assert ready, "Chromium does not answer"
            self._rest += os.read(self._answers, 1 << 20)
        message, _, self._rest = self._rest.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded


@contextlib.contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Run Chromium with a profile of its own; skip where it is not installed."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("Chromium is not installed (Debian: apt install chromium)")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    # The browser reads commands from descriptor 3 and answers on 4.
    script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
    process = subprocess.Popen(
        ["/bin/bash", "-c", script, program, *_QUIET, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(theirs_in, theirs_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(ours_out, ours_in)
    finally:
        os.close(ours_out)
        os.close(ours_in)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
