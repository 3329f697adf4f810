"""Results become one reply, in the order of the request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.reply import DayBlock, Reply, ReplyBlock, TextBlock
from iris_harness.contracts.results import AgentResult, TaskState
from iris_harness.contracts.routing import Route
from iris_harness.contracts.sources import SourceRef, SourceState
from iris_harness.contracts.tasks import TaskPlan
from iris_harness.curator.answers import Answer, AnswerWriter
from iris_harness.curator.clauses import Clause, match_clauses
from iris_harness.curator.clean import clean
from iris_harness.curator.merge import fact_sources, merge_facts, plan_of
from iris_harness.curator.runs import FULL_DAYS, runs_of_days
from iris_harness.curator.speech import answers_speech
from iris_harness.curator.strings import find_language
from iris_harness.curator.text import day_text, days_text


class Curator:
    """Writes replies in one language. Pure and thread-safe: equal arguments, equal reply."""

    def __init__(self, locale: str = "en") -> None:
        """Take a BCP 47 tag; a language without a table is answered in English."""
        self._language = find_language(locale)

    def compose(
        self,
        plan: TaskPlan,
        routes: Sequence[Route],
        results: Sequence[AgentResult],
        capabilities: Sequence[str],
    ) -> Reply:
        """Return one reply to an utterance.

        Args:
            plan: the tasks that were made of the utterance.
            routes: the clauses as they were understood, in spoken order; empty when a surface
                asked for tasks itself.
            results: what the executor reported, in any order.
            capabilities: what Iris can do; each completes "I can …".
        """
        clauses = match_clauses(plan, routes, results)
        groups = [_facts(clause) for clause in clauses]
        answers = self._answers(clauses, groups, capabilities)
        warnings = _warnings(clauses)
        blocks = (*self._blocks(clauses, answers), *self._warning_block(warnings, groups))
        days = [block.plan.plan_id for block in blocks if isinstance(block, DayBlock)]
        return Reply(
            text="\n\n".join(self._block_texts(blocks)),
            speech=answers_speech((answer.speech for answer in answers), self._language),
            blocks=blocks,
            citations=_citations(groups),
            warnings=warnings,
            plan_id=days[0] if len(days) == 1 else None,
            degraded=any(map(_has_failed, clauses)) or any(map(_lacks_a_source, _flat(groups))),
        )

    def _answers(
        self,
        clauses: Sequence[Clause],
        groups: Sequence[Sequence[Fact]],
        capabilities: Sequence[str],
    ) -> tuple[Answer, ...]:
        writer = AnswerWriter(self._language, capabilities)
        if not clauses:
            return (writer.out_of_scope(),)
        pairs = zip(clauses, merge_facts(groups), strict=True)
        return tuple(writer.answer(clause, facts) for clause, facts in pairs)

    def _blocks(self, clauses: Sequence[Clause], answers: Sequence[Answer]) -> Iterator[ReplyBlock]:
        """Yield the answers' blocks; where there are several, each under the user's words."""
        for index, answer in enumerate(answers):
            if len(answers) > 1:
                words = clauses[index].words
                heading = self._language.say("reply.heading", words=words)
                yield TextBlock(text="", heading=heading)
            yield from answer.blocks

    def _warning_block(
        self, warnings: Sequence[str], groups: Sequence[Sequence[Fact]]
    ) -> Iterator[TextBlock]:
        """Yield the warnings that no day's own list of warnings shows."""
        plans = (plan_of(fact) for fact in _flat(groups))
        shown = {clean(text) for plan in plans if plan for text in plan.warnings}
        rest = [text for text in warnings if text not in shown]
        if rest:
            heading = self._language.say("heading.warnings")
            yield TextBlock(text="\n".join(f"  {text}" for text in rest), heading=heading)

    def _block_texts(self, blocks: Sequence[ReplyBlock]) -> Iterator[str]:
        earlier: list[DailyPlan] = []
        for run in runs_of_days(blocks):
            if isinstance(run, TextBlock):
                yield "\n".join(part for part in (run.heading, run.text) if part)
            elif len(run) > FULL_DAYS:
                yield days_text([day.plan for day in run], self._language, brief=True)
            else:
                for day in run:
                    yield day_text(day.plan, self._language, earlier=earlier, focus=day.focus)
                    earlier.append(day.plan)


def _facts(clause: Clause) -> tuple[Fact, ...]:
    found = clause.result.result if clause.result else None
    return found.facts if found else ()


def _flat(groups: Iterable[Iterable[Fact]]) -> Iterator[Fact]:
    return (fact for group in groups for fact in group)


def _warnings(clauses: Sequence[Clause]) -> tuple[str, ...]:
    """Return all warnings, cleaned, each once, in the order in which they came."""
    found = (clause.result.result for clause in clauses if clause.result)
    texts = (clean(text) for result in found if result for text in result.warnings)
    return tuple(dict.fromkeys(text for text in texts if text))


def _citations(groups: Sequence[Sequence[Fact]]) -> tuple[SourceRef, ...]:
    return tuple(sorted({ref for fact in _flat(groups) for ref in fact_sources(fact)}))


def _has_failed(clause: Clause) -> bool:
    if clause.task is None:
        return False
    return clause.result is None or clause.result.state is not TaskState.OK


def _lacks_a_source(fact: Fact) -> bool:
    """Return whether a fact was made without a source that should have been read."""
    plan = plan_of(fact)
    if plan is not None:
        return any(not status.was_read for status in plan.sources)
    value = fact.value
    if fact.kind is not FactKind.SOURCE or not isinstance(value, dict):
        return False
    return value.get("state") == SourceState.FAILED.value
