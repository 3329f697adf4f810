from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.routing import IntentRouter
from iris_harness.registry import Registry, load_agents
from iris_router import load_router

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)


@pytest.fixture(scope="session")
def registry() -> Registry:
    """The agents that come with Iris, without any source."""
    ports = AgentPorts(sources=SourcePorts(), preferences=DayPreferences())
    return load_agents(lambda _name: ports)


@pytest.fixture(scope="session")
def router(registry: Registry) -> IntentRouter:
    """The router for them."""
    return load_router(registry.intents())
