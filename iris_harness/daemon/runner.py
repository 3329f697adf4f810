"""Runs a repository's tests as its evidence says: prepared with the network, verified without.

Effects are few and in this order: the toolchain is looked for, dependencies are installed in the
sandbox, and the test command runs in it. What cannot work ends before the next of them begins.
"""

from __future__ import annotations

import enum
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from iris_harness.daemon.provisioning.images import find_images
from iris_harness.daemon.provisioning.inside import parse_answer, question, refusal
from iris_harness.daemon.provisioning.network import network_variables
from iris_harness.daemon.provisioning.preparation import Stage, watched_contents
from iris_harness.daemon.provisioning.toolchains import find_unmet, load_kinds
from iris_harness.daemon.sandbox import (
    HOME,
    Command,
    Ended,
    Engines,
    Image,
    Limits,
    Outcome,
    Places,
    Sandbox,
)
from iris_harness.errors import SandboxError
from iris_harness.files import is_file, read_regular_file
from iris_harness.storage.files import make_private_folder

_MAX_WATCHED_BYTES = 64 * 1024 * 1024
_HOME = "home"
_STAMP = "prepared"
"""Beside the home folder: nothing that a run can write to is ever written to from outside."""
_INSTALL = Limits(seconds=1800)
_ASK_SECONDS = 120


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
    engines: Engines
    """What may fetch container images, where a runtime cannot be had otherwise."""

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
        if found.missing is None:
            return self._noted(self.on(found.toolchains), found.notes, cancelled)
        inside = self._in_image(found, cancelled)
        if inside.runner is not None:
            return self._noted(inside.runner, inside.notes, cancelled)
        return Baseline(
            standing=Standing.IMPOSSIBLE, command=self.command, toolchain="",
            why="; ".join((found.why, *inside.notes)), can_do=_can_install(found.missing),
        )  # fmt: skip

    def _noted(
        self, runner: Runner, notes: Sequence[str], cancelled: Callable[[], bool]
    ) -> Baseline:
        proved = self.prove(runner, cancelled)
        return replace(proved, notes=(*notes, *proved.notes))

    def _in_image(self, found: _Found, cancelled: Callable[[], bool]) -> _Inside:
        """Return what runs the tests in a container image, or why none will do.

        Only where the user allows an engine, and only images that the repository's evidence names.
        """
        reasons = []
        for choice in find_images(self.report) if self.engines.names else ():
            try:
                image = self.engines.fetch(choice.reference, cancelled)
                toolchains, refused = self._inside(image, cancelled)
            except SandboxError as error:
                reasons.append(error.message)
                continue
            if not refused:
                said = f"{found.why}, so it runs in {choice.reference}: {choice.why}"
                return _Inside(self.on(toolchains, image), (*found.notes, said))
            reasons.append(f"{choice.reference} will not do: {refused}")
        return _Inside(None, tuple(reasons))

    def _inside(
        self, image: Image, cancelled: Callable[[], bool]
    ) -> tuple[tuple[Toolchain, ...], str]:
        """Return the toolchains of an image, and why they will not do; empty where they will."""
        toolchains: list[Toolchain] = []
        for part in _first_of_each(self.report.parts):
            if part.runtime.name not in load_kinds():
                return (), f"Iris knows no {part.runtime.name} runtime"
            asked = Command(
                argv=("sh", "-c", question(part.runtime.name)), places=self.places, image=image,
                limits=replace(self.limits, seconds=_ASK_SECONDS),
            )  # fmt: skip
            toolchain = parse_answer(
                part.runtime.name, self.sandbox.run(asked, cancelled).output, HOME
            )
            refused = refusal(part, toolchain)
            if refused and part.is_needed:
                return (), refused
            toolchains += [toolchain] if toolchain and not refused else []
        return tuple(toolchains), ""

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
                others = self._unmet_elsewhere(choice.toolchain, part)
                broken = (
                    f"not satisfied: {one}" for one in (*choice.broken, *filter(None, others))
                )
                notes += filter(None, (said, *broken))
            elif part.is_needed:
                why = "; ".join(filter(None, (choice.why, said, self._needed_by(part))))
                return _Found((), tuple(notes), part, why)
            else:
                notes.append(f"{part} is not prepared: {choice.why}; {self._needed_by(part)}")
        return _Found(tuple(toolchains), tuple(notes))

    def _unmet_elsewhere(self, chosen: Toolchain, part: Part) -> Iterator[str]:
        """Yield what other parts of a family say that the toolchain they share is not."""
        for other in self.report.parts:
            if other is not part and other.runtime.name == chosen.name:
                yield find_unmet(chosen, other.runtime)

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
        if remedy.get("action") == "switch_runtime" and runner.image is None:
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

    def on(self, toolchains: tuple[Toolchain, ...], image: Image | None = None) -> Runner:
        """Return what runs this checkout on toolchains, one of each family that it needs.

        Args:
            toolchains: installed here, or in the image.
            image: whose programs it runs with; None for those of this machine.
        """
        home = HOME if image else self.sandbox.home(self.places)
        by_name = {one.name: one for one in toolchains}
        preparation = plan_preparation(self.evidence, self.report, by_name, home)
        prefixes = (Path(one.prefix) for one in toolchains if one.prefix)
        readable = dict.fromkeys((*self.places.readable, *prefixes))
        places = replace(self.places, readable=tuple(readable))
        return Runner(
            project=self, toolchains=toolchains, preparation=preparation, places=places, image=image
        )


class _Found(NamedTuple):
    """The toolchains, or what is missing of them."""

    toolchains: tuple[Toolchain, ...]
    notes: tuple[str, ...]
    missing: Part | None = None
    why: str = ""


class _Inside(NamedTuple):
    """What runs in an image and what to note, or why nothing does."""

    runner: Runner | None
    notes: tuple[str, ...]


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
    image: Image | None = None
    """Whose programs it runs with; None: this machine's."""

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
        path = (*self.preparation.path, *((self.image.id,) if self.image else ()))
        wanted = stage.fingerprint(path, contents)
        if is_file(stamp) and stamp.read_text(encoding="ascii") == wanted:
            return None
        stamp.unlink(missing_ok=True)
        prevented = None
        for step in stage.steps:
            outcome = self._run(step, cancelled, network=True)
            if not outcome.succeeded:
                prevented = self._not_installed(step, outcome)
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
        more = self._network() if network else self.preparation.offline
        return self.project.sandbox.run(
            Command(
                argv=("bash", "-c", line),
                places=self.places,
                environment={**self.preparation.environment, **more},
                path=self.preparation.path,
                network=network,
                limits=limits,
                image=self.image,
            ),
            cancelled,
        )

    def _network(self) -> Mapping[str, str]:
        """Return what is told of the network: an image has no files of this machine's."""
        told = network_variables()
        return {k: v for k, v in told.items() if not (self.image and v.startswith("/"))}

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

    def _not_installed(self, step: str, outcome: Outcome) -> Baseline:
        found = self._prevented(step, outcome, self._limits(network=True))
        if found.verdict and found.verdict.failure is FailureClass.NETWORK:
            return replace(
                found, can_do="see that this machine reaches where dependencies come from"
            )
        return found

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
            toolchain=", ".join(map(str, self._named())) + self._place(),
            why=why, verdict=verdict, outcome=outcome, runner=self,
        )  # fmt: skip

    def _place(self) -> str:
        return f" (in {self.image.reference})" if self.image else ""

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
