"""What a chat client can choose where others list language models: Iris, or one of its agents."""

from __future__ import annotations

from dataclasses import dataclass

from iris_harness.bootstrap.assistant import Iris
from iris_harness.errors import UsageError

ALL = "iris"
_SEPARATOR = "-"
_LONGEST_SHOWN = 64
_LATEST = ":latest"  # Ollama's clients add it to a name without a tag


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """One choice."""

    name: str
    agent: str | None
    """The only agent that answers; None means all of Iris."""
    description: str


class UnknownModelError(UsageError):
    """There is no model of that name."""


def list_models(iris: Iris) -> tuple[Model, ...]:
    """Return all choices: Iris, then its agents by name."""
    whole = Model(name=ALL, agent=None, description="Iris, with all its agents")
    agents = (
        Model(
            name=f"{ALL}{_SEPARATOR}{found.agent}",
            agent=found.agent,
            description=", ".join(one.description for one in found.intents if one.description),
        )
        for found in sorted(iris.registry.intents(), key=lambda found: found.agent)
    )
    return (whole, *agents)


def find_model(iris: Iris, name: str) -> Model:
    """Return the choice of that name.

    Raises:
        UnknownModelError: there is none; the hint lists them.
    """
    models = list_models(iris)
    wanted = name.strip().removesuffix(_LATEST)
    for model in models:
        if model.name == wanted:
            return model
    raise UnknownModelError(
        f"there is no model {name[:_LONGEST_SHOWN]!r}",
        hint=f"use {', '.join(model.name for model in models)}",
    )
