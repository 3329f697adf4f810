"""Installs a runtime that is missing, by a program that the user's settings name.

What is installed is chosen from what the repository states, but nothing of the repository's is a
part of a command: a family's name comes from Iris's own table, and of a
version only its numbers, or the channel that it is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from iris_harness.daemon.constraints import find_channel, parse_version
from iris_harness.daemon.provisioning.toolchains import Toolchain, find_unmet
from iris_harness.daemon.runtime import Runtime

_INSTALL_SECONDS = 1_800
_ASK_SECONDS = 30
_CANDIDATE = re.compile(r"^\s*Candidate:\s*(?:\d+:)?(\d[^\s]*)", re.MULTILINE)
_MOST_SAID = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Installer:
    """A version manager, or the system's packages."""

    name: str
    program: str
    install: tuple[str, ...]
    latest: str
    candidate: tuple[str, ...]
    root: bool
    names: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    """What came of trying to install a runtime."""

    is_done: bool
    said: str
    """What was installed by what, or why nothing was; one clause."""


@cache
def load_installers() -> Mapping[str, Installer]:
    """Return all that Iris can ask to install something, by their names."""
    text = files(__package__).joinpath("installers.toml").read_text(encoding="utf-8")
    return {name: _installer(name, table) for name, table in tomllib.loads(text).items()}


def _installer(name: str, table: Mapping[str, Any]) -> Installer:
    return Installer(
        name=name, program=table["program"], install=tuple(table["install"]),
        latest=table.get("latest", ""), candidate=tuple(table.get("candidate", ())),
        root=table.get("root", False), names=table["names"],
    )  # fmt: skip


class Provisioner:
    """Installs runtimes, in the order in which the settings name who may."""

    def __init__(self, allowed: Sequence[str], path: Sequence[str]) -> None:
        """Take the names of the installers that may be used, and the folders of programs."""
        self._installers = [load_installers()[name] for name in allowed]
        self._path = os.pathsep.join(path)

    def provide(self, runtime: Runtime, cancelled: Callable[[], bool]) -> Installed:
        """Install a runtime by the first that can, and say how it went."""
        tried = []
        for installer in self._installers:
            if cancelled():
                break
            done = self._provide_by(installer, runtime)
            if done is None:
                continue
            if done.is_done:
                return done
            tried.append(done.said)
        return Installed(is_done=False, said="; ".join(tried))

    def _provide_by(self, installer: Installer, runtime: Runtime) -> Installed | None:
        """Return how it went; None where it is not here, or knows no such runtime."""
        name = installer.names.get(runtime.name)
        program = shutil.which(installer.program, path=self._path)
        if name is None or program is None:
            return None
        if unfit := self._unfit(installer, name, runtime):
            return Installed(is_done=False, said=unfit)
        told = runtime.version or ""
        wanted = told if find_channel(told) else ".".join(map(str, parse_version(told)))
        version = "" if installer.candidate else wanted or installer.latest
        words = [
            part
            for word in installer.install
            for part in word.format(name=name, version=version).split(" ")
        ]
        return _run(installer, [*_as_root(installer), program, *words], f"{name} {version}".strip())

    def _unfit(self, installer: Installer, name: str, runtime: Runtime) -> str:
        """Return why the version that would be installed is not wanted; empty where it is."""
        if not installer.candidate:
            return ""
        words = [word.format(first=name.split(" ", maxsplit=1)[0]) for word in installer.candidate]
        program = shutil.which(words[0], path=self._path)
        if program is None:
            return f"{words[0]} is not here"
        said = _ask([program, *words[1:]])
        found = _CANDIDATE.search(said)
        if found is None:
            return f"{installer.name} has no {name}"
        refused = find_unmet(
            Toolchain(
                name=runtime.name, version=found[1], program="", folder="", prefix="",
                environment={},
            ), runtime,
        )  # fmt: skip
        return f"{installer.name} has {name} {found[1]}, and {refused}" if refused else ""


def _as_root(installer: Installer) -> tuple[str, ...]:
    return ("sudo", "-n") if installer.root and os.geteuid() != 0 else ()


def _ask(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ASK_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")


def _run(installer: Installer, words: Sequence[str], what: str) -> Installed:
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_INSTALL_SECONDS, check=False, cwd="/",
        )  # fmt: skip
    except OSError as error:
        return Installed(is_done=False, said=f"{words[0]} cannot be started: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Installed(is_done=False, said=f"{installer.name} took too long to install {what}")
    if done.returncode:
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        last = lines[-1][:_MOST_SAID] if lines else f"it ended with {done.returncode}"
        return Installed(is_done=False, said=f"{installer.name} did not install {what}: {last}")
    return Installed(is_done=True, said=f"{what} was installed by {installer.name}")
