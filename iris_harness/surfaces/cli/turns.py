"""Run one turn so that Ctrl-C stops the turn and not the program."""

from __future__ import annotations

import sys

from iris_harness.bootstrap.assistant import Iris, Turn
from iris_harness.executor import CancelToken, TurnRunner
from iris_harness.surfaces.progress import ProgressLine


def run_turn(iris: Iris, runner: TurnRunner, utterance: str, *, session: str = "") -> Turn:
    """Answer `utterance` on the turn thread, showing progress on a terminal.

    Raises:
        TurnCancelledError: Ctrl-C was pressed and the turn gave no answer in time.
    """
    progress = ProgressLine(sys.stderr)
    cancel = CancelToken()
    try:
        return runner.run(
            lambda: iris.turn(utterance, session, cancel=cancel, listener=progress), cancel=cancel
        )
    finally:
        progress.clear()
