"""How much coffee a number of cups takes."""

from __future__ import annotations

import re

from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule
from iris_harness.errors import TaskError


def agent(ports: AgentPorts) -> Agent:
    """Return the agent; its one setting is how many grams a cup takes (10)."""
    grams = ports.settings.get("grams_per_cup", 10)
    if not isinstance(grams, int):
        raise TypeError("grams_per_cup must be a whole number")
    intent = Intent(
        name="coffee.measure",
        description="say how much coffee to grind",
        examples=("how much coffee do I need", "coffee for two tomorrow"),
        rules=(
            RoutingRule(pattern=r"(?:grind|brew) (?:\d+ )?(?:cups? of )?coffee", kind=Rule.EXACT),
            RoutingRule(pattern=r"\bcups? of coffee\b"),
        ),
    )

    def handle(task: AgentTask) -> HandlerResult:
        cups = re.search(r"\d+", task.utterance)
        if cups is None:
            raise TaskError("I need a number of cups", hint="say: grind 4 cups of coffee")
        text = f"Grind {int(cups.group()) * grams} g of coffee."
        return HandlerResult(facts=(Fact(kind=FactKind.STATEMENT, text=text),))

    return Agent(name="coffee", intents=(intent,), handler=handle, read_only=True)
