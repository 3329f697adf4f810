"""Links and sessions of browsers: how long they count, and for which gate."""

from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
from pathlib import Path

import pytest

from iris_harness.surfaces.web.access import Gate
from iris_harness.surfaces.web.page.login import (
    LINK_MINUTES,
    SESSION_DAYS,
    Logins,
    end_all_logins,
)
from iris_harness.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def logins(tmp_path: Path, clock: ManualClock) -> Logins:
    return Logins(tmp_path, Gate("a token"), clock)


def _session(logins: Logins) -> str:
    secret = logins.enter(logins.make_link())
    assert secret is not None
    return secret


def test_a_link_counts_for_a_few_minutes_only(logins: Logins, clock: ManualClock) -> None:
    in_time, late = logins.make_link(), logins.make_link()
    clock.advance(LINK_MINUTES * 60 - 1)
    assert logins.enter(in_time) is not None
    clock.advance(1)
    assert logins.enter(late) is None


def test_a_session_ends_by_itself(logins: Logins, clock: ManualClock) -> None:
    secret = _session(logins)
    clock.advance(dt.timedelta(days=SESSION_DAYS).total_seconds() - 1)
    assert logins.find(secret) is not None
    clock.advance(1)
    assert logins.find(secret) is None


def test_a_link_is_no_session_and_a_session_no_link(logins: Logins) -> None:
    link, secret = logins.make_link(), _session(logins)
    assert logins.find(link) is None
    assert logins.enter(secret) is None
    assert logins.find(secret) is not None


@pytest.mark.parametrize("wrong", ["", "wrong", "\udcff", "x" * 10_000])
def test_what_was_never_made_opens_nothing(logins: Logins, wrong: str) -> None:
    assert logins.find(wrong) is None
    assert logins.enter(wrong) is None


def test_secrets_of_another_token_open_nothing(
    logins: Logins, tmp_path: Path, clock: ManualClock
) -> None:
    link, secret = logins.make_link(), _session(logins)
    renewed = Logins(tmp_path, Gate("another token"), clock)
    assert renewed.find(secret) is None
    assert renewed.enter(link) is None


def test_all_logins_end_at_once(logins: Logins, tmp_path: Path) -> None:
    link, secret = logins.make_link(), _session(logins)
    end_all_logins(tmp_path)
    assert logins.find(secret) is None
    assert logins.enter(link) is None


def test_who_signs_out_leaves_the_others_in(logins: Logins) -> None:
    first, second = _session(logins), _session(logins)
    visitor = logins.find(first)
    assert visitor is not None
    logins.end(visitor)
    assert logins.find(first) is None
    assert logins.find(second) is not None


def test_each_session_has_a_conversation_and_form_key_of_its_own(logins: Logins) -> None:
    first, second = _session(logins), _session(logins)
    one, other = logins.find(first), logins.find(second)
    assert one is not None
    assert other is not None
    assert one.conversation != other.conversation
    assert one.form_key != other.form_key
    assert logins.find(first) == one
    logins.begin_conversation(one)
    again = logins.find(first)
    assert again is not None
    assert again.conversation != one.conversation
    assert again.form_key == one.form_key


def test_what_has_expired_is_deleted(logins: Logins, tmp_path: Path, clock: ManualClock) -> None:
    logins.make_link()
    clock.advance(dt.timedelta(days=1).total_seconds())
    _session(logins)
    with contextlib.closing(sqlite3.connect(tmp_path / "iris.db")) as database:
        assert database.execute("SELECT kind FROM logins").fetchall() == [("session",)]
