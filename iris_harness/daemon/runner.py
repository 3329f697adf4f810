"""Runs a repository's tests as its evidence says: prepared with the network, verified without.

Effects are few and in this order: the toolchain is looked for, dependencies are installed in the
sandbox, and the test command runs in it. What cannot work ends before the next of them begins.
"""

from __future__ import annotations

import enum
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from iris_harness.daemon.constraints import parse_constraint, parse_version
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.failure_context import failure_context
from iris_harness.daemon.failures.classify import FailureClassifier
from iris_harness.daemon.failures.model import Failure, FailureClass, Verdict
from iris_harness.daemon.inspection import Report
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
from iris_harness.daemon.provisioning.preparation import watched_contents
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
        choice, notes = self._toolchain(cancelled)
        if choice.toolchain is None:
            return Baseline(
                standing=Standing.IMPOSSIBLE, command=self.command, toolchain="",
                why="; ".join((choice.why, *notes)),
                can_do=f"install {self._wanted()}, by your version manager or the system's packages",
            )  # fmt: skip
        found = self.prove(self.on(choice.toolchain), cancelled)
        return replace(found, notes=(*notes, *found.notes))

    def _toolchain(self, cancelled: Callable[[], bool]) -> tuple[Choice, tuple[str, ...]]:
        """Return what the tests run on, installed now if need be and allowed, and what to note."""
        choice, said = choose_toolchain(self.report.runtime, self._installed()), ""
        if choice.toolchain is None:
            said = self.provisioner.provide(self.report.runtime, cancelled).said
            choice = choose_toolchain(self.report.runtime, self._installed()) if said else choice
        broken = (f"not satisfied: {one}" for one in choice.broken)
        return choice, tuple(filter(None, (said, *broken)))

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

    def _installed(self) -> tuple[Toolchain, ...]:
        return find_toolchains(self.machine, self.report.runtime.name)

    def _remedied(self, runner: Runner, found: Baseline) -> tuple[Runner, str] | None:
        """Return what to run once more, and why; None where nothing that is here would help."""
        if found.standing is not Standing.IMPOSSIBLE or found.verdict is None:
            return None
        remedy = found.verdict.remedy
        if (
            remedy.get("action") == "switch_runtime"
            and remedy.get("runtime") == self.report.runtime.name
        ):
            return self._on_another(runner, remedy.get("version") or "")
        hint = remedy.get("hint") or ""
        steps = runner.preparation.steps
        if remedy.get("action") == "choose_other_command" and hint and found.failed in steps:
            changed = tuple(hint if step == found.failed else step for step in steps)
            said = f"`{found.failed}` failed ({found.verdict.detail}), so `{hint}` was run"
            return replace(runner, preparation=replace(runner.preparation, steps=changed)), said
        return None

    def _on_another(self, runner: Runner, wanted: str) -> tuple[Runner, str] | None:
        """Return a runner on another installed version, never the same, that a tool asks for."""
        constraint = parse_constraint(wanted)
        others = [
            one
            for one in self._installed()
            if one != runner.toolchain
            and (constraint is None or constraint.allows(parse_version(one.version)))
        ]
        choice = choose_toolchain(self.report.runtime, others)
        if choice.toolchain is None:
            return None
        said = f"{runner.toolchain} would not do, so it ran on {choice.toolchain}"
        return self.on(choice.toolchain), said

    def on(self, toolchain: Toolchain) -> Runner:
        """Return what runs this checkout on a toolchain."""
        home = self.sandbox.home(self.places)
        preparation = plan_preparation(self.evidence, self.report, toolchain, home)
        prefix = (Path(toolchain.prefix),) if toolchain.prefix else ()
        places = replace(self.places, readable=(*self.places.readable, *prefix))
        return Runner(project=self, toolchain=toolchain, preparation=preparation, places=places)

    def _wanted(self) -> str:
        runtime = self.report.runtime
        return f"{runtime.name} {runtime.version}" if runtime.version else runtime.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Runner:
    """Runs a checkout on a toolchain."""

    project: Project
    toolchain: Toolchain
    preparation: Preparation
    places: Places

    def prove(self, cancelled: Callable[[], bool]) -> Baseline:
        """Install what is needed, and run the tests."""
        return self._prepare(cancelled) or self._verify(cancelled)

    def _prepare(self, cancelled: Callable[[], bool]) -> Baseline | None:
        """Install what is needed, if that has changed; return what prevents it, None for nothing."""
        stamp = self.places.home.parent / _STAMP
        wanted = self.preparation.fingerprint(dict(watched_contents(self.preparation, self._read)))
        if is_file(stamp) and stamp.read_text(encoding="ascii") == wanted:
            return None
        stamp.unlink(missing_ok=True)
        for step in self.preparation.steps:
            outcome = self._run(step, cancelled, network=True)
            if not outcome.succeeded:
                return self._prevented(step, outcome, self._limits(network=True))
        stamp.write_text(wanted, encoding="ascii")
        return None

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
            standing=standing, command=self.project.command, toolchain=str(self.toolchain),
            why=why, verdict=verdict, outcome=outcome, runner=self,
        )  # fmt: skip

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
    (folder / _STAMP).unlink(missing_ok=True)
    shutil.rmtree(folder / _HOME, ignore_errors=True)


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
