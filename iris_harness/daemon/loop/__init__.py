"""The worker's loop: a model edits, the repository's own tests decide.

The model is asked for edits and nothing else; what it says is a proposal. Every effect that costs or
takes time is kept in a journal before it counts, so that a loop that was killed goes on where it was
and pays for nothing twice.
"""

from __future__ import annotations

from iris_harness.daemon.loop.ending import Budget, Ending, WorkerResult
from iris_harness.daemon.loop.external import EditorCommand
from iris_harness.daemon.loop.journal import Journal
from iris_harness.daemon.loop.worker import Worker

__all__ = ["Budget", "EditorCommand", "Ending", "Journal", "Worker", "WorkerResult"]
