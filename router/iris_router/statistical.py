"""The statistical tier: a trained model for the intents Iris knows, examples for all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from iris_harness.contracts.routing import OUT_OF_SCOPE, Alternative, Tier
from iris_harness.contracts.tasks import Intent
from iris_router.clauses import Clause, ClauseReader

if TYPE_CHECKING:
    from iris_router.examples import ExampleIntents
    from iris_router.fast_model import FastModel
    from iris_router.features import FeatureReader

_LEAST = 0.02
"""Readings below this are not worth telling."""
_DOUBT = 4
"""The power of evidence that counts against an intent the model knows."""
_CERTAIN = 0.99
"""As sure as likelihood makes; only a rule is surer."""
_MOST = 4
"""How many readings are told."""


class _Parts:
    """What the tier needs numpy for."""

    def __init__(self, model: FastModel, features: FeatureReader, examples: ExampleIntents) -> None:
        self.model = model
        self.features = features
        self.examples = examples


class StatisticalTier:
    """Reads clauses by likelihood. Pure and thread-safe; loads its arrays when first asked."""

    tier = Tier.STATISTICAL

    def __init__(self, intents: Sequence[Intent], reader: ClauseReader) -> None:
        """Take all installed intents; of those the model was trained for nothing is needed."""
        self._intents = tuple(intents)
        self._reader = reader

    def read(self, clause: Clause) -> tuple[Alternative, ...]:
        """Return the likeliest intents."""
        return readings_of(self.probabilities(clause))

    def probabilities(self, clause: Clause) -> dict[str, float]:
        """Return how likely each intent is; they sum to 1."""
        parts = self._parts
        features = parts.features.read(clause)
        total = parts.model.tokens.total(features.pieces)
        table = parts.model.probabilities(features, total)
        known = dict(zip(parts.model.intents, table, strict=True))
        return with_evidence(known, parts.examples.evidence(clause, features, total))

    @cached_property
    def _parts(self) -> _Parts:
        from iris_harness.sentences.wordpiece import load_vocabulary
        from iris_router.examples import ExampleIntents
        from iris_router.fast_model import load_fast_model
        from iris_router.features import FeatureReader

        model = load_fast_model()
        features = FeatureReader(load_vocabulary())
        others = [intent for intent in self._intents if intent.name not in model.intents]
        examples = ExampleIntents(
            others, lambda text: features.read(self._reader.read_example(text)), model.tokens
        )
        return _Parts(model, features, examples)


def with_evidence(known: Mapping[str, float], evidence: Mapping[str, float]) -> dict[str, float]:
    """Give intents the model does not know their share of its probabilities.

    What the model takes for out of scope may be theirs in full. What it takes for an intent it
    knows is theirs only where the evidence is overwhelming.
    """
    if not evidence:
        return dict(known)
    outside = known[OUT_OF_SCOPE]
    strongest = max(evidence.values())
    left = 1 - strongest**_DOUBT
    claimed = {
        intent: strength * outside + strength**_DOUBT * (1 - outside)
        for intent, strength in evidence.items()
    }
    left_outside = outside * (1 - strongest)
    total = left * (sum(known.values()) - outside) + left_outside + sum(claimed.values())
    rest = left / total
    found = {intent: share * rest for intent, share in known.items()}
    found[OUT_OF_SCOPE] = left_outside / total
    found.update((intent, share / total) for intent, share in claimed.items())
    return found


def readings_of(probabilities: Mapping[str, float]) -> tuple[Alternative, ...]:
    """Return the likeliest readings, best first; equal ones by name. At least one."""
    told = [(-share, name) for name, share in probabilities.items() if share >= _LEAST]
    if not told:
        told = [min((-share, name) for name, share in probabilities.items())]
    ranked = sorted(told)
    return tuple(
        Alternative(intent=name, confidence=min(round(-share, 2), _CERTAIN))
        for share, name in ranked[:_MOST]
    )
