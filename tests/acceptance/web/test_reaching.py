"""Settings of the server: who reaches it, by which name, over what, and how often."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import trustme
from openai import OpenAI, RateLimitError
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from iris_harness.surfaces.web.limits import Allowance, EncryptionGuard
from tests.acceptance.web.conftest import Server, start_server
from tests.support import RunIris

Start = Callable[..., Server]


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Starts servers with settings of their own, and stops them."""
    started: list[Server] = []

    def start(settings: str, *arguments: str) -> Server:
        configure(home, settings)
        started.append(start_server(home, *arguments, source=()))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()


def configure(home: Path, settings: str) -> None:
    folder = home / ".config" / "iris"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(settings)


def test_a_token_that_asks_too_often_is_told_when_it_may_again(start: Start) -> None:
    server = start("server: {requests_per_minute: 3}\n")
    with server.client() as http:
        assert [http.get("/v1/models").status_code for _ in range(5)] == [200] * 3 + [429] * 2
        refused = http.get("/v1/models")
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    assert httpx.get(server.url + "/healthz").status_code == 200
    client = OpenAI(base_url=server.url + "/v1", api_key=server.token, max_retries=0)
    with closing(client), pytest.raises(RateLimitError):
        client.models.list()


def test_strangers_and_pages_of_other_sites_do_not_lock_a_browser_out(start: Start) -> None:
    server = start("server: {requests_per_minute: 30}\n")
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    with httpx.Client(base_url=server.url) as other:
        assert [other.get("/", headers=elsewhere).status_code for _ in range(40)][-1] == 429
        with server.visitor() as visitor:
            guesses = ({"Cookie": f"{name}={n}"} for name in visitor.cookies for n in range(40))
            assert [other.get("/", headers=guess).status_code for guess in guesses][-1] == 429
            assert visitor.get("/").status_code == 200
            assert [visitor.get("/").status_code for _ in range(40)][-1] == 429


class _Watch:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


def test_what_a_client_has_left_comes_back_with_time_and_is_its_own() -> None:
    watch = _Watch()
    allowance = Allowance(60, watch)  # type: ignore[arg-type] # it is asked for nothing else
    assert [allowance.take("a") for _ in range(60)] == [0.0] * 60
    assert allowance.take("a") == pytest.approx(1.0)
    assert allowance.take("b") == 0.0
    watch.seconds += 0.5
    assert allowance.take("a") == pytest.approx(0.5)
    watch.seconds += 0.5
    assert allowance.take("a") == 0.0
    watch.seconds += 3600
    assert [allowance.take("a") for _ in range(61)][-1] > 0


def test_the_server_speaks_tls_with_a_certificate_of_the_users(home: Path, start: Start) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    (home / ".config" / "iris").mkdir(parents=True)
    certificate.cert_chain_pems[0].write_to_path(home / ".config" / "iris" / "iris.pem")
    certificate.private_key_pem.write_to_path(home / ".config" / "iris" / "iris.key")
    server = start("server: {tls_certificate: iris.pem, tls_key: iris.key}\n")
    assert server.url.startswith("https://127.0.0.1:")
    context = ssl.create_default_context()
    authority.configure_trust(context)
    assert httpx.get(server.url + "/healthz", verify=context).text == "ok\n"
    with pytest.raises(httpx.TransportError):
        httpx.get(server.url.replace("https", "http") + "/healthz")
    assert httpx.get(server.url + "/healthz", verify=context).text == "ok\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("server: {host: 0.0.0.0}\n", "not be encrypted"),
        ("server: {tls_certificate: a.pem}\n", "go together"),
        ("server: {tls_certificate: a.pem, tls_key: a.key}\n", "cannot be used"),
        ("server: {proxies: [gateway]}\n", "no address"),
        ("server: {names: ['https://iris.example.org']}\n", "no host name"),
        ("server: {requests_per_minute: 0}\n", "requests_per_minute"),
        ("voice: {port: 0, host: 0.0.0.0}\n", "voice.allow"),
        ("voice: {allow: [kitchen]}\n", "no address"),
    ],
)
def test_a_server_that_would_not_be_safe_does_not_start(
    home: Path, iris: RunIris, settings: str, said: str
) -> None:
    configure(home, settings)
    done = iris("serve", "--port", "0")
    assert done.returncode in {1, 2}
    assert said in done.stderr


def test_a_proxy_that_the_settings_name_is_believed(start: Start) -> None:
    server = start("server: {host: 0.0.0.0, proxies: [127.0.0.1], names: [iris.example.org]}\n")
    url = server.url.replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - the address it said
    headers = {"Authorization": f"Bearer {server.token}", "Host": "iris.example.org"}

    def status(**forwarded: str) -> int:
        named = {f"X-Forwarded-{name}": value for name, value in forwarded.items()}
        return httpx.get(url + "/v1/models", headers={**headers, **named}).status_code

    assert status(For="203.0.113.5", Proto="https") == 200
    assert status(For="203.0.113.5", Proto="http") == 403
    assert status(For="203.0.113.5") == 403
    assert status() == 200  # from this machine itself


def test_what_others_forward_is_not_believed(start: Start) -> None:
    server = start("server: {proxies: [203.0.113.1]}\n")
    forged = {"X-Forwarded-For": "203.0.113.5", "X-Forwarded-Proto": "https"}
    with server.client() as http:
        assert http.get("/v1/models", headers=forged).status_code == 200
        assert http.get("/v1/models", headers={"Host": "iris.example.org"}).status_code == 421


@pytest.mark.parametrize(
    ("scheme", "client", "status"),
    [("http", "203.0.113.5", 403), ("https", "203.0.113.5", 200), ("http", "127.0.0.1", 200),
     ("http", "::1", 200), ("http", "", 403)],
)  # fmt: skip
def test_what_comes_from_elsewhere_in_the_clear_is_refused(
    scheme: str, client: str, status: int
) -> None:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("ok")(scope, receive, send)

    async def ask() -> int:
        transport = httpx.ASGITransport(EncryptionGuard(answer), client=(client, 1))
        async with httpx.AsyncClient(transport=transport) as http:
            return (await http.get(f"{scheme}://iris/")).status_code

    assert asyncio.run(ask()) == status


def test_the_settings_name_the_port_and_flags_override_it(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        server = start(f"server: {{port: {number}}}\nvoice: {{port: 0}}\n", "--voice-port", "0")
    assert server.url != f"http://127.0.0.1:{number}"
    assert server.voice.startswith("tcp://127.0.0.1:")


def test_the_socket_can_be_switched_off(home: Path, start: Start) -> None:
    start("server: {socket: false}\n")
    assert not (home / ".local" / "share" / "iris" / "run").exists()
