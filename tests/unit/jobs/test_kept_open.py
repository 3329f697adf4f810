"""Jobs are opened once for all who look, and anew when what was opened is no more."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from iris_harness.bootstrap.kept_open import KeptOpen
from iris_harness.config.settings import JobsSettings
from iris_harness.errors import StorageError


@pytest.fixture
def kept(tmp_path: Path) -> KeptOpen:
    return KeptOpen(JobsSettings(), tmp_path)


def test_nothing_is_opened_or_made_before_somebody_asks(kept: KeptOpen, tmp_path: Path) -> None:
    assert not kept.are_there()
    assert list(tmp_path.iterdir()) == []
    kept.close()


def test_all_who_ask_are_lent_the_same_even_at_once(kept: KeptOpen) -> None:
    def read(_number: int) -> tuple[int, int]:
        with kept.lent() as opened:
            return id(opened), len(opened.reader.list())

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(read, range(64)))
    assert len(found) == 1
    assert kept.are_there()
    kept.close()


def test_a_file_that_was_put_back_is_opened_anew(kept: KeptOpen, tmp_path: Path) -> None:
    with kept.lent() as first:
        pass
    shutil.copy(tmp_path / "jobs.db", tmp_path / "copy")
    (tmp_path / "copy").replace(tmp_path / "jobs.db")
    with kept.lent() as second:
        assert second.reader.list() == ()
    assert first is not second
    kept.close()


def test_after_an_error_of_the_database_it_is_opened_anew(kept: KeptOpen) -> None:
    with pytest.raises(StorageError), kept.lent() as first:
        raise StorageError("the server has gone")
    with kept.lent() as second:
        assert second.reader.list() == ()
    assert first is not second
    kept.close()


def test_it_may_be_asked_again_after_it_was_closed(kept: KeptOpen) -> None:
    for _ in range(2):
        with kept.lent() as opened:
            assert opened.reader.list() == ()
        kept.close()
