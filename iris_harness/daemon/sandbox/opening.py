"""Chooses the sandbox, and refuses where there is none."""

from __future__ import annotations

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.sandbox import bubblewrap
from iris_harness.daemon.sandbox.unconfined import Unconfined
from iris_harness.daemon.sandbox.values import Sandbox
from iris_harness.errors import SandboxError

NONE = "none"


def open_sandbox(wanted: str, clock: Clock) -> Sandbox:
    """Return the sandbox of the configuration.

    Args:
        wanted: ``auto``, ``bubblewrap``, or ``none`` for running everything as the user.
        clock: what limits are measured with.

    Raises:
        SandboxError: it cannot be had here. Nothing is ever run without one by itself.
    """
    if wanted == NONE:
        return Unconfined(clock)
    missing = bubblewrap.find_missing()
    if missing is not None:
        raise SandboxError(
            f"there is no sandbox to run a repository's code in: {missing}",
            hint="install bubblewrap, or write `sandbox: none` under `daemon:` if the repositories "
            "are your own and may do all that you may do",
        )
    return bubblewrap.Bubblewrap(clock)
