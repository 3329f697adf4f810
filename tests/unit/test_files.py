from __future__ import annotations

import os
from pathlib import Path

import pytest

from iris_harness.files import is_file, is_folder, read_regular_file, user_path


def test_a_file_is_read_with_the_time_of_its_change(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3_000_000)
    os.utime(path, (10, 20))
    content = read_regular_file(path, 3_000_000)
    assert content.data == b"x" * 3_000_000
    assert content.modified_at == 20


def test_one_byte_too_many_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 4097)
    with pytest.raises(OSError, match="is larger than 4 KB"):
        read_regular_file(path, 4096)


def test_a_file_that_grows_while_it_is_read_is_bounded() -> None:
    # Its size is said to be 0, and it is made as it is read.
    with pytest.raises(OSError, match="is larger than 0 KB"):
        read_regular_file(Path("/proc/self/maps"), 100)


def test_a_pipe_put_in_a_files_place_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    regular = tmp_path / "regular"
    regular.touch()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    before = regular.stat()
    monkeypatch.setattr(Path, "stat", lambda _: before)
    with pytest.raises(OSError, match="is not a regular file"):
        read_regular_file(pipe, 100)


@pytest.mark.parametrize("path", ["a" * 5000, "/dev/null/x", "nul\0byte", "/dev/zero"])
def test_what_is_no_file_is_no_folder_either_and_raises_nothing(path: str) -> None:
    assert not is_file(Path(path))
    assert not is_folder(Path(path))


def test_the_home_of_nobody_is_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ida")
    assert user_path("~/cal") == Path("/home/ida/cal")
    assert user_path("~nobody-of-that-name/cal") == Path("~nobody-of-that-name/cal")
