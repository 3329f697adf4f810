"""Copies that several processes use, and folders that cannot be used."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest

from iris_harness.contracts.sources import SourceState
from iris_harness.errors import SourceError
from iris_harness.sources.remote.dav import Item
from iris_harness.sources.remote.dav_copy import CollectionCopy, OvertakenError
from iris_harness.sources.remote.kept_copy import Copy, CopyState
from tests.remote_servers import Answer, Asked, serve_web
from tests.unit.sources.remote.conftest import At, MakeSource, OpenCalendar, calendar_text

HOME = "https://dav.example/home/"
NOW = dt.datetime(2026, 4, 16, 8, tzinfo=dt.UTC)


def test_who_was_overtaken_by_another_process_stores_nothing(cache: Path) -> None:
    ours, theirs = (CollectionCopy(Copy(cache), HOME) for _ in range(2))
    began = ours.load()
    theirs.store(theirs.load(), {"/home/a.ics": Item(etag="2", data=b"new")})
    with pytest.raises(OvertakenError):
        ours.store(began, {"/home/a.ics": Item(etag="1", data=b"old")})
    (file,) = cache.rglob("*.ics")
    assert file.read_bytes() == b"new"


def test_an_answer_that_came_after_another_process_stored_a_newer_one_is_dropped(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    def answer(_: Asked) -> Answer:
        if len(server.asked) == 1:  # while this request runs, another process asks and stores
            other = open_calendar(remote).read(at(minutes=1))
            assert [event.summary for event in other.items] == ["newer"]
            return Answer(body=calendar_text("older"))
        return Answer(body=calendar_text("newer"))

    with serve_web(answer) as server:
        remote = source(server.url())
        reading = open_calendar(remote).read(at())
    assert [event.summary for event in reading.items] == ["newer"]
    assert reading.status.state is SourceState.OK


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"version": 2}', b'{"version": 1, "read_at": 5, "facts": {}}']
)
def test_a_damaged_state_is_no_state(damage: bytes, cache: Path) -> None:
    copy = Copy(cache)
    with copy.exclusive():
        copy.store_state(CopyState(read_at=NOW, facts={"home": "x"}))
    assert copy.state() == CopyState(read_at=NOW, facts={"home": "x"})
    (cache / "state.json").write_bytes(damage)
    assert copy.state() is None


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(SourceError, match="its copy cannot be kept"),
        Copy(tmp_path / "file" / "x").exclusive(),
    ):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such lock")
def test_a_copy_is_not_changed_while_it_is_read(cache: Path) -> None:
    import fcntl

    copy = Copy(cache)
    with copy.exclusive():
        pass
    with copy.shared(), (cache / "lock").open("rb") as handle, pytest.raises(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
