"""Tokens and logs, on both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from iris_harness.errors import JobStateError, LeaseLostError, RequestError, UnknownJobError
from iris_harness.jobs.database import Database
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.logs import MOST_CHARACTERS, WorkerLogs
from iris_harness.jobs.tokens import Bearer, Role, Tokens
from iris_harness.testing import ManualClock
from tests.jobs_support import dag, submit


def test_a_token_is_its_bearers_until_it_is_revoked(database: Database) -> None:
    tokens = Tokens(database)
    den = tokens.create("den", Role.DAEMON)
    mine = tokens.create("phone", Role.OWNER, "local")
    assert tokens.find(den) == Bearer("den", Role.DAEMON, "")
    assert tokens.find(mine) == Bearer("phone", Role.OWNER, "local")
    assert tokens.find("") is None
    tokens.revoke("den", "ada")
    assert tokens.find(den) is None
    assert [one.name for one in tokens.list("local")] == ["phone"]
    with pytest.raises(UnknownJobError):
        tokens.revoke("den", "ada")


def test_only_the_digest_of_a_token_is_kept(database: Database) -> None:
    token = Tokens(database).create("den", Role.DAEMON)
    with database.reading() as connection:
        row = connection.execute(sa.text("SELECT * FROM tokens")).one()
    assert token not in map(str, row)


def test_a_name_is_used_once_and_must_be_one(database: Database) -> None:
    tokens = Tokens(database)
    tokens.create("den", Role.DAEMON)
    with pytest.raises(JobStateError, match="already"):
        tokens.create("den", Role.DAEMON)
    for bad in ("", "a b", "../x", "x" * 200):
        with pytest.raises(RequestError):
            tokens.create(bad, Role.DAEMON)


def test_a_log_is_kept_in_order_and_only_its_holder_writes_it(
    database: Database, clock: ManualClock
) -> None:
    queue, logs = Queue(database, clock), WorkerLogs(database)
    submit(database, dag(a=[]))
    lease = queue.lease(Daemon(name="den"))
    assert lease is not None
    for text in ("one\n", "two\0\n"):
        logs.append(lease, text)
    assert "".join(piece.text for piece in logs.read(lease.spec.id)) == "one\ntwo\ufffd\n"
    queue.complete(lease)
    with pytest.raises(LeaseLostError):
        logs.append(lease, "late")


def test_a_log_has_an_end(database: Database, clock: ManualClock) -> None:
    queue, logs = Queue(database, clock), WorkerLogs(database)
    submit(database, dag(a=[]))
    lease = queue.lease(Daemon(name="den"))
    assert lease is not None
    for _ in range(MOST_CHARACTERS // 65_536 + 4):
        logs.append(lease, "x" * 70_000)
    kept = "".join(piece.text for piece in logs.read(lease.spec.id))
    assert MOST_CHARACTERS < len(kept) < MOST_CHARACTERS + 100
    assert kept.count("the log is full") == 1
