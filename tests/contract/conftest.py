"""Where channels really deliver to."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

SERVICE = Path(__file__).parent.parent / "notification_service.py"


class Desktop:
    """A D-Bus session with something in it that shows notifications."""

    def __init__(self, folder: Path, *capabilities: str) -> None:
        program = shutil.which("dbus-daemon")
        if program is None:
            pytest.skip("dbus-daemon is not installed")
        self.address = f"unix:path={folder / 'bus'}"
        self._bus = subprocess.Popen(
            [program, "--session", "--nofork", f"--address={self.address}",
             "--print-address=1"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._bus.stdout is not None
        assert self._bus.stdout.readline().startswith("unix:path=")
        self._service = subprocess.Popen(
            [sys.executable, SERVICE, self.address, *capabilities],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._read() == "ready"

    def _read(self) -> str:
        assert self._service.stdout is not None
        return self._service.stdout.readline().strip()

    def shown(self) -> dict[str, Any]:
        """Return the next notification."""
        found: dict[str, Any] = json.loads(self._read())
        return found

    def stop_service(self) -> None:
        """Leave the session without notifications."""
        _end(self._service)

    def close(self) -> None:
        _end(self._service)
        _end(self._bus)


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait(20)
    if process.stdout is not None:
        process.stdout.close()


@pytest.fixture
def desktop(place: Path) -> Iterator[Desktop]:
    running = Desktop(place, "body", "body-markup")
    yield running
    running.close()


class MailServer:
    """A mail server on this machine, with TLS, a login, and a mind of its own."""

    def __init__(self) -> None:
        authority = trustme.CA()
        self.trusting = ssl.create_default_context()
        authority.configure_trust(self.trusting)
        serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("localhost").configure_cert(serving)
        self.taken: list[Envelope] = []
        self.answer = "250 OK queued as 7"
        self.is_hanging_up = False
        self._is_closed = False
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            require_starttls=True,
            tls_context=serving,
            auth_required=True,
            authenticator=self._login,
        )
        self._controller.start()

    def _login(self, _server: SMTP, _session: Session, *login: object) -> AuthResult:
        given: LoginPassword = login[-1]  # type: ignore[assignment] # of the PLAIN mechanism
        return AuthResult(success=given == LoginPassword(b"ada", b"hunter2"), handled=False)

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - the library's name
        if self.is_hanging_up:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
            return "421 gone"
        self.taken.append(envelope)
        return self.answer

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._controller.stop()


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    server = MailServer()
    yield server
    server.close()


class Receiver:
    """Takes what apprise's ``json://`` sends."""

    def __init__(self) -> None:
        taken: list[dict[str, Any]] = []
        statuses = self.statuses = [200]

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                taken.append(json.loads(self.rfile.read(length)))
                self.send_response(statuses[-1])
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.taken = taken
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"json://127.0.0.1:{self._server.server_port}/secret-4711"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    running = Receiver()
    yield running
    running.close()
