"""All that a repository's evidence decides, in one value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from iris_harness.daemon.assess import build_assessor
from iris_harness.daemon.ci import CiFiles, read_ci
from iris_harness.daemon.defaults import default_command
from iris_harness.daemon.devcontainer import Devcontainer, find_devcontainer
from iris_harness.daemon.ecosystems import Ecosystem, find_ecosystems
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.packages import PackageManager, find_manager
from iris_harness.daemon.parts import Part, Repository, find_parts
from iris_harness.daemon.runtime import Runtime, c_or_cpp, choose_runtime
from iris_harness.daemon.services import Needs, find_needs
from iris_harness.daemon.test_command import Candidate, Rule, TestCommand, find_test_command

# The ecosystem of a runtime that several share.
_SHARED = {
    "java": {"java", "scala", "clojure"},
    "c": {"c"},
    "cmake": {"c"},
    "ninja": {"c"},
    "node": {"node", "elm"},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What is known of a repository, each part with the place that decided."""

    ecosystems: tuple[str, ...]
    """The first is the primary one: that of the test command."""
    test: TestCommand
    runtime: Runtime
    devcontainer: Devcontainer | None
    manager: PackageManager | None
    needs: Needs
    parts: tuple[Part, ...]
    """All that the test command needs, in the order in which it is prepared; never empty."""
    alternates: tuple[Alternate, ...]
    """Other ecosystems of a polyglot repository."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Alternate:
    """Another ecosystem of the repository, for changes in its folder."""

    ecosystem: str
    folder: str
    command: str
    runtime: Runtime
    manager: PackageManager | None


def inspect_repository(evidence: Evidence, own_command: str = "") -> Report:
    """Return all decisions. Pure: the same evidence gives the same report; never raises.

    Args:
        evidence: what was read of the repository.
        own_command: the test command the user configured; empty where none.
    """
    ci = read_ci(evidence)
    ecosystems = find_ecosystems(evidence)
    assessor = build_assessor(evidence)
    test = find_test_command(ci, ecosystems, assessor, own_command)
    chosen = test.chosen
    ordered = _primary_first(ecosystems, chosen)
    devcontainer = find_devcontainer(evidence)
    folder = chosen.folder if chosen else (ordered[0].folder if ordered else "")
    runtime = choose_runtime(ci, ordered, chosen.runtime if chosen else "", devcontainer, folder)
    parts = find_parts(Repository(ci, ordered, assessor, devcontainer), chosen, runtime)
    first = next(part for part in parts if part.runtime.name == runtime.name)
    others = (part.runtime.name for part in parts if part.is_needed)
    return Report(
        ecosystems=_names(evidence, ordered, chosen, runtime),
        test=test,
        runtime=replace(first.runtime, why=runtime.why),
        devcontainer=devcontainer,
        manager=first.manager or _manager(evidence, ordered, runtime, folder),
        needs=find_needs(
            evidence, chosen, tuple(dict.fromkeys(n for n in others if n != runtime.name))
        ),
        parts=parts,
        alternates=tuple(_alternates(ci, ordered, test)),
    )


def _primary_first(
    ecosystems: tuple[Ecosystem, ...], chosen: Candidate | None
) -> tuple[Ecosystem, ...]:
    """Return the ecosystems, that of the test command's executable first."""
    if chosen is None:
        return ecosystems
    names = _SHARED.get(chosen.runtime, {chosen.runtime})
    return tuple(sorted(ecosystems, key=lambda e: (e.name not in names, e.folder != chosen.folder)))


def _names(
    evidence: Evidence,
    ecosystems: tuple[Ecosystem, ...],
    chosen: Candidate | None,
    runtime: Runtime,
) -> tuple[str, ...]:
    names = [c_or_cpp(evidence) if e.name == "c" else e.name for e in ecosystems]
    known = _SHARED.get(
        runtime.name, {runtime.name, "c", "cpp"} if runtime.name in {"c", "cpp"} else {runtime.name}
    )
    first = (
        []
        if chosen is None or set(names[:1]) & known or runtime.name in names[:1]
        else [runtime.name]
    )
    return tuple(dict.fromkeys([*first, *names])) or (runtime.name,)


def _manager(
    evidence: Evidence, ecosystems: tuple[Ecosystem, ...], runtime: Runtime, folder: str
) -> PackageManager | None:
    name = ecosystems[0].name if ecosystems else runtime.name
    wanted = runtime.name if runtime.name in {"python", "node", "bun", "deno"} else name
    return find_manager(evidence, wanted, folder) or find_manager(evidence, wanted, "")


def _alternates(
    ci: CiFiles, ecosystems: tuple[Ecosystem, ...], test: TestCommand
) -> Iterator[Alternate]:
    seen = {ecosystems[0].name} if ecosystems else set()
    for ecosystem in ecosystems[1:]:
        if ecosystem.name in seen:
            continue
        known = [
            c
            for c in test.alternatives
            if c.runtime == ecosystem.name
            and (c.folder == ecosystem.folder or c.rule is not Rule.DEFAULT)
        ]
        default = default_command(ci.evidence, ecosystem)
        command = known[0].command if known else _in(ecosystem.folder, default) if default else None
        if command:
            seen.add(ecosystem.name)
            runtime = choose_runtime(ci, (ecosystem,), ecosystem.name, None, ecosystem.folder)
            manager = find_manager(ci.evidence, ecosystem.name, ecosystem.folder)
            yield Alternate(
                ecosystem=ecosystem.name,
                folder=ecosystem.folder,
                command=command,
                runtime=runtime,
                manager=manager,
            )


def _in(folder: str, command: str) -> str:
    return f"cd {folder} && {command}" if folder else command
