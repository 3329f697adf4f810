"""The registry: agents and router, found by entry point.

Each agent is taken whole or not at all, and whatever is wrong with one is a line in its
`AgentListing`: it never stops the rest. Candidates are looked at in a fixed order (the agents
that come with Iris first, then by name, distribution and value), and the first one keeps a name
or an intent that two of them claim.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.metadata import EntryPoint
from typing import cast

from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.routing import OUT_OF_SCOPE, AgentIntents, IntentRouter, Tier
from iris_harness.contracts.tasks import Agent, Intent, RoutingRule
from iris_harness.errors import IrisError, RegistryError

AGENT_GROUP = "iris_harness.agents"
"""Entry points ``def agent(ports: AgentPorts) -> Agent``; the entry point's name is the agent's."""
ROUTER_GROUP = "iris_harness.router"
"""Entry points that are a `RouterLoader`."""

_BUNDLED = "iris-harness"
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


class AgentState(enum.StrEnum):
    """What became of an agent's entry point."""

    OK = "ok"
    DISABLED = "disabled"  # switched off by the user; its code was not imported
    BROKEN = "broken"  # `AgentListing.problem` says why


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentListing:
    """One entry point, as ``iris agents`` shows it."""

    name: str
    distribution: str
    """The package that brought it; empty when unknown."""
    version: str
    """That package's version; empty when unknown."""
    state: AgentState
    problem: str = ""
    """Why it is broken, in one line with what to do; empty otherwise."""
    intents: tuple[str, ...] = ()
    """Names of its intents, in its own order; empty unless `state` is ok."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Registry:
    """The agents that can be asked, and what became of every entry point."""

    agents: Mapping[str, Agent]
    """By name, sorted by name."""
    listings: tuple[AgentListing, ...]
    """Sorted by name, then state, distribution and problem."""

    def intents(self) -> tuple[AgentIntents, ...]:
        """Return what the router is told, sorted by agent name."""
        return tuple(
            AgentIntents(agent=name, intents=agent.intents) for name, agent in self.agents.items()
        )


def load_agents(
    make_ports: Callable[[str], AgentPorts],
    *,
    disabled: Collection[str] = (),
    entry_points: Iterable[EntryPoint] | None = None,
) -> Registry:
    """Load every installed agent; never raises for what a plugin does.

    Args:
        make_ports: given an agent's name, returns what its entry point is called with.
        disabled: names of agents to list but not to import; their intents are free for others.
        entry_points: instead of those installed (in any order).
    """
    if entry_points is None:
        entry_points = metadata.entry_points(group=AGENT_GROUP)
    agents: dict[str, Agent] = {}
    listings: list[AgentListing] = []
    for entry_point in sorted(entry_points, key=_precedence):
        if entry_point.name in disabled:
            listings.append(_listing(entry_point, AgentState.DISABLED))
            continue
        try:
            agent = _load_agent(entry_point, make_ports, agents)
        except RegistryError as error:
            listings.append(_listing(entry_point, AgentState.BROKEN, problem=_one_line(str(error))))
            continue
        agents[agent.name] = agent
        intents = tuple(intent.name for intent in agent.intents)
        listings.append(_listing(entry_point, AgentState.OK, intents=intents))
    listings.sort(key=lambda found: (found.name, found.state, found.distribution, found.problem))
    return Registry(agents=dict(sorted(agents.items())), listings=tuple(listings))


def load_router(
    registry: Registry,
    *,
    name: str = "router",
    tier: Tier | None = None,
    entry_points: Iterable[EntryPoint] | None = None,
) -> IntentRouter:
    """Build the router `name` for the agents in `registry`.

    `tier` is the slowest one it may ask; None leaves that to the router.

    Raises:
        RegistryError: no such router, two of that name, or one that cannot be loaded.
    """
    if entry_points is None:
        entry_points = metadata.entry_points(group=ROUTER_GROUP)
    found = [entry_point for entry_point in entry_points if entry_point.name == name]
    if not found:
        raise RegistryError(
            f"no router {name!r} is installed", name=name, hint=f"pip install {_BUNDLED}"
        )
    if len(found) > 1:
        owners = " and ".join(sorted(_distribution(one) or one.value for one in found))
        raise RegistryError(
            f"the router {name!r} is installed twice, by {owners}",
            name=name,
            hint="uninstall one of them",
        )
    options = {} if tier is None else {"tier": tier}
    router = _call(found[0], "the router", registry.intents(), **options)
    if not callable(getattr(router, "route", None)):
        raise _refusal(found[0], f"the router gave a {type(router).__name__}, which cannot route")
    return cast("IntentRouter", router)


def _precedence(entry_point: EntryPoint) -> tuple[bool, str, str, str]:
    """Bundled agents first, then by name; the rest makes the order total."""
    distribution = _distribution(entry_point)
    return distribution != _BUNDLED, entry_point.name, distribution, entry_point.value


def _distribution(entry_point: EntryPoint) -> str:
    return entry_point.dist.name if entry_point.dist else ""


def _listing(
    entry_point: EntryPoint,
    state: AgentState,
    *,
    problem: str = "",
    intents: tuple[str, ...] = (),
) -> AgentListing:
    return AgentListing(
        name=entry_point.name,
        distribution=_distribution(entry_point),
        version=entry_point.dist.version if entry_point.dist else "",
        state=state,
        problem=problem,
        intents=intents,
    )


def _load_agent(
    entry_point: EntryPoint, make_ports: Callable[[str], AgentPorts], taken: Mapping[str, Agent]
) -> Agent:
    """Return the entry point's agent, checked in full against itself and those `taken`."""
    if entry_point.name in taken:
        raise _refusal(
            entry_point,
            f"another agent is already called {entry_point.name!r}",
            hint="uninstall one of them, or disable that name",
        )
    agent = _call(entry_point, "its agent()", make_ports(entry_point.name))
    if not isinstance(agent, Agent):
        reason = f"its agent() returned a {type(agent).__name__}, not an Agent"
        raise _refusal(entry_point, reason)
    _check_shape(entry_point, agent)
    _check_intents(entry_point, agent.intents, taken)
    return agent


