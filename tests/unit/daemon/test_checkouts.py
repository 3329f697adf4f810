"""Jobs work in clones and worktrees of their own, and git does nothing a repository asks for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iris_harness.daemon.checkouts import Clone, CloneCache, Worktree, add_worktree
from iris_harness.errors import RepositoryError


def git(folder: Path, *words: str) -> str:
    identity = (
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "-c",
        "protocol.file.allow=always",
    )
    done = subprocess.run(
        ["/usr/bin/env", "git", *identity, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    (folder / "a.txt").write_text("one\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "tag", "v1")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> CloneCache:
    return CloneCache(tmp_path / "data" / "clones")


@pytest.fixture
def clone(cache: CloneCache, origin: Path) -> Clone:
    return cache.open(origin.as_uri())


@pytest.fixture
def worktree(clone: Clone, tmp_path: Path) -> Worktree:
    return add_worktree(
        clone, tmp_path / "data" / "trees" / "w1", "iris/j/w1", clone.find_commit(None)
    )


def test_a_ref_is_a_branch_a_tag_or_the_start_of_a_commit(clone: Clone, origin: Path) -> None:
    commit = git(origin, "rev-parse", "HEAD")
    for ref in (
        None,
        "trunk",
        "refs/heads/trunk",
        "origin/trunk",
        "v1",
        "refs/tags/v1",
        commit,
        commit[:9],
    ):
        assert clone.find_commit(ref) == commit


@pytest.mark.parametrize("ref", ["gone", "--upload-pack=touch x", "", "HEAD~1", "trunk^{tree}"])
def test_what_is_no_ref_is_refused_by_name(clone: Clone, ref: str) -> None:
    with pytest.raises(RepositoryError, match=r"no branch, tag or commit|has no commit") as caught:
        clone.find_commit(ref)
    assert caught.value.hint


def test_a_clone_is_brought_up_to_date(cache: CloneCache, clone: Clone, origin: Path) -> None:
    (origin / "b.txt").write_text("two\n", encoding="utf-8")
    git(origin, "add", ".")
    git(origin, "commit", "-q", "-m", "second")
    assert cache.open(clone.url).find_commit("trunk") == git(origin, "rev-parse", "HEAD")


def test_a_history_that_was_rewritten_is_followed(
    cache: CloneCache, clone: Clone, origin: Path
) -> None:
    git(origin, "commit", "-q", "--amend", "-m", "other")
    git(origin, "tag", "-f", "v1")
    assert cache.open(clone.url).find_commit("v1") == git(origin, "rev-parse", "HEAD")


def test_a_clone_that_was_interrupted_is_made_anew(cache: CloneCache, clone: Clone) -> None:
    (clone.folder / "iris-complete").unlink()
    (clone.folder / "HEAD").write_text("half", encoding="utf-8")
    assert cache.open(clone.url).find_commit(None)


@pytest.mark.parametrize(
    "url",
    ["ext::sh -c touch% x", "http://example.org/r.git", "git://example.org/r", "/plain/path", "",
     "-x", "https://user:secret@example.org/r.git", "file:///a\nb"],
)  # fmt: skip
def test_what_is_no_address_to_clone_from_is_refused(cache: CloneCache, url: str) -> None:
    with pytest.raises(RepositoryError):
        cache.open(url)


def test_an_address_where_nothing_is_says_what_git_says(cache: CloneCache, tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="git fetch failed"):
        cache.open((tmp_path / "nothing").as_uri())


def test_a_worktree_holds_the_files_of_its_commit_on_its_own_branch(
    worktree: Worktree, origin: Path
) -> None:
    assert (worktree.folder / "a.txt").read_text(encoding="utf-8") == "one\n"
    assert worktree.git.run("branch", "--show-current") == "iris/j/w1"
    assert git(origin, "branch", "--list", "--format=%(refname:short)") == "trunk"


def test_changes_are_listed_kept_and_come_as_a_patch_that_applies(
    worktree: Worktree, origin: Path
) -> None:
    (worktree.folder / "a.txt").write_text("1\n", encoding="utf-8")
    (worktree.folder / "new ü.bin").write_bytes(b"\x00\x01")
    worktree.stage_all()
    assert worktree.changed_paths() == ("a.txt", "new ü.bin")
    patch = worktree.patch()
    commit = worktree.commit("Change\n\n# not a comment")
    assert commit == worktree.git.run("rev-parse", "iris/j/w1")
    assert worktree.patch() == patch
    assert worktree.commit("nothing more") is None
    (origin / "patch").write_bytes(patch)
    git(origin, "apply", "patch")
    assert (origin / "new ü.bin").read_bytes() == b"\x00\x01"


def test_a_worktree_goes_back_to_a_commit(worktree: Worktree) -> None:
    (worktree.folder / "a.txt").unlink()
    (worktree.folder / "made").mkdir()
    (worktree.folder / "made" / "x").touch()
    worktree.reset(worktree.base)
    assert worktree.changed_paths() == ()
    assert not (worktree.folder / "made").exists()


def test_a_worktree_that_is_there_already_is_made_anew(worktree: Worktree) -> None:
    (worktree.folder / "a.txt").write_text("half\n", encoding="utf-8")
    again = add_worktree(worktree.clone, worktree.folder, worktree.branch, worktree.base)
    assert (again.folder / "a.txt").read_text(encoding="utf-8") == "one\n"


def test_a_worktree_that_is_removed_leaves_its_branch(worktree: Worktree) -> None:
    (worktree.folder / "a.txt").write_text("1\n", encoding="utf-8")
    worktree.stage_all()
    commit = worktree.commit("Change")
    worktree.remove()
    assert worktree.clone.git.run("rev-parse", worktree.branch) == commit


def test_nothing_that_a_run_leaves_makes_git_start_a_program(
    worktree: Worktree, tmp_path: Path
) -> None:
    proof = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {proof}\n", encoding="utf-8")
    trap.chmod(0o755)
    # A .git of its own, whose settings start programs ...
    (worktree.folder / ".git").unlink()
    git(worktree.folder, "init", "-q")
    for setting in (
        "core.fsmonitor",
        "core.sshCommand",
        "diff.external",
        "core.pager",
        "core.editor",
    ):
        git(worktree.folder, "config", setting, str(trap))
    hook = worktree.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(trap.read_text(encoding="utf-8"), encoding="utf-8")
    hook.chmod(0o755)
    # ... one more in a folder, and attributes that name filters.
    inner = worktree.folder / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "-c", "core.fsmonitor=false", "commit", "-q", "--allow-empty", "-m", "x")
    git(inner, "config", "core.fsmonitor", str(trap))
    (worktree.folder / ".gitattributes").write_text("* filter=x diff=x merge=x\n", encoding="utf-8")
    (worktree.folder / "a.txt").write_text("1\n", encoding="utf-8")
    proof.unlink(missing_ok=True)
    worktree.stage_all()
    assert "a.txt" in worktree.changed_paths()
    worktree.patch()
    worktree.commit("Change")
    worktree.reset(worktree.base)
    assert not proof.exists()


def test_hooks_of_the_repository_and_of_the_user_do_not_run(
    clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {proof}\n", encoding="utf-8")
        (hooks / name).chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        f"[core]\n\thooksPath = {hooks}\n[commit]\n\tgpgSign = true\n", encoding="utf-8"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    made = add_worktree(clone, tmp_path / "trees" / "w2", "iris/j/w2", clone.find_commit(None))
    (made.folder / "a.txt").write_text("1\n", encoding="utf-8")
    made.stage_all()
    assert made.commit("Change")
    assert not proof.exists()


def test_the_users_checkout_is_never_touched(worktree: Worktree, origin: Path) -> None:
    before = (
        git(origin, "for-each-ref"),
        git(origin, "status", "--porcelain"),
        git(origin, "worktree", "list"),
    )
    (worktree.folder / "a.txt").write_text("1\n", encoding="utf-8")
    worktree.stage_all()
    assert worktree.commit("Change")
    worktree.remove()
    after = (
        git(origin, "for-each-ref"),
        git(origin, "status", "--porcelain"),
        git(origin, "worktree", "list"),
    )
    assert after == before
