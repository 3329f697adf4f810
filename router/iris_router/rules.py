"""The first tier: regular expressions from the agents' own specs, and the router's own.

An exact rule (or an example, which is an exact rule written as a sentence) must match the whole
clause, scope words taken out; its confidence is 1. A hint matches anywhere; its confidence grows
with the part of the clause it accounts for, from `_HINT_LEAST` (almost nothing) to `_HINT_MOST`
(all of it), and falls by `_CONTESTED` when a hint of another family of intents matches too
("todo.add" and "todo.query" are one family: the command always mentions what the question is
about). On the collected utterances an uncontested hint is right in 19 of 20 cases, a contested
one in a good half. No hint reaches .9, so that none writes anything unasked.

Of several hits the exact ones count before hints, then the higher priority, then the order in
which the intents are given. The router's own hints include some that an utterance is out of
scope ("how do i fix a tap"); they never count against what an installed agent's spec claims.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from iris_harness.contracts.routing import OUT_OF_SCOPE, Alternative, Tier
from iris_harness.contracts.tasks import RoutingRule, Rule
from iris_router.clauses import Clause

_EXACT = 1.0
_HINT_LEAST = 0.8
_HINT_MOST = 0.88
_CONTESTED = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleSet:
    """The rules of one intent, from one author."""

    intent: str
    rules: tuple[RoutingRule, ...]
    examples: tuple[str, ...] = ()
    priority: int = 0
    own: bool = False
    """Whether they are the router's own, and not from an installed agent's spec."""


@dataclass(frozen=True, slots=True)
class _Compiled:
    intent: str
    own: bool
    rank: tuple[int, int]
    """Better ones sort first: descending priority, then the order given."""
    templates: frozenset[str]
    exact: tuple[re.Pattern[str], ...]
    hints: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True, order=True)
class _Hit:
    """What one rule set makes of a clause; better ones sort first."""

    is_hint: bool
    rank: tuple[int, int]
    intent: str
    own: bool
    share: float
    """The part of the clause that the longest matching hint accounts for; 1 for exact ones."""


class RuleTier:
    """Reads clauses by rules. Pure and thread-safe."""

    tier = Tier.RULE

    def __init__(self, sets: Iterable[RuleSet], read: Callable[[str], Clause]) -> None:
        """Compile all rules; `read` turns an example into a clause."""
        self._sets = tuple(_compile(each, index, read) for index, each in enumerate(sets))

    def read(self, clause: Clause) -> tuple[Alternative, ...]:
        """Return the intents whose rules match, best first, one reading each."""
        hits = sorted(_hits(self._sets, clause))
        if any(not hit.own for hit in hits):
            hits = [hit for hit in hits if hit.intent != OUT_OF_SCOPE]
        best: dict[str, _Hit] = {}
        for hit in hits:
            best.setdefault(hit.intent, hit)
        return _readings(tuple(best.values()))


def _compile(rules: RuleSet, index: int, read: Callable[[str], Clause]) -> _Compiled:
    patterns: dict[Rule, list[re.Pattern[str]]] = {Rule.EXACT: [], Rule.HINT: []}
    for rule in rules.rules:
        patterns[rule.kind].append(re.compile(rule.pattern))
    return _Compiled(
        intent=rules.intent,
        own=rules.own,
        rank=(-rules.priority, index),
        templates=frozenset(read(example).templates[0] for example in rules.examples) - {""},
        exact=tuple(patterns[Rule.EXACT]),
        hints=tuple(patterns[Rule.HINT]),
    )


def _hits(intents: Sequence[_Compiled], clause: Clause) -> Iterator[_Hit]:
    for each in intents:
        if _is_exact(each, clause):
            yield _Hit(False, each.rank, each.intent, each.own, 1.0)
        elif share := _share(each.hints, clause.words):
            yield _Hit(True, each.rank, each.intent, each.own, share)


def _is_exact(rules: _Compiled, clause: Clause) -> bool:
    if not rules.templates.isdisjoint(clause.templates):
        return True
    return any(pattern.fullmatch(core) for core in clause.cores for pattern in rules.exact)


def _share(hints: Sequence[re.Pattern[str]], words: str) -> float:
    """Return the part of `words` that the longest match of a hint covers; 0 when none matches."""
    longest = 0
    for hint in hints:
        match = hint.search(words)
        if match:
            longest = max(longest, match.end() - match.start(), 1)
    return longest / max(len(words), 1)


def _readings(hits: tuple[_Hit, ...]) -> tuple[Alternative, ...]:
    families = {hit.intent.partition(".")[0] for hit in hits}
    penalty = _CONTESTED if len(families) > 1 else 0.0
    readings = []
    ceiling = _EXACT
    for hit in hits:
        confidence = _EXACT
        if hit.is_hint:
            confidence = _HINT_LEAST + (_HINT_MOST - _HINT_LEAST) * min(hit.share, 1.0) - penalty
        ceiling = min(ceiling, round(confidence, 2))
        readings.append(Alternative(intent=hit.intent, confidence=ceiling))
    return tuple(readings)
