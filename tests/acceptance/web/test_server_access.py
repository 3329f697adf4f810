"""Who may ask, and what the server tells about itself."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import httpx
import pytest

from iris_harness.errors import ServerError
from iris_harness.surfaces.web.access import TOKEN_FILE, Gate, load_token, renew_token
from tests.acceptance.web.conftest import Server
from tests.support import RunIris

GUARDED = [
    ("GET", "/metrics"), ("GET", "/v1/models"), ("GET", "/v1/models/iris"),
    ("POST", "/v1/chat/completions"), ("GET", "/api/version"), ("GET", "/api/tags"),
    ("GET", "/api/ps"), ("POST", "/api/show"), ("POST", "/api/chat"), ("GET", "/static/"),
    ("GET", "/docs"), ("GET", "/static/../../etc/passwd"), ("DELETE", "/v1/models"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), GUARDED)
@pytest.mark.parametrize("token", ["", "wrong", "Bearer", "\u00e9"])
def test_nothing_is_answered_without_the_token(
    server: Server, method: str, path: str, token: str
) -> None:
    headers = {b"Authorization": f"Bearer {token}".encode()} if token else {}
    answer = httpx.request(method, server.url + path, headers=headers, content=b"{}")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "invalid_api_key"


def test_health_is_told_to_everybody_and_says_nothing_else(server: Server) -> None:
    assert httpx.get(server.url + "/healthz").text == "ok\n"
    assert httpx.get(server.url + "/readyz").text == "ready\n"


OTHER_HOSTS = (
    "evil.example", "", "localhost.evil.example", "127.0.0.1.nip.io", "localhost:80@evil.example",
    "localhost:port", "localhost:-1", "[::1", "[::1]evil.example", "localhost, evil.example",
)  # fmt: skip


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_a_request_by_another_name_is_refused(server: Server, host: str) -> None:
    with server.client() as http:
        answer = http.get("/v1/models", headers={"Host": host})
    assert answer.status_code in {400, 421}


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:7474"])
def test_a_request_by_a_name_of_this_machine_is_answered(server: Server, host: str) -> None:
    with server.client() as http:
        assert http.get("/v1/models", headers={"Host": host}).status_code == 200


def test_a_body_that_is_too_large_is_refused_with_and_without_its_length(server: Server) -> None:
    large = b"x" * (3 * 1024 * 1024)
    with server.client() as http:
        assert http.post("/v1/chat/completions", content=large).status_code == 413
        chunked = http.post("/v1/chat/completions", content=iter([large]))
        assert chunked.status_code == 413


def test_answers_tell_browsers_to_keep_them_to_themselves(server: Server) -> None:
    headers = httpx.get(server.url + "/healthz").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_the_metrics_count_turns(server: Server) -> None:
    question = {"model": "iris", "messages": [{"role": "user", "content": "what time is it"}]}
    with server.client() as http:
        before = _count(http.get("/metrics").text)
        http.post("/v1/chat/completions", json=question)
        assert _count(http.get("/metrics").text) == before + 1


def _count(metrics: str) -> int:
    line = next(line for line in metrics.splitlines() if line.startswith("iris_turn_seconds_count"))
    return int(line.split()[1])


def test_a_client_that_sends_half_a_request_holds_nobody_up(server: Server) -> None:
    address = httpx.URL(server.url)
    with socket.create_connection((address.host, address.port or 80)) as slow:
        slow.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        assert httpx.get(server.url + "/healthz").text == "ok\n"


def test_the_server_stops_when_told_and_has_written_nothing_of_the_users(
    own_server: Server,
) -> None:
    utterance = "what about my secret zebra"
    question = {"model": "iris", "messages": [{"role": "user", "content": utterance}]}
    with own_server.client() as http:
        http.post("/v1/chat/completions", json=question)
        http.get("/v1/zebra")
    errors = own_server.stop()
    assert own_server.process.returncode == 0
    assert "zebra" not in errors
    assert own_server.token not in errors


def test_an_address_that_others_reach_is_refused(iris: RunIris) -> None:
    done = iris("serve", "--demo", "--host", "0.0.0.0", "--port", "0")  # noqa: S104 - refused
    assert done.returncode == 1
    assert "reverse proxy" in done.stderr


def test_a_port_that_is_taken_is_said(iris: RunIris) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = iris("serve", "--demo", "--port", str(other.getsockname()[1]))
    assert done.returncode == 1
    assert "--port" in done.stderr


def test_the_token_stays_until_it_is_renewed(iris: RunIris) -> None:
    first, again = (iris("serve", "token", "--demo").stdout for _ in range(2))
    renewed = iris("serve", "token", "--demo", "--renew").stdout
    assert first == again != renewed
    assert len(renewed.strip()) >= 43


def test_the_tokens_file_is_its_owners_alone(tmp_path: Path) -> None:
    token = load_token(tmp_path / "new" / "folder")
    file = tmp_path / "new" / "folder" / TOKEN_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]
    assert load_token(file.parent) == token
    assert renew_token(file.parent) != token
    file.chmod(0o644)
    with pytest.raises(ServerError, match="chmod 600"):
        load_token(file.parent)


def test_a_gate_opens_for_its_token_only() -> None:
    gate = Gate("right")
    assert [gate.opens(token) for token in ("right", "wrong", "", None, "right\udcff")] == [
        True, False, False, False, False,
    ]  # fmt: skip
    assert not Gate("").opens("")
