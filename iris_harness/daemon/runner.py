"""Runs a repository's tests as its evidence says: prepared with the network, verified without.

Effects are few and in this order: the toolchain is looked for, dependencies are installed in the
sandbox, and the test command runs in it. What cannot work ends before the next of them begins.
"""

from __future__ import annotations

import enum
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from iris_harness.daemon.constraints import parse_constraint, parse_version
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.failure_context import failure_context
from iris_harness.daemon.failures.classify import FailureClassifier
from iris_harness.daemon.failures.model import Failure, FailureClass, Verdict
from iris_harness.daemon.inspection import Report
from iris_harness.daemon.parts import Part
from iris_harness.daemon.provisioning import (
    Choice,
    Machine,
    Preparation,
    Provisioner,
    Toolchain,
    choose_toolchain,
    find_toolchains,
    plan_preparation,
)
from iris_harness.daemon.provisioning.network import network_variables
from iris_harness.daemon.provisioning.preparation import Stage, watched_contents
from iris_harness.daemon.sandbox import Command, Ended, Limits, Outcome, Places, Sandbox
from iris_harness.files import is_file, read_regular_file
from iris_harness.storage.files import make_private_folder

_MAX_WATCHED_BYTES = 64 * 1024 * 1024
_HOME = "home"
_STAMP = "prepared"
"""Beside the home folder: nothing that a run can write to is ever written to from outside."""
_INSTALL = Limits(seconds=1800)


