"""The MiniLM tier: a small language model reads what the fast one is unsure of.

It needs the extra ``minilm``: the weights (all-MiniLM-L6-v2, int8) and onnxruntime. What it makes
of a clause is weighed with what the fast model makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from iris_harness.contracts.routing import Alternative, Tier
from iris_harness.errors import ConfigError
from iris_harness.sentences import INSTALL, is_minilm_installed
from iris_router.clauses import Clause
from iris_router.statistical import StatisticalTier, readings_of

if TYPE_CHECKING:
    from iris_router.minilm_model import MiniLmModel


class MiniLmTier:
    """Reads clauses with MiniLM. Pure and thread-safe; loads the model when first asked."""

    tier = Tier.MINILM

    def __init__(self, fast: StatisticalTier) -> None:
        """Take the tier it is weighed with.

        Raises:
            ConfigError: the extra is not installed.
        """
        if not is_minilm_installed():
            raise ConfigError(f"minilm needs an extra: {INSTALL}")
        self._fast = fast

    def read(self, clause: Clause) -> tuple[Alternative, ...]:
        """Return the likeliest intents."""
        fast = self._fast.probabilities(clause)
        return readings_of(self._weighed(fast, self._model.probabilities(clause.words)))

    @cached_property
    def _model(self) -> MiniLmModel:
        from iris_router.minilm_model import load_minilm_model

        return load_minilm_model()

    def _weighed(self, fast: Mapping[str, float], own: Mapping[str, float]) -> dict[str, float]:
        """Return the product of both; intents that MiniLM was not trained for keep their share."""
        trained = {name: share for name, share in fast.items() if name in own}
        product = {
            name: share ** (1 - self._model.weight) * own[name] ** self._model.weight
            for name, share in trained.items()
        }
        scale = sum(trained.values()) / (sum(product.values()) or 1.0)
        return {**fast, **{name: share * scale for name, share in product.items()}}
