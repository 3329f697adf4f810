"""A container engine, where bubblewrap may not make namespaces: Podman, or Docker.

The container is made from an image of nothing. It sees what a run in bubblewrap sees: the system's own
programs, a few files of /etc, the checkout, a home of the job's own. Where a runtime is not on this
machine, its programs come from an image instead, and nothing of this machine's system is there.

See podman-run(1); Docker takes the same options.
"""

from __future__ import annotations

import os
import resource
import secrets
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psutil

from iris_harness.config.environment import variables
from iris_harness.contracts.clock import Clock
from iris_harness.daemon.sandbox.engine import ask, find_reason, reason, says
from iris_harness.daemon.sandbox.launching import (
    CHECKOUT,
    HOME,
    LAST_SERVED,
    SHARED_MEMORY_BYTES,
    accounts,
    environment,
    limited,
    most_tasks,
    system_places,
)
from iris_harness.daemon.sandbox.supervise import Supervisor, end, kill_group, start
from iris_harness.daemon.sandbox.values import Command, Ended, Outcome, Places
from iris_harness.daemon.sandbox.watch import family
from iris_harness.errors import SandboxError

_IMAGE = "localhost/iris-nothing:1"
_EMPTY_ARCHIVE = bytes(1024)  # of tar: two blocks that say that it ends
_NEVER_STARTED = frozenset({125, 126, 127})
"""What an engine may end with when it could not start the command (podman-run(1), EXIT STATUS)."""
_LAUNCH = 'exec 2>&1; "$@"; exit $?'
"""Keeps both streams in order, and is the first process: one that the command may be killed below."""
_LAUNCH_IN_IMAGE = """
exec 2>&1
most=$1
shift
if [ "$1" = bash ] && ! command -v bash > /dev/null; then shift; set -- sh "$@"; fi
if command -v timeout > /dev/null; then set -- timeout -s KILL "$most" "$@"; fi
"$@"
exit $?
"""
"""The same in an image, which may have neither bash nor timeout."""
_GRACE_SECONDS = 30
_MOST_OF_A_KIND = 16_384
"""Open files, and processes of the user: what bounds a run is counted otherwise."""


def find_missing(engine: str) -> str | None:
    """Return why an engine cannot be used here; None where it can, and then its image is there."""
    missing = find_reason(engine)
    if missing is not None or says(engine, "image", "inspect", _IMAGE):
        return missing
    try:
        ask(engine, "import", "-", _IMAGE, given=_EMPTY_ARCHIVE)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{engine} does not run here: {reason(error)}"
    return None


class Container:
    """A `Sandbox` of containers."""

    def __init__(self, engine: str, clock: Clock) -> None:
        """Take the engine's program, one of `engine.ENGINES`, and the clock of limits."""
        self.name = engine
        self._supervisor = Supervisor(clock)

    def home(self, places: Places) -> str:  # noqa: ARG002 - the same whatever is bound there
        """Return the home folder that every run has."""
        return HOME

    def run(self, command: Command, cancelled: Callable[[], bool] = lambda: False) -> Outcome:
        """Run one command to its end; see `Sandbox.run`."""
        for place in (*command.places.readable, command.places.checkout, command.places.home):
            if not place.exists():  # an engine would make it
                raise SandboxError(f"the sandbox cannot be set up: there is no {place}")
        name = f"iris-{secrets.token_hex(8)}"
        with tempfile.TemporaryDirectory(prefix="iris-") as folder:
            argv = (
                self.name,
                "run",
                "--name",
                name,
                *run_options(self.name, command, Path(folder)),
            )
            process = start(argv, Path("/"), dict(variables()))
            running = _Running(self.name, name, process)
            try:
                outcome = self._supervisor.run(process, running, command, cancelled, confined=True)
                return self._judged(outcome, running)
            finally:
                running.remove()

    def _judged(self, outcome: Outcome, running: _Running) -> Outcome:
        if outcome.exit_code in _NEVER_STARTED and not running.has_started():
            said = outcome.output.strip()[-500:]
            raise SandboxError(
                f"the sandbox cannot be set up: {said}", hint=f"try `{self.name} run` by hand"
            )
        if outcome.ended is Ended.EXITED and running.was_out_of_memory():
            return replace(outcome, ended=Ended.OUT_OF_MEMORY)
        return outcome


