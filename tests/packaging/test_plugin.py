"""A third party's package, built and installed by pip, is found, routed to and asked."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_harness.contracts.tasks import AgentTask
from iris_harness.registry import AgentListing, AgentState, Registry, load_agents, load_router

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the plugin installed in it."""
    folder = tmp_path_factory.mktemp("plugin")
    source = shutil.copytree(Path(__file__).parent / "plugin", folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    target = folder / "site"
    subprocess.run([*pip, *offline, "--target", target, source], check=True)
    return target


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(site)
    yield
    sys.modules.pop("iris_coffee_example", None)


def load(*disabled: str, **settings: Json) -> Registry:
    def make_ports(name: str) -> AgentPorts:
        return AgentPorts(
            sources=SourcePorts(),
            preferences=DayPreferences(),
            settings=settings if name == "coffee" else {},
        )

    return load_agents(make_ports, disabled=disabled)


def listing(registry: Registry) -> AgentListing:
    (found,) = [one for one in registry.listings if one.name == "coffee"]
    return found


@pytest.mark.usefixtures("installed")
def test_an_installed_agent_is_listed_with_its_package_and_intents() -> None:
    found = listing(load())
    assert found.state is AgentState.OK
    assert (found.distribution, found.version) == ("iris-coffee-example", "1.0")
    assert found.intents == ("coffee.measure",)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("utterance", "exact"),
    [
        ("Grind 4 cups of coffee, please", True),
        ("coffee for two on Friday", True),
        ("i would love 4 cups of coffee", False),
    ],
)
def test_its_intent_is_routable_without_touching_the_router(utterance: str, *, exact: bool) -> None:
    (route,) = load_router(load()).route(utterance, NOW, "en")
    assert (route.intent, route.agent) == ("coffee.measure", "coffee")
    assert (route.confidence == 1.0) is exact


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("utterance", "intent"),
    [
        ("how many coffee beans do I need", "coffee.measure"),
        ("cofee for two on friday", "coffee.measure"),
        ("how much coffee for six people", "coffee.measure"),
        ("add coffee to my shopping list", "todo.add"),
        ("meeting with Anna about coffee on Friday", "calendar.create"),
        ("what do I have today", "planner"),
        ("play some jazz", OUT_OF_SCOPE),
    ],
)
def test_what_is_like_its_examples_reaches_it_and_nothing_else_does(
    utterance: str, intent: str
) -> None:
    (route,) = load_router(load()).route(utterance, NOW, "en")
    assert route.intent == intent


@pytest.mark.usefixtures("installed")
def test_it_answers_with_its_own_settings() -> None:
    handler = load(grams_per_cup=12).agents["coffee"].handler
    task = AgentTask(
        id="1", agent="coffee", intent="coffee.measure", utterance="grind 4 cups", asked_at=NOW
    )
    assert [fact.text for fact in handler(task).facts] == ["Grind 48 g of coffee."]


@pytest.mark.usefixtures("installed")
def test_wrong_settings_break_it_alone() -> None:
    registry = load(grams_per_cup="many")
    assert "grams_per_cup must be a whole number" in listing(registry).problem
    assert {"planner", "clock"} <= set(registry.agents)


@pytest.mark.usefixtures("installed")
def test_it_can_be_disabled() -> None:
    registry = load("coffee")
    assert listing(registry).state is AgentState.DISABLED
    (route,) = load_router(registry).route("grind 4 cups of coffee", NOW, "en")
    assert route.agent is None
