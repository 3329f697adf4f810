"""Actions inside a conversation: done, asked about, or refused; and the answer to a question."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from iris_harness.bootstrap.actions.own_words import check_own_words
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.refusals import refused
from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.contracts.actions import Action, ActionReport, ActionState
from iris_harness.contracts.results import AgentResult, HandlerResult
from iris_harness.contracts.tasks import AgentTask
from iris_harness.errors import ActionError, StorageError, WriteError

_MOST_SESSIONS = 1000
"""Conversations whose question is kept; the one that waits longest is forgotten first."""
_YES = re.compile(
    r"(?:yes|yep|yeah|yup|y|sure|ok|okay|please|please do|do it|do that|go ahead|yes please|"
    r"yes do it|confirm|confirmed|that is right|that's right|right|correct)[.! ]*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(?:no|nope|n|nah|no thanks|no thank you|don't|do not|cancel|stop|never ?mind|leave it|"
    r"wrong|not now)[.! ]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Acted:
    """What became of the actions of a turn."""

    results: tuple[AgentResult, ...]
    """The results with their actions replaced by what is said of them."""
    reports: tuple[ActionReport, ...] = ()
    waiting: tuple[Prepared, ...] = ()
    """What waits for the user's yes."""


class TurnActor:
    """Performs what handlers propose. Thread-safe."""

    def __init__(self, runner: ActionRunner, writing: Collection[str]) -> None:
        """Take the names of the intents that may change something."""
        self.runner = runner
        self._writing = frozenset(writing)
        self._waiting: OrderedDict[str, tuple[Prepared, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def act(
        self,
        tasks: Sequence[AgentTask],
        results: Sequence[AgentResult],
        confidences: Mapping[str, float],
    ) -> Acted:
        """Perform the actions in `results`, in order; what needs a yes waits for it.

        `confidences` are those of the routes, by task. Actions of an intent that does not say it
        writes stay proposals.
        """
        by_id = {task.id: task for task in tasks}
        done: list[AgentResult] = []
        reports: list[ActionReport] = []
        waiting: list[Prepared] = []
        for result in results:
            task = by_id[result.task_id]
            found = result.result
            if found is None or not found.actions or task.intent not in self._writing:
                done.append(result)
                continue
            own = [self._act(one, task, confidences.get(task.id, 0.0)) for one in found.actions]
            reports += [report for report, _ in own]
            waiting += [prepared for _, prepared in own if prepared is not None]
            done.append(replace(result, result=self._said(found, [report for report, _ in own])))
        self._remember(tasks, waiting)
        return Acted(results=tuple(done), reports=tuple(reports), waiting=tuple(waiting))

    def _act(
        self, action: Action, task: AgentTask, confidence: float
    ) -> tuple[ActionReport, Prepared | None]:
        try:
            check_own_words(action, task.utterance)
            prepared = self.runner.prepare(action, task.asked_at)
            if not prepared.is_empty and prepared.needs_yes(confidence):
                return self.runner.ask(prepared), prepared
            return self.runner.perform(prepared, session=task.session_id), None
        except (ActionError, WriteError, StorageError) as error:
            return refused(action.kind, error), None

    def _said(self, found: HandlerResult, reports: Sequence[ActionReport]) -> HandlerResult:
        text = "\n".join([*([found.text] if found.text else []), *self._lines(reports)])
        return replace(found, text=text, actions=())

    def _lines(self, reports: Sequence[ActionReport]) -> Iterator[str]:
        for report in reports:
            yield from report.notes
            yield report.text
        done = [report for report in reports if report.state is ActionState.DONE]
        if done and (hint := self.runner.hint(done[-1], aloud=True)):
            yield hint

    def _remember(self, tasks: Sequence[AgentTask], waiting: Sequence[Prepared]) -> None:
        session = tasks[0].session_id if tasks else ""
        if not session:
            return
        with self._lock:
            self._waiting.pop(session, None)
            if waiting:
                self._waiting[session] = tuple(waiting)
            while len(self._waiting) > _MOST_SESSIONS:
                self._waiting.popitem(last=False)

    def answer(self, utterance: str, session: str) -> tuple[ActionReport, ...]:
        """Return what becomes of the question of a conversation; () where this is no answer to one.

        Anything but a yes or a no is a new request: the question is dropped.
        """
        with self._lock:
            waiting = self._waiting.pop(session, ()) if session else ()
        if waiting and _YES.fullmatch(utterance.strip()):
            return tuple(self.confirm(prepared, session) for prepared in waiting)
        if waiting and _NO.fullmatch(utterance.strip()):
            return tuple(map(self.runner.declined, waiting))
        return ()

    def confirm(self, prepared: Prepared, session: str = "") -> ActionReport:
        """Do what the user has said yes to."""
        try:
            return self.runner.perform(prepared, session=session)
        except (ActionError, WriteError, StorageError) as error:
            return refused(prepared.kind, error)

    def reply_text(self, reports: Sequence[ActionReport]) -> str:
        """Return what is said of actions, in lines."""
        return "\n".join(dict.fromkeys(self._lines(reports)))
