"""Which of the toolchains that are installed runs a repository, or why none does. Pure."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from iris_harness.daemon.constraints import Version, find_channel, parse_version
from iris_harness.daemon.runtime import Runtime
from iris_harness.daemon.version_sources import Strength, VersionSource

UNRELEASED = ("nightly", "beta", "alpha", "-rc", "-dev")
"""What a version says of itself that is no release."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """How toolchains of one family are found and compared."""

    program: str
    """The one that has to be there: a pattern of names, as a shell's."""
    match: str
    """A regular expression for the whole name, where the pattern says too much; else empty."""
    folders: tuple[str, ...]
    version: tuple[str, ...]
    """What the program is asked with; empty where it cannot be asked."""
    same: int
    """How many numbers have to agree with a version that is pinned."""
    at_least: bool
    """Whether a newer one runs what an older one runs."""
    home: str
    """A variable that names the toolchain's folder; empty for none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Toolchain:
    """A runtime that is installed on this machine."""

    name: str
    """Its family, as in `Runtime.name`."""
    version: str
    """Empty where it does not say."""
    program: str
    """Absolute path of its main program."""
    folder: str
    """Where its programs are: goes before all else in the PATH."""
    prefix: str
    """What it needs to read; empty where that is a part of the system."""
    environment: Mapping[str, str]
    is_stable: bool = True
    """Whether it is a release, not one that is still being made."""

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The toolchain, or why none will do."""

    toolchain: Toolchain | None
    why: str
    """One clause; with the file and the line where a version is asked for."""
    broken: tuple[str, ...] = ()
    """Statements that the toolchain does not satisfy, though it is the best there is."""


@cache
def load_kinds() -> Mapping[str, Kind]:
    """Return what is known of each family."""
    text = files(__package__).joinpath("toolchains.toml").read_text(encoding="utf-8")
    return {name: _kind(table) for name, table in tomllib.loads(text).items()}


def _kind(table: Mapping[str, Any]) -> Kind:
    return Kind(
        program=table["program"],
        match=table.get("match", ""),
        folders=tuple(table["folders"]),
        version=tuple(table["version"]),
        same=table["same"],
        at_least=table.get("at_least", False),
        home=table.get("home", ""),
    )


def choose_toolchain(runtime: Runtime, installed: Sequence[Toolchain]) -> Choice:
    """Return the toolchain that satisfies what the repository says, or the reason why none does.

    The one that agrees with the version that is pinned, or tested by the CI, comes first; where
    only a floor is stated, the one that is found first, which is the user's own choice. What a
    floor or a range excludes is refused; what differs from a pin in its last numbers only is taken.

    Args:
        runtime: what the repository asks for.
        installed: of its family, in the order in which they were found.
    """
    kind = load_kinds().get(runtime.name)
    if kind is None:
        return Choice(toolchain=None, why=f"Iris knows no {runtime.name} runtime")
    if not installed:
        return Choice(toolchain=None, why=f"{runtime.name} is not installed here")
    allowed = [found for found in installed if not find_unmet(found, runtime)]
    if not allowed:
        return Choice(toolchain=None, why=_refusal(runtime, installed))
    # The first of equals is taken: max keeps it.
    best = max(allowed, key=lambda found: _rank(found, runtime, kind))
    broken = tuple(_said(said) for said in _limits(runtime) if not _allows(said, best))
    why = f"{best} is installed" + (", the nearest to what is pinned" if broken else "")
    return Choice(toolchain=best, why=why, broken=broken)


def _limits(runtime: Runtime) -> list[VersionSource]:
    limits = (said for said in runtime.statements if said.strength is not Strength.COMPATIBLE)
    return [said for said in limits if said.constraint is not None]


def _allows(said: VersionSource, found: Toolchain) -> bool:
    version = parse_version(found.version)
    return not version or said.constraint is None or said.constraint.allows(version)


def find_unmet(found: Toolchain, runtime: Runtime) -> str:
    """Return what the repository says that a toolchain is not; empty where it will do."""
    for said in runtime.statements:
        if find_channel(said.text) in {"beta", "nightly"} and found.is_stable:
            return _said(said)
    kind = load_kinds()[runtime.name]
    limits = _limits(runtime)
    return next(
        (_said(one) for one in limits if not (_allows(one, found) or _is_near(one, found, kind))),
        "",
    )


def _is_near(said: VersionSource, found: Toolchain, kind: Kind) -> bool:
    """Return whether a pinned version is one of the same series."""
    if said.strength is not Strength.PIN:
        return False
    pinned, version = parse_version(said.text), parse_version(found.version)
    if kind.at_least and version >= pinned:
        return True
    return pinned[: kind.same] == version[: kind.same]


def _rank(found: Toolchain, runtime: Runtime, kind: Kind) -> tuple[bool, bool, bool, Version]:
    # A nightly is asked for where no release would do: the one of that day is the nearest.
    if any(find_channel(said.text) == "nightly" for said in runtime.statements):
        return (
            False,
            f"/{runtime.version}-" in found.prefix + "-",
            False,
            parse_version(found.version),
        )
    if all(said.strength is Strength.FLOOR for said in runtime.statements):
        return found.is_stable, False, False, ()
    version, wanted = parse_version(found.version), parse_version(runtime.version or "")
    is_exact = bool(wanted) and version[: len(wanted)] == wanted
    is_series = bool(wanted) and version[: kind.same] == wanted[: kind.same]
    return found.is_stable, is_exact, is_series, version


def _refusal(runtime: Runtime, installed: Sequence[Toolchain]) -> str:
    found = ", ".join(sorted({one.version for one in installed if one.version}, key=parse_version))
    limits = _limits(runtime)
    unmet = (said for said in limits if not any(_allows(said, one) for one in installed))
    first = next(unmet, None)
    said = _said(first) if first else find_unmet(installed[0], runtime)
    return f"{said}, and here is {runtime.name} {found}"


def _said(said: VersionSource) -> str:
    return f"{said.source} says {said.text}"
