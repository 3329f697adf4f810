"""Who is connected to: checked addresses, the right name, the right certificate."""

from __future__ import annotations

import ssl
import threading
import time

import httpx
import pytest
import trustme

from iris_harness.errors import SourceError
from iris_harness.sources.remote.deadline import Deadline
from iris_harness.sources.remote.guard import is_public
from iris_harness.sources.remote.settings import RemoteSource
from iris_harness.sources.remote.web import Web, may_have_login
from tests.remote_servers import Answer, Asked, serve_web
from tests.unit.sources.remote.conftest import MakeSource, calendar_text

PRIVATE = [
    "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.0.0.0",  # noqa: S104 - an address to refuse
    "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fd00::1",
    "ff02::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::7f00:1", "64:ff9b::a00:1",
    "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:80ff:fffe",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]


@pytest.mark.parametrize("address", PRIVATE)
def test_no_private_address_passes_for_a_public_one(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


def get(source: RemoteSource, url: str = "", **options: object) -> httpx.Response:
    deadline = Deadline(time.monotonic, source.timeout_seconds)
    with Web(source, deadline, **options) as web:  # type: ignore[arg-type]
        return web.request("GET", url or source.http_url, headers={})


def calm(_: Asked) -> Answer:
    return Answer(body=calendar_text("standup"))


@pytest.mark.parametrize("found", [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"]])
def test_a_name_with_any_private_address_is_not_connected_to(
    found: list[str], source: MakeSource
) -> None:
    remote = source("http://calendar.example/x.ics", allow_private_addresses=False)
    with pytest.raises(SourceError, match=r"calendar\.example is on a private network"):
        get(remote, resolve=lambda *_: found)


def test_the_address_that_was_checked_is_the_one_connected_to(source: MakeSource) -> None:
    asked: list[str] = []

    def rebinding(host: str, _: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.9"]

    with serve_web(calm) as server:
        remote = source(server.url(host="calendar.example"))
        assert get(remote, resolve=rebinding).status_code == 200
    assert asked == ["calendar.example"]
    assert server.asked[0].headers["Host"] == f"calendar.example:{server.port}"


def test_the_next_address_is_tried_when_one_does_not_answer(source: MakeSource) -> None:
    with serve_web(calm) as server:
        remote = source(server.url(host="calendar.example"))
        answer = get(remote, resolve=lambda *_: ["127.0.0.250", "127.0.0.1"])
    assert answer.status_code == 200


def test_only_the_host_that_was_named_may_be_private(source: MakeSource) -> None:
    with serve_web(calm) as server:
        remote = source(server.url(host="nas.example"))
        with pytest.raises(SourceError, match=r"other\.example is on a private network"):
            get(remote, server.url(host="other.example"), resolve=lambda *_: ["127.0.0.1"])


def test_a_name_that_does_not_exist_is_said(source: MakeSource) -> None:
    def unknown(*_: object) -> list[str]:
        raise OSError(-2, "Name or service not known")

    with pytest.raises(SourceError, match=r"the name calendar\.example cannot be found"):
        get(source("http://calendar.example/x.ics"), resolve=unknown)


def test_a_name_server_that_does_not_answer_is_given_up_in_time(source: MakeSource) -> None:
    over = threading.Event()

    def wait(*_: object) -> list[str]:
        over.wait()
        return []

    remote = source("http://calendar.example/x.ics", timeout_seconds=2)
    with pytest.raises(SourceError, match="could not be looked up in time"):
        get(remote, resolve=wait)
    over.set()


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def secured(authority: trustme.CA, name: str, seen: list[str | None]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    context.sni_callback = lambda _socket, name, _context: seen.append(name)
    return context


@pytest.mark.parametrize("scheme", ["webcal", "webcals", "https", "WEBCAL"])
def test_webcal_means_https_and_the_name_stays_the_one_that_was_given(
    scheme: str, authority: trustme.CA, source: MakeSource
) -> None:
    names: list[str | None] = []
    with serve_web(calm, secured(authority, "calendar.example", names)) as server:
        remote = source(f"{scheme}://calendar.example:{server.port}/x.ics")
        trust = trusting(authority)
        assert get(remote, resolve=lambda *_: ["127.0.0.1"], trust=trust).status_code == 200
    assert names == ["calendar.example"]


@pytest.mark.parametrize("name", ["other.example", "calendar.example"])
def test_a_certificate_of_another_name_or_of_nobody_known_is_refused(
    name: str, authority: trustme.CA, source: MakeSource
) -> None:
    with serve_web(calm, secured(authority, name, [])) as server:
        remote = source(server.url(host="calendar.example"))
        trust = trusting(authority) if name == "other.example" else None
        with pytest.raises(SourceError, match=r"certificate of calendar\.example cannot"):
            get(remote, resolve=lambda *_: ["127.0.0.1"], trust=trust)
    assert server.asked == []


def test_a_redirect_that_gives_up_encryption_is_not_followed(
    authority: trustme.CA, source: MakeSource
) -> None:
    def send_on(_: Asked) -> Answer:
        return Answer(status=302, headers={"Location": "http://calendar.example/x.ics"})

    with serve_web(send_on, secured(authority, "calendar.example", [])) as server:
        remote = source(server.url(host="calendar.example"))
        with pytest.raises(SourceError, match="without encryption"):
            get(remote, resolve=lambda *_: ["127.0.0.1"], trust=trusting(authority))


@pytest.mark.parametrize(
    ("url", "home", "may"),
    [
        ("https://dav.example/a", "https://dav.example/b", True),
        ("https://dav.example/a", "http://dav.example/b", True),
        ("https://dav.example:8443/a", "https://dav.example/b", False),
        ("http://dav.example/a", "https://dav.example/b", False),
        ("https://evil.example/a", "https://dav.example/b", False),
        ("https://p42-caldav.icloud.com/a", "https://caldav.icloud.com/", True),
        ("http://p42-caldav.icloud.com/a", "https://caldav.icloud.com/", False),
        ("https://p42-caldav.icloud.com.evil.example/", "https://caldav.icloud.com/", False),
        ("https://xp42-caldav.icloud.com/", "https://caldav.icloud.com/", False),
        ("https://caldav.icloud.com/", "https://p42-caldav.icloud.com/", False),
    ],
)
def test_a_login_goes_to_its_own_server_only(url: str, home: str, may: bool) -> None:
    assert may_have_login(httpx.URL(url), httpx.URL(home)) is may


def test_a_server_that_asks_for_digest_gets_digest(source: MakeSource) -> None:
    challenge = 'Digest realm="cal", nonce="abc", qop="auth", algorithm=SHA-256'

    def ask(asked: Asked) -> Answer:
        if asked.headers.get("Authorization", "").startswith("Digest "):
            return Answer(status=200)
        return Answer(status=401, headers={"WWW-Authenticate": challenge})

    with serve_web(ask) as server:
        answer = get(source(server.url(), login=("ada", "pw")))
    assert answer.status_code == 200
    assert not [a for a in server.asked if a.headers.get("Authorization", "").startswith("Basic")]


def test_an_address_in_brackets_is_checked_too(source: MakeSource) -> None:
    with pytest.raises(SourceError, match="private network"):
        get(source("http://[::1]:9/x.ics", allow_private_addresses=False))
