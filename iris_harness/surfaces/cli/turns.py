"""Run one turn with its progress shown."""

from __future__ import annotations

import sys

from iris_harness.bootstrap.assistant import Iris, Turn
from iris_harness.surfaces.progress import ProgressLine


def run_turn(iris: Iris, utterance: str, *, session: str = "") -> Turn:
    """Answer `utterance`, telling on the error stream's terminal which agents are at work.

    Raises:
        KeyboardInterrupt: Ctrl-C; the turn is cancelled, the program may go on.
    """
    progress = ProgressLine(sys.stderr)
    try:
        return iris.turn(utterance, session, listener=progress)
    finally:
        progress.clear()
