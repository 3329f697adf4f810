"""An agent that sleeps, installed as a package of a third party is."""

from __future__ import annotations

from pathlib import Path

SECONDS = 2
_MODULE = """
import time
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, Intent, Rule, RoutingRule

def agent(ports):
    def answer(task):
        time.sleep(SECONDS)
        return HandlerResult(text="I slept well.")
    rule = RoutingRule(pattern="sleep now", kind=Rule.EXACT)
    intent = Intent(name="slow.query", description="sleep", examples=("sleep now",), rules=(rule,))
    return Agent(name="slow", intents=(intent,), handler=answer, read_only=True)
"""


def install_slow_agent(folder: Path, seconds: float = SECONDS) -> Path:
    """Write the package into `folder`, and return what ``PYTHONPATH`` has to name."""
    info = folder / "slow_agent-1.dist-info"
    info.mkdir(parents=True)
    (folder / "slow_agent.py").write_text(f"SECONDS = {seconds}\n{_MODULE}")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-agent\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[iris_harness.agents]\nslow = slow_agent:agent\n")
    return folder