class Standing(enum.StrEnum):
    """What is known of a repository's tests before anything is changed."""

    GREEN = "green"
    RED = "red"
    """They run, and some fail: that is the code's."""
    UNVERIFIABLE = "unverifiable"
    """There is no test command."""
    IMPOSSIBLE = "impossible"
    """They cannot run here, whatever the code says."""
    CANCELLED = "cancelled"
    """The run was ended before it showed anything."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """The tests as they are."""

    standing: Standing
    command: str
    """The test command; empty without one."""
    toolchain: str
    """What they ran on; empty where that was not found."""
    why: str
    """In one clause: the line that proves it, where there is one."""
    can_do: str = ""
    """What the user can do; empty where nothing is wrong."""
    verdict: Verdict | None = None
    outcome: Outcome | None = None
    """Of the last run; None where none was made."""
    failed: str = ""
    """The line that was prevented; empty where none was."""
    notes: tuple[str, ...] = ()
    runner: Runner | None = None
    """What the last run was made with; None where none was made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Project:
    """One checkout, and all that its runs need."""

    evidence: Evidence
    report: Report
    sandbox: Sandbox
    places: Places
    classifier: FailureClassifier
    machine: Machine
    limits: Limits
    provisioner: Provisioner

    @property
    def command(self) -> str:
        """The test command; empty without one."""
        chosen = self.report.test.chosen
        return chosen.command if chosen else ""

    def baseline(self, cancelled: Callable[[], bool] = lambda: False) -> Baseline:
        """Find the toolchain, prepare the checkout, run its tests, and say what came of it.

        Raises:
            SandboxError: the sandbox cannot be set up.
        """
        if not self.command:
            return Baseline(
                standing=Standing.UNVERIFIABLE, command="", toolchain="", why=self.report.test.why,
                can_do="name a command with --test-command",
            )  # fmt: skip
        found = self._toolchains(cancelled)
        if found.missing is not None:
            return Baseline(
                standing=Standing.IMPOSSIBLE, command=self.command, toolchain="",
                why=found.why, can_do=_can_install(found.missing),
            )  # fmt: skip
        proved = self.prove(self.on(found.toolchains), cancelled)
        return replace(proved, notes=(*found.notes, *proved.notes))

    def _toolchains(self, cancelled: Callable[[], bool]) -> _Found:
        """Return what the tests run on, installed now if need be and allowed, and what to note.

        The first part of a family chooses for all of them.
        """
        toolchains: list[Toolchain] = []
        notes: list[str] = []
        for part in _first_of_each(self.report.parts):
            choice, said = self._toolchain(part, cancelled)
            if choice.toolchain is not None:
                toolchains.append(choice.toolchain)
                broken = (f"not satisfied: {one}" for one in choice.broken)
                notes += filter(None, (said, *broken))
            elif part.is_needed:
                why = "; ".join(filter(None, (choice.why, said, self._needed_by(part))))
                return _Found((), tuple(notes), part, why)
            else:
                notes.append(f"{part} is not prepared: {choice.why}; {self._needed_by(part)}")
        return _Found(tuple(toolchains), tuple(notes))

    def _toolchain(self, part: Part, cancelled: Callable[[], bool]) -> tuple[Choice, str]:
        choice, said = choose_toolchain(part.runtime, self._installed(part.runtime.name)), ""
        if choice.toolchain is None and part.is_needed:
            said = self.provisioner.provide(part.runtime, cancelled).said
            again = choose_toolchain(part.runtime, self._installed(part.runtime.name))
            choice = again if said else choice
        return choice, said

    def _needed_by(self, part: Part) -> str:
        """Return the line that needs a part; empty where it is what the tests as a whole run on."""
        if part.source is None or part.runtime.name == self.report.runtime.name:
            return ""
        return f"{part.source} says `{part.source.quote or part.runtime.name}`"

    def prove(self, runner: Runner, cancelled: Callable[[], bool]) -> Baseline:
        """Prepare the checkout, run its tests, and say what came of it.

        Where the environment prevents it and one remedy is at hand, that is applied, once.

        Raises:
            SandboxError: the sandbox cannot be set up.
        """
        found = runner.prove(cancelled)
        remedied = self._remedied(runner, found)
        if remedied is None:
            return found
        other, said = remedied
        return replace(other.prove(cancelled), notes=(said,))

    def _installed(self, name: str) -> tuple[Toolchain, ...]:
        return find_toolchains(self.machine, name)

    def _remedied(self, runner: Runner, found: Baseline) -> tuple[Runner, str] | None:
        """Return what to run once more, and why; None where nothing that is here would help."""
        if found.standing is not Standing.IMPOSSIBLE or found.verdict is None:
            return None
        remedy = found.verdict.remedy
        if remedy.get("action") == "switch_runtime":
            refused = [one for one in runner.toolchains if one.name == remedy.get("runtime")]
            version = remedy.get("version") or ""
            return self._on_another(runner, refused[0], version) if refused else None
        hint = remedy.get("hint") or ""
        if remedy.get("action") == "choose_other_command" and hint:
            changed = runner.preparation.with_step(found.failed, hint)
            said = f"`{found.failed}` failed ({found.verdict.detail}), so `{hint}` was run"
            return (replace(runner, preparation=changed), said) if changed else None
        return None

    def _on_another(
        self, runner: Runner, refused: Toolchain, wanted: str
    ) -> tuple[Runner, str] | None:
        """Return a runner on another installed version, never the same, that a tool asks for."""
        constraint = parse_constraint(wanted)
        others = [
            one
            for one in self._installed(refused.name)
            if one != refused
            and (constraint is None or constraint.allows(parse_version(one.version)))
        ]
        part = next(one for one in self.report.parts if one.runtime.name == refused.name)
        choice = choose_toolchain(part.runtime, others)
        if choice.toolchain is None:
            return None
        said = f"{refused} would not do, so it ran on {choice.toolchain}"
        kept = (choice.toolchain if one == refused else one for one in runner.toolchains)
        return self.on(tuple(kept)), said

    def on(self, toolchains: tuple[Toolchain, ...]) -> Runner:
        """Return what runs this checkout on toolchains, one of each family that it needs."""
        home = self.sandbox.home(self.places)
        by_name = {one.name: one for one in toolchains}
        preparation = plan_preparation(self.evidence, self.report, by_name, home)
        prefixes = (Path(one.prefix) for one in toolchains if one.prefix)
        readable = dict.fromkeys((*self.places.readable, *prefixes))
        places = replace(self.places, readable=tuple(readable))
        return Runner(project=self, toolchains=toolchains, preparation=preparation, places=places)


