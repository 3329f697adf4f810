"""One worker: from a task and a worktree to a commit that is proved, or the reason why not.

Before the model is asked anything, hints are resolved and the tests run once; what cannot be won ends
there, at no cost. Then the model edits until it says that it is done. What it did is run and looked
at; what is wrong goes back to it, as often as the budget allows.
"""

from __future__ import annotations

from collections.abc import Callable

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import ChatModel
from iris_harness.daemon.checkouts import Worktree
from iris_harness.daemon.hints import HintAnswer, Kind, resolve_hint
from iris_harness.daemon.loop.conversation import Conversation
from iris_harness.daemon.loop.discovery import discover
from iris_harness.daemon.loop.ending import Budget, EndError, Ending, WorkerResult
from iris_harness.daemon.loop.external import EditorCommand, ExternalEditor
from iris_harness.daemon.loop.journal import Journal
from iris_harness.daemon.loop.kept_model import KeptModel
from iris_harness.daemon.loop.prompts import first_messages, found_wanting, task_text
from iris_harness.daemon.loop.proof import (
    Proof,
    find_doubts,
    proof_from_json,
    proof_of,
    proof_to_json,
)
from iris_harness.daemon.loop.review import Change, find_complaints
from iris_harness.daemon.loop.spending import Spending
from iris_harness.daemon.loop.toolbox import Toolbox
from iris_harness.daemon.loop.workspace import Workspace
from iris_harness.daemon.runner import Baseline, Project, Runner, Standing
from iris_harness.errors import RepositoryError
from iris_harness.jobs.values import WorkerSpec
from iris_harness.llm.metering import Price

_UNWINNABLE = {
    Standing.UNVERIFIABLE: Ending.UNVERIFIABLE,
    Standing.IMPOSSIBLE: Ending.IMPOSSIBLE,
}


