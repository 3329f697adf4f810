"""The same fact from two agents is said once, with the sources of both."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from iris_harness.contracts.day import DailyPlan, PlannedDay
from iris_harness.contracts.facts import Fact
from iris_harness.contracts.sources import SourceRef


def merge_facts(groups: Sequence[Sequence[Fact]]) -> tuple[tuple[Fact, ...], ...]:
    """Return the groups with each fact where it came first, carrying all its sources.

    Facts are the same when kind and sentence are; days, when the plan is.
    """
    sources: dict[tuple[str, str], set[SourceRef]] = {}
    for fact in (fact for group in groups for fact in group):
        sources.setdefault(_identity(fact), set()).update(fact.sources)
    merged: list[tuple[Fact, ...]] = []
    for group in groups:
        # Taking the sources out marks the fact as said.
        first = [(fact, sources.pop(_identity(fact), None)) for fact in group]
        merged.append(
            tuple(
                dataclasses.replace(fact, sources=tuple(sorted(refs)))
                for fact, refs in first
                if refs is not None
            )
        )
    return tuple(merged)


def _identity(fact: Fact) -> tuple[str, str]:
    plan = plan_of(fact)
    return (fact.kind.value, plan.plan_id if plan else fact.text)


def plan_of(fact: Fact) -> DailyPlan | None:
    """Return the plan in a fact about a day; None for other facts."""
    return fact.value.plan if isinstance(fact.value, PlannedDay) else None


def fact_sources(fact: Fact) -> tuple[SourceRef, ...]:
    """Return every source a fact rests on, each item of a day's plan included."""
    plan = plan_of(fact)
    return fact.sources if plan is None else (*fact.sources, *_plan_sources(plan))


def _plan_sources(plan: DailyPlan) -> tuple[SourceRef, ...]:
    return (
        *(event.source for event in plan.events),
        *(birthday.source for birthday in plan.birthdays),
        *(planned.todo.source for planned in (*plan.todos, *plan.backlog)),
        *(block.source for block in plan.blocks if block.source),
        *(unplaced.source for unplaced in plan.unplaced),
        *(job.source for job in plan.jobs),
    )
