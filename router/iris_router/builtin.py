"""The intents Iris knows by itself, whether or not an agent for them is installed.

The model was trained for these. They are known even where nothing answers them, so that what is
meant for a missing agent is neither taken for something else nor called nonsense.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KNOWN_INTENTS: Mapping[str, str | None] = MappingProxyType(
    {
        "calendar.change": "calendar",
        "calendar.create": "calendar",
        "calendar.query": "calendar",
        "chat": "chat",
        "email.query": "email",
        "email.send": "email",
        "finance.query": "finance",
        "job.submit": "job",
        "out_of_scope": None,
        "planner": "planner",
        "reminder.set": "reminder",
        "time.query": "clock",
        "todo.add": "todo",
        "todo.change": "todo",
        "todo.query": "todo",
        "weather.query": "weather",
    }
)
"""By name, sorted: the agent that answers it where it is installed; None when none ever does."""
