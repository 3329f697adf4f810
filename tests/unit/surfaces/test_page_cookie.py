"""The cookie of a session, with and without TLS."""

from __future__ import annotations

from pathlib import Path

import anyio
import httpx
import pytest

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import demo_setting
from iris_harness.clock import SystemClock
from iris_harness.surfaces.web.access import Gate
from iris_harness.surfaces.web.app import build_app
from iris_harness.surfaces.web.page.login import Logins


@pytest.mark.parametrize(
    ("origin", "beginning", "is_secure"),
    [
        ("https://localhost", "__Host-iris=", True),
        ("http://localhost:7474", "iris-7474=", False),
        ("http://localhost", "iris-80=", False),
    ],
)
def test_behind_tls_the_cookie_goes_over_tls_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    origin: str,
    beginning: str,
    is_secure: bool,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    gate = Gate("a token")

    async def enter(app_iris: Iris) -> tuple[httpx.Response, httpx.Response]:
        link = Logins(app_iris.setting.data_folder, gate, SystemClock()).make_link()
        transport = httpx.ASGITransport(build_app(app_iris, gate))
        async with httpx.AsyncClient(transport=transport, base_url=origin) as client:
            entered = await client.get("/login", params={"once": link})
            return entered, await client.get("/")

    with Iris(demo_setting()) as iris:
        entered, shown = anyio.run(enter, iris)
    cookie = entered.headers["set-cookie"]
    assert cookie.startswith(beginning)
    assert ("; Secure" in cookie) is is_secure
    assert shown.status_code == 200