class Worker:
    """Runs one worker, from the beginning or from where its journal ends."""

    def __init__(
        self,
        spec: WorkerSpec,
        project: Project,
        worktree: Worktree,
        author: ChatModel | EditorCommand,
        journal: Journal,
        price: Price | None = None,
    ) -> None:
        """Take what is to be done, the checkout at its base, who edits, and what was done before.

        `price` is what the model's tokens cost; None where that is not known.
        """
        self._spec = spec
        self._project = project
        self._worktree = worktree
        self._author = author
        self._journal = journal
        self._price = price
        self._runner: Runner | None = None

    def run(
        self, budget: Budget, clock: Clock, cancelled: Callable[[], bool] = lambda: False
    ) -> WorkerResult:
        """Work until it is done, or cannot be.

        Raises:
            SandboxError: the sandbox cannot be set up.
            RepositoryError: git failed in the worktree.
            JournalError: the journal cannot be written.
        """
        spending = Spending(self._journal, budget, clock, cancelled, self._price)
        self._worktree.reset(self._worktree.base)
        try:
            return self._work(spending)
        except EndError as end:
            return WorkerResult(
                ending=end.ending, why=end.why, can_do=end.can_do, attempts=spending.attempts,
                usage=spending.usage,
            )  # fmt: skip

    def _work(self, spending: Spending) -> WorkerResult:
        self._check_price(spending.budget)
        hints = self._resolved()
        before = self._proof(spending, "baseline")
        if before.standing in _UNWINNABLE:
            raise EndError(_UNWINNABLE[before.standing], before.why, before.can_do)
        model = None
        if not isinstance(self._author, EditorCommand):
            model = KeptModel(self._author, spending)
        targets = [self._target(hint, answer, model) for hint, answer in hints.items()]
        editor = self._editor(spending, model, targets, before)
        while True:
            summary = editor.go_on()
            after = self._proof(spending, "verify")
            complaints = find_complaints(self._changes(), targets, self._project.command)
            doubts = (*complaints, *find_doubts(before, after))
            if not doubts:
                return self._done(spending, summary, before, after)
            spending.next_attempt(doubts)
            editor.tell(found_wanting(doubts, after))

    def _check_price(self, budget: Budget) -> None:
        if budget.money is None or self._price is not None:
            return
        if isinstance(self._author, EditorCommand):
            raise EndError(
                Ending.MODEL, "what an editor of your own costs is not known",
                "take `money` out of jobs.budget; it has to keep within it itself",
            )  # fmt: skip
        raise EndError(
            Ending.MODEL, f"what tokens of {self._author.name} cost is not known",
            "give the model its price, or take `money` out of jobs.budget",
        )  # fmt: skip

    def _editor(
        self, spending: Spending, model: ChatModel | None, targets: list[str], before: Proof
    ) -> Conversation | ExternalEditor:
        workspace = Workspace(self._worktree)
        told = task_text(self._spec, targets, before, self._project.command, workspace)
        if model is None:
            assert isinstance(self._author, EditorCommand)  # noqa: S101 - there is no model then
            return ExternalEditor(self._author, told, self._project, self._worktree, spending)
        return Conversation(
            model, first_messages(told, targets, workspace),
            Toolbox(workspace, lambda: _told(self._proof(spending, "tests"))),
            spending.budget.reply_tokens,
        )  # fmt: skip

    def _resolved(self) -> dict[str, HintAnswer]:
        """Return what each hint means; what no rule finds is still open.

        Raises:
            EndError: a hint is refused, or may mean several files.
        """
        spec, tree = self._spec, self._project.evidence.tree
        hints = dict.fromkeys((*((spec.file,) if spec.file else ()), *spec.files))
        answers = {hint: resolve_hint(hint, tree) for hint in hints}
        for hint, answer in answers.items():
            if answer.path is None and answer.kind is not Kind.UNMATCHED:
                raise EndError(Ending.UNRESOLVED, *_unresolved(hint, answer))
        return answers

    def _target(self, hint: str, answer: HintAnswer, model: ChatModel | None) -> str:
        """Return the file or the folder that a hint means, or the file to be made.

        Where no rule finds it a model looks for it, if there is one.

        Raises:
            EndError: it stays open, or the model cannot be asked.
        """
        tree = self._project.evidence.tree
        folder = hint.strip("./")
        if folder in tree.folders:
            return f"{folder}/"
        if answer.path is None:
            found = discover(hint, self._spec.task, tree, model) if model else None
            if found is not None:
                return found
            answer = resolve_hint(hint, tree, discovery=())
        if answer.path is None:
            raise EndError(Ending.UNRESOLVED, *_unresolved(hint, answer))
        return answer.path

    def _proof(self, spending: Spending, kind: str) -> Proof:
        state: Json = {"kind": kind, "tree": self._worktree.tree()}
        made = spending.effect(
            kind, state, lambda: proof_to_json(proof_of(self._run_tests(spending.cancelled)))
        )
        return proof_from_json(made)

    def _run_tests(self, cancelled: Callable[[], bool]) -> Baseline:
        """Run them, on what they ran on last.

        Raises:
            EndError: cancelled meanwhile; a run that was ended proves nothing and is not kept.
        """
        self._worktree.restore()
        if self._runner is None:
            found = self._project.baseline(cancelled)
        else:
            found = self._project.prove(self._runner, cancelled)
        if found.standing is Standing.CANCELLED:
            raise EndError(Ending.CANCELLED, found.why)
        self._runner = found.runner
        return found

    def _changes(self) -> list[Change]:
        base = self._worktree.base
        leaving = set(self._worktree.leaving_paths())
        return [
            Change(
                path=path, before=self._text(f"{base}:{path}"), after=self._text(f":0:{path}"),
                leaves=path in leaving,
            )
            for path in self._worktree.changed_paths()
        ]  # fmt: skip

    def _text(self, name: str) -> str | None:
        """Return the text of what git calls by a name; None where it is not there, or is no text."""
        try:
            return self._worktree.git.read("cat-file", "blob", name).decode("utf-8")
        except (RepositoryError, UnicodeDecodeError):
            return None

    def _done(self, spending: Spending, summary: str, before: Proof, after: Proof) -> WorkerResult:
        changed = self._worktree.changed_paths()
        commit = self._commit(summary)
        notes = [] if after.passed else ["how many tests ran is not known"]
        if before.failing and not after.is_green:
            notes.append(f"these failed before, and still do: {', '.join(after.failing)}")
        return WorkerResult(
            ending=Ending.DONE, why=after.why, commit=commit, summary=summary, changed=changed,
            attempts=spending.attempts, usage=spending.usage, confined=after.confined, notes=tuple(notes),
        )  # fmt: skip

    def _commit(self, summary: str) -> str | None:
        """Keep the changes; the same commit after a restart, so that it is merged once."""
        title = self._spec.task.strip().splitlines()[0][:72]
        message = f"{title}\n\n{summary}\n"
        asked: Json = {"tree": self._worktree.tree(), "base": self._worktree.base}
        kept = self._journal.once("commit", asked, lambda: self._worktree.commit(message))
        # The clone may have been removed meanwhile, and made anew.
        if isinstance(kept, str) and self._worktree.git.succeeds("cat-file", "-e", kept):
            return kept
        return self._worktree.commit(message)


def _told(proof: Proof) -> str:
    return f"{proof.standing.value}: {proof.why}\n{proof.output}"


def _unresolved(hint: str, answer: HintAnswer) -> tuple[str, str]:
    why = f"{hint} is not clear: {answer.why}"
    if answer.candidates:
        return f"{why} ({', '.join(answer.candidates)})", "name one of them"
    return why, "name a file of the repository"
