"""The MiniLM tier, with the real model."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from iris_harness.contracts.routing import AgentIntents, IntentRouter, Tier
from iris_harness.contracts.tasks import Intent
from iris_harness.sentences.encoder import SentenceEncoder
from iris_harness.sentences.wordpiece import load_vocabulary
from iris_router import load_router
from iris_router.builtin import KNOWN_INTENTS
from iris_router.minilm_model import MOST_PIECES, load_minilm_model

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def router() -> IntentRouter:
    intent = Intent(name="coffee.brew", description="", examples=("espresso", "make me a latte"))
    return load_router([AgentIntents(agent="barista", intents=(intent,))], tier=Tier.MINILM)


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder(load_vocabulary(), most_pieces=MOST_PIECES)


def test_it_is_asked_only_where_the_fast_tier_is_unsure(router: IntentRouter) -> None:
    tiers = {
        text: router.route(text, NOW, "en")[0].tier
        for text in ("espresso", "set an alarm for six", "that thing with the accountant")
    }
    assert tiers["espresso"] is Tier.RULE
    assert tiers["set an alarm for six"] is Tier.STATISTICAL
    assert tiers["that thing with the accountant"] is Tier.MINILM


@pytest.mark.parametrize(
    "text", ["that thing with the accountant", "make the flat white", "x" * 900, "\u4eca\u5929"]
)
def test_its_readings_are_likelihoods_of_known_intents(router: IntentRouter, text: str) -> None:
    (route,) = router.route(text, NOW, "en")
    shares = [route.confidence, *(one.confidence for one in route.alternatives)]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1.0 + 0.01 * len(shares)
    assert {route.intent, *(one.intent for one in route.alternatives)} <= {
        *KNOWN_INTENTS, "coffee.brew",
    }  # fmt: skip


def test_like_sentences_are_near_and_others_far(encoder: SentenceEncoder) -> None:
    asked, same, other = (
        encoder.encode(text)
        for text in ("what will the weather be", "is it going to rain", "fix the failing test")
    )
    assert asked @ same > 0.4 > asked @ other
    assert np.linalg.norm(asked) == pytest.approx(1.0)


def test_its_head_knows_the_intents_of_the_fast_model() -> None:
    model = load_minilm_model()
    assert model.intents == tuple(KNOWN_INTENTS)
    shares = model.probabilities("will it rain tomorrow")
    assert sum(shares.values()) == pytest.approx(1.0)
    assert max(shares, key=lambda name: shares[name]) == "weather.query"
