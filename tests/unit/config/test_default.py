from __future__ import annotations

from pathlib import Path

from iris_harness.config.default import default_text
from iris_harness.config.document import Value, parse_document
from iris_harness.config.loader import load_config
from iris_harness.config.schema import Config
from iris_harness.contracts.day import DayPreferences

ROOT = Path(__file__).resolve().parents[3]


def _ordered(tree: Value) -> Value:
    """Make the order of keys count in a comparison."""
    if isinstance(tree, dict):
        return [[key, _ordered(value)] for key, value in tree.items()]
    return tree


def test_the_documented_defaults_are_the_defaults_key_by_key_and_in_order() -> None:
    written = parse_document((ROOT / "config.yaml").read_text(encoding="utf-8"), "config.yaml")
    assert _ordered(written.value) == _ordered(Config().model_dump(mode="json"))


def test_the_documented_defaults_load() -> None:
    assert load_config(ROOT / "config.yaml", environ={}) == Config()


def test_the_installed_default_text_is_the_root_file() -> None:
    assert default_text() == (ROOT / "config.yaml").read_text(encoding="utf-8")


def test_settings_and_contracts_agree_on_the_default_preferences() -> None:
    assert Config().day_preferences() == DayPreferences()
