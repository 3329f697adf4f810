"""A real CalDAV server (Radicale) as a process of its own, and a client that fills it."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

_REQUEST = re.compile(r"([A-Z]+) request for '([^']*)'")
USER, PASSWORD = "ada", "wren-and-oak"


class Radicale:
    """One server with one user; it can be stopped and started on the same port and folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}/"
        (folder / "users").write_text(f"{USER}:{PASSWORD}\n", encoding="utf-8")
        self.log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._client = httpx.Client(auth=(USER, PASSWORD), trust_env=False)

    def start(self) -> None:
        options = {
            "server-hosts": f"127.0.0.1:{self.port}",
            "auth-type": "htpasswd",
            "auth-htpasswd-filename": str(self._folder / "users"),
            "auth-htpasswd-encryption": "plain",
            "auth-delay": "0",
            "storage-filesystem-folder": str(self._folder / "data"),
            "logging-level": "info",
        }
        arguments = [text for name, value in options.items() for text in (f"--{name}", value)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "radicale", "--config", "", *arguments],
                stdout=log,
                stderr=log,
            )
        for _ in range(400):
            with contextlib.suppress(httpx.TransportError):
                self._client.get(self.url)
                return
            time.sleep(0.05)
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        self.stop()
        self._client.close()

    def make(self, name: str, component: str = "VEVENT", title: str = "") -> str:
        """Make a collection and return its address."""
        body = (
            '<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop>'
            f"<displayname>{title or name}</displayname><C:supported-calendar-component-set>"
            f'<C:comp name="{component}"/></C:supported-calendar-component-set>'
            "</prop></set></C:mkcalendar>"
        )
        url = f"{self.url}{USER}/{name}/"
        self._client.request("MKCALENDAR", url, content=body).raise_for_status()
        return url

    def put(self, collection: str, item: str, data: bytes) -> None:
        headers = {"Content-Type": "text/calendar"}
        self._client.put(f"{collection}{item}", content=data, headers=headers).raise_for_status()

    def delete(self, url: str) -> None:
        self._client.delete(url).raise_for_status()

    def requests(self) -> list[str]:
        """Return method and path of each request since the last call, from the server's log."""
        found = _REQUEST.findall(self.log.read_text(encoding="utf-8"))
        self.log.write_bytes(b"")
        return [f"{method} {path}" for method, path in found]

    def forget_tokens(self) -> None:
        """Lose the record of changes, as a server does that was restored or cleaned."""
        for token in self._folder.rglob(".Radicale.cache/sync-token/*"):
            token.unlink()


@contextlib.contextmanager
def serve_radicale(folder: Path) -> Iterator[Radicale]:
    server = Radicale(folder)
    try:
        server.start()
        yield server
    finally:
        server.close()
