"""Run one turn with its progress shown."""

from __future__ import annotations

import sys

from iris_harness.bootstrap.assistant import Iris, Turn
from iris_harness.executor import CancelToken
from iris_harness.surfaces.progress import ProgressLine


def run_turn(
    iris: Iris, utterance: str, *, session: str = "", cancel: CancelToken | None = None
) -> Turn:
    """Answer `utterance`, telling on the error stream's terminal which agents are at work.

    Raises:
        KeyboardInterrupt: Ctrl-C, where nobody else takes it; the turn is cancelled.
    """
    progress = ProgressLine(sys.stderr)
    try:
        return iris.turn(utterance, session, cancel=cancel, listener=progress)
    finally:
        progress.clear()
