"""The ecosystems that a test command needs: each with its folder, its version, and what says so. Pure.

A command often needs more than one: a target that tests a server and its pages, a Python package
that is compiled from Rust. Each part has a runtime and an install of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from iris_harness.daemon.assess import Assessor, Use
from iris_harness.daemon.ci import CiFiles, Step
from iris_harness.daemon.ci_installs import earlier_commands, pip_lines
from iris_harness.daemon.devcontainer import Devcontainer
from iris_harness.daemon.ecosystems import Ecosystem
from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.packages import PackageManager, find_manager, find_place
from iris_harness.daemon.runtime import Runtime, c_or_cpp, choose_runtime, family
from iris_harness.daemon.targets import in_folder, load_toml, table
from iris_harness.daemon.test_command import Candidate
from iris_harness.daemon.tree import folder_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One ecosystem in one folder."""

    runtime: Runtime
    folder: str
    """Where its dependencies are installed; empty for the root."""
    manager: PackageManager | None
    commands: tuple[str, ...] = ()
    """What is run of it, without launchers, as in ``pytest -q``."""
    source: Source | None = None
    """The line that needs it; None where the test command itself does."""
    is_needed: bool = True
    """False where the command may do without: it stands in a branch, or only the CI installs it."""
    compiled_with: str = ""
    """The ecosystem that its own install compiles with; empty for none."""
    installs: tuple[str, ...] = ()
    """The lines with which the CI installs it; empty where it does not say."""

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"{self.runtime.name} in {self.folder}" if self.folder else self.runtime.name


_BROUGHT_TOGETHER = ({"c", "cpp"}, {"dart", "flutter"}, {"elixir", "erlang"})


@dataclass(frozen=True, slots=True)
class Repository:
    """What the parts are found in."""

    ci: CiFiles
    ecosystems: Sequence[Ecosystem]
    assessor: Assessor
    devcontainer: Devcontainer | None


def find_parts(
    repository: Repository, chosen: Candidate | None, runtime: Runtime
) -> tuple[Part, ...]:
    """Return the parts of the test command, in the order in which they are prepared.

    What another part is compiled with comes before it, what only the CI installs comes last. The
    part that the command as a whole runs on is always there, also where no program of it is named.

    Args:
        repository: its evidence, and what was read from it.
        chosen: the test command; None gives the part of the runtime alone.
        runtime: what the command as a whole runs on.
    """
    finder = _Finder(repository, runtime, chosen.step if chosen else None)
    uses = repository.assessor.assess_script(chosen.command, "", 0).uses if chosen else ()
    found = [part for use in uses for part in finder.parts(use)]
    if not any(part.runtime.name == runtime.name for part in found):
        folder, direct = (chosen.folder, chosen.direct) if chosen else ("", "")
        found = [*finder.parts(Use(runtime.name, folder, direct)), *found]
    return _merged([*found, *finder.installed_by_ci()])


@dataclass(frozen=True, slots=True)
class _Finder:
    repository: Repository
    runtime: Runtime
    step: Step | None
    """The step of the CI that tests; None where none does."""

    @property
    def evidence(self) -> Evidence:
        return self.repository.ci.evidence

    def parts(self, use: Use) -> Iterator[Part]:
        """Yield the part that a program needs, after what that is compiled with."""
        name = self._family(use.ecosystem)
        part = self._part(name, self._place(name, use.folder))
        part = replace(
            part, commands=(use.text,) if use.text else (), source=use.source,
            is_needed=not use.conditional,
        )  # fmt: skip
        compiler = self._compiler(part)
        if compiler is not None:
            yield replace(compiler, is_needed=part.is_needed)
            part = replace(part, compiled_with=compiler.runtime.name)
        yield part

    def _family(self, ecosystem: str) -> str:
        name = family(self.evidence, ecosystem)
        shares = any({name, self.runtime.name} <= brought for brought in _BROUGHT_TOGETHER)
        return self.runtime.name if shares else name

    def _place(self, name: str, folder: str) -> str:
        """Return the folder whose manifest counts for what runs in a folder.

        The nearest one at or above it; where there is none, the only one of the repository.
        """
        found = find_place(self.evidence, name, folder)
        if found is not None:
            return found
        known = {one.folder for one in self._ecosystems(name)}
        return known.pop() if len(known) == 1 else folder

    def _ecosystems(self, name: str) -> list[Ecosystem]:
        found = self.repository.ecosystems
        return [one for one in found if self._family(one.name) == name]

    def _part(self, name: str, folder: str) -> Part:
        of = self._ecosystems(name)
        ecosystem = next((one.name for one in of if one.folder == folder), name)
        return Part(
            runtime=choose_runtime(self.repository.ci, of, name, self.repository.devcontainer, folder),
            folder=folder,
            manager=find_manager(self.evidence, ecosystem, folder),
            installs=pip_lines(self.repository.ci, self.step) if name == "python" else (),
        )  # fmt: skip

    def _compiler(self, part: Part) -> Part | None:
        """Return what a part needs to be compiled, which no command says; None for nothing."""
        if part.runtime.name == "go" and any(" -race" in command for command in part.commands):
            return replace(self._part(self._family("c"), ""), source=part.source)
        if part.runtime.name != "python":
            return None
        path = in_folder(part.folder, "pyproject.toml")
        tables = load_toml(self.evidence, path)
        requires = str(table(tables, "build-system").get("requires", ""))
        source = self.evidence.where(path, "requires")
        if re.search(r"maturin|setuptools-rust", requires):
            manifest = table(tables, "tool", "maturin").get("manifest-path")
            inner = folder_of(manifest) if isinstance(manifest, str) else ""
            folder = in_folder(part.folder, inner) if inner else part.folder
            return replace(self._part("rust", self._place("rust", folder)), source=source)
        if re.search(r"[Cc]ython|pybind11|scikit-build|meson-python|cmake|nanobind", requires):
            return replace(self._part(c_or_cpp(self.evidence), ""), source=source)
        return None

    def installed_by_ci(self) -> Iterator[Part]:
        """Yield what the CI's job installs before it tests: nothing says that the tests need it."""
        for command, source in earlier_commands(self.repository.ci, self.step):
            for use in self.repository.assessor.assess(command).uses:
                for part in self.parts(use._replace(source=source)):
                    if part.manager is not None and not command.conditional:
                        yield replace(part, is_needed=False, commands=())


def _merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return each part once, with all its commands.

    One that has nothing to install belongs to the first of its runtime; one that only the CI
    installs counts where nothing else is of its runtime.
    """
    found: list[Part] = []
    for part in parts:
        index = next((i for i, old in enumerate(found) if _belongs(part, old)), None)
        if index is None:
            found.append(part)
        else:
            found[index] = _joined(found[index], part)
    return tuple(found)


def _belongs(part: Part, old: Part) -> bool:
    if part.runtime.name != old.runtime.name:
        return False
    return (
        part.folder == old.folder or part.manager is None or not (part.commands or part.is_needed)
    )


def _joined(old: Part, part: Part) -> Part:
    first = part if part.is_needed and not old.is_needed else old
    return replace(
        first, commands=tuple(dict.fromkeys((*old.commands, *part.commands))),
        compiled_with=old.compiled_with or part.compiled_with, folder=old.folder,
        manager=old.manager,
    )  # fmt: skip
