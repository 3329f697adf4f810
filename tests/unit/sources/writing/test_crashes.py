"""Nothing is ever half written: killed writers, full disks, two writers at once, closed files."""

from __future__ import annotations

import datetime as dt
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from iris_harness.contracts.changes import Standing, TodoDraft, TurnTime
from iris_harness.errors import ChangedOutsideError, ReadOnlySourceError, WriteError
from iris_harness.sources.writing.atomic import Held, replace_file
from iris_harness.sources.writing.todotxt import TodoTxtWriter
from tests.killed_writer import NEW
from tests.writing_support import EventSource, calendar

AT = TurnTime(now=dt.datetime(2026, 4, 16, 8, tzinfo=dt.UTC), timezone="Europe/Berlin")
KILLS = 200
LINES = "".join(f"(B) 2026-01-01 todo number {n} +project due:2026-05-01\n" for n in range(800))
EVENTS = calendar(
    *(
        f"BEGIN:VEVENT\nUID:{number}@example.org\nDTSTART:20260416T100000Z\n"
        f"SUMMARY:event {number}\nEND:VEVENT"
        for number in range(300)
    )
)


class Victims:
    """Writers that are killed at any moment."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.killed_writer"],
            cwd=Path(__file__).parents[4],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def kill_one(self, path: Path, after_seconds: float) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        time.sleep(after_seconds)
        os.kill(child, signal.SIGKILL)
        assert self._process.stdout.readline() == "gone\n"

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    found = Victims()
    yield found
    found.close()


def moments() -> Iterator[float]:
    """Yield the seconds after which each writer is killed: spread over some writes."""
    yield from ((number * 37 % 101) / 101 * 0.03 for number in range(KILLS))


def scratch(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".iris-")]


@pytest.mark.soak
def test_no_list_is_half_written_when_its_writer_is_killed(
    victims: Victims, tmp_path: Path
) -> None:
    path = tmp_path / "todo.txt"
    path.write_text(LINES, encoding="utf-8")
    with_new = f"{LINES}2026-04-16 {' '.join(NEW.split())}\n"
    seen = set()
    for after in moments():
        victims.kill_one(path, after)
        text = path.read_text(encoding="utf-8")
        assert text in {LINES, with_new}
        seen.add(text)
        path.write_text(LINES, encoding="utf-8")
    assert len(seen) == 2  # writers were killed in the midst of their work
    writer = TodoTxtWriter("todo", path)
    writer.apply(*writer.add(TodoDraft(summary="after all that"), AT))
    assert scratch(tmp_path) == []


@pytest.mark.soak
def test_no_calendar_is_half_written_when_its_writer_is_killed(
    victims: Victims, tmp_path: Path
) -> None:
    path = tmp_path / "home.ics"
    path.write_bytes(EVENTS)
    seen = set()
    for after in moments():
        victims.kill_one(path, after)
        data = path.read_bytes()
        start, end = data.rindex(b"END:VEVENT\r\n"), data.index(b"END:VCALENDAR")
        assert data[end:] == b"END:VCALENDAR\r\n"
        assert data.startswith(EVENTS[: EVENTS.index(b"END:VCALENDAR")])
        assert data.count(b"BEGIN:VEVENT") == data.count(b"END:VEVENT") in {300, 301}
        assert start < end
        seen.add(data.count(b"BEGIN:VEVENT"))
        path.write_bytes(EVENTS)
    assert seen == {300, 301}


@pytest.mark.soak
def test_no_item_of_a_folder_is_half_written_when_its_writer_is_killed(
    victims: Victims, tmp_path: Path
) -> None:
    (tmp_path / "old.ics").write_bytes(EVENTS)
    seen = set()
    for after in moments():
        victims.kill_one(tmp_path, after)
        items = [path for path in tmp_path.iterdir() if path.name.endswith(".ics")]
        for item in items:
            data = item.read_bytes()
            assert data.startswith(b"BEGIN:VCALENDAR\r\n")
            assert data.endswith(b"END:VEVENT\r\nEND:VCALENDAR\r\n")
            if item.name != "old.ics":
                item.unlink()
        assert (tmp_path / "old.ics").read_bytes() == EVENTS
        seen.add(len(items))
    assert seen == {1, 2}


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond `size`: what a full disk does, for this process alone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_write_that_does_not_fit_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_text(LINES, encoding="utf-8")
    writer = TodoTxtWriter("todo", path)
    (change,) = writer.add(TodoDraft(summary="one more"), AT)
    with largest_file(8192), pytest.raises(WriteError, match="larger than is allowed"):
        writer.apply(change)
    assert path.read_text(encoding="utf-8") == LINES
    assert [found.name for found in tmp_path.iterdir()] == ["todo.txt"]
    writer.apply(change)


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a disk of 96 kB at `folder`, where that is allowed; tell whether it was."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", str(folder)]
    mounted = False
    if os.geteuid() == 0:
        with suppress(OSError):
            mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            command = ["umount", str(folder)]
            subprocess.run(command, check=True)


def test_a_full_disk_leaves_the_old_content(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as is_small:
        path = tmp_path / "disk" / "todo.txt"
        path.write_text(LINES, encoding="utf-8")
        writer = TodoTxtWriter("todo", path)
        (change,) = writer.add(TodoDraft(summary="one more"), AT)
        if is_small:
            (path.parent / "ballast").write_bytes(b"x" * 36_000)
        with nullcontext() if is_small else largest_file(8192), pytest.raises(WriteError) as caught:
            writer.apply(change)
        assert ("disk is full" if is_small else "larger than") in str(caught.value)
        assert path.read_text(encoding="utf-8") == LINES
        assert scratch(path.parent) == []


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_text("first\n", encoding="utf-8")
    code = (
        "import sys, datetime as dt\n"
        "from pathlib import Path\n"
        "from iris_harness.contracts.changes import TodoDraft, TurnTime\n"
        "from iris_harness.sources.writing.todotxt import TodoTxtWriter\n"
        "at = TurnTime(now=dt.datetime(2026, 4, 16, 8, tzinfo=dt.UTC), timezone='UTC')\n"
        "writer = TodoTxtWriter('todo', Path(sys.argv[1]))\n"
        "for number in range(40):\n"
        "    draft = TodoDraft(summary=f'{sys.argv[2]} {number}')\n"
        "    for change in writer.add(draft, at):\n"
        "        writer.apply(change)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in ("a", "b")
    ]
    assert [process.wait() for process in running] == [0, 0]
    lines = path.read_text(encoding="utf-8").splitlines()
    wanted = [f"2026-04-16 {name} {number}" for name in ("a", "b") for number in range(40)]
    assert sorted(lines) == sorted(["first", *wanted])
    assert [found.name for found in tmp_path.iterdir()] == ["todo.txt"]


def test_threads_at_once_lose_nothing(tmp_path: Path) -> None:
    source = EventSource(tmp_path / "a.ics")
    source.path.write_bytes(EVENTS)
    events = source.events()[:8]
    start = dt.datetime(2026, 4, 17, 8, tzinfo=dt.UTC)

    def move(number: int) -> None:
        for change in source.writer.move(events[number], start, None, AT):
            source.writer.apply(change)

    threads = [threading.Thread(target=move, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(source.events("2026-04-17")) == 8
    assert len(source.events()) == 292


def test_a_program_that_writes_meanwhile_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_bytes(b"one\n")
    facts = path.stat()
    held = Held(b"one\n", (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino))
    path.write_bytes(b"two and three\n")
    with pytest.raises(ChangedOutsideError):
        replace_file(path, b"four\n", held, is_locked=True)
    assert path.read_bytes() == b"two and three\n"
    assert [found.name for found in tmp_path.iterdir()] == ["todo.txt"]


def test_mode_owner_and_attributes_stay(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_bytes(b"one\n")
    path.chmod(0o664)
    if os.geteuid() == 0:
        os.chown(path, 1234, 4321)
    has_attributes = True
    try:
        os.setxattr(path, "user.colour", b"green")
    except OSError:
        has_attributes = False
    writer = TodoTxtWriter("todo", path)
    writer.apply(*writer.add(TodoDraft(summary="two"), AT))
    facts = path.stat()
    assert stat.S_IMODE(facts.st_mode) == 0o664
    if os.geteuid() == 0:
        assert (facts.st_uid, facts.st_gid) == (1234, 4321)
    if has_attributes:
        assert os.getxattr(path, "user.colour") == b"green"


def test_a_link_is_written_through_to_its_file(tmp_path: Path) -> None:
    real = tmp_path / "sync" / "todo.txt"
    real.parent.mkdir()
    real.write_bytes(b"one\n")
    link = tmp_path / "todo.txt"
    link.symlink_to("sync/todo.txt")
    writer = TodoTxtWriter("todo", link)
    writer.apply(*writer.add(TodoDraft(summary="two"), AT))
    assert link.is_symlink()
    assert real.read_bytes() == b"one\n2026-04-16 two\n"
    assert [found.name for found in real.parent.iterdir()] == ["todo.txt"]


def test_a_link_in_a_circle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("b.txt")
    (tmp_path / "b.txt").symlink_to("a.txt")
    with pytest.raises(WriteError):
        TodoTxtWriter("todo", tmp_path / "a.txt").add(TodoDraft(summary="x"), AT)


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_what_is_closed_to_writing_is_refused_before_anything_is_planned(
    tmp_path: Path, closed: str
) -> None:
    path = tmp_path / "lists" / "todo.txt"
    path.parent.mkdir()
    path.write_bytes(b"one\n")
    writer = TodoTxtWriter("todo", path)
    (change,) = writer.add(TodoDraft(summary="two"), AT)
    target, mode = (path, 0o444) if closed == "file" else (path.parent, 0o555)
    target.chmod(mode)
    try:
        with pytest.raises(ReadOnlySourceError, match="read-only"):
            writer.add(TodoDraft(summary="two"), AT)
        with pytest.raises(ReadOnlySourceError, match="read-only"):
            writer.apply(change)
        assert path.read_bytes() == b"one\n"
    finally:
        target.chmod(0o755)


def test_a_file_with_two_names_is_not_parted(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_bytes(b"one\n")
    (tmp_path / "other.txt").hardlink_to(path)
    with pytest.raises(WriteError, match="two names"):
        TodoTxtWriter("todo", path).add(TodoDraft(summary="x"), AT)


@pytest.mark.parametrize("kind", ["folder", "pipe", "nowhere"])
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "todo.txt"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path = tmp_path / "not there" / "todo.txt"
    with pytest.raises(WriteError):
        TodoTxtWriter("todo", path).add(TodoDraft(summary="x"), AT)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    with path.open("wb") as file:
        file.truncate(257 * 2**20)
    with pytest.raises(WriteError, match="larger than"):
        TodoTxtWriter("todo", path).add(TodoDraft(summary="x"), AT)


def test_a_change_knows_whether_it_was_made_after_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_bytes(b"milk\nmilk\n")
    writer = TodoTxtWriter("todo", path)
    (change,) = writer.add(TodoDraft(summary="milk"), AT)
    assert writer.standing(change) is Standing.PENDING
    writer.apply(change)
    assert writer.standing(change) is Standing.DONE
    (again,) = writer.add(TodoDraft(summary="milk"), AT)
    assert writer.standing(again) is Standing.PENDING
    writer.apply(again)
    assert writer.standing(again) is Standing.DONE
    writer.apply(again.inverse())
    assert writer.standing(again.inverse()) is Standing.DONE
    assert path.read_bytes() == b"milk\nmilk\n2026-04-16 milk\n"
