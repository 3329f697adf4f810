"""The intents Iris knows by itself, whether or not an agent for them is installed.

What an agent must be told exactly stands in the agent's own spec. Here are hints: what people
say when they mean one of these intents, in general enough words to meet sentences nobody wrote
down. The patterns are data (``data/hints_en.txt``); this module names what they belong to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_harness.contracts.tasks import RoutingRule


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownIntent:
    """An intent that has a name even where nothing answers it."""

    name: str
    description: str
    """Completes "I can …", in the user's words; empty for `OUT_OF_SCOPE`."""
    agent: str | None
    """The agent that answers it where it is installed; None when none ever does."""
    priority: int
    """Between two hints. What only one intent is ever asked in (planning, code) stands highest,
    a command that changes something above a question about it, small talk lowest."""
    rules: tuple[RoutingRule, ...]


_INTENTS: tuple[tuple[str, str, str | None, int], ...] = (
    ("planner", "plan your day or your week", "planner", 60),
    ("plan.explain", "say why something is where it is in your plan", "planner", 58),
    ("job.submit", "work on a code repository", "job", 55),
    ("reminder.set", "remind you, wake you and run a timer", "reminder", 50),
    ("email.send", "write, answer and forward mail", "email", 48),
    ("todo.change", "tick off, change or delete a todo", "todo", 47),
    ("todo.add", "put a todo on a list", "todo", 46),
    ("email.query", "say what is in your mail", "email", 43),
    ("todo.query", "say what is on your lists", "todo", 43),
    ("weather.query", "tell the weather", "weather", 43),
    (OUT_OF_SCOPE, "", None, 42),
    ("calendar.change", "move or cancel an event", "calendar", 41),
    ("calendar.create", "put an event into your calendar", "calendar", 40),
    ("finance.query", "say what you spent, owe and own", "finance", 35),
    ("calendar.query", "say what is in your calendar", "calendar", 32),
    ("time.query", "tell the time and the date", "clock", 30),
    ("chat", "chat a little", "chat", 20),
)


def build_known_intents(hints: Mapping[str, tuple[RoutingRule, ...]]) -> tuple[KnownIntent, ...]:
    """Return all of them, highest priority first, with the rules that `hints` has for each."""
    return tuple(
        KnownIntent(
            name=name, description=description, agent=agent, priority=priority, rules=hints[name]
        )
        for name, description, agent, priority in _INTENTS
    )
