"""What a container engine is asked, and the images it keeps: Podman, or Docker.

See podman-pull(1) and podman-inspect(1); Docker takes the same options.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Callable, Sequence

from iris_harness.config.environment import variables
from iris_harness.daemon.sandbox.launching import SYSTEM_PATH
from iris_harness.daemon.sandbox.values import Image
from iris_harness.errors import SandboxError

ENGINES = ("podman", "docker")
_ASK_SECONDS = 60
_PULL_SECONDS = 1_200
_LOOK_SECONDS = 0.5
_MOST_SAID = 300


def ask(engine: str, *words: str, given: bytes = b"") -> str:
    """Return what an engine prints.

    Raises:
        OSError: it cannot be started.
        subprocess.SubprocessError: it failed, or took too long.
    """
    done = subprocess.run(
        [engine, *words], input=given, capture_output=True, timeout=_ASK_SECONDS, check=True,
        env=dict(variables()), cwd="/",
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


def says(engine: str, *words: str) -> str:
    """Return what an engine prints; empty where it fails."""
    try:
        return ask(engine, *words)
    except (OSError, subprocess.SubprocessError):
        return ""


def find_reason(engine: str) -> str | None:
    """Return why an engine does not answer; None where it does."""
    try:
        ask(engine, "version", "--format", "{{.Server.Version}}" if engine == "docker" else "x")
    except FileNotFoundError:
        return f"{engine} is not installed"
    except (OSError, subprocess.SubprocessError) as error:
        return f"{engine} does not run here: {reason(error)}"
    return None


def reason(error: OSError | subprocess.SubprocessError) -> str:
    """Return the line in which an engine says why it failed."""
    if isinstance(error, subprocess.CalledProcessError):
        return _last_line(error.stderr) or f"it ended with {error.returncode}"
    return str(error)


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_MOST_SAID] if lines else ""


class Engines:
    """The engines that may fetch images, in the order in which they are asked."""

    def __init__(self, names: Sequence[str]) -> None:
        """Take the names of the engines that the user allows; none of them fetches anything else."""
        self.names = tuple(names)

    def fetch(self, reference: str, cancelled: Callable[[], bool] = lambda: False) -> Image:
        """Return an image by the first engine that has it, or gets it from its registry.

        Args:
            reference: whole, with its registry and its tag.
            cancelled: is asked while it comes; where it says so, it is given up.

        Raises:
            SandboxError: no engine has it, nor gets it; with the line that says why.
        """
        reasons = []
        for engine in self.names:
            missing = find_reason(engine) or _pull(engine, reference, cancelled)
            if missing is None:
                return _image(engine, reference)
            reasons.append(missing)
        raise SandboxError("; ".join(reasons) or "no container engine may be used")


def _pull(engine: str, reference: str, cancelled: Callable[[], bool]) -> str | None:
    """Get an image, unless it is there; return why that failed, None where it did not."""
    if says(engine, "image", "inspect", "--format", "{{.Id}}", reference):
        return None
    # Podman reads what has no transport as a place on this machine if it looks like one.
    wanted = f"docker://{reference}" if engine == "podman" else reference
    process = subprocess.Popen(
        [engine, "pull", "--quiet", wanted], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env=dict(variables()), cwd="/", start_new_session=True,
    )  # fmt: skip
    for _ in range(int(_PULL_SECONDS / _LOOK_SECONDS)):
        with contextlib.suppress(subprocess.TimeoutExpired):
            output, _ = process.communicate(timeout=_LOOK_SECONDS)
            said = _last_line(output) or f"it ended with {process.returncode}"
            return f"{reference} cannot be had: {said}" if process.returncode else None
        if cancelled():
            break
    _end(process)
    return f"{reference} cannot be had: {engine} took too long to get it"


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _image(engine: str, reference: str) -> Image:
    form = "{{.Id}} {{json .Config.Env}}"
    number, _, listed = says(engine, "image", "inspect", "--format", form, reference).partition(" ")
    try:
        own = json.loads(listed) or []
    except ValueError as error:
        raise SandboxError(f"{engine} does not say what is in {reference}") from error
    given = dict(text.partition("=")[::2] for text in own if isinstance(text, str))
    path = given.get("PATH") or SYSTEM_PATH
    return Image(engine=engine, id=number.strip(), reference=reference, path=tuple(path.split(":")))
