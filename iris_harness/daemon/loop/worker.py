"""One worker: from a task and a worktree to a commit that is proved, or the reason why not.

Before the model is asked anything, hints are resolved and the tests run once; what cannot be won ends
there, at no cost. Then the model edits until it says that it is done. What it did is run and looked
at; what is wrong goes back to it, as often as the budget allows.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from iris_harness.contracts.canonical import Json, digest
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import (
    ChatMessage,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
)
from iris_harness.daemon.checkouts import Worktree
from iris_harness.daemon.hints import HintAnswer, Kind, Outcome, resolve_hint
from iris_harness.daemon.loop.journal import Journal
from iris_harness.daemon.loop.prompts import first_messages, found_wanting, nudge
from iris_harness.daemon.loop.proof import (
    Proof,
    find_doubts,
    proof_from_json,
    proof_of,
    proof_to_json,
)
from iris_harness.daemon.loop.review import Change, find_complaints
from iris_harness.daemon.loop.toolbox import FINISH, TOOLS, Toolbox
from iris_harness.daemon.loop.workspace import Workspace
from iris_harness.daemon.runner import Baseline, Project, Runner, Standing
from iris_harness.errors import ModelError
from iris_harness.jobs.values import WorkerSpec
from iris_harness.llm.tools import with_tools

_REPEATED = 3
_HOPELESS = 5
"""How often the same call with the same answer is a warning, and the end."""
_MOST_CALLS = 80
"""Calls of tools in one attempt."""


class Ending(enum.StrEnum):
    """How a worker ended; the name is the queue's short name of a failure."""

    DONE = "done"
    UNRESOLVED = "unresolved"
    """A file that was named is not there, or may be several."""
    UNVERIFIABLE = "unverifiable"
    IMPOSSIBLE = "impossible"
    """The tests cannot run here, whatever the code says."""
    NOT_DONE = "not_done"
    """All attempts were used."""
    STUCK = "stuck"
    """The model went in circles."""
    BUDGET = "budget"
    MODEL = "model"
    """The model could not be asked."""
    CONFLICT = "conflict"
    """It does not go together with what other workers did meanwhile."""
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What one worker may spend. What was spent before a restart counts."""

    attempts: int = 6
    tokens: int = 400_000
    """Sent and made together."""
    seconds: int = 3_600
    reply_tokens: int = 8_000
    """Of one answer of the model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerResult:
    """What came of a worker."""

    ending: Ending
    why: str
    can_do: str = ""
    commit: str | None = None
    """The proved commit on the worker's branch; None unless done."""
    summary: str = ""
    """What the model says it did."""
    changed: tuple[str, ...] = ()
    attempts: int = 0
    usage: TokenUsage = field(
        default_factory=lambda: TokenUsage(prompt_tokens=0, completion_tokens=0)
    )
    confined: bool = True
    notes: tuple[str, ...] = ()


_UNWINNABLE = {
    Standing.UNVERIFIABLE: Ending.UNVERIFIABLE,
    Standing.IMPOSSIBLE: Ending.IMPOSSIBLE,
}


class _EndError(Exception):
    """Ends the loop; the reason is a result."""

    def __init__(self, ending: Ending, why: str, can_do: str = "") -> None:
        super().__init__(why)
        self.ending, self.why, self.can_do = ending, why, can_do


