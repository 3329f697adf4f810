from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.errors import RegistryError
from iris_harness.registry import (
    AGENT_GROUP,
    ROUTER_GROUP,
    AgentState,
    Registry,
    load_agents,
    load_router,
)

GOOD = """
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, Intent

def agent(ports):
    intent = Intent(name="{intent}", description="do it", examples=())
    return Agent(name="{name}", intents=(intent,), handler=lambda task: HandlerResult(text="ok"))
"""


def make_ports(_name: str) -> AgentPorts:
    return AgentPorts(sources=SourcePorts(), preferences=DayPreferences())


class Site:
    """A folder of installed distributions, as pip leaves them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(
        self,
        distribution: str,
        code: str,
        *,
        name: str,
        requires: str = "",
        group: str = AGENT_GROUP,
        function: str = "agent",
    ) -> None:
        module = f"{distribution}_{name}".replace("-", "_")
        (self.folder / f"{module}.py").write_text(textwrap.dedent(code), "utf-8")
        info = self.folder / f"{distribution.replace('-', '_')}-1.2.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n{requires}", "utf-8"
        )
        with (info / "entry_points.txt").open("a", encoding="utf-8") as file:
            file.write(f"[{group}]\n{name} = {module}:{function}\n")

    def agent(self, distribution: str, name: str, intent: str) -> None:
        self.install(distribution, GOOD.format(name=name, intent=intent), name=name)

    def entry_points(self, group: str = AGENT_GROUP) -> list[EntryPoint]:
        found = metadata.distributions(path=[str(self.folder)])
        return [point for one in found for point in one.entry_points if point.group == group]

    def load(self, *disabled: str) -> Registry:
        return load_agents(make_ports, disabled=disabled, entry_points=self.entry_points())

    def problem_of(self, name: str) -> str:
        (listing,) = [one for one in self.load().listings if one.name == name]
        assert listing.state is AgentState.BROKEN
        assert listing.intents == ()
        assert "\n" not in listing.problem
        return listing.problem


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(tmp_path)
    yield Site(tmp_path)
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def test_agents_come_sorted_by_name_with_their_package_and_intents(site: Site) -> None:
    site.agent("zoo", "alpha", "zoo.visit")
    site.agent("bar", "beta", "bar.open")
    registry = site.load()
    assert list(registry.agents) == ["alpha", "beta"]
    assert [(one.distribution, one.version, one.intents) for one in registry.listings] == [
        ("zoo", "1.2", ("zoo.visit",)),
        ("bar", "1.2", ("bar.open",)),
    ]
    assert [one.agent for one in registry.intents()] == ["alpha", "beta"]


def test_the_order_in_which_packages_are_found_changes_nothing(site: Site) -> None:
    site.agent("one", "same", "x")
    site.agent("two", "same", "y")
    site.agent("three", "other", "x")
    forwards = load_agents(make_ports, entry_points=site.entry_points())
    backwards = load_agents(make_ports, entry_points=reversed(site.entry_points()))
    assert forwards.listings == backwards.listings
    assert list(forwards.agents) == list(backwards.agents)


def test_a_disabled_agent_is_listed_and_not_imported(site: Site) -> None:
    site.install("loud", "raise SystemExit('imported')", name="loud")
    (listing,) = site.load("loud").listings
    assert listing.state is AgentState.DISABLED
    assert listing.problem == ""


def test_an_agent_that_comes_with_iris_keeps_its_intent(site: Site) -> None:
    site.agent("iris-harness", "planner", "planner")
    site.agent("aaa", "alpha", "planner")
    registry = site.load()
    assert list(registry.agents) == ["planner"]
    problem = site.problem_of("alpha")
    assert "'planner'" in problem
    assert "'alpha'" in problem


def test_disabling_an_agent_frees_its_intent_for_another(site: Site) -> None:
    site.agent("iris-harness", "planner", "planner")
    site.agent("aaa", "alpha", "planner")
    assert list(site.load("planner").agents) == ["alpha"]


def test_of_two_agents_of_one_name_the_first_distribution_keeps_it(site: Site) -> None:
    site.agent("bbb", "coffee", "brew")
    site.agent("aaa", "coffee", "roast")
    states = [(one.distribution, one.state) for one in site.load().listings]
    assert sorted(states) == [("aaa", AgentState.OK), ("bbb", AgentState.BROKEN)]


def test_an_agent_with_one_taken_intent_is_refused_whole(site: Site) -> None:
    site.agent("aaa", "alpha", "taken")
    code = GOOD.format(name="beta", intent="free").replace("(intent,)", "(intent, other)")
    code = code.replace(
        "    return", "    other = Intent(name='taken', description='', examples=())\n    return"
    )
    site.install("bbb", code, name="beta")
    registry = site.load()
    assert list(registry.agents) == ["alpha"]
    assert [one.intents[0].name for one in registry.intents()] == ["taken"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import nowhere_to_be_found", "nowhere_to_be_found"),
        ("def agent(ports): raise ValueError('two\\nlines')", "ValueError: two lines"),
        ("def agent(ports): raise SystemExit(3)", "SystemExit: 3"),
        ("def agent(ports): return 'text'", "returned a str"),
        ("def agent(): return None", "TypeError"),
        ("def other(ports): return None", "AttributeError"),
        ("def agent(ports)", "SyntaxError"),
        (GOOD.format(name="elsewhere", intent="x"), "'elsewhere'"),
        (GOOD.format(name="odd", intent="out_of_scope"), "'out_of_scope'"),
        (GOOD.format(name="odd", intent=""), "no name"),
        (GOOD.format(name="odd", intent="x").replace("(intent,)", "()"), "no intents"),
        (GOOD.format(name="odd", intent="x").replace("(intent,)", "('x',)"), "type Intent"),
        (GOOD.format(name="odd", intent="x").replace("examples=()", "examples=(3,)"), "wrong type"),
        (GOOD.format(name="odd", intent="x").replace("(intent,)", "(intent, intent)"), "already"),
        (
            GOOD.format(name="odd", intent="x").replace("examples=()", "examples=(), rules=('a',)"),
            "RoutingRule",
        ),
    ],
)
def test_a_broken_agent_is_one_line_and_stops_nobody(site: Site, code: str, words: str) -> None:
    site.install("odd", code, name="odd")
    site.agent("good", "good", "good")
    assert list(site.load().agents) == ["good"]
    assert words in site.problem_of("odd")


def test_an_invalid_pattern_in_a_rule_names_the_intent(site: Site) -> None:
    code = GOOD.format(name="odd", intent="x").replace(
        "examples=()", "examples=(), rules=(RoutingRule(pattern='(open'),)"
    )
    code = code.replace("Agent, Intent", "Agent, Intent, RoutingRule")
    site.install("odd", code, name="odd")
    problem = site.problem_of("odd")
    assert "'x'" in problem
    assert "no regular expression" in problem


def test_the_agents_own_error_is_told_with_its_hint(site: Site) -> None:
    code = """
    from iris_harness.errors import RegistryError
    def agent(ports): raise RegistryError("no key for the bank", hint="set bank.key")
    """
    site.install("bank", code, name="bank")
    assert site.problem_of("bank") == "no key for the bank (set bank.key)"


@pytest.mark.parametrize(
    "code", ["import some_radio", "def agent(ports):\n    import some_radio.waves"]
)
def test_a_missing_extra_is_named_with_the_command_that_brings_it(site: Site, code: str) -> None:
    requires = 'Provides-Extra: air\nRequires-Dist: Some-Radio>=2; extra == "air"\n'
    site.install("radio", code, name="radio", requires=requires)
    assert site.problem_of("radio") == "needs the extra 'air': pip install 'radio[air]'"


def test_every_agent_that_comes_with_iris_loads() -> None:
    registry = load_agents(make_ports)
    ours = [one for one in registry.listings if one.distribution == "iris-harness"]
    names = ["calendar", "chat", "clock", "job", "planner", "reminder", "todo", "undo"]
    assert [one.name for one in ours] == names
    assert [one.problem for one in ours] == [""] * len(ours)


def test_a_router_is_found_by_name_and_told_the_intents(site: Site) -> None:
    code = """
    class Router:
        def __init__(self, agents): self.agents = agents
        def route(self, utterance, reference, locale): return self.agents
    """
    site.install("r", code, name="mine", group=ROUTER_GROUP, function="Router")
    site.agent("good", "good", "good")
    registry = site.load()
    router = load_router(registry, name="mine", entry_points=site.entry_points(ROUTER_GROUP))
    assert getattr(router, "agents", None) == registry.intents()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def load(agents): return 3", "gave a int"),
        ("def load(agents): raise ValueError('bad data')", "ValueError: bad data"),
        ("import nowhere_to_be_found", "cannot be imported"),
    ],
)
def test_a_broken_router_is_refused_with_the_reason(site: Site, code: str, words: str) -> None:
    site.install("r", code, name="router", group=ROUTER_GROUP, function="load")
    with pytest.raises(RegistryError, match=words):
        load_router(site.load(), entry_points=site.entry_points(ROUTER_GROUP))


def test_a_router_installed_twice_or_not_at_all_is_refused(site: Site) -> None:
    with pytest.raises(RegistryError, match="no router 'router'"):
        load_router(site.load(), entry_points=[])
    for distribution in ("one", "two"):
        site.install(distribution, "def load(agents): ...", name="router", group=ROUTER_GROUP)
    with pytest.raises(RegistryError, match="twice, by one and two"):
        load_router(site.load(), entry_points=site.entry_points(ROUTER_GROUP))
