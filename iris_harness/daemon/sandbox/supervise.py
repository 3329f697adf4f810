"""Runs one program with everything it starts, until it ends or a limit does.

One thread reads the output and looks at the processes in turn. What ends the run ends all of it.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Protocol

import psutil

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.sandbox.output import Kept
from iris_harness.daemon.sandbox.values import Command, Ended, Limits, Outcome
from iris_harness.daemon.sandbox.watch import Load, find_exceeded, measure
from iris_harness.errors import SandboxError

_LOOK_SECONDS = 0.05
_CHUNK = 65_536
_LIMIT_EXIT_CODE = 124
"""What timeout(1) gives."""
_DRAIN_SECONDS = 5.0
_STEP_SECONDS = 0.005
_END_STEPS = 2_000


class Processes(Protocol):
    """Finds and ends what a run started."""

    def find(self) -> Sequence[psutil.Process]:
        """Return the processes that are running."""
        ...

    def kill(self) -> None:
        """End all of them at once."""
        ...


class Supervisor:
    """Starts a program and sees it to its end."""

    def __init__(self, clock: Clock) -> None:
        """Take the clock that limits are measured with."""
        self._clock = clock

    def run(
        self,
        process: subprocess.Popen[bytes],
        processes: Processes,
        command: Command,
        cancelled: Callable[[], bool],
        *,
        confined: bool,
    ) -> Outcome:
        """See a started program to its end; its output is a pipe that nothing else reads."""
        run = _Run(process, processes, command, self._clock)
        with _pipe(process):
            try:
                ended = run.watch(cancelled)
            finally:
                processes.kill()
                process.wait()
            run.drain()
        return Outcome(
            ended=ended or Ended.EXITED,
            exit_code=_LIMIT_EXIT_CODE if ended else _exit_code(process.returncode),
            output=run.kept.text(),
            seconds=run.seconds,
            peak_memory_bytes=run.peak,
            confined=confined,
        )


class _Run:
    def __init__(
        self,
        process: subprocess.Popen[bytes],
        processes: Processes,
        command: Command,
        clock: Clock,
    ) -> None:
        self._process = process
        self._processes = processes
        self._limits: Limits = command.limits
        self._checkout: Path = command.places.checkout
        self._clock = clock
        self._started = clock.monotonic()
        self._pipe = _pipe(process)
        self.kept = Kept(command.limits.output_bytes)
        self.peak = 0

    @property
    def seconds(self) -> float:
        return self._clock.monotonic() - self._started

    def watch(self, cancelled: Callable[[], bool]) -> Ended | None:
        """Return what ended the run; None where it ended by itself."""
        looked = self._started
        while not _has_ended(self._process):
            self._read(_LOOK_SECONDS)
            if self._clock.monotonic() - looked < _LOOK_SECONDS:
                continue
            looked = self._clock.monotonic()
            if ended := self._exceeded(cancelled):
                return ended
        return None

    def _exceeded(self, cancelled: Callable[[], bool]) -> Ended | None:
        if cancelled():
            return Ended.CANCELLED
        if self.seconds > self._limits.seconds:
            return Ended.TIMED_OUT
        load: Load = measure(self._processes.find())
        self.peak = max(self.peak, load.memory_bytes)
        return find_exceeded(load, self._limits, self._checkout)

    def _read(self, seconds: float) -> None:
        """Take what was printed, waiting for it at most so long."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            if not selector.select(seconds):
                return
        data = os.read(self._pipe.fileno(), _CHUNK)
        self.kept.add(data)
        if not data:
            time.sleep(seconds)  # both streams are closed, and yet it runs

    def drain(self) -> None:
        """Take what is left in the pipe; what was killed cannot fill it again."""
        until = self._clock.monotonic() + _DRAIN_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            while self._clock.monotonic() < until and selector.select(0):
                data = os.read(self._pipe.fileno(), _CHUNK)
                if not data:
                    break
                self.kept.add(data)


def start(
    argv: Sequence[str], folder: Path, environment: dict[str, str], pass_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, with no input and one pipe for both streams.

    Raises:
        SandboxError: it cannot be started.
    """
    try:
        return subprocess.Popen(
            argv, cwd=folder, env=environment, pass_fds=pass_fds, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except OSError as error:
        raise SandboxError(f"{argv[0]} cannot be started: {error.strerror or error}") from error


def end(process: psutil.Process) -> None:
    """End a process and wait until it is no more than an entry that its parent has not taken.

    The first process of a namespace comes to that only after all the others have.
    """
    try:
        process.kill()
        for _ in range(_END_STEPS):
            if process.status() == psutil.STATUS_ZOMBIE:
                return
            time.sleep(_STEP_SECONDS)
    except psutil.NoSuchProcess:
        return


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the program with all that stayed in its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether it has ended, without taking notice: its number stays its own until then."""
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _pipe(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None  # noqa: S101 - `start` made it
    return process.stdout


def _exit_code(returncode: int) -> int:
    return 128 - returncode if returncode < 0 else returncode