class Worker:
    """Runs one worker, from the beginning or from where its journal ends."""

    def __init__(
        self,
        spec: WorkerSpec,
        project: Project,
        worktree: Worktree,
        model: ChatModel,
        journal: Journal,
    ) -> None:
        """Take what is to be done, the checkout at its base, who edits, and what was done before."""
        self._spec = spec
        self._project = project
        self._worktree = worktree
        self._model = with_tools(model)
        self._journal = journal
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
        loop = _Loop(self._journal, self._model, budget, clock, cancelled)
        self._worktree.reset(self._worktree.base)
        try:
            return self._work(loop)
        except _EndError as end:
            return WorkerResult(
                ending=end.ending, why=end.why, can_do=end.can_do, attempts=loop.attempts,
                usage=loop.usage,
            )  # fmt: skip

    def _work(self, loop: _Loop) -> WorkerResult:
        targets, unmatched = self._targets()
        before = self._proof(loop, "baseline")
        if before.standing in _UNWINNABLE:
            raise _EndError(_UNWINNABLE[before.standing], before.why, before.can_do)
        workspace = Workspace(self._worktree)
        messages = first_messages(
            self._spec, targets, unmatched, before, self._project.command, workspace
        )
        toolbox = Toolbox(workspace, lambda: _told(self._proof(loop, "tests")))
        while True:
            summary = loop.converse(messages, toolbox)
            after = self._proof(loop, "verify")
            doubts = (*find_complaints(self._changes(), targets), *find_doubts(before, after))
            if not doubts:
                return self._done(loop, summary, before, after)
            loop.next_attempt(doubts)
            messages.append(ChatMessage(role="user", content=found_wanting(doubts, after)))

    def _targets(self) -> tuple[list[str], list[str]]:
        """Return the files that are meant, and the hints that nothing matches.

        Raises:
            _EndError: a hint is refused, or may mean several files.
        """
        spec = self._spec
        hints = dict.fromkeys((*((spec.file,) if spec.file else ()), *spec.files))
        targets, unmatched = [], []
        for hint in hints:
            answer = resolve_hint(hint, self._project.evidence.tree)
            if answer.kind is Kind.UNMATCHED:
                unmatched.append(hint)
            elif answer.path is None or answer.outcome is Outcome.REFUSE:
                raise _EndError(Ending.UNRESOLVED, *_unresolved(hint, answer))
            else:
                targets.append(answer.path)
        return targets, unmatched

    def _proof(self, loop: _Loop, kind: str) -> Proof:
        state: Json = {"kind": kind, "tree": self._worktree.tree()}
        made = loop.effect(
            kind, state, lambda: proof_to_json(proof_of(self._run_tests(loop.cancelled)))
        )
        return proof_from_json(made)

    def _run_tests(self, cancelled: Callable[[], bool]) -> Baseline:
        """Run them, on what they ran on last.

        Raises:
            _EndError: cancelled meanwhile; a run that was ended proves nothing and is not kept.
        """
        if self._runner is None:
            found = self._project.baseline(cancelled)
        else:
            found = self._project.prove(self._runner, cancelled)
        if found.standing is Standing.CANCELLED:
            raise _EndError(Ending.CANCELLED, found.why)
        self._runner = found.runner
        return found

    def _changes(self) -> list[Change]:
        git, base = self._worktree.git, self._worktree.base
        workspace = Workspace(self._worktree)
        changes = []
        for path in self._worktree.changed_paths():
            is_old = git.succeeds("cat-file", "-e", f"{base}:{path}")
            before = git.run("show", f"{base}:{path}") if is_old else None
            try:
                after: str | None = workspace.text(path)
            except ValueError:
                after = None
            changes.append(Change(path=path, before=before, after=after))
        return changes

    def _done(self, loop: _Loop, summary: str, before: Proof, after: Proof) -> WorkerResult:
        changed = self._worktree.changed_paths()
        commit = self._commit(summary)
        notes = [] if after.passed else ["how many tests ran is not known"]
        if before.failing and not after.is_green:
            notes.append(f"these failed before, and still do: {', '.join(after.failing)}")
        return WorkerResult(
            ending=Ending.DONE, why=after.why, commit=commit, summary=summary, changed=changed,
            attempts=loop.attempts, usage=loop.usage, confined=after.confined, notes=tuple(notes),
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


class _Loop:
    """The model's side: what it is asked, what that costs, and when it is enough."""

    def __init__(
        self,
        journal: Journal,
        model: ChatModel,
        budget: Budget,
        clock: Clock,
        cancelled: Callable[[], bool],
    ) -> None:
        self._journal = journal
        self._model = model
        self._budget = budget
        self._clock = clock
        self.cancelled = cancelled
        self.attempts = 1
        self._spent_ms = 0
        self._sent = self._made = 0
        self._seen: dict[str, int] = {}

    @property
    def usage(self) -> TokenUsage:
        """What the replies cost, those of earlier runs too."""
        return TokenUsage(prompt_tokens=self._sent, completion_tokens=self._made)

    def next_attempt(self, doubts: Sequence[str]) -> None:
        """Begin another attempt.

        Raises:
            _EndError: there is none left.
        """
        if self.attempts >= self._budget.attempts:
            raise _EndError(
                Ending.NOT_DONE, f"after {self.attempts} attempts {'; '.join(doubts)}",
                "give a smaller task, or another model",
            )  # fmt: skip
        self.attempts += 1

    def effect(self, kind: str, asked: Json, make: Callable[[], Json]) -> Json:
        """Do something that takes time, once; its time counts.

        Raises:
            _EndError: cancelled, or there is no time left.
        """
        self._check()
        started = self._clock.monotonic()

        def timed() -> Json:
            made = make()
            passed = round((self._clock.monotonic() - started) * 1000)
            return {"made": made, "milliseconds": passed}

        kept = self._journal.once(kind, asked, timed)
        assert isinstance(kept, dict)  # noqa: S101 - as it is made above
        self._spent_ms += int(str(kept["milliseconds"]))
        if self.cancelled():
            raise _EndError(Ending.CANCELLED, "cancelled")
        return kept["made"]

    def _check(self) -> None:
        if self.cancelled():
            raise _EndError(Ending.CANCELLED, "cancelled")
        if self._spent_ms > self._budget.seconds * 1000:
            raise _EndError(Ending.BUDGET, f"{self._budget.seconds} s are used up")
        if self._sent + self._made > self._budget.tokens:
            raise _EndError(Ending.BUDGET, f"{self._budget.tokens} tokens are used up")

    def converse(self, messages: list[ChatMessage], toolbox: Toolbox) -> str:
        """Let the model edit until it says that it is done; return what it says it did.

        Raises:
            _EndError: it goes in circles, spends too much, or cannot be asked.
        """
        for _ in range(_MOST_CALLS):
            response = self._ask(messages)
            messages.append(
                ChatMessage(role="assistant", content=response.text, tool_calls=response.tool_calls)
            )
            if not response.tool_calls:
                messages.append(ChatMessage(role="user", content=nudge(response.finish_reason)))
                self._notice("", response.text)
            for call in response.tool_calls:
                if call.name == FINISH:
                    _answer_all(messages, response.tool_calls, call)
                    return _summary(call)
                told = toolbox.answer(call)
                told = self._notice(f"{call.name} {call.arguments}", told)
                messages.append(ChatMessage(role="tool", content=told, tool_call_id=call.id))
        raise _EndError(Ending.STUCK, f"the model made {_MOST_CALLS} calls and did not finish")

    def _notice(self, call: str, told: str) -> str:
        """Return the answer to a call, with a warning where it is no news."""
        key = digest([call, told])
        self._seen[key] = count = self._seen.get(key, 0) + 1
        if count >= _HOPELESS:
            raise _EndError(Ending.STUCK, f"the model did the same {count} times: {call[:200]}")
        if count >= _REPEATED:
            return f"{told}\n(You have done this {count} times, with the same result. Do something else.)"
        return told

    def _ask(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        request = ChatRequest(
            messages=tuple(messages), max_tokens=self._budget.reply_tokens, tools=TOOLS
        )
        asked = digest([_message_json(message) for message in messages])
        reply = self.effect("reply", asked, lambda: self._reply(request))
        response = _response(reply)
        self._sent += response.usage.prompt_tokens
        self._made += response.usage.completion_tokens
        return response

    def _reply(self, request: ChatRequest) -> Json:
        try:
            return _reply_json(self._model.complete(request))
        except ModelError as error:
            raise _EndError(Ending.MODEL, error.message, error.hint) from error


def _told(proof: Proof) -> str:
    return f"{proof.standing.value}: {proof.why}\n{proof.output}"


def _unresolved(hint: str, answer: HintAnswer) -> tuple[str, str]:
    why = f"{hint} is not clear: {answer.why}"
    if answer.candidates:
        return f"{why} ({', '.join(answer.candidates)})", "name one of them"
    return why, "name a file of the repository"


def _answer_all(messages: list[ChatMessage], calls: Sequence[ToolCall], finished: ToolCall) -> None:
    """Answer every call of a reply that finishes: servers refuse one without an answer."""
    for call in calls[calls.index(finished) :]:
        told = "it is tested now" if call is finished else "not done: you said you were done"
        messages.append(ChatMessage(role="tool", content=told, tool_call_id=call.id))


def _summary(call: ToolCall) -> str:
    try:
        found = json.loads(call.arguments or "{}")
    except ValueError:
        return ""
    said = found.get("summary", "") if isinstance(found, dict) else ""
    return said if isinstance(said, str) else ""


def _message_json(message: ChatMessage) -> Json:
    calls: list[Json] = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    return [message.role, message.content, calls, message.tool_call_id]


def _reply_json(response: ChatResponse) -> Json:
    calls: list[Json] = [[call.id, call.name, call.arguments] for call in response.tool_calls]
    usage = response.usage
    return {
        "text": response.text,
        "finish": response.finish_reason.value,
        "calls": calls,
        "sent": usage.prompt_tokens,
        "made": usage.completion_tokens,
        "estimated": usage.estimated,
    }


def _response(kept: Json) -> ChatResponse:
    assert isinstance(kept, dict)  # noqa: S101 - written by `_reply_json`, and its digest holds
    calls = kept["calls"]
    assert isinstance(calls, list)  # noqa: S101 - as above
    return ChatResponse(
        text=str(kept["text"]),
        finish_reason=FinishReason(str(kept["finish"])),
        usage=TokenUsage(
            prompt_tokens=int(str(kept["sent"])),
            completion_tokens=int(str(kept["made"])),
            estimated=bool(kept["estimated"]),
        ),
        tool_calls=tuple(
            ToolCall(id=str(c[0]), name=str(c[1]), arguments=str(c[2]))
            for c in calls
            if isinstance(c, list)
        ),
    )
