"""How a browser is let in, and what is refused to whoever was not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.acceptance.web.conftest import Server
from tests.acceptance.web.pages import form_fields, words

POSTS = ("/ask", "/do", "/new", "/logout")


@pytest.fixture
def visitor(server: Server) -> Iterator[httpx.Client]:
    with server.visitor() as client:
        yield client


def _cookie(server: Server) -> str:
    answer = httpx.get(server.link())
    assert answer.status_code == 303
    return answer.headers["set-cookie"]


def test_a_link_lets_one_browser_in_once(server: Server) -> None:
    link = server.link()
    first, second = httpx.get(link), httpx.get(link)
    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert second.status_code == 401
    assert "iris serve link" in words(second.text)
    assert "set-cookie" not in second.headers


def test_a_link_that_is_opened_again_shows_the_page_to_whom_it_let_in(server: Server) -> None:
    link = server.link()
    with httpx.Client(follow_redirects=True) as browser:
        for _ in range(2):
            answer = browser.get(link)
            assert (answer.status_code, answer.url.path) == (200, "/")
    assert httpx.get(link).status_code == 401


def test_of_many_that_use_a_link_at_once_one_gets_in(server: Server) -> None:
    link = server.link()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: httpx.get(link, timeout=30).status_code, range(8)))
    assert sorted(answers) == [303] + [401] * 7


def test_who_only_looks_at_a_link_does_not_use_it_up(server: Server) -> None:
    link = server.link()
    assert httpx.head(link).status_code == 200
    assert httpx.get(link).status_code == 303


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: Server) -> None:
    cookie = _cookie(server)
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie


def test_no_secret_is_on_the_disk(server: Server) -> None:
    link = server.link().partition("=")[2]
    secret = _cookie(server).partition("=")[2].partition(";")[0]
    for file in server.home.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert link.encode() not in content, file
            assert secret.encode() not in content, file


def test_without_a_login_the_page_says_how_to_get_one(server: Server) -> None:
    answer = httpx.get(server.url)
    assert answer.status_code == 401
    assert f"iris serve link --url {server.url}" in words(answer.text)
    by_name = server.url.replace("127.0.0.1", "localhost")
    for path in ("/", "/login?once=old"):
        assert f"iris serve link --url {by_name}" in words(httpx.get(by_name + path).text)
    assert "Oma" not in answer.text


@pytest.mark.parametrize("cookie", ["", "wrong", "\u00e9", "a" * 5000])
@pytest.mark.parametrize("path", POSTS)
def test_nothing_is_done_for_a_browser_that_was_not_let_in(
    server: Server, path: str, cookie: str
) -> None:
    name = f"iris-{httpx.URL(server.url).port}"
    headers = {b"Cookie": f"{name}={cookie}".encode()} if cookie else {}
    answer = httpx.post(server.url + path, headers=headers, data={"text": "plan my day"})
    assert answer.status_code == 401


def test_the_token_of_chat_clients_opens_no_page(server: Server) -> None:
    with server.client() as client:
        assert client.get("/").status_code == 401


@pytest.mark.parametrize("path", POSTS)
def test_a_form_without_the_pages_own_key_does_nothing(visitor: httpx.Client, path: str) -> None:
    fields = form_fields(visitor.get("/").text, "/ask")
    for key in ("", "wrong", "\u00e9"):
        answer = visitor.post(path, data={**fields, "key": key, "text": "what time is it"})
        assert answer.status_code == 403
        assert "Nothing was done" in answer.text
    assert "what time is it" not in words(visitor.get("/").text)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 200),
        ({}, 200),
    ],
)
def test_a_form_from_another_site_does_nothing(
    visitor: httpx.Client, headers: dict[str, str], status: int
) -> None:
    fields = form_fields(visitor.get("/").text, "/ask")
    answer = visitor.post("/ask", data={**fields, "text": "hello"}, headers=headers)
    assert answer.status_code == status


def test_who_signs_out_is_out(visitor: httpx.Client) -> None:
    kept = dict(visitor.cookies)
    fields = form_fields(visitor.get("/").text, "/logout")
    visitor.post("/logout", data=fields)
    visitor.cookies.update(kept)
    assert visitor.get("/").status_code == 401


def test_a_renewed_token_signs_every_browser_out_and_ends_every_link(
    own_server: Server,
) -> None:
    link = own_server.link()
    with own_server.visitor() as visitor:
        assert visitor.get("/").status_code == 200
        renew = [sys.executable, "-m", "iris_harness", "serve", "token", "--demo", "--renew"]
        subprocess.run(renew, env=own_server.environment, check=True, capture_output=True)
        assert visitor.get("/").status_code == 401
        assert httpx.get(link).status_code == 401


def test_the_pages_policy_lets_nothing_in_it_run(visitor: httpx.Client) -> None:
    headers = visitor.get("/").headers
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_the_pages_files_may_be_kept_for_ever_and_there_is_no_list_of_them(
    server: Server, visitor: httpx.Client
) -> None:
    page = visitor.get("/").text
    names = [part.partition('"')[0] for part in page.split("/static/")[1:]]
    assert len(set(names)) == 3
    for name in names:
        answer = httpx.get(f"{server.url}/static/{name}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    for path in (
        "/static/",
        "/static/style.css",
        "/static/../login.py",
        "/static/%2e%2e/script.js",
    ):
        assert httpx.get(server.url + path).status_code == 401


def test_the_server_says_how_to_open_the_page_and_no_secret_goes_to_a_log(home: Path) -> None:
    program = [sys.executable, "-m", "iris_harness", "serve", "--demo", "--port", "0"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}
    with subprocess.Popen(
        program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline() + process.stdout.readline()
        process.terminate()
    assert "iris serve link --url http://127.0.0.1:" in said
    assert "once=" not in said
