"""The child as its parent sees it: started, spoken to, waited for within a deadline, ended."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import IO, BinaryIO, cast

from iris_harness.errors import ModelUnavailableError
from iris_harness.llm.deadline import Deadline
from iris_harness.llm.llama.frames import Frame, read_frame, write_frame

_PROGRAM = ("-P", "-m", "iris_harness.llm.llama.child")  # -P: nothing of the folder it starts in
_PASSED_ON = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "SYSTEMROOT", "LD_LIBRARY_PATH",
     "DYLD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}
)  # fmt: skip
_END_SECONDS = 5.0


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what of the environment a child gets: what it runs with, and no secret.

    Threads that wait shall sleep: beside one busy core, spinning costs five sixths of the speed.
    """
    kept = {name: environ[name] for name in sorted(_PASSED_ON & environ.keys())}
    return {**kept, "OMP_WAIT_POLICY": "passive"}


class Child:
    """One process with one model. Used by one thread at a time; `kill` by any."""

    def __init__(self, load: Frame, environ: Mapping[str, str]) -> None:
        """Start it and have it load a model.

        Raises:
            ModelUnavailableError: it cannot be started.
        """
        try:
            self._process = subprocess.Popen(
                [sys.executable, *_PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment(environ),
                start_new_session=True,  # Ctrl-C is for the parent, which then ends it
            )
        except OSError as error:
            raise ModelUnavailableError(f"cannot be started ({error.strerror})") from error
        self._heard: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._to_say: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self.loaded = False
        for work in (self._listen, self._talk):
            threading.Thread(target=work, name="iris-llama", daemon=True).start()
        self.say({"load": load})

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def say(self, frame: Frame) -> None:
        """Send a message; returns at once, also when it does not listen."""
        self._to_say.put(frame)

    def hear(self, deadline: Deadline) -> Frame:
        """Return its next message.

        Raises:
            ModelUnavailableError: it died.
            ModelTimeoutError: there was none in time.
            TurnCancelledError: the turn was cancelled.
        """
        while True:
            try:
                frame = self._heard.get(timeout=deadline.slice())
            except queue.Empty:
                continue
            if frame is None:
                self._heard.put(None)  # it stays dead for who asks next
                raise ModelUnavailableError(f"died{self._how()}; it is started again when asked")
            return frame

    def hear_end(self, number: int, seconds: float) -> bool:
        """Return whether it ends answer `number` within so many seconds."""
        with contextlib.suppress(queue.Empty):
            while (frame := self._heard.get(timeout=seconds)) is not None:
                if frame.get("id") == number and "end" in frame:
                    return True
        return False

    def kill(self) -> None:
        """End it now, and wait until it has ended."""
        self._process.kill()
        self._process.wait(_END_SECONDS)
        self._to_say.put(None)

    def _how(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_END_SECONDS)
            return f" (signal {-code})" if code < 0 else f" (exit code {code})"
        return ""

    def _listen(self) -> None:
        with _pipe(self._process.stdout) as stream, contextlib.suppress(OSError, ValueError):
            while (frame := read_frame(stream)) is not None:
                self._heard.put(frame)
        self._heard.put(None)

    def _talk(self) -> None:
        stream = _pipe(self._process.stdin)
        with contextlib.suppress(OSError):  # it died: `hear` says so
            while (frame := self._to_say.get()) is not None:
                write_frame(stream, frame)
        with contextlib.suppress(OSError):
            stream.close()


def _pipe(stream: IO[bytes] | None) -> BinaryIO:
    if stream is None:
        raise ValueError("the child was started without pipes")
    return cast("BinaryIO", stream)
