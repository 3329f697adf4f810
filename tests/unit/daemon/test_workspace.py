"""A model's hands in a worktree that a run has been in: nothing outside is read, made or lost."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from iris_harness.daemon.checkouts import Clone, CloneCache, Worktree, add_worktree
from iris_harness.daemon.loop.edits import replace_once
from iris_harness.daemon.loop.journal import Journal
from iris_harness.daemon.loop.workspace import Workspace
from iris_harness.errors import JournalError


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["/usr/bin/env", "git", *identity, *words], cwd=folder, check=True)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = tmp_path / "origin"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "passwd").write_text("nothing\n", encoding="utf-8")
    (folder / "a.txt").write_text("one\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> CloneCache:
    return CloneCache(tmp_path / "clones")


@pytest.fixture
def clone(cache: CloneCache, origin: Path) -> Clone:
    return cache.open(origin.as_uri())


@pytest.fixture
def worktree(clone: Clone, tmp_path: Path) -> Worktree:
    return add_worktree(clone, tmp_path / "trees" / "w", "iris/j/w", clone.find_commit(None))


@pytest.fixture
def outside(worktree: Worktree, tmp_path: Path) -> Path:
    """A folder of the user's, to which a run has made a link in the place of a tracked one."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "passwd").write_text("a password\n", encoding="utf-8")
    shutil.rmtree(worktree.folder / "data")
    (worktree.folder / "data").symlink_to(folder)
    return folder


@pytest.mark.parametrize("place", [".", "data"])
def test_a_search_does_not_follow_a_link_that_a_run_made(
    worktree: Worktree, outside: Path, place: str
) -> None:
    assert Workspace(worktree).grep("password", place) == "nothing matches"
    assert "nothing" in Workspace(worktree).grep("nothing", place)
    assert outside.exists()


def test_nothing_is_made_below_a_link(worktree: Worktree, outside: Path) -> None:
    with pytest.raises(ValueError, match="is a link, or below one"):
        Workspace(worktree).create("data/new/deep/a.py", "x")
    assert [path.name for path in outside.iterdir()] == ["passwd"]


def test_a_search_finds_what_was_edited(worktree: Worktree) -> None:
    files = Workspace(worktree)
    files.edit("a.txt", "one", "two")
    assert files.grep("two", ".") == "a.txt:1: two"


@pytest.mark.parametrize(
    "path",
    [
        "a" * 300 + ".py",
        "/".join(["a" * 200] * 30),
        "a.txt/b.py",
        "b.py ",
        " b.py",
        "b.",
        "n\nn.py",
        "\x1b[31m.py",
        ".g\u200cit/config",
        "git~1/config",
        ".git /config",
        ".git./config",
    ],
)
def test_a_name_that_no_file_can_have_is_told_to_the_model(worktree: Worktree, path: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        Workspace(worktree).create(path, "x")
    assert worktree.changed_paths() == ()


def test_text_that_cannot_be_written_leaves_the_file_as_it_was(worktree: Worktree) -> None:
    files = Workspace(worktree)
    with pytest.raises(ValueError, match="surrogates"):
        files.edit("a.txt", "one", "\ud800")
    with pytest.raises(ValueError, match="surrogates"):
        files.create("b.txt", "\ud800")
    assert (worktree.folder / "a.txt").read_text(encoding="utf-8") == "one\n"
    assert not (worktree.folder / "b.txt").exists()


def test_an_edit_that_git_refuses_is_taken_back(worktree: Worktree) -> None:
    lock = worktree.git.folder / "index.lock"
    lock.touch()
    with pytest.raises(ValueError, match=r"git refuses a\.txt"):
        Workspace(worktree).edit("a.txt", "one", "two")
    assert (worktree.folder / "a.txt").read_text(encoding="utf-8") == "one\n"


def test_what_is_most_alike_is_looked_for_in_bounded_time() -> None:
    started = time.process_time()
    with pytest.raises(ValueError, match="old is not there"):
        replace_once("ab" * 500_000, "ba" * 400_000 + "c", "")
    assert time.process_time() - started < 5


def test_what_a_run_left_is_no_work_whatever_it_is_called(worktree: Worktree) -> None:
    for name in (b"left\xff/\xfe.txt", b" lead.txt", b'new\nline "q".txt'):
        place = worktree.folder / os.fsdecode(name)
        place.parent.mkdir(exist_ok=True)
        place.touch()
    nested = worktree.folder / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    git(nested, "commit", "-q", "--allow-empty", "-m", "x")
    left_behind = worktree.untracked()
    assert len(left_behind) == 4
    worktree.stage_all(but=left_behind)
    assert worktree.changed_paths() == ()


def test_links_that_lead_out_and_repositories_inside_are_told_apart(worktree: Worktree) -> None:
    for name, target in (("in", "data/passwd"), ("out", "../x"), ("root", "/etc"), ("up", "..")):
        (worktree.folder / name).symlink_to(target)
    (worktree.folder / "data" / "in").symlink_to("../a.txt")
    nested = worktree.folder / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    git(nested, "commit", "-q", "--allow-empty", "-m", "x")
    worktree.stage_all()
    assert worktree.leaving_paths() == ("nested", "out", "root", "up")


@pytest.mark.parametrize("lock", ["refs/remotes/origin/main.lock", "refs/tags/v.lock"])
def test_a_lock_that_a_killed_git_left_keeps_nobody_out(
    cache: CloneCache, clone: Clone, origin: Path, lock: str
) -> None:
    (clone.folder / lock).parent.mkdir(parents=True, exist_ok=True)
    (clone.folder / lock).touch()
    git(origin, "commit", "-q", "--allow-empty", "-m", "second")
    git(origin, "tag", "v")
    again = cache.open(origin.as_uri())
    assert again.find_commit("v") == again.find_commit(None) != clone.git.run("rev-parse", "v~")


def test_a_lock_on_the_branch_of_a_worker_keeps_nobody_out(clone: Clone, tmp_path: Path) -> None:
    lock = clone.folder / "refs" / "heads" / "iris" / "j" / "w.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    made = add_worktree(clone, tmp_path / "trees" / "w", "iris/j/w", clone.find_commit(None))
    assert (made.folder / "a.txt").exists()


@pytest.mark.parametrize("torn", ["HEAD", "config"])
def test_a_clone_that_lost_a_file_is_put_right_and_keeps_its_branches(
    cache: CloneCache, worktree: Worktree, origin: Path, torn: str
) -> None:
    (worktree.clone.folder / torn).write_bytes(b"")
    again = cache.open(origin.as_uri())
    assert again.find_commit(None) == worktree.base == again.git.run("rev-parse", "iris/j/w")


def test_a_line_that_the_disk_had_no_room_for_is_no_part_of_the_journal(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    journal = Journal(file)
    journal.note("first", 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 100, hard))
    try:
        with pytest.raises(JournalError, match="cannot be written"):
            journal.note("large", "x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    journal.note("second", 2)
    journal.close()
    assert [entry.kind for entry in Journal(file).entries] == ["first", "second"]
