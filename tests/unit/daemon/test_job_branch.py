"""A clone follows the work of a job that others did, and takes nothing on trust."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.daemon.checkouts import Clone, CloneCache, add_worktree
from iris_harness.daemon.checkouts.git import Git, run_git
from iris_harness.daemon.job_branch import JobBranch
from iris_harness.errors import RepositoryError
from iris_harness.jobs.leasing import NewStep, Step

JOB = "j1"


def git(folder: Path, *words: str, given: bytes = b"") -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    command = ["/usr/bin/env", "git", *identity, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, input=given, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("\n".join(map(str, range(400))), encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "config", "uploadpack.allowFilter", "true")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    return folder


Machine = Callable[[str], JobBranch]


@pytest.fixture
def machine(tmp_path: Path, origin: Path) -> Machine:
    def made(name: str) -> JobBranch:
        clone = CloneCache(tmp_path / name).open(origin.as_uri())
        return JobBranch(clone=clone, job_id=JOB)

    return made


def partial_machine(tmp_path: Path, origin: Path) -> JobBranch:
    """Return a machine whose clone has the history only, as of a repository elsewhere."""
    folder = tmp_path / "partial.git"
    folder.mkdir()
    run_git("init", "--quiet", "--bare", ".", variables={}, folder=folder)
    clone = Clone(url=origin.as_uri(), folder=folder)
    for key, value in (
        ("remote.origin.url", clone.url),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
    ):
        clone.git.run("config", key, value)
    clone.git.run("fetch", "--quiet", "origin")
    return JobBranch(clone=clone, job_id=JOB)


def nothing(number: int) -> bytes:
    raise AssertionError(f"step {number} was asked for")


def begun(branch: JobBranch) -> Step:
    step = Step(0, branch.clone.find_commit("trunk"))
    branch.follow([step], nothing)
    return step


def changed(branch: JobBranch, last: Step, path: str, text: str) -> NewStep:
    folder = branch.clone.folder.parent / "trees" / f"w{last.number}"
    tree = add_worktree(branch.clone, folder, "work", last.head)
    (folder / path).write_text(text, encoding="utf-8")
    tree.stage_all()
    head = tree.commit("change")
    assert head is not None
    return branch.next_step(last, head)


def as_step(step: NewStep) -> Step:
    return Step(step.number, step.head)


def test_what_one_machine_made_another_has_and_goes_on_from(machine: Machine) -> None:
    den, attic = machine("den"), machine("attic")
    first = begun(den)
    one = changed(den, first, "a.txt", "den\n")
    den.add(one)
    attic.follow([first, as_step(one)], {1: one.pack}.__getitem__)
    two = changed(attic, as_step(one), "b.txt", "attic\n")
    attic.add(two)
    den.follow([first, as_step(one), as_step(two)], {2: two.pack}.__getitem__)
    for here in (den, attic):
        run = here.clone.git.run
        assert run("rev-parse", here.name) == two.head
        assert run("rev-parse", here.base) == first.head
        assert run("show", f"{here.name}:a.txt") == "den"
        assert run("show", f"{here.name}:b.txt") == "attic"


def test_what_is_here_is_not_fetched_again(machine: Machine) -> None:
    den, attic = machine("den"), machine("attic")
    first = begun(den)
    one = changed(den, first, "a.txt", "den\n")
    attic.follow([first, as_step(one)], {1: one.pack}.__getitem__)
    attic.follow([first, as_step(one)], nothing)


def test_a_branch_that_is_ahead_of_the_queue_goes_back_to_it(machine: Machine) -> None:
    den = machine("den")
    first = begun(den)
    den.add(changed(den, first, "a.txt", "never handed in\n"))
    den.follow([first], nothing)
    assert den.clone.git.run("rev-parse", den.name) == first.head


def test_clones_without_files_give_and_take_work(
    tmp_path: Path, origin: Path, machine: Machine
) -> None:
    bare, full = partial_machine(tmp_path, origin), machine("full")
    first = begun(full)
    one = changed(full, first, "a.txt", "\n".join(map(str, range(401))))
    bare.follow([first, as_step(one)], {1: one.pack}.__getitem__)
    two = changed(bare, as_step(one), "b.txt", "\n".join(map(str, range(402))))
    full.follow([first, as_step(one), as_step(two)], {1: one.pack, 2: two.pack}.__getitem__)
    assert full.clone.git.run("show", f"{two.head}:b.txt").endswith("401")
    assert full.clone.git.run("show", f"{two.head}:a.txt").endswith("400")


def test_a_small_change_of_a_large_file_is_a_small_pack(machine: Machine) -> None:
    den = machine("den")
    step = changed(den, begun(den), "a.txt", "\n".join(map(str, range(401))))
    assert len(step.pack) < 600


def forged_tree(repository: Git, last: Step) -> tuple[str, bytes]:
    """Return a commit with a file that git would take for its own settings, and its pack."""
    blob = repository.run("hash-object", "-w", "--stdin", input_bytes=b"[core]\n")
    entry = b"100644 .git\0" + bytes.fromhex(blob)
    words = ("hash-object", "-w", "-t", "tree", "--literally", "--stdin")
    tree = repository.run(*words, input_bytes=entry)
    head = repository.run("commit-tree", tree, "-p", last.head, "-m", "forged")
    listed = f"{head}\n{tree}\n{blob}\n".encode()
    return head, repository.read("pack-objects", "--stdout", "-q", input_bytes=listed)


def unrelated(repository: Git, last: Step) -> tuple[str, bytes]:
    """Return a whole commit that does not come after the last one."""
    tree = repository.run("rev-parse", f"{last.head}^{{tree}}")
    head = repository.run("commit-tree", tree, "-m", "from nowhere")
    return head, repository.read("pack-objects", "--stdout", "-q", input_bytes=f"{head}\n".encode())


def without_its_files(repository: Git, last: Step) -> tuple[str, bytes]:
    """Return a commit and its tree, and not the file that is new in it."""
    blob = repository.run("hash-object", "-w", "--stdin", input_bytes=b"new\n")
    tree = repository.run("mktree", input_bytes=f"100644 blob {blob}\tnew.txt\n".encode())
    head = repository.run("commit-tree", tree, "-p", last.head, "-m", "half")
    listed = f"{head}\n{tree}\n".encode()
    return head, repository.read("pack-objects", "--stdout", "-q", input_bytes=listed)


def of_another_commit(repository: Git, last: Step) -> tuple[str, bytes]:
    """Return a commit that nobody has, and the pack of another."""
    return "f" * 40, unrelated(repository, last)[1]


def no_pack(_repository: Git, _last: Step) -> tuple[str, bytes]:
    return "e" * 40, b"PACK" + b"\xff" * 60


@pytest.mark.parametrize(
    "forge", [forged_tree, unrelated, without_its_files, of_another_commit, no_pack]
)
@pytest.mark.parametrize("kind", ["full", "partial"])
def test_a_pack_that_does_not_hold_what_it_should_moves_nothing(
    forge: Callable[[Git, Step], tuple[str, bytes]],
    kind: str,
    tmp_path: Path,
    origin: Path,
    machine: Machine,
) -> None:
    here = machine("den") if kind == "full" else partial_machine(tmp_path, origin)
    first = begun(here)
    head, pack = forge(machine("forger").clone.git, first)
    with pytest.raises(RepositoryError, match="another machine"):
        here.follow([first, Step(1, head)], {1: pack}.__getitem__)
    assert here.clone.git.run("rev-parse", here.name) == first.head


def test_where_a_job_began_is_fetched_by_its_number_or_missed_by_name(
    origin: Path, machine: Machine
) -> None:
    den = machine("den")
    first = begun(den)
    git(origin, "commit", "-q", "--amend", "-m", "rewritten")
    attic = machine("attic")
    attic.follow([first], nothing)
    assert attic.clone.git.run("rev-parse", attic.base) == first.head
    git(origin, "reflog", "expire", "--expire=now", "--all")
    git(origin, "gc", "-q", "--prune=now")
    with pytest.raises(RepositoryError, match=first.head[:12]):
        machine("cellar").follow([first], nothing)


@pytest.mark.parametrize("job_id", ["../x", "a..b", "x.lock", "-x", "a b", ""])
def test_a_job_whose_id_is_no_name_of_a_ref_is_refused(machine: Machine, job_id: str) -> None:
    branch = JobBranch(clone=machine("den").clone, job_id=job_id)
    with pytest.raises(RepositoryError):
        branch.follow([Step(0, "a" * 40)], nothing)
