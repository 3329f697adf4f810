"""One clause's answer: what was found, what went wrong, or what Iris can do instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.explain import Explanation
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.reply import DayBlock, ReplyBlock, TextBlock
from iris_harness.contracts.results import AgentResult, HandlerResult, TaskFailure, TaskState
from iris_harness.contracts.routing import OUT_OF_SCOPE, Decision, Route
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.contracts.tasks import AgentTask
from iris_harness.curator.clauses import Clause
from iris_harness.curator.clean import clean, clean_lines, speakable
from iris_harness.curator.explanation import explanation_speech, explanation_text
from iris_harness.curator.language import Language
from iris_harness.curator.merge import plan_of
from iris_harness.curator.speech import days_speech, facts_speech, text_speech
from iris_harness.curator.view import source_labels

_SPOKEN_OFFERS = 3
"""How many things a voice says that Iris can do."""
_ASKED = 2
"""How many readings a question offers."""
_FOR_THE_USER = frozenset({"TaskError", "UsageError"})
"""Errors that say what the user can mend; nothing is wrong with the agent."""
LOW_CONFIDENCE = 0.7
"""A route below this is answered with a note of how the words were taken."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The answer to one clause."""

    blocks: tuple[ReplyBlock, ...]
    speech: str


class AnswerWriter:
    """Writes answers in one language."""

    def __init__(self, language: Language, capabilities: Sequence[str]) -> None:
        """Take what Iris can do; each capability completes "I can …"."""
        self._language = language
        self._capabilities = capabilities

    def answer(self, clause: Clause, facts: Sequence[Fact]) -> Answer:
        """Return the answer to a clause; `facts` are those that no earlier clause has said."""
        if clause.task is None:
            return self._unasked(clause)
        if clause.result is not None and clause.result.state is not TaskState.OK:
            return self._failure(clause.result, clause.lacks)
        if clause.result is None or clause.result.result is None:
            return self._say("reply.no_answer", agent=clause.task.agent)
        found = self._found(clause.task, clause.result.result, facts)
        doubt = self._doubt(clause.route)
        return _joined(doubt, found) if doubt else found

    def out_of_scope(self) -> Answer:
        """Say that Iris cannot do it, and what it can; a voice names what matters most of that."""
        text = self._offer(len(self._capabilities))
        return Answer(blocks=(TextBlock(text=text),), speech=speakable(self._offer(_SPOKEN_OFFERS)))

    def _offer(self, most: int) -> str:
        text = self._language.say("reply.out_of_scope")
        if not self._capabilities:
            return text
        things = self._language.listing([clean(thing) for thing in self._capabilities[:most]])
        return f"{text} {self._language.say('reply.can', things=things)}"

    def _unasked(self, clause: Clause) -> Answer:
        route = clause.route
        if route is None:
            return self.out_of_scope()
        if route.decision is Decision.ASK:
            return self._say("reply.unsure", words=clause.words, readings=self._readings(route))
        if route.intent == OUT_OF_SCOPE:
            return self.out_of_scope()
        if route.agent is None:
            return self._say("reply.not_set_up", intent=self._intent(route.intent))
        return self._say("reply.unsure", words=clause.words, readings=self._readings(route))

    def _readings(self, route: Route) -> str:
        intents = (route.intent, *(alternative.intent for alternative in route.alternatives))
        names = dict.fromkeys(self._intent(name) for name in intents if name != OUT_OF_SCOPE)
        return self._either(list(names)[:_ASKED])

    def _either(self, items: Sequence[str]) -> str:
        if len(items) < 2:  # noqa: PLR2004 - one item needs no joining
            return "".join(items)
        return self._language.say("reply.or", first=", ".join(items[:-1]), last=items[-1])

    def _intent(self, name: str) -> str:
        """Return what an intent is about; a third party's intent by its own name."""
        key = f"intent.{name}"
        if self._language.knows(key):
            return self._language.say(key)
        return clean(name.replace(".", " ").replace("_", " "))

    def _doubt(self, route: Route | None) -> Answer | None:
        """Say how unsure words were taken; None when there is no doubt."""
        if route is None or route.confidence >= LOW_CONFIDENCE:
            return None
        say = self._language.say
        text = say("reply.low_confidence", words=route.utterance, intent=self._intent(route.intent))
        others = [
            a.intent for a in route.alternatives if a.intent not in {OUT_OF_SCOPE, route.intent}
        ]
        if others:
            readings = self._either([self._intent(name) for name in others])
            text = f"{text} {say('reply.alternatives', readings=readings)}"
        return _spoken(text)

    def _failure(self, result: AgentResult, lacks: Sequence[str]) -> Answer:
        say = self._language.say
        if result.state is TaskState.SKIPPED and lacks:
            needed = self._language.listing([clean(agent) for agent in lacks])
            return self._say("reply.skipped_needing", agent=result.agent, needed=needed)
        reason, hint = _reason(result.error)
        # What a handler says to the user is a sentence of its own, and so is what names the agent.
        is_own = result.error is not None and result.error.kind in _FOR_THE_USER
        text = (
            reason[:1].upper() + reason[1:]
            if is_own or clean(result.agent) in reason
            else say(f"reply.{result.state.value}", agent=result.agent, reason=reason)
        )
        return _spoken(say("sentence", text=f"{text} ({hint})" if hint else text))

    def _found(self, task: AgentTask, result: HandlerResult, facts: Sequence[Fact]) -> Answer:
        if result.facts and not (facts or result.actions or result.text):
            return self._say("reply.as_above")
        days = [plan for plan in map(plan_of, facts) if plan is not None]
        told = [fact.value for fact in facts if isinstance(fact.value, Explanation)]
        plain = [fact for fact in facts if _is_plain(fact)]
        text = "\n".join(self._lines(result, plain))
        if not text and not days and not told:
            return self._say("reply.nothing_to_say", agent=task.agent)
        texts = (
            *(TextBlock(text=explanation_text(one, self._language)) for one in told),
            *((TextBlock(text=text),) if text else ()),
        )
        return Answer(
            blocks=(
                *texts,
                *(DayBlock(plan=plan, focus=result.focus or _focus(task)) for plan in days),
            ),
            speech=" ".join(
                part
                for part in (
                    *(explanation_speech(one, self._language) for one in told),
                    self._aloud(result, facts),
                    self._days(days),
                )
                if part
            ),
        )

    def _lines(self, result: HandlerResult, facts: Sequence[Fact]) -> Iterator[str]:
        text = clean_lines(result.text)
        if text:
            yield text
            names = source_labels(ref for fact in facts for ref in fact.sources)
            if names:
                yield self._language.say("reply.sources", names=", ".join(names))
        else:
            yield from _fact_lines(facts)
        for action in result.actions:
            yield self._language.say("reply.action", preview=action.preview)

    def _aloud(self, result: HandlerResult, facts: Sequence[Fact]) -> str:
        proposed = [self._language.say("reply.action", preview=a.preview) for a in result.actions]
        if result.text:
            return text_speech("\n".join((result.text, *proposed)), self._language)
        said = (fact.text for fact in facts if _is_plain(fact))
        return facts_speech((*said, *proposed), self._language)

    def _days(self, days: Sequence[DailyPlan]) -> str:
        return days_speech(days, self._language) if days else ""

    def _say(self, key: str, **values: str) -> Answer:
        return _spoken(self._language.say(key, **values))


