"""Runs what needs a container image in its engine, and all else where it would run anyway."""

from __future__ import annotations

from collections.abc import Callable

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.sandbox.container import Container
from iris_harness.daemon.sandbox.values import Command, Outcome, Places, Sandbox


class WithImages:
    """A `Sandbox` that also runs commands with the programs of an image."""

    def __init__(self, sandbox: Sandbox, clock: Clock) -> None:
        """Take where commands without an image run, and the clock of limits."""
        self._sandbox = sandbox
        self._clock = clock

    @property
    def name(self) -> str:
        """What confines commands without an image."""
        return self._sandbox.name

    def home(self, places: Places) -> str:
        """Return where a command without an image finds its home folder."""
        return self._sandbox.home(places)

    def run(self, command: Command, cancelled: Callable[[], bool] = lambda: False) -> Outcome:
        """Run one command to its end; see `Sandbox.run`."""
        if command.image is None:
            return self._sandbox.run(command, cancelled)
        return Container(command.image.engine, self._clock).run(command, cancelled)
