"""What the tests run on, and which version of it: one that everything allows, as the CI runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iris_harness.daemon.ci import CiFiles
from iris_harness.daemon.constraints import Version, parse_version
from iris_harness.daemon.devcontainer import Devcontainer
from iris_harness.daemon.ecosystems import Ecosystem
from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.version_sources import Strength, VersionSource, find_version_sources

# What runs on another runtime.
_FAMILY = {
    "scala": "java", "clojure": "java", "kotlin": "java", "gleam": "erlang", "elm": "node",
    "cmake": "c", "ninja": "c", "solidity": "node",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Runtime:
    """What to run the tests on."""

    name: str
    """The family: python, node, go … ; "shell" where nothing else is needed."""
    version: str | None
    """One that satisfies every statement, or most; None where nothing states any."""
    constraint: str | None
    """The statement that is strongest, as it was written."""
    source: Source | None
    """Where that stands; None where the family follows from the command or the files."""
    statements: tuple[VersionSource, ...]
    """All that was said, the strongest first."""
    conflicts: tuple[str, ...]
    """Statements that `version` does not satisfy."""
    why: str


def choose_runtime(
    ci: CiFiles,
    ecosystems: Sequence[Ecosystem],
    command_runtime: str,
    devcontainer: Devcontainer | None,
    folder: str = "",
) -> Runtime:
    """Return what the tests run on. It always answers.

    Args:
        ci: the CI files, with the evidence.
        ecosystems: the repository's, the first for it as a whole.
        command_runtime: what the test command's executable runs on; empty where unknown.
        devcontainer: the repository's own; None without one.
        folder: where the test command runs.
    """
    name, why = _name(ci.evidence, ecosystems, command_runtime, devcontainer)
    statements = list(find_version_sources(ci, name, folder))
    if devcontainer and devcontainer.runtime == name and devcontainer.version:
        version = devcontainer.version
        said = VersionSource(
            strength=Strength.PIN if not statements else Strength.COMPATIBLE,
            text=version, constraint=None, source=devcontainer.source,
        )  # fmt: skip
        statements.append(said)
    return _versioned(name, why, tuple(statements))


def _name(
    evidence: Evidence,
    ecosystems: Sequence[Ecosystem],
    command_runtime: str,
    devcontainer: Devcontainer | None,
) -> tuple[str, str]:
    if command_runtime not in {"", "other"}:
        return family(evidence, command_runtime), "the test command needs it"
    if devcontainer and devcontainer.runtime:
        return devcontainer.runtime, "the devcontainer's image is made for it"
    if ecosystems:
        return family(evidence, ecosystems[0].name), f"{ecosystems[0].marker} says so"
    return "shell", "nothing in the repository needs more"


def family(evidence: Evidence, name: str) -> str:
    """Return the family of runtimes that an ecosystem, or a tool's name, belongs to."""
    name = _FAMILY.get(name, name)
    return c_or_cpp(evidence) if name == "c" else name


def c_or_cpp(evidence: Evidence) -> str:
    """Return whether the sources are C or C++, by what most of them are."""
    found = evidence.tree.extensions
    cpp = sum(
        found.get(extension, 0) for extension in ("cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx")
    )
    return "cpp" if cpp > found.get("c", 0) else "c"


def _versioned(name: str, why: str, statements: tuple[VersionSource, ...]) -> Runtime:
    limits = [s for s in statements if s.strength is not Strength.COMPATIBLE and s.constraint]
    version = _choose(statements, limits)
    conflicts = tuple(
        f"{s.source}: {s.text}" for s in limits
        if version and s.constraint and not s.constraint.allows(parse_version(version))
    )  # fmt: skip
    strongest = _strongest(statements)
    return Runtime(
        name=name, version=version, constraint=strongest.text if strongest else None,
        source=strongest.source if strongest else None, statements=statements, conflicts=conflicts, why=why,
    )  # fmt: skip


def _strongest(statements: Sequence[VersionSource]) -> VersionSource | None:
    said = [s for s in statements if s.strength is not Strength.COMPATIBLE]
    return said[0] if said else (statements[0] if statements else None)


def _choose(statements: Sequence[VersionSource], limits: Sequence[VersionSource]) -> str | None:
    """Return the version that most limits allow: a pin, else the CI's newest, else the floor."""
    pins = [_plain(s.text) for s in statements if s.strength is Strength.PIN]
    tested = sorted(
        {_plain(s.text) for s in statements if s.strength is Strength.COMPATIBLE and parse_version(s.text)},
        key=parse_version, reverse=True,
    )  # fmt: skip
    floors = [_written(s.constraint.floor) for s in limits if s.constraint and s.constraint.floor]
    choices = [choice for choice in (*pins, *tested, *floors) if choice]
    if not choices:
        return None
    best = max(choices, key=lambda choice: (_allowed(choice, limits), -choices.index(choice)))
    exact = [floor for floor in floors if floor.startswith(f"{best}.")]
    return exact[0] if exact else best


def _allowed(version: str, limits: Sequence[VersionSource]) -> int:
    numbers = parse_version(version)
    return sum(
        2
        if s.strength is Strength.FLOOR
        else 1  # what it promises breaks, what it prefers does not
        for s in limits
        if s.constraint and s.constraint.allows(numbers)
    )


def _plain(text: str) -> str:
    return (
        text.split(maxsplit=1)[0].lstrip("v").removesuffix(".x")
        if text[:1].isdigit() or text[:1] == "v"
        else _written(parse_version(text))
    )


def _written(version: Version) -> str:
    return ".".join(map(str, version))