def _is_plain(fact: Fact) -> bool:
    """Return whether a fact is said by its sentence."""
    return plan_of(fact) is None and not isinstance(fact.value, Explanation)


def _focus(task: AgentTask) -> Scope | None:
    """Return the part of a day that was asked about; None for whole days."""
    parts = {ScopeKind.DAY_PART, ScopeKind.TIME_RANGE}
    return task.scope if task.scope and task.scope.kind in parts else None


def _reason(error: TaskFailure | None) -> tuple[str, str]:
    """Return why a task failed and what the user can do, without a full stop."""
    if error is None:
        return "", ""
    return clean(error.message).rstrip("."), clean(error.hint).rstrip(".")


def _fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    """Yield a line per fact with its sources; items stand under the sentence they belong to."""
    headed = False
    for fact in facts:
        names = source_labels(fact.sources)
        line = clean(fact.text) + (f" [{', '.join(names)}]" if names else "")
        is_item = fact.kind in {FactKind.EVENT, FactKind.TODO}
        yield f"  {line}" if is_item and headed else line
        headed = headed or not is_item


def _spoken(text: str) -> Answer:
    return Answer(blocks=(TextBlock(text=text),), speech=speakable(text))


def _joined(first: Answer, second: Answer) -> Answer:
    return Answer(
        blocks=(*first.blocks, *second.blocks), speech=f"{first.speech} {second.speech}".strip()
    )
