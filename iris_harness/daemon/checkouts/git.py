"""Runs git: as a subprocess without a shell, hooks, questions, or protocols nobody asked for.

A repository's files are untrusted, and so is everything that a run left in a worktree. So git is
always told which repository it is in (``GIT_DIR``), never finds it by what lies in a folder, and
what its settings could make it start is turned off. See git(1), gitprotocol-capabilities(5).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from iris_harness.config.environment import variables as inherited_variables
from iris_harness.errors import RepositoryError

_LOCAL_SECONDS = 120
_NETWORK_SECONDS = 900
_MOST_LINES = 6
_PROTOCOLS = "file:https:ssh"
"""What may be cloned from: never ``ext::``, which is a command."""
_OFF = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false",
    "commit.gpgSign=false", "tag.gpgSign=false", "gc.auto=0", "maintenance.auto=false",
    "diff.ignoreSubmodules=all", "submodule.recurse=false", "protocol.ext.allow=never",
    "advice.addEmbeddedRepo=false", "core.protectHFS=true", "core.protectNTFS=true", "core.autocrlf=false", "init.defaultBranch=main",
)  # fmt: skip
_AUTHOR = {
    "GIT_AUTHOR_NAME": "Iris", "GIT_AUTHOR_EMAIL": "iris@localhost",
    "GIT_COMMITTER_NAME": "Iris", "GIT_COMMITTER_EMAIL": "iris@localhost",
}  # fmt: skip


class Git:
    """Git in one repository, and in one of its worktrees where one is given."""

    def __init__(self, folder: Path, worktree: Path | None = None) -> None:
        """Take the repository's own folder (``.git``), and a worktree's."""
        self.folder = folder
        self._worktree = worktree

    def run(self, *words: str, network: bool = False, input_bytes: bytes = b"") -> str:
        """Return what git prints, without the last line's end.

        Raises:
            RepositoryError: git failed, or is not there; what it said is in the message.
        """
        return (
            self.read(*words, network=network, input_bytes=input_bytes)
            .decode("utf-8", "replace")
            .rstrip("\n")
        )

    def read(self, *words: str, network: bool = False, input_bytes: bytes = b"") -> bytes:
        """As `run`, the bytes as they are."""
        done = run_git(
            *words, variables=self._place(), network=network, folder=self._worktree or self.folder,
            input_bytes=input_bytes,
        )  # fmt: skip
        return done.stdout

    def succeeds(self, *words: str) -> bool:
        """Return whether git ends with success."""
        try:
            self.read(*words)
        except RepositoryError:
            return False
        return True

    def _place(self) -> dict[str, str]:
        place = {"GIT_DIR": str(self.folder)}
        if self._worktree is not None:
            place["GIT_WORK_TREE"] = str(self._worktree)
        return place


def run_git(
    *words: str,
    variables: Mapping[str, str],
    folder: Path,
    network: bool = False,
    input_bytes: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run git with the settings that keep it quiet.

    The user's own settings count only where the network is used: they say how to log in.

    Raises:
        RepositoryError: it failed, took too long, or is not there.
    """
    options = [word for setting in _OFF for word in ("-c", setting)]
    seconds = _NETWORK_SECONDS if network else _LOCAL_SECONDS
    try:
        done = subprocess.run(
            ["git", *options, *words],  # noqa: S607 - the user's own PATH
            cwd=folder, env={**_environment(network=network), **variables}, capture_output=True,
            input=input_bytes, timeout=seconds, check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise RepositoryError("git is not installed", hint="install git") from error
    except subprocess.TimeoutExpired as error:
        raise RepositoryError(f"git {words[0]} took longer than {seconds} s") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise RepositoryError(f"git {words[0]} failed: {_reason(said)}", output=said)
    return done


def _environment(*, network: bool) -> dict[str, str]:
    own = {} if network else {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    # A variable of git's own could name another repository, or a program to start.
    inherited = {k: v for k, v in inherited_variables().items() if not k.startswith("GIT_")}
    return {
        **inherited,
        **_AUTHOR,
        **own,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }


def _reason(said: str) -> str:
    """Return what git says is wrong, and the files that it names below that."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    fatal = next((line for line in lines if line.startswith("fatal:")), None)
    if fatal is not None or not lines:
        return fatal or ""
    first = next((at for at, line in enumerate(lines) if line.startswith("error:")), None)
    return lines[-1] if first is None else " ".join(lines[first : first + _MOST_LINES])
