"""A container engine, where bubblewrap may not make namespaces: Podman, or Docker.

The container is made from an image of nothing. It sees what a run in bubblewrap sees: the system's own
programs, a few files of /etc, the checkout, a home of the job's own. So there is no image to choose,
to download or to trust.

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

ENGINES = ("podman", "docker")
_IMAGE = "localhost/iris-nothing:1"
_EMPTY_ARCHIVE = bytes(1024)  # of tar: two blocks that say that it ends
_ASK_SECONDS = 60
_NEVER_STARTED = frozenset({125, 126, 127})
"""What an engine may end with when it could not start the command (podman-run(1), EXIT STATUS)."""
_LAUNCH = 'exec 2>&1; "$@"; exit $?'
"""Keeps both streams in order, and is the first process: one that the command may be killed below."""
_GRACE_SECONDS = 30
_MOST_OF_A_KIND = 16_384
"""Open files, and processes of the user: what bounds a run is counted otherwise."""


def find_missing(engine: str) -> str | None:
    """Return why an engine cannot be used here; None where it can, and then its image is there."""
    try:
        _ask(engine, "version", "--format", "{{.Server.Version}}" if engine == "docker" else "x")
        if not _says(engine, "image", "inspect", _IMAGE):
            _ask(engine, "import", "-", _IMAGE, given=_EMPTY_ARCHIVE)
    except FileNotFoundError:
        return f"{engine} is not installed"
    except (OSError, subprocess.SubprocessError) as error:
        return f"{engine} does not run here: {_reason(error)}"
    return None


class Container:
    """A `Sandbox` of containers."""

    def __init__(self, engine: str, clock: Clock) -> None:
        """Take the engine's program, one of `ENGINES`, and the clock of limits."""
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
            argv = (self.name, "run", "--name", name, *_options(self.name, command, Path(folder)))
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


def _options(engine: str, command: Command, folder: Path) -> Iterator[str]:
    limits = command.limits
    most_memory = limits.memory_bytes * 4  # the watch ends it first; what it cannot see ends here
    yield from ("--network", "host" if command.network else "none", "--read-only")
    yield from ("--cap-drop", "all", "--security-opt", "no-new-privileges")
    yield from ("--security-opt", "label=disable", "--log-driver", "none")
    yield from ("--pids-limit", str(most_tasks(limits)))
    yield from ("--memory", str(most_memory), "--memory-swap", str(most_memory))
    yield from ("--shm-size", str(SHARED_MEMORY_BYTES))
    yield from ("--user", f"{os.getuid()}:{os.getgid()}")
    if engine == "podman" and os.getuid():
        yield from ("--userns", "keep-id")
    # What an engine would set by itself may be more than this user may have.
    for which, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
        hard = resource.getrlimit(kind)[1]
        allowed = _MOST_OF_A_KIND if hard == resource.RLIM_INFINITY else min(hard, _MOST_OF_A_KIND)
        yield from ("--ulimit", f"{which}={allowed}:{allowed}")
    for place in ("/tmp", "/var/tmp"):  # noqa: S108 - the run's own
        yield from ("--tmpfs", f"{place}:rw,exec,mode=1777,size={limits.scratch_bytes}")
    for source, target in _bound(command, folder):
        yield from ("--mount", f"type=bind,source={source},target={target},readonly")
    places = command.places
    for written, seen in ((places.home, HOME), (places.checkout, CHECKOUT)):
        yield from ("--mount", f"type=bind,source={written},target={seen}")
    for variable, value in sorted(environment(command, HOME).items()):
        yield from ("--env", f"{variable}={value}")
    yield from ("--workdir", os.path.normpath(f"{CHECKOUT}/{command.folder}"), _IMAGE)
    # Should nobody be left to end it, it ends by itself.
    most = str(int(limits.seconds) + _GRACE_SECONDS)
    yield from ("sh", "-c", _LAUNCH, "sh", "timeout", "--signal=KILL", most)
    yield from (*LAST_SERVED, *limited(limits), "--", *command.argv)


def _bound(command: Command, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what is only read: where it is, and where it is seen."""
    for source, target in system_places(network=command.network):
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
        said = _says(self._engine, "inspect", "--format", "{{.State.Pid}}", self._name)
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
            _says(self._engine, "kill", "--signal", "KILL", self._name)
        kill_group(self._process)

    def has_started(self) -> bool:
        """Return whether the command was ever started."""
        return self._state("{{.State.Status}}") in {"exited", "running", "stopped"}

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel ended it for its memory."""
        return self._state("{{.State.OOMKilled}}") == "true"

    def _state(self, form: str) -> str:
        return _says(self._engine, "inspect", "--format", form, self._name).strip()

    def remove(self) -> None:
        """Remove what is left of it."""
        _says(self._engine, "rm", "--force", self._name)


def _says(engine: str, *words: str) -> str:
    """Return what an engine prints; empty where it fails."""
    try:
        return _ask(engine, *words)
    except (OSError, subprocess.SubprocessError):
        return ""


def _ask(engine: str, *words: str, given: bytes = b"") -> str:
    done = subprocess.run(
        [engine, *words], input=given, capture_output=True, timeout=_ASK_SECONDS, check=True,
        env=dict(variables()), cwd="/",
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


def _reason(error: OSError | subprocess.SubprocessError) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = error.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else f"it ended with {error.returncode}"
    return str(error)
