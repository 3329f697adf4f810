"""A queue on another machine: who may ask, what is asked again, and what a silence costs."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.canonical import Json
from iris_harness.errors import (
    ConfigError,
    LeaseLostError,
    RequestError,
    StorageError,
    TokenRefusedError,
    WorkTooLargeError,
)
from iris_harness.jobs import remote
from iris_harness.jobs.database import Database
from iris_harness.jobs.leases import Queue
from iris_harness.jobs.leasing import Daemon, Lease, Limits, NewStep
from iris_harness.jobs.remote import RemoteQueue
from iris_harness.jobs.tokens import Role, Tokens
from tests.jobs_server import serve_jobs
from tests.jobs_support import dag, reader, submit
from tests.remote_servers import Answer, serve_web

DEN = Daemon(name="den")
NEVER = threading.Event()


class Door(NamedTuple):
    """A server, and a daemon's token for it."""

    url: str
    token: str

    def queue(self) -> RemoteQueue:
        return RemoteQueue(self.url, self.token, SystemClock())


@pytest.fixture
def door(database: Database) -> Iterator[Door]:
    token = Tokens(database).create("den", Role.DAEMON)
    with serve_jobs(database, Limits(lease_seconds=7, max_work_bytes=2**20)) as url:
        yield Door(url, token)


def taken(queue: RemoteQueue) -> Lease:
    lease = queue.lease(DEN)
    assert lease is not None
    return lease


def test_a_server_tells_a_daemon_its_name_and_the_bounds(door: Door) -> None:
    queue = door.queue()
    assert queue.name == "den"
    assert (queue.limits.lease_seconds, queue.limits.max_work_bytes) == (7.0, 2**20)


def test_a_token_that_is_wrong_or_an_owners_opens_nothing(door: Door, database: Database) -> None:
    owner = Tokens(database).create("me", Role.OWNER, "local")
    for token in ("guess", owner):
        with pytest.raises(TokenRefusedError, match="iris jobs token new"):
            RemoteQueue(door.url, token, SystemClock())


def test_a_revoked_token_ends_whatever_is_under_way(door: Door, database: Database) -> None:
    queue = door.queue()
    submit(database, dag(a=[], b=[]))
    lease = taken(queue)
    Tokens(database).revoke("den", "local")
    for act in (
        lambda: queue.lease(DEN),
        lambda: queue.renew(lease),
        lambda: queue.complete(lease),
        lambda: queue.wait(DEN, 5, NEVER),
    ):
        with pytest.raises(TokenRefusedError):
            act()


def test_one_daemon_does_not_use_the_lease_of_another(door: Door, database: Database) -> None:
    other = RemoteQueue(door.url, Tokens(database).create("attic", Role.DAEMON), SystemClock())
    submit(database, dag(a=[]))
    lease = taken(door.queue())
    for act in (other.renew, other.steps, other.complete, other.release):
        with pytest.raises(LeaseLostError):
            act(lease)


def test_a_wait_ends_with_a_worker_that_the_next_lease_gives(
    door: Door, database: Database
) -> None:
    queue = door.queue()
    with contextlib.closing(queue.open_wakeup(DEN)) as wakeup:
        threading.Timer(0.3, lambda: submit(database, dag(a=[]))).start()
        assert wakeup.wait(20, NEVER)
        queue.complete(taken(queue))
        assert not wakeup.wait(0.1, NEVER)


def test_what_came_while_a_daemon_ended_is_handed_back_uncounted(
    door: Door, database: Database
) -> None:
    queue = door.queue()
    submit(database, dag(a=[]))
    with contextlib.closing(queue.open_wakeup(DEN)) as wakeup:
        assert wakeup.wait(20, NEVER)
    again = taken(queue)
    assert (again.fence, again.delivery) == (2, 1)


def test_a_wait_that_is_stopped_ends_at_once_and_takes_nothing_later(
    door: Door, database: Database
) -> None:
    queue, stop = door.queue(), threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    assert not queue.wait(DEN, 20, stop)
    assert time.monotonic() - began < 5
    time.sleep(0.5)  # the server finds that nobody waits any longer
    submit(database, dag(a=[]))
    time.sleep(0.5)
    assert taken(door.queue()).fence == 1


def test_a_server_that_is_away_for_a_moment_is_asked_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_PAUSES_SECONDS", (0.2,) * 40)
    token = Tokens(database).create("den", Role.DAEMON)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    submit(database, dag(a=[]))
    with serve_jobs(database, port=port) as url:
        queue = RemoteQueue(url, token, SystemClock())
        lease = taken(queue)
    with pytest.raises(StorageError):
        queue.lease(DEN)  # this is not asked twice
    done = threading.Thread(target=queue.complete, args=(lease, {"tokens": 1}))
    done.start()
    time.sleep(0.5)
    with serve_jobs(database, port=port):
        done.join(timeout=30)
        assert reader(database).list()[0].state.value == "succeeded"


