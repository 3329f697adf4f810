"""Build a router for the agents that are installed."""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.contracts.routing import AgentIntents, Tier
from iris_harness.errors import ConfigError
from iris_router.clauses import ClauseReader, RoutingTier
from iris_router.compound import JointFinder, load_compound_words
from iris_router.english import build_english
from iris_router.minilm import MiniLmTier
from iris_router.requests import RequestRouter
from iris_router.router import Router
from iris_router.rules import RuleTier
from iris_router.slots import load_slot_reader
from iris_router.statistical import StatisticalTier


def load_router(agents: Sequence[AgentIntents], *, tier: Tier = Tier.STATISTICAL) -> RequestRouter:
    """Return a router that knows the agents' intents and the ones Iris knows by itself.

    An intent that two agents claim goes to the first of them. `tier` is the slowest one that may
    be asked; the arrays of a tier are loaded when it is asked first.

    Raises:
        ConfigError: the tier is not there: its extra is not installed, or it needs a model.
    """
    reader = ClauseReader({"en": build_english()}, default="en")
    owners: dict[str, str] = {}
    for each in agents:
        for intent in each.intents:
            owners.setdefault(intent.name, each.agent)
    writing = {one.name for each in agents for one in each.intents if one.writes}
    clauses = Router(reader, load_slot_reader("en"), _tiers(agents, reader, tier), owners, writing)
    return RequestRouter(clauses, {"en": JointFinder(load_compound_words("en"))}, default="en")


def _tiers(
    agents: Sequence[AgentIntents], reader: ClauseReader, last: Tier
) -> tuple[RoutingTier, ...]:
    intents = [intent for each in agents for intent in each.intents]
    rules = RuleTier(intents, reader.read_example)
    statistical = StatisticalTier(intents, reader)
    if last is Tier.MODEL:
        raise ConfigError("there is no language model to route with; use minilm or fast")
    if last is Tier.MINILM:
        return rules, statistical, MiniLmTier(statistical)
    return rules, statistical
