"""What one commit has and another has not, as bytes that travel between machines.

A pack names no refs, so there are none to trust: whoever takes one says which commit it must hold. A
bundle is a pack with refs, and git before 2.46 does not look at the objects of a bundle that it
fetches from. See git-pack-objects(1), git-index-pack(1), gitformat-pack(5).
"""

from __future__ import annotations

from iris_harness.daemon.checkouts.git import Git
from iris_harness.errors import RepositoryError


def make_pack(git: Git, old: str, new: str) -> bytes:
    """Return what `new` has and `old` has not; both are commits of the repository.

    Raises:
        RepositoryError: git failed.
    """
    wanted = f"{new}\n^{old}\n".encode("ascii")
    return git.read(
        "pack-objects", "--revs", "--thin", "--stdout", "--quiet", "--threads=1",
        network=True,  # a partial clone may lack what a part of the new is like
        input_bytes=wanted,
    )  # fmt: skip


def take_pack(git: Git, pack: bytes, old: str, new: str) -> None:
    """Add a pack to a repository, of which it needs `old`; then it has all of `new`.

    Every object is looked at as git looks at what strangers push. No ref is made or moved.

    Raises:
        RepositoryError: the pack is broken, or does not lead from `old` to `new`.
    """
    try:
        git.run("index-pack", "--stdin", "--fix-thin", "--fsck-objects", "--threads=1",
                network=True, input_bytes=pack)  # fmt: skip
        git.run("merge-base", "--is-ancestor", old, new)
        # What a partial clone has left at its origin is not missing.
        git.run("rev-list", "--objects", "--quiet", "--exclude-promisor-objects", new, f"^{old}")
    except RepositoryError as error:
        raise RepositoryError(
            f"what another machine handed in does not lead from {old[:12]} to {new[:12]}",
            hint="`iris jobs retry` runs its worker again", output=error.output or error.message,
        ) from error  # fmt: skip
