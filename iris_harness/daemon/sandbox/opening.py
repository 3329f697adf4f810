"""Chooses the sandbox, and refuses where there is none."""

from __future__ import annotations

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.sandbox import bubblewrap, container
from iris_harness.daemon.sandbox.bubblewrap import Bubblewrap
from iris_harness.daemon.sandbox.engine import ENGINES
from iris_harness.daemon.sandbox.unconfined import Unconfined
from iris_harness.daemon.sandbox.values import Sandbox
from iris_harness.errors import SandboxError

AUTO, BUBBLEWRAP, NONE = "auto", "bubblewrap", "none"
SANDBOXES = (AUTO, BUBBLEWRAP, *ENGINES, NONE)


def open_sandbox(wanted: str, clock: Clock) -> Sandbox:
    """Return the sandbox that is asked for.

    Args:
        wanted: one of `SANDBOXES`: ``auto`` is bubblewrap, and where it cannot be used a container
            engine that runs; ``none`` runs everything as the user.
        clock: what limits are measured with.

    Raises:
        SandboxError: it cannot be had here. Nothing is ever run without one by itself.
    """
    if wanted == NONE:
        return Unconfined(clock)
    reasons = []
    for kind in (BUBBLEWRAP, *ENGINES) if wanted == AUTO else (wanted,):
        missing = _find_missing(kind)
        if missing is None:
            is_container = kind in ENGINES
            return container.Container(kind, clock) if is_container else Bubblewrap(clock)
        reasons.append(missing)
    raise SandboxError(
        f"there is no sandbox to run a repository's code in: {'; '.join(reasons)}",
        hint="install bubblewrap, or give `--sandbox none` if the repositories are your own and may "
        "do all that you may do",
    )


def _find_missing(kind: str) -> str | None:
    return bubblewrap.find_missing() if kind == BUBBLEWRAP else container.find_missing(kind)