def _call(entry_point: EntryPoint, what: str, argument: object, **options: object) -> object:
    """Import the entry point's object and call it: the border behind which plugins fail.

    Raises:
        RegistryError: whatever went wrong, in words.
    """
    try:
        return entry_point.load()(argument, **options)
    except ImportError as error:
        raise _import_refusal(entry_point, error) from error
    except IrisError as error:
        raise _refusal(entry_point, str(error)) from error  # with its key, place and hint
    except (Exception, SystemExit) as error:
        reason = f"{what} raised {type(error).__name__}: {error}".rstrip(": ")
        raise _refusal(entry_point, reason) from error


def _check_shape(entry_point: EntryPoint, agent: Agent) -> None:
    """Refuse an agent that is not what its type promises; plugins are not always type-checked."""
    intents = cast("object", agent.intents)
    if agent.name != entry_point.name:
        problem = f"it calls itself {agent.name!r} but is registered as {entry_point.name!r}"
    elif not callable(cast("object", agent.handler)):
        problem = "its handler cannot be called"
    elif not isinstance(intents, Sequence) or not intents:
        problem = "it has no intents"
    elif not all(isinstance(intent, Intent) for intent in intents):
        problem = "its intents are not all of type Intent"
    else:
        return
    raise _refusal(entry_point, problem)


def _check_intents(
    entry_point: EntryPoint, intents: Sequence[Intent], taken: Mapping[str, Agent]
) -> None:
    owners = {intent.name: agent.name for agent in taken.values() for intent in agent.intents}
    for intent in intents:
        if not intent.name or intent.name == OUT_OF_SCOPE:
            raise _refusal(entry_point, f"{intent.name!r} is no name for an intent")
        if intent.name in owners:
            owner = owners[intent.name]
            raise _refusal(
                entry_point,
                f"the intent {intent.name!r} of {entry_point.name!r} already belongs to {owner!r}",
                hint=f"disable {owner!r} to use this one",
            )
        owners[intent.name] = entry_point.name
        _check_words(entry_point, intent)


def _check_words(entry_point: EntryPoint, intent: Intent) -> None:
    """Refuse what would make the router stumble: wrong types, patterns that do not compile."""
    texts: tuple[object, ...] = (intent.description, *intent.examples)
    priority: object = intent.priority
    if not all(isinstance(text, str) for text in texts) or not isinstance(priority, int):
        raise _refusal(entry_point, f"{intent.name!r} has a text or a priority of the wrong type")
    rules: tuple[object, ...] = intent.rules
    for rule in rules:
        if not isinstance(rule, RoutingRule):
            raise _refusal(entry_point, f"the rules of {intent.name!r} are not all RoutingRule")
        try:
            re.compile(rule.pattern)
        except (re.error, TypeError, OverflowError, RecursionError) as error:
            raise _refusal(
                entry_point, f"a rule of {intent.name!r} is no regular expression: {error}"
            ) from error


def _import_refusal(entry_point: EntryPoint, error: ImportError) -> RegistryError:
    extra = _extra_that_brings(entry_point, error.name or "")
    if extra and isinstance(error, ModuleNotFoundError):
        command = f"pip install '{_distribution(entry_point)}[{extra}]'"
        return _refusal(entry_point, f"needs the extra {extra!r}: {command}")
    return _refusal(entry_point, f"cannot be imported: {error}")


def _extra_that_brings(entry_point: EntryPoint, module: str) -> str:
    """Return the extra that the module is missing from; empty when no extra is known to help.

    An entry point may name its extras itself (``pkg:agent [extra]``); otherwise the package's own
    requirements tell, where module and requirement have the same name.
    """
    if entry_point.dist is None:
        return ""
    if entry_point.extras:
        return entry_point.extras[0]
    wanted = _plain_name(module.partition(".")[0])
    for requirement in entry_point.dist.requires or ():
        extra = _EXTRA.search(requirement)
        named = re.match(r"[\w.-]+", requirement)
        if extra and named and _plain_name(named.group()) == wanted:
            return extra.group(1)
    return ""


def _plain_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _refusal(entry_point: EntryPoint, message: str, *, hint: str = "") -> RegistryError:
    return RegistryError(
        message, name=entry_point.name, distribution=_distribution(entry_point), hint=hint
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