class _Found(NamedTuple):
    """The toolchains, or what is missing of them."""

    toolchains: tuple[Toolchain, ...]
    notes: tuple[str, ...]
    missing: Part | None = None
    why: str = ""


def _first_of_each(parts: Sequence[Part]) -> list[Part]:
    """Return the part of each family that speaks for it: one that is needed, if any is."""
    by_name: dict[str, Part] = {}
    for part in parts:
        old = by_name.setdefault(part.runtime.name, part)
        if part.is_needed and not old.is_needed:
            by_name[part.runtime.name] = part
    return list(by_name.values())


def _can_install(part: Part) -> str:
    runtime = part.runtime
    wanted = f"{runtime.name} {runtime.version}" if runtime.version else runtime.name
    return f"install {wanted}, by your version manager or the system's packages"


@dataclass(frozen=True, kw_only=True, slots=True)
class Runner:
    """Runs a checkout on toolchains."""

    project: Project
    toolchains: tuple[Toolchain, ...]
    """One of each family that the tests need, in the order in which they need them."""
    preparation: Preparation
    places: Places

    @property
    def toolchain(self) -> Toolchain:
        """What the tests as a whole run on."""
        name = self.project.report.runtime.name
        return next((one for one in self.toolchains if one.name == name), self.toolchains[0])

    def prove(self, cancelled: Callable[[], bool]) -> Baseline:
        """Install what is needed, and run the tests."""
        notes: list[str] = []
        for index, stage in enumerate(self.preparation.stages):
            prevented = self._prepare(index, stage, cancelled)
            if prevented is not None and (stage.is_needed or _is_cancelled(prevented)):
                return prevented
            if prevented is not None:
                notes.append(f"{stage.name} is not prepared: {prevented.why}")
        found = self._verify(cancelled)
        return replace(found, notes=tuple(notes))

    def _prepare(self, index: int, stage: Stage, cancelled: Callable[[], bool]) -> Baseline | None:
        """Install what a part needs, if that has changed; return what prevents it, None for nothing."""
        stamp = self.places.home.parent / f"{_STAMP}-{index}"
        contents = dict(watched_contents(stage, self._read))
        wanted = stage.fingerprint(self.preparation.path, contents)
        if is_file(stamp) and stamp.read_text(encoding="ascii") == wanted:
            return None
        stamp.unlink(missing_ok=True)
        prevented = None
        for step in stage.steps:
            outcome = self._run(step, cancelled, network=True)
            if not outcome.succeeded:
                prevented = self._prevented(step, outcome, self._limits(network=True))
                break
        if prevented is None or not (stage.is_needed or _is_cancelled(prevented)):
            stamp.write_text(wanted, encoding="ascii")
        return prevented

    def _verify(self, cancelled: Callable[[], bool]) -> Baseline:
        """Run the test command, without a network, and say whose failure it is."""
        command = self.project.command
        outcome = self._run(command, cancelled, network=False)
        verdict = self._classify(command, outcome)
        if verdict.failure is FailureClass.NONE:
            return self._baseline(Standing.GREEN, "the tests pass", verdict, outcome)
        if verdict.is_environment:
            return self._prevented(command, outcome, self._limits(network=False))
        return self._baseline(Standing.RED, _proof(verdict) or "tests fail", verdict, outcome)

    def _run(self, line: str, cancelled: Callable[[], bool], *, network: bool) -> Outcome:
        """Run a line for a shell at the root of the checkout."""
        limits = self._limits(network=network)
        more = network_variables() if network else self.preparation.offline
        return self.project.sandbox.run(
            Command(
                argv=("bash", "-c", line),
                places=self.places,
                environment={**self.preparation.environment, **more},
                path=self.preparation.path,
                network=network,
                limits=limits,
            ),
            cancelled,
        )

    def _classify(self, command: str, outcome: Outcome) -> Verdict:
        """Return whose failure it is that a run ended as it did."""
        return self.project.classifier.classify(
            Failure(
                command=command,
                exit_code=outcome.exit_code,
                output=outcome.output,
                context=failure_context(self.project.evidence, self.project.report, self.toolchain),
            )
        )

    def _limits(self, *, network: bool) -> Limits:
        own = self.project.limits
        return replace(_INSTALL, free_bytes=own.free_bytes) if network else own

    def _prevented(self, command: str, outcome: Outcome, limits: Limits) -> Baseline:
        verdict = self._classify(command, outcome)
        proof = (
            _limit_reached(outcome.ended, limits)
            or _proof(verdict)
            or outcome.last_line
            or f"it ended with {outcome.exit_code}"
        )
        why = f"`{command}` could not do its work: {proof}"
        found = self._baseline(Standing.IMPOSSIBLE, why, verdict, outcome)
        return replace(found, can_do=can_do(verdict), failed=command)

    def _baseline(
        self, standing: Standing, why: str, verdict: Verdict, outcome: Outcome
    ) -> Baseline:
        if outcome.ended is Ended.CANCELLED:
            standing, why = Standing.CANCELLED, "cancelled"
        return Baseline(
            standing=standing, command=self.project.command,
            toolchain=", ".join(map(str, self._named())),
            why=why, verdict=verdict, outcome=outcome, runner=self,
        )  # fmt: skip

    def _named(self) -> list[Toolchain]:
        """Return the toolchains, that of the tests as a whole first."""
        return sorted(self.toolchains, key=lambda one: one != self.toolchain)

    def _read(self, path: str) -> bytes | None:
        try:
            return read_regular_file(self.places.checkout / path, _MAX_WATCHED_BYTES).data
        except (OSError, ValueError):
            return None


