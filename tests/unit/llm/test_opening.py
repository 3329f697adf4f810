"""From settings to models that can be asked."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from iris_harness.bootstrap.models import ModelOpener, check_models, find_model
from iris_harness.clock import SystemClock
from iris_harness.config.schema import Config
from iris_harness.config.settings import Settings, settings_of
from iris_harness.contracts.model import Ability
from iris_harness.errors import ConfigError, ModelBudgetError, ModelRefusedError
from tests.faulty_server import completion, faulty_server, says
from tests.tiny_gguf import write_tiny_gguf
from tests.unit.llm.support import REQUEST, drained

HELLO = says(completion("Hello!"))


def settings(base_url: str = "https://models.example.org/v1", **models: Any) -> Settings:  # noqa: ANN401 - as written in YAML
    big = {
        "name": "big",
        "type": "openai",
        "base_url": base_url,
        "model": "x",
        "retries": 0,
        "price": {"input_per_million": 1, "output_per_million": "2.5", "currency": "EUR"},
        "budget": {"tokens": 100},
    }
    tree = {"available": [big], **models}
    return settings_of(Config.model_validate({"models": tree}))


def opener(given: Settings) -> ModelOpener:
    return ModelOpener(given, SystemClock())


def test_a_model_is_opened_once_and_counts_within_its_budget() -> None:
    with faulty_server(HELLO) as server, opener(settings(server.base_url)) as models:
        model = models.open()
        assert models.open("big") is model
        model.complete(REQUEST)
        model.complete(REQUEST)
        model.complete(REQUEST)
        with pytest.raises(ModelBudgetError):
            model.complete(REQUEST)
    spent = model.meter.spent
    assert spent.tokens <= 100
    assert (str(spent.cost), spent.currency) == ("0.0000555", "EUR")


def test_without_models_or_with_another_name_it_is_said_what_there_is() -> None:
    with pytest.raises(ConfigError, match="no language model is set up"):
        find_model(settings_of(Config()))
    with pytest.raises(ConfigError, match="no model is named 'bog'") as error:
        find_model(settings(), "bog")
    assert error.value.nearest == "big"


def test_only_agents_that_are_named_get_the_default_model() -> None:
    both = frozenset({Ability.JSON_SCHEMA, Ability.TOOLS})
    with faulty_server(HELLO) as server:
        models = opener(settings(server.base_url, agents=["hours"]))
        assert models.for_agent("mail") is None
        model = models.for_agent("hours")
        assert model is not None
        assert (model.name, model.abilities) == ("big", both)
        assert server.asked == []
        assert model.complete(REQUEST).text == "Hello!"
    with opener(settings()) as models:
        assert models.for_agent("hours") is None


def test_a_model_in_a_file_ends_with_its_opener(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    file = {"name": "small", "type": "llama_cpp", "path": str(path), "context_tokens": 2048}
    with opener(settings(available=[file], agents=["hours"])) as models:
        lazy = models.for_agent("hours")
        assert lazy is not None
        pieces, response = drained(lazy.stream(REQUEST))
        assert "".join(pieces) == response.text
        inner = models.open("small")._model
        child = inner._child  # type: ignore[attr-defined] # of a LlamaModel
        assert child.alive
    assert not child.alive


def test_what_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    (problem,) = check_models(settings())
    assert problem.fix == "pip install 'iris-harness[llm-remote]'"
    with pytest.raises(ModelRefusedError, match="llm-remote"):
        opener(settings()).open()


def test_a_key_is_fetched_once_and_only_when_it_is_needed(tmp_path: Path) -> None:
    count = tmp_path / "count"
    script = tmp_path / "key"
    script.write_text(f"#!/bin/sh\necho x >> {count}\necho sk-1\n")
    script.chmod(0o700)
    with faulty_server(HELLO) as server:
        big = {
            "name": "big",
            "type": "openai",
            "base_url": server.base_url,
            "model": "x",
            "api_key": {"fetch": [str(script)]},
        }
        with opener(settings(available=[big])) as models:
            model = models.open()
            assert not count.exists()
            model.complete(REQUEST)
            model.complete(REQUEST)
    assert count.read_text() == "x\n"
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer sk-1"}