def test_a_completion_whose_answer_was_lost_may_be_said_again_and_no_other(
    door: Door, database: Database
) -> None:
    queue = door.queue()
    submit(database, dag(a=[], b=[]))
    lease, other = taken(queue), taken(queue)
    step = NewStep(number=1, built_on="a" * 40, head="b" * 40, pack=b"PACK")
    queue.begin(lease, "a" * 40)
    queue.complete(lease, {"tokens": 1}, step)
    queue.complete(lease, {"tokens": 1}, step)
    with pytest.raises(LeaseLostError):
        queue.fail(lease, "k", "r")
    with pytest.raises(LeaseLostError):
        queue.release(lease)
    queue.fail(other, "k", "r")
    with pytest.raises(LeaseLostError):
        queue.complete(other)


def test_work_of_some_megabytes_passes_and_too_much_is_refused_by_name(
    door: Door, database: Database
) -> None:
    queue = door.queue()
    submit(database, dag(a=[], b=[]))
    lease = taken(queue)
    queue.begin(lease, "a" * 40)
    large = NewStep(number=1, built_on="a" * 40, head="b" * 40, pack=b"\xff" * (2**20 + 1))
    with pytest.raises(WorkTooLargeError) as caught:
        queue.complete(lease, None, large)
    assert caught.value.most_bytes == 2**20
    fits = NewStep(number=1, built_on="a" * 40, head="b" * 40, pack=b"\xff" * 2**20)
    queue.complete(lease, None, fits)
    assert queue.pack(taken(queue), 1) == fits.pack


def test_what_is_no_step_is_refused(door: Door, database: Database) -> None:
    queue = door.queue()
    submit(database, dag(a=[]))
    lease = taken(queue)
    connection = http.client.HTTPConnection(urlsplit(door.url).netloc)
    path = f"/api/leases/{lease.spec.id}/{lease.fence}/complete"
    wrong: tuple[Json, ...] = (
        {"pack": "*"},
        {"pack": 7},
        {"number": "1"},
        [],
        {"pack": "UEFDSw==", "head": "x"},
    )
    for step in wrong:
        headers = {"Authorization": f"Bearer {door.token}"}
        connection.request("POST", path, json.dumps({"step": step}), headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == HTTPStatus.UNPROCESSABLE_ENTITY, step
    connection.close()
    with pytest.raises(RequestError):
        queue.begin(lease, "main")
    queue.complete(lease)


def test_nobody_sends_a_body_without_a_token(door: Door) -> None:
    host, port = urlsplit(door.url).hostname, urlsplit(door.url).port
    with socket.create_connection((host, port), timeout=10) as client:
        client.sendall(b"POST /api/leases HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\n\r\n")
        assert client.recv(64).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    "url", ["http://den.example:7475", "ftp://den", "den:7475", "", "https://me:pw@den:7475"]
)
def test_a_token_goes_to_no_address_where_others_could_read_it(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RemoteQueue(url, "secret", SystemClock())
    assert "secret" not in str(caught.value)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"error": 7}'])
@pytest.mark.parametrize("status", [200, 404, 500])
def test_what_is_no_jobs_server_is_said_to_be_none(status: int, body: bytes) -> None:
    with (
        serve_web(lambda _: Answer(status=status, body=body)) as server,
        pytest.raises(StorageError, match="no jobs server"),
    ):
        RemoteQueue(server.url(""), "secret", SystemClock())


def test_a_server_that_is_not_there_is_named_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote, "_PAUSES_SECONDS", ())
    with socket.create_server(("127.0.0.1", 0)) as probe:
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with pytest.raises(StorageError, match=r"127\.0\.0\.1.*iris jobs serve"):
        RemoteQueue(url, "secret", SystemClock())


def test_a_worker_is_not_lost_with_a_daemon_that_went_while_it_waited(
    door: Door, database: Database
) -> None:
    host, port = urlsplit(door.url).hostname, urlsplit(door.url).port
    body = b'{"wait_seconds": 20}'
    with socket.create_connection((host, port)) as client:
        client.sendall(
            b"POST /api/leases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
            + door.token.encode()
            + f"\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        time.sleep(0.3)
    time.sleep(0.5)
    submit(database, dag(a=[]))
    lease = Queue(database, SystemClock()).lease(DEN)
    assert lease is not None
    assert lease.delivery == 1