def run_options(engine: str, command: Command, folder: Path) -> Iterator[str]:
    """Yield the options with which an engine runs a command.

    Args:
        engine: the engine's program.
        command: what is run.
        folder: where files are written that the container reads.
    """
    yield from _confinement(engine, command)
    yield from _limits(command)
    for source, target in _bound(command, folder):
        yield from ("--mount", f"type=bind,source={source},target={target},readonly")
    places = command.places
    for written, seen in ((places.home, HOME), (places.checkout, CHECKOUT)):
        yield from ("--mount", f"type=bind,source={written},target={seen}")
    for variable, value in sorted(environment(command, HOME).items()):
        yield from ("--env", f"{variable}={value}")
    yield from ("--workdir", os.path.normpath(f"{CHECKOUT}/{command.folder}"))
    # Should nobody be left to end it, it ends by itself.
    most = str(int(command.limits.seconds) + _GRACE_SECONDS)
    if command.image is not None:
        yield from ("--pull", "never", "--entrypoint", "sh", command.image.id)
        yield from ("-c", _LAUNCH_IN_IMAGE, "sh", most, *command.argv)
        return
    yield from (_IMAGE, "sh", "-c", _LAUNCH, "sh", "timeout", "--signal=KILL", most)
    yield from (*LAST_SERVED, *limited(command.limits), "--", *command.argv)


def _confinement(engine: str, command: Command) -> Iterator[str]:
    yield from ("--network", "host" if command.network else "none", "--read-only")
    yield from ("--cap-drop", "all", "--security-opt", "no-new-privileges")
    yield from ("--security-opt", "label=disable", "--log-driver", "none")
    yield from ("--user", f"{os.getuid()}:{os.getgid()}")
    if engine == "podman":
        yield "--http-proxy=false"  # it would hand on the machine's, with a login that it may hold
    if engine == "podman" and os.getuid():
        yield from ("--userns", "keep-id")


def _limits(command: Command) -> Iterator[str]:
    limits = command.limits
    most_memory = limits.memory_bytes * 4  # the watch ends it first; what it cannot see ends here
    yield from ("--pids-limit", str(most_tasks(limits)))
    yield from ("--memory", str(most_memory), "--memory-swap", str(most_memory))
    yield from ("--shm-size", str(SHARED_MEMORY_BYTES))
    # What an engine would set by itself may be more than this user may have.
    for which, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
        hard = resource.getrlimit(kind)[1]
        allowed = _MOST_OF_A_KIND if hard == resource.RLIM_INFINITY else min(hard, _MOST_OF_A_KIND)
        yield from ("--ulimit", f"{which}={allowed}:{allowed}")
    if command.image is not None:  # which may lack the programs that limit a command
        yield from ("--ulimit", f"fsize={limits.file_bytes}:{limits.file_bytes}")
        yield from ("--ulimit", "core=0:0", "--oom-score-adj", "1000", "--cpu-shares", "2")
    for place in ("/tmp", "/var/tmp"):  # noqa: S108 - the run's own
        yield from ("--tmpfs", f"{place}:rw,exec,mode=1777,size={limits.scratch_bytes}")


def _bound(command: Command, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what is only read: where it is, and where it is seen."""
    for source, target in system_places(network=command.network) if not command.image else ():
        if Path(source).exists():
            yield os.path.realpath(source), target
    for name, text in zip(("passwd", "group"), accounts(), strict=True):
        file = folder / name
        file.write_text(text, encoding="utf-8")
        yield str(file), f"/etc/{name}"
    for path in command.places.readable:
        yield str(path), str(path)


class _Running:
    """The processes of a container."""

    def __init__(self, engine: str, name: str, process: subprocess.Popen[bytes]) -> None:
        self._engine = engine
        self._name = name
        self._process = process
        self._first: psutil.Process | None = None

    def find(self) -> Sequence[psutil.Process]:
        if self._first is None:
            self._first = self._find_first()
        return () if self._first is None else family(self._first.pid)

    def _find_first(self) -> psutil.Process | None:
        said = says(self._engine, "inspect", "--format", "{{.State.Pid}}", self._name)
        try:
            number = int(said)
            return psutil.Process(number) if number else None
        except (ValueError, psutil.NoSuchProcess):
            return None

    def kill(self) -> None:
        """End the container's first process: the kernel ends the others with it."""
        if self._first is not None:
            end(self._first)
        if self._process.poll() is None:
            says(self._engine, "kill", "--signal", "KILL", self._name)
        kill_group(self._process)

    def has_started(self) -> bool:
        """Return whether the command was ever started."""
        return self._state("{{.State.Status}}") in {"exited", "running", "stopped"}

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel ended it for its memory."""
        return self._state("{{.State.OOMKilled}}") == "true"

    def _state(self, form: str) -> str:
        return says(self._engine, "inspect", "--format", form, self._name).strip()

    def remove(self) -> None:
        """Remove what is left of it."""
        says(self._engine, "rm", "--force", "--volumes", self._name)
