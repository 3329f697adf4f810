"""Build a router for the agents that are installed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from importlib import resources

from iris_harness.contracts.routing import AgentIntents
from iris_router.builtin import KnownIntent, build_known_intents
from iris_router.clauses import Clause, ClauseReader
from iris_router.compound import JointFinder, load_compound_words
from iris_router.english import build_english
from iris_router.hints import parse_hints
from iris_router.requests import RequestRouter
from iris_router.router import Router
from iris_router.rules import RuleSet, RuleTier
from iris_router.slots import load_slot_reader

_EXAMPLE_REFERENCE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
"""Any instant will do: of an example only the place of its scope counts, never the scope."""


def load_router(agents: Sequence[AgentIntents]) -> RequestRouter:
    """Return a router that knows the agents' intents and the ones Iris knows by itself.

    The agents' own rules come first, in the order given; an intent that two agents claim goes to
    the first of them.
    """
    reader = ClauseReader({"en": build_english()}, default="en")

    def read_example(text: str) -> Clause:
        return reader.read(text, _EXAMPLE_REFERENCE, "en")

    owners: dict[str, str] = {}
    for each in agents:
        for intent in each.intents:
            owners.setdefault(intent.name, each.agent)
    tiers = (RuleTier(_rule_sets(agents), read_example),)
    clauses = Router(reader, load_slot_reader("en"), tiers, owners)
    return RequestRouter(clauses, {"en": JointFinder(load_compound_words("en"))}, default="en")


def _rule_sets(agents: Sequence[AgentIntents]) -> Iterator[RuleSet]:
    for each in agents:
        for intent in each.intents:
            yield RuleSet(
                intent=intent.name,
                rules=intent.rules,
                examples=intent.examples,
                priority=intent.priority,
            )
    for known in load_known_intents():
        yield RuleSet(intent=known.name, rules=known.rules, priority=known.priority, own=True)


def load_known_intents() -> tuple[KnownIntent, ...]:
    """Return the intents Iris knows by itself, with their hints."""
    text = resources.files("iris_router").joinpath("data", "hints_en.txt").read_text("utf-8")
    return build_known_intents(parse_hints(text))