def new_home(folder: Path) -> Path:
    """Make an empty home folder in `folder`, for a checkout that is new as well, and return it.

    What is installed may be in either, so neither outlives the other.
    """
    remove_home(folder)
    home = folder / _HOME
    make_private_folder(home)
    return home


def remove_home(folder: Path) -> None:
    """Remove the home folder in `folder` with all that was installed."""
    for stamp in folder.glob(f"{_STAMP}-*"):
        stamp.unlink()
    shutil.rmtree(folder / _HOME, ignore_errors=True)


def _is_cancelled(found: Baseline) -> bool:
    return found.standing is Standing.CANCELLED


def can_do(verdict: Verdict) -> str:
    """Return what the user can do about a failure, in words."""
    remedy = {key: value for key, value in verdict.remedy.items() if value}
    action = remedy.pop("action", "")
    words = _HELP.get(action, action.replace("_", " "))
    return f"{words}{': ' if remedy else ''}{' '.join(remedy.values())}"


_HELP = {
    "add_system_package": "install the system's package",
    "choose_other_command": "give another test command with --test-command",
    "install_dependencies": "declare the missing dependency in the repository",
    "let_model_work": "",
    "report_missing_secret": "the tests need a secret, which no run is given",
    "report_needs_network": "the tests need the network, which no run has: mark them, or choose others",
    "report_unwinnable": "",
    "start_service_or_report": "the tests need a service that runs beside them",
    "switch_runtime": "install the runtime",
}


def _limit_reached(ended: Ended, limits: Limits) -> str:
    """Return which limit ended a run, in words; empty where none did."""
    match ended:
        case Ended.TIMED_OUT:
            return f"it took longer than {limits.seconds:g} s"
        case Ended.OUT_OF_MEMORY:
            return f"it needed more than {limits.memory_bytes // 2**20} MB of memory"
        case Ended.TOO_MANY_PROCESSES:
            return f"it started more than {limits.processes} processes"
        case Ended.DISK_FULL:
            return "it wrote more than it may"
        case _:
            return ""


def _proof(verdict: Verdict) -> str:
    return verdict.evidence.text
