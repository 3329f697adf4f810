"""A plan told by one of the user's models."""

from __future__ import annotations

from iris_harness.bootstrap.models import ModelOpener
from iris_harness.clock import SystemClock
from iris_harness.config.environment import variables
from iris_harness.config.settings import Settings
from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.strings import find_language
from iris_harness.llm.narrative.telling import Telling, tell_day


def tell_plan(settings: Settings, plan: DailyPlan, locale: str, name: str = "") -> Telling:
    """Return a plan in the words of the model of that name; an empty one means the default.

    Its times and titles are told to that model, wherever it is.

    Raises:
        ConfigError: there is no such model, or none at all.
        ModelRefusedError: what runs it is not installed.
    """
    with ModelOpener(settings, SystemClock(), variables()) as models:
        return tell_day(models.open(name), plan, find_language(locale))
