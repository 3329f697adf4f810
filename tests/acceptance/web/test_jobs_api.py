"""Jobs over HTTP: a real server, owners and daemons with tokens of their own, both databases."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import open_database
from iris_harness.jobs.host import this_host
from iris_harness.jobs.tokens import Role, Tokens
from tests.jobs_support import place, postgres

__all__ = ["place", "postgres"]

REPO = "https://example.org/site.git"
BODY: Mapping[str, Any] = {"task": "first fix a.py, then b.py", "repo_url": REPO}


class Server(NamedTuple):
    """A running `iris jobs serve`."""

    url: str
    iris: Callable[..., str]
    """Runs `iris jobs` on the same database, and returns what it prints."""
    tokens: Tokens
    clients: contextlib.ExitStack
    """Closes them."""

    def client(self, token: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=60)
        return self.clients.enter_context(client)

    def daemon(self, name: str) -> httpx.Client:
        return self.client(self.tokens.create(name, Role.DAEMON))

    def owner(self, name: str, of: str = "local") -> httpx.Client:
        return self.client(self.tokens.create(name, Role.OWNER, of))


@pytest.fixture
def server(place: Path | str, home: Path) -> Iterator[Server]:
    environment = {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}
    where = ["--set", f"storage.data_dir={home}"]
    if isinstance(place, str):
        where += ["--set", f"jobs.database_url={place}"]
    program = [sys.executable, "-m", "iris_harness", *where]

    def iris(*arguments: str) -> str:
        done = subprocess.run([*program, "jobs", *arguments], env=environment,
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    process = subprocess.Popen([*program, "jobs", "serve", "--port", "0"], env=environment,
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert process.stdout is not None
    said = process.stdout.readline()
    assert said.startswith("Jobs are served on "), said
    database = open_database(place if isinstance(place, str) else home / "jobs.db", SystemClock())
    with contextlib.ExitStack() as clients:
        yield Server(said.split()[-1], iris, Tokens(database), clients)
    database.close()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def leased(client: httpx.Client, **body: object) -> dict[str, Any]:
    answer = client.post("/api/leases", json=body)
    assert answer.status_code == 200, answer.text
    lease: dict[str, Any] = answer.json()
    return lease


def path(lease: Mapping[str, Any], way: str) -> str:
    return f"/api/leases/{lease['worker']}/{lease['fence']}/{way}"


def test_a_job_is_submitted_worked_on_by_two_daemons_and_read(server: Server) -> None:
    owner, ada, bob = server.owner("me"), server.daemon("ada"), server.daemon("bob")
    made = owner.post("/api/jobs", json=BODY)
    assert made.status_code == 201, made.text
    job = made.json()["id"]
    first = leased(ada)
    assert first["spec"]["task"] == "fix a.py"
    assert bob.post("/api/leases", json={}).status_code == 204
    assert ada.post(path(first, "logs"), json={"text": "all is\x1b[31m well\n"}).status_code == 204
    renewed = ada.post(path(first, "renew"))
    assert renewed.json()["cancel_requested"] is False
    assert ada.post(path(first, "complete"), json={"result": {"tokens": 9}}).status_code == 204
    second = leased(bob)
    assert bob.post(path(second, "fail"), json={"kind": "tests", "reason": "two fail"}).is_success
    told = owner.get(f"/api/jobs/{job}").json()
    assert [worker["state"] for worker in told["workers"]] == ["succeeded", "failed"]
    assert [worker["leased_by"] for worker in told["workers"]] == ["ada", "bob"]
    assert told["workers"][0]["result"] == {"tokens": 9}
    assert owner.get(f"/api/jobs/{job}/why").json()["workers"][0]["reason"] == "failed: two fail"
    assert owner.get(f"/api/jobs/{job}/manifest").json()["id"] == told["manifest_id"]
    assert "  all is well" in server.iris("logs", job, "w1")


def test_a_key_makes_one_job_and_refuses_another_request(server: Server) -> None:
    owner, key = server.owner("me"), {"Idempotency-Key": "monday"}
    first = owner.post("/api/jobs", json=BODY, headers=key)
    again = owner.post("/api/jobs", json=BODY, headers=key)
    other = owner.post("/api/jobs", json={**BODY, "task": "else"}, headers=key)
    assert [answer.status_code for answer in (first, again, other)] == [201, 200, 409]
    assert again.json()["id"] == first.json()["id"] == other.json()["error"]["job_id"]


def test_what_cannot_be_run_is_refused_with_its_worker(server: Server) -> None:
    owner = server.owner("me")
    workers = [{"id": "a", "task": "x", "depends_on": ["a"]}]
    plan = {"summary": "s", "workers": workers}
    refused = owner.post("/api/jobs", json={**BODY, "plan": plan})
    assert refused.status_code == 422
    assert refused.json()["error"]["nodes"] == ["a", "a"]
    for wrong in (
        {**BODY, "owner": "eve"},
        {**BODY, "repo_url": "file:///etc"},
        {**BODY, "image": "ubuntu"},
        {**BODY, "task": 7},
        {**BODY, "priority": "high"},
        {"task": "no repository"},
    ):
        assert owner.post("/api/jobs", json=wrong).status_code == 422
    assert owner.post("/api/jobs", content=b"{").status_code == 422
    assert owner.get("/api/jobs").json() == {"jobs": []}


def test_a_token_opens_what_it_is_for_until_it_is_revoked(server: Server) -> None:
    owner = server.client(server.iris("token", "new", "me", "--owner").strip())
    ada = server.client(server.iris("token", "new", "ada").strip())
    for client in (server.client(""), server.client("guess")):
        for route in ("/api/jobs", "/api/jobs/x"):
            assert client.get(route).status_code == 401
        assert client.post("/api/leases", json={}).status_code == 401
    assert ada.get("/api/jobs").status_code == 403
    assert owner.post("/api/leases", json={}).status_code == 403
    assert "ada  daemon" in server.iris("token", "list")
    server.iris("token", "revoke", "ada")
    assert ada.post("/api/leases", json={}).status_code == 401


def test_an_owner_reaches_nothing_of_another(server: Server) -> None:
    owner, eve = server.owner("me"), server.owner("hers", of="eve")
    job = owner.post("/api/jobs", json=BODY).json()["id"]
    assert eve.get("/api/jobs").json() == {"jobs": []}
    for route in ("", "/why", "/manifest"):
        assert eve.get(f"/api/jobs/{job}{route}").status_code == 404
    for way in ("cancel", "pause", "resume", "retry"):
        assert eve.post(f"/api/jobs/{job}/{way}").status_code == 404
    assert owner.post(f"/api/jobs/{job}/cancel").json()["state"] == "cancelled"
    assert owner.post(f"/api/jobs/{job}/pause").status_code == 409
    assert owner.post(f"/api/jobs/{job}/retry").json()["state"] == "queued"
    assert owner.post(f"/api/jobs/{job}/explode").status_code == 404


def test_the_jobs_of_another_owner_are_no_context(server: Server) -> None:
    owner, eve, ada = server.owner("me"), server.owner("hers", of="eve"), server.daemon("ada")
    theirs = eve.post("/api/jobs", json={**BODY, "task": "add dark mode"}).json()["id"]
    assert ada.post(path(leased(ada), "complete"), json={"result": {}}).status_code == 204
    auto = {**BODY, "task": "add dark mode", "context": "auto"}
    for client, is_found in ((eve, True), (owner, False)):
        made = client.post("/api/jobs", json=auto)
        assert made.status_code == 201, made.text
        told = client.get(f"/api/jobs/{made.json()['id']}").json()["notes"]
        assert any(f"job {theirs} (100 % alike by meaning)" in note for note in told) is is_found
        assert any(theirs in note for note in told) is is_found
    for named in (theirs, theirs[:6], "%", ""):
        manual = {**BODY, "context": "manual", "context_jobs": [named]}
        assert owner.post("/api/jobs", json=manual).status_code == 404


def test_a_daemon_uses_only_leases_of_its_own(server: Server) -> None:
    owner, ada, bob = server.owner("me"), server.daemon("ada"), server.daemon("bob")
    owner.post("/api/jobs", json=BODY)
    lease = leased(ada)
    for way in ("renew", "complete", "fail", "release", "give_up", "logs"):
        answer = bob.post(path(lease, way), json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "lease_lost")
    assert ada.post(path({**lease, "fence": 9}, "complete")).status_code == 409
    assert ada.post(path(lease, "complete")).status_code == 204
    assert ada.post(path(lease, "complete")).status_code == 204  # its first answer may be lost
    assert ada.post(path(lease, "fail"), json={}).status_code == 409
    assert bob.post(path(lease, "complete")).status_code == 409


def test_a_job_on_a_folder_of_this_machine_goes_to_no_daemon_elsewhere(
    server: Server, tmp_path: Path
) -> None:
    server.iris("submit", "fix a.py", "--repo", str(tmp_path))
    pretender = server.daemon("pretender")
    asked = {"offers": [f"host:{this_host()}"]}
    assert pretender.post("/api/leases", json=asked).status_code == 204


def test_whoever_waits_gets_work_as_soon_as_there_is_some(server: Server) -> None:
    owner, ada = server.owner("me"), server.daemon("ada")
    threading.Timer(0.5, lambda: owner.post("/api/jobs", json=BODY)).start()
    began = time.monotonic()
    assert leased(ada, wait_seconds=30)["spec"]["task"] == "fix a.py"
    assert time.monotonic() - began < 20
    assert ada.post("/api/leases", json={"wait_seconds": 1}).status_code == 204


@pytest.mark.parametrize(
    "body",
    [b"\xff", b"{", b"[]", b'{"task": "a", "task": "b"}', b'{"task": NaN}', b'{"task": 1e999}',
     b'{"priority": ' + b"9" * 5_000 + b"}", b'{"task": "\\ud800"}', b'{"plan":' + b"[" * 50_000,
     b'{"plan":' + b"[" * 70 + b"]" * 70 + b"}", b'{"needs": [1]}', b'{"needs": "label:a"}',
     b'{"offers": [null]}', b'{"offers": ["a\\u0000"]}', b'{"wait_seconds": 1e2}',
     b'{"wait_seconds": true}', b'{"task": {"a": []}}', b'{"context": "all"}', b'{"x": 1}'],
)  # fmt: skip
def test_a_body_that_means_nothing_is_refused_in_a_sentence(server: Server, body: bytes) -> None:
    owner, ada = server.owner("me"), server.daemon("ada")
    asked = (owner, "/api/jobs") if b"offers" not in body and b"wait" not in body else (
        ada, "/api/leases")  # fmt: skip
    answer = asked[0].post(asked[1], content=body)
    assert answer.status_code == 422, answer.text
    assert 0 < len(answer.json()["error"]["message"]) < 400
    assert owner.get("/api/jobs").json() == {"jobs": []}


def test_what_no_lease_can_be_is_lost_and_what_no_job_can_be_unknown(server: Server) -> None:
    owner, ada = server.owner("me"), server.daemon("ada")
    owner.post("/api/jobs", json=BODY)
    lease = leased(ada, wait_seconds=0)
    for worker, fence in ((lease["worker"], 10**40), ("%00", 1), ("%FF", 1), ("a" * 5_000, 1)):
        answer = ada.post(f"/api/leases/{worker}/{fence}/renew")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "lease_lost")
    for job in ("%00", "%FF", "%25", "_" * 12, "a" * 5_000):
        assert owner.get(f"/api/jobs/{job}").status_code == 404
    for limit in ("0", "1001", "9" * 5_000, "-1", "٣", ""):
        assert owner.get("/api/jobs", params={"limit": limit}).status_code == 422
    assert ada.post("/api/leases", json={"wait_seconds": -(10**400)}).status_code in {200, 204}
    assert ada.post("/api/leases", json={"offers": ["label:x"] * 101}).status_code == 422


@pytest.mark.parametrize("said", ["a\0b\x1b[2J", "x" * 100_000])
def test_what_a_daemon_says_of_its_end_is_kept_and_shown(server: Server, said: str) -> None:
    owner, ada = server.owner("me"), server.daemon("ada")
    job = owner.post("/api/jobs", json=BODY).json()["id"]
    lease = leased(ada)
    assert ada.post(path(lease, "logs"), json={"text": said}).status_code == 204
    end = {"kind": said, "reason": said, "result": {"said": said}}
    assert ada.post(path(lease, "fail"), json=end).status_code == 204
    shown = owner.get(f"/api/jobs/{job}").json()
    assert shown["state"] == "failed"
    assert len(shown["workers"][0]["reason"]) <= 4_000
    assert "\x1b" not in server.iris("show", job) + server.iris("logs", job)
