"""The default planner: deterministic, and every rule it applies is named in the plan's notes.

Rules, first match decides the steps:

1. a numbered list, or words that state an order: each step waits for the one before;
2. a list without order, or sentences: steps side by side when each names files of its own and none
   speaks of another's result; otherwise a list is done in its order, and sentences are one task;
3. anything else is one step.

Within a step: no file or one is one worker (without one, the daemon discovers it); several files
that the user lists are one worker each; files that a sentence relates to each other ("move x from
a.py to b.py") stay together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.jobs.clauses import Order, Steps, find_steps, refers_back
from iris_harness.jobs.context import NO_CONTEXT, Context, context_notes
from iris_harness.jobs.mentions import are_a_list, find_mentions
from iris_harness.jobs.validation import check_request
from iris_harness.jobs.values import Plan, PlannedWorker, PlanOutcome, PlanRequest

NAME = "heuristic"
_LONGEST_SUMMARY = 72
# What is done to several files at once, so that they cannot be given to several workers.
_TOGETHER = re.compile(
    r"\b(?:between|merge|combine|swap|unify|consolidate|deduplicate|move|extract|split|from)\b",
    re.IGNORECASE,
)


class _Unit(NamedTuple):
    """One worker to be."""

    task: str
    files: tuple[str, ...]


class HeuristicPlanner:
    """Plans by rules alone; implements `Planner`."""

    name = NAME

    def plan(self, request: PlanRequest, context: Context = NO_CONTEXT) -> PlanOutcome:
        """Return the plan that the words of the task and the files named state.

        Rules have no use for `context`; the notes say so.

        Raises:
            RequestError: the request cannot be planned.
        """
        check_request(request)
        steps, notes = _settled(find_steps(request.task))
        named = _given_to(steps, request.named_files())
        groups = []
        for text, files in zip(steps.texts, named, strict=True):
            units, note = _units(text, files, explicit=bool(files) and len(steps.texts) == 1)
            groups.append(units)
            notes.append(note)
        workers = tuple(_workers(groups, chained=steps.order in {Order.NUMBERED, Order.STATED}))
        plan = Plan(summary=summarize(request.task), workers=workers)
        notes += context_notes(context, used=False)
        return PlanOutcome(plan=plan, planner=NAME, notes=tuple(dict.fromkeys(filter(None, notes))))


def summarize(task: str) -> str:
    """Return the first line of a task, cut at a word."""
    line = " ".join(task.strip().splitlines()[0].split())
    if len(line) <= _LONGEST_SUMMARY:
        return line
    return line[:_LONGEST_SUMMARY].rpartition(" ")[0].rstrip(" ,;:") + " …"


def _settled(steps: Steps) -> tuple[Steps, list[str]]:
    """Return steps whose order is certain, and the rules that made it so."""
    if steps.order not in {Order.LISTED, Order.SENTENCES}:
        return steps, [f"{steps.order.value}."]
    if _stand_alone(steps.texts):
        return steps, [f"{steps.order.value}, and no file is named twice: they run side by side."]
    if steps.order is Order.LISTED:
        said = "the items of the list do not each name files of their own: one after the other."
        return steps._replace(order=Order.STATED), [said]
    whole = ". ".join(steps.texts)
    said = "the sentences do not each name files of their own: they are one piece of work."
    return Steps(texts=(whole,), order=Order.ONE), [said]


def _stand_alone(texts: Sequence[str]) -> bool:
    seen: set[str] = set()
    for position, text in enumerate(texts):
        names = {mention.name.casefold() for mention in find_mentions(text)}
        if not names or names & seen or (position and refers_back(text)):
            return False
        seen |= names
    return not any(
        one.startswith(other.rstrip("/") + "/") for one in seen for other in seen if one != other
    )


def _given_to(steps: Steps, files: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Share the files that the request names out to the steps that mention them.

    Those that no step mentions go to every step of a chain: the order keeps the steps apart.
    """
    if len(steps.texts) == 1:
        return [files]
    mentioned = [{name.casefold() for name, _, _ in find_mentions(text)} for text in steps.texts]
    anywhere = set().union(*mentioned)
    free = tuple(name for name in files if name.casefold() not in anywhere)
    chained = steps.order in {Order.NUMBERED, Order.STATED}
    return [
        tuple(name for name in files if name.casefold() in mine) + (free if chained else ())
        for mine in mentioned
    ]


def _units(text: str, files: tuple[str, ...], *, explicit: bool) -> tuple[list[_Unit], str]:
    """Return the workers of one step, and the rule that made them."""
    mentions = find_mentions(text)
    known = {name.casefold() for name in files}
    names = (*files, *(m.name for m in mentions if m.name.casefold() not in known))
    if not names:
        return [_Unit(text, ())], f"“{summarize(text)}” names no file: the daemon finds it."
    if len(names) == 1:
        return [_Unit(text, names)], f"“{summarize(text)}” names one file, {names[0]}."
    listed = explicit or (len(mentions) == len(names) and are_a_list(text, mentions))
    if not listed or _TOGETHER.search(text) or _overlap(names):
        said = f"“{summarize(text)}” relates {len(names)} files to each other: one worker."
        return [_Unit(text, names)], said
    said = f"{len(names)} independent files are named: one worker each."
    return [_Unit(f"{text} (only in {name})", (name,)) for name in names], said


def _overlap(names: Sequence[str]) -> bool:
    """Return whether one of the names is, or lies in, another."""
    places = [f"{name.casefold().rstrip('/')}/" for name in names]
    return any(one is not other and one.startswith(other) for one in places for other in places)


def _workers(groups: Sequence[Sequence[_Unit]], *, chained: bool) -> Iterator[PlannedWorker]:
    number = 0
    before: tuple[str, ...] = ()
    for group in groups:
        ids = tuple(f"w{number + offset}" for offset in range(1, len(group) + 1))
        number += len(group)
        for worker_id, unit in zip(ids, group, strict=True):
            alone = len(unit.files) == 1
            yield PlannedWorker(
                id=worker_id,
                task=unit.task,
                file=unit.files[0] if alone else None,
                files=() if alone else unit.files,
                depends_on=before if chained else (),
            )
        before = ids
