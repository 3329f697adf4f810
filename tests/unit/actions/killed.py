"""A process that is killed in the middle of a change.

``python -m tests.unit.actions.killed FOLDER POINT ACTION`` does the action (JSON) on the files of
`FOLDER`; it kills itself before or after a change is applied (``before-0``, ``after-1``).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from iris_harness.bootstrap.actions import runner as runner_module
from iris_harness.bootstrap.actions.settling import applier_of
from iris_harness.contracts.actions import Action
from iris_harness.contracts.changes import Change, ChangeApplier, Standing, Writers
from tests.unit.actions.conftest import NOW, Home


class Killing:
    """Applies changes, and kills the process at one of them."""

    applied = 0

    def __init__(self, applier: ChangeApplier, point: str) -> None:
        self.name = applier.name
        self._applier = applier
        self._point = point

    def apply(self, change: Change) -> Change:
        self._at("before")
        made = self._applier.apply(change)
        self._at("after")
        Killing.applied += 1
        return made

    def standing(self, change: Change) -> Standing:
        return self._applier.standing(change)

    def _at(self, when: str) -> None:
        if self._point == f"{when}-{Killing.applied}":
            os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, point: str, action: str) -> None:
    def killing(writers: Writers, change: Change) -> ChangeApplier:
        return Killing(applier_of(writers, change), point)

    runner_module.applier_of = killing  # type: ignore[attr-defined]  # the seam of this test
    home = Home.__new__(Home)  # the files are there already
    home.locate(Path(folder))
    runner = home.runner()
    given = json.loads(action)
    runner.perform(runner.prepare(Action(kind=given.pop("kind"), arguments=given), NOW))


if __name__ == "__main__":
    main(*sys.argv[1:])
