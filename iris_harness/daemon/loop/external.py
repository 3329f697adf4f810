"""A program of the user's that edits in place of Iris's own loop: any that works on a checkout.

It runs in the same sandbox as the tests, but with the network, and sees what the user's settings
name besides. What it says is not believed: its edits are proved as everybody's are.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from pathlib import Path

from iris_harness.contracts.canonical import Json, digest
from iris_harness.daemon.checkouts import Worktree
from iris_harness.daemon.loop.ending import EndError, Ending
from iris_harness.daemon.loop.spending import Spending
from iris_harness.daemon.provisioning.network import network_variables
from iris_harness.daemon.runner import Project
from iris_harness.daemon.sandbox import Command, Ended, Outcome
from iris_harness.storage.files import new_private_file

TASK = "{task}"
"""In a command: the path of a file that says what is to be done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EditorCommand:
    """How the program is started."""

    words: tuple[str, ...]
    """Its arguments; `TASK` in one of them is the path of the task."""
    readable: tuple[Path, ...] = ()
    """What it may read besides the checkout, each at its own path."""


class ExternalEditor:
    """Lets the program edit a worktree, as often as there are attempts."""

    def __init__(
        self,
        command: EditorCommand,
        task: str,
        project: Project,
        worktree: Worktree,
        spending: Spending,
    ) -> None:
        """Take the program, what is to be done in words, and where."""
        self._command = command
        self._told = task
        self._project = project
        self._worktree = worktree
        self._spending = spending

    def tell(self, text: str) -> None:
        """Say more to the program when it is started next."""
        self._told = f"{self._told}\n\n{text}"

    def go_on(self) -> str:
        """Let it edit to its end; return the last line it prints.

        Raises:
            EndError: it fails, takes too long, or is cancelled.
            RepositoryError: git failed in the worktree.
        """
        asked = digest([self._told, self._worktree.tree()])
        made = self._spending.effect("edits", asked, self._run)
        assert isinstance(made, dict)  # noqa: S101 - as `_run` makes it
        self._worktree.reset(self._worktree.base)
        self._worktree.apply(base64.b64decode(str(made["patch"])))
        return str(made["said"])

    def _run(self) -> Json:
        project = self._project
        self._worktree.restore()
        left_behind = self._worktree.untracked()
        file = new_private_file(project.places.home, "task-")
        file.write_text(self._told, encoding="utf-8")
        seen = f"{project.sandbox.home(project.places)}/{file.name}"
        outcome = project.sandbox.run(
            Command(
                argv=tuple(word.replace(TASK, seen) for word in self._command.words),
                places=replace(
                    project.places, readable=(*project.places.readable, *self._command.readable)
                ),
                environment=network_variables(),
                network=True,
                limits=replace(project.limits, seconds=float(self._spending.budget.seconds)),
            ),
            self._spending.cancelled,
        )
        _check(outcome)
        self._worktree.stage_all(but=left_behind)
        patch = base64.b64encode(self._worktree.patch()).decode("ascii")
        return {"patch": patch, "said": outcome.last_line}


def _check(outcome: Outcome) -> None:
    if outcome.ended is Ended.CANCELLED:
        raise EndError(Ending.CANCELLED, "cancelled")
    if outcome.ended is Ended.TIMED_OUT:
        raise EndError(Ending.BUDGET, "the editor took longer than it may", "raise jobs.budget")
    if not outcome.succeeded:
        raise EndError(
            Ending.MODEL, f"the editor ended with {outcome.exit_code}: {outcome.last_line}",
            "try `jobs.editor` by hand in a checkout",
        )  # fmt: skip
