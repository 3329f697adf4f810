"""What is installed on this machine: found by looking, and asked for its version."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path

from iris_harness.config.environment import home, variables
from iris_harness.daemon.provisioning.toolchains import UNRELEASED, Kind, Toolchain, load_kinds

_ASK_SECONDS = 20
_SHIMS = ("/shims/", "/.cargo/bin/", "/.volta/bin/")
"""Programs that choose another one by files of the folder they are started in."""
SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib")
_NUMBER = re.compile(r"\d+(?:\.\d+)+|\d+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """Where to look."""

    path: tuple[str, ...]
    """Folders of programs, in the order in which they are looked in."""
    home: str
    """The user's home: version managers keep their runtimes there."""

    @classmethod
    def here(cls) -> Machine:
        """Return this machine, as its user sees it."""
        path = variables().get("PATH", os.defpath).split(os.pathsep)
        return cls(path=tuple(filter(None, path)), home=str(home()))


def processors() -> int:
    """Return how many processors there are."""
    return os.cpu_count() or 1


def find_toolchains(machine: Machine, name: str) -> tuple[Toolchain, ...]:
    """Return what is installed of a family, each program once, in the order it was found.

    A program is asked for its version; one that does not answer is left out.
    """
    kind = load_kinds().get(name)
    if kind is None:
        return ()
    programs = dict.fromkeys(map(os.path.realpath, _programs(machine, kind)))
    found = (_toolchain(name, kind, program) for program in programs)
    return tuple(toolchain for toolchain in found if toolchain is not None)


def _programs(machine: Machine, kind: Kind) -> Iterator[str]:
    for folder in (*machine.path, *_folders(machine, kind)):
        if any(shim in f"{folder}/" for shim in _SHIMS):
            continue
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208 - names are compared, not paths
        except OSError:
            continue
        for name in names:
            if _is_named(name, kind) and os.access(f"{folder}/{name}", os.X_OK):
                yield f"{folder}/{name}"


def _is_named(name: str, kind: Kind) -> bool:
    return fnmatchcase(name, kind.program) and (
        not kind.match or re.fullmatch(kind.match, name) is not None
    )


def _folders(machine: Machine, kind: Kind) -> Iterator[str]:
    for pattern in kind.folders:
        place = machine.home + pattern[1:] if pattern.startswith("~") else pattern
        yield from sorted(glob(place))  # noqa: PTH207 - patterns of absolute paths


def _toolchain(name: str, kind: Kind, program: str) -> Toolchain | None:
    said = _answer(program, kind)
    if said is None:
        return None
    folder = Path(program).parent
    prefix = folder.parent if folder.name == "bin" else folder
    is_system = f"{prefix}/".startswith(SYSTEM)
    environment: Mapping[str, str] = {kind.home: str(prefix)} if kind.home else {}
    return Toolchain(
        name=name, version=find_number(said), program=program, folder=str(folder),
        prefix="" if is_system else str(prefix), environment=environment,
        is_stable=not any(word in said for word in UNRELEASED),
    )  # fmt: skip


def find_number(said: str) -> str:
    """Return the first version in what a program prints; empty where there is none."""
    number = _NUMBER.search(said)
    return number[0] if number else ""


def _answer(program: str, kind: Kind) -> str | None:
    """Return the line in which a program says its version; None where it cannot be started."""
    if not kind.version:
        return ""
    try:
        done = subprocess.run(
            [program, *kind.version], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=_ASK_SECONDS, check=False, cwd="/",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return next(filter(_NUMBER.search, lines), None) if done.returncode == 0 else None
