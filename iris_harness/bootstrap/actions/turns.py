"""Actions inside a conversation: done, asked about, or refused; and the answer to a question."""

from __future__ import annotations

import datetime as dt
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from iris_harness.bootstrap.actions.own_words import check_own_words
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.refusals import refused
from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.actions.stages import (
    as_input,
    is_unmade,
    not_asked,
    stages_of,
    waves_of,
    without_unmade,
)
from iris_harness.contracts.actions import Action
from iris_harness.contracts.reports import ActionReport, ActionState
from iris_harness.contracts.results import AgentResult, HandlerResult, TaskState
from iris_harness.contracts.tasks import AgentTask
from iris_harness.errors import ActionError, StorageError, WriteError

Execute: TypeAlias = Callable[[Sequence[Sequence[AgentTask]]], tuple[AgentResult, ...]]
"""Runs waves of tasks."""

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
_OPEN_HOUR = re.compile(r"(?<![\d:])([1-6]):[0-5]\d(?![\d:])")
"""An hour as clocks of 12 hours and of 24 show it."""
_HALF_OF_DAY = re.compile(
    r"\d ?[ap]\.?m\b|\b(?:morning|noon|afternoon|evening|night|tonight)\b", re.IGNORECASE
)
_TOLD = frozenset({ActionState.DONE, ActionState.ASKED})
_NOT_WANTED = re.compile(
    r"(?:(?:no|please|ok|okay|wait|iris|and|but|then)\b[, ]*)*"
    r"(?:do not|don't|dont|never)(?: ever)? "
    r"(?!let me forget\b|forget\b|skip\b|plan\b|miss\b|worry\b)\w+",
    re.IGNORECASE,
)
"""A request not to do something: "don't add milk", but not "don't forget the milk"."""


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

    def may_write(self, tasks: Sequence[AgentTask]) -> bool:
        """Return whether one of the tasks may propose a change that is performed."""
        return any(task.intent in self._writing for task in tasks)

    def run(
        self,
        tasks: Sequence[AgentTask],
        execute: Execute,
        confidences: Mapping[str, float],
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Acted:
        """Run the tasks, and perform in between what they propose; results in the order of tasks.

        `confidences` are those of the routes, by task. Actions of an intent that does not say it
        writes stay proposals; so do all once the turn is stopped.
        """
        session = tasks[0].session_id if tasks else ""
        by_id = {task.id: task for task in tasks}
        earlier: dict[str, AgentResult] = {}
        done: list[Acted] = []
        for stage in stages_of(tasks, self._writing):
            ready, skipped = self._divided(stage, earlier)
            earlier |= {result.task_id: result for result in skipped}
            done += [Acted(results=(result,)) for result in skipped]
            for result in execute(waves_of(ready, earlier)) if ready else ():
                task = by_id[result.task_id]
                acted = Acted(results=(result,))
                if not is_stopped():  # whoever stops a turn wants nothing changed
                    sure = confidences.get(task.id, 0.0)
                    acted = self._acted(task, result, sure, _words_with(task, by_id))
                earlier[task.id] = as_input(acted.results[0], acted.reports)
                done.append(acted)
        waiting = tuple(prepared for acted in done for prepared in acted.waiting)
        self._remember(session, waiting)
        results = {one.task_id: one for acted in done for one in acted.results}
        return Acted(
            results=tuple(results[task.id] for task in tasks),
            reports=tuple(report for acted in done for report in acted.reports),
            waiting=waiting,
        )

    def _divided(
        self, stage: Sequence[AgentTask], earlier: Mapping[str, AgentResult]
    ) -> tuple[tuple[AgentTask, ...], tuple[AgentResult, ...]]:
        """Return the tasks that can be asked now, and changes that wait for one not made.

        A question that comes after such a change is asked all the same: nothing depends on it.
        """
        known = dict(earlier)
        ready: list[AgentTask] = []
        skipped: list[AgentResult] = []
        for task in stage:
            unmade = any(is_unmade(known.get(one)) for one in task.depends_on)
            if task.intent in self._writing and is_not_wanted(task.utterance):
                skipped.append(self._left(task))
                known[task.id] = skipped[-1]
            elif unmade and task.intent in self._writing:
                skipped.append(not_asked(task, known))
                known[task.id] = skipped[-1]
            else:
                ready.append(without_unmade(task, known))
        return tuple(ready), tuple(skipped)

    def _left(self, task: AgentTask) -> AgentResult:
        """Return the result of a change that the user does not want."""
        told = HandlerResult(text=self.runner.unwanted())
        return AgentResult(task_id=task.id, agent=task.agent, state=TaskState.OK, result=told)

    def _acted(self, task: AgentTask, result: AgentResult, confidence: float, said: str) -> Acted:
        found = result.result
        if found is None or not found.actions or task.intent not in self._writing:
            return Acted(results=(result,))
        pairs = [self._act(one, task, confidence, said) for one in found.actions]
        reports = tuple(report for report, _ in pairs)
        told = replace(result, result=self._said(found, reports, self._taken(task, reports)))
        waiting = tuple(prepared for _, prepared in pairs if prepared is not None)
        return Acted(results=(told,), reports=reports, waiting=waiting)

    def _act(
        self, action: Action, task: AgentTask, confidence: float, said: str
    ) -> tuple[ActionReport, Prepared | None]:
        try:
            check_own_words(action, said)
        except ActionError as error:
            return refused(action.kind, error), None
        return self._perform(action, task.asked_at, confidence, task.session_id)

    def _perform(
        self, action: Action, now: dt.datetime, confidence: float, session: str
    ) -> tuple[ActionReport, Prepared | None]:
        try:
            prepared = self.runner.prepare(action, now)
            if not prepared.is_empty and prepared.needs_yes(confidence):
                return self.runner.ask(prepared), prepared
            return self.runner.perform(prepared, session=session), None
        except (ActionError, WriteError, StorageError) as error:
            return refused(action.kind, error), None

    def act(self, action: Action, now: dt.datetime, session: str) -> ActionReport:
        """Do what the user pressed a button for; what cannot be undone is asked about first."""
        report, waiting = self._perform(action, now, 1.0, session)
        self._remember(session, () if waiting is None else (waiting,))
        return report

    def is_asking(self, session: str) -> bool:
        """Return whether something waits for a yes or a no in a conversation."""
        with self._lock:
            return bool(session) and session in self._waiting

    def _said(
        self, found: HandlerResult, reports: Sequence[ActionReport], note: str = ""
    ) -> HandlerResult:
        lines = (found.text, *self._lines(reports), note)
        return replace(found, text="\n".join(line for line in lines if line), actions=())

    def _taken(self, task: AgentTask, reports: Sequence[ActionReport]) -> str:
        """Return which half of the day an hour was taken for, where the words leave that open."""
        scope = task.scope
        if scope is None or all(report.state not in _TOLD for report in reports):
            return ""
        said = _OPEN_HOUR.search(scope.text)
        is_later = said is not None and scope.start.hour == int(said[1]) + 12
        if said is None or not is_later or _HALF_OF_DAY.search(task.utterance):
            return ""
        return self.runner.taken_as(said[0], scope.start)

    def _lines(self, reports: Sequence[ActionReport]) -> Iterator[str]:
        for report in reports:
            yield from report.notes
            yield report.text
        done = [report for report in reports if report.state is ActionState.DONE]
        if done and (hint := self.runner.hint(done[-1], aloud=True)):
            yield hint

    def _remember(self, session: str, waiting: tuple[Prepared, ...]) -> None:
        if not session:
            return
        with self._lock:
            self._waiting.pop(session, None)
            if waiting:
                self._waiting[session] = waiting
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


def is_not_wanted(utterance: str) -> bool:
    """Return whether the user says what is not to be done."""
    return _NOT_WANTED.match(utterance.replace("\u2019", "'").strip()) is not None


def _words_with(task: AgentTask, tasks: Mapping[str, AgentTask]) -> str:
    """Return what the user said for a task, and before it for those it speaks of ("it")."""
    before = [_words_with(tasks[one], tasks) for one in task.depends_on if one in tasks]
    return "\n".join((*before, task.utterance))
