"""No sandbox at all: only where the user's configuration says so in so many words."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Callable, Sequence

import psutil

from iris_harness.contracts.clock import Clock
from iris_harness.daemon.sandbox.control_group import Group, control_group, entering
from iris_harness.daemon.sandbox.launching import (
    LAST_SERVED,
    environment,
    limited,
    most_tasks,
)
from iris_harness.daemon.sandbox.supervise import Supervisor, end, kill_group, start
from iris_harness.daemon.sandbox.values import Command, Outcome, Places
from iris_harness.daemon.sandbox.watch import existing, marked

_MARK = "IRIS_RUN"


class Unconfined:
    """Runs commands as the user, within the limits, and sees to it that none is left behind."""

    name = "none"

    def __init__(self, clock: Clock) -> None:
        """Take the clock that limits are measured with."""
        self._supervisor = Supervisor(clock)

    def home(self, places: Places) -> str:
        """Return the job's home folder, where it is."""
        return str(places.home)

    def run(self, command: Command, cancelled: Callable[[], bool] = lambda: False) -> Outcome:
        """Run one command to its end; see `Sandbox.run`."""
        mark = secrets.token_hex(8)
        variables = {**environment(command, self.home(command.places)), _MARK: mark}
        with control_group(most_tasks(command.limits)) as group:
            limits = (*LAST_SERVED, *limited(command.limits), "--")
            argv = (*entering(group), *limits, *command.argv)
            process = start(argv, command.places.checkout / command.folder, variables)
            processes = _Marked(process, mark, group)
            return self._supervisor.run(process, processes, command, cancelled, confined=False)


class _Marked:
    """The processes of a run, by the variable that they inherit, in whatever session they are."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str, group: Group | None) -> None:
        self._process = process
        self._mark = mark
        self._group = group

    def find(self) -> Sequence[psutil.Process]:
        if self._group is not None:
            return tuple(existing(self._group.members()))
        return tuple(marked(_MARK, self._mark))

    def kill(self) -> None:
        """End them until none is found: one that is starting another may be a step ahead."""
        if self._group is not None:
            self._group.stop()
        kill_group(self._process)
        while found := [process for process in self.find() if process.pid != self._process.pid]:
            for process in found:
                end(process)
