"""What the statistical tier sees is the same everywhere, and grows with what was said."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.sentences.wordpiece import load_vocabulary
from iris_router.builtin import KNOWN_INTENTS
from iris_router.clauses import ClauseReader
from iris_router.english import build_english
from iris_router.fast_model import load_fast_model
from iris_router.features import BUCKETS, FeatureReader, Features

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)
MODEL = load_fast_model()
READER = FeatureReader(load_vocabulary())
CHARACTERS_OF_PLAN = [
    53770,
    99235,
    89174,
    107140,
    43650,
    124077,
    73157,
    84492,
    65716,
    74508,
    84122,
    95695,
    49484,
    60239,
]
WORDS_OF_PLAN = [93510, 22665, 112998, 74571, 1064]
CLAUSES = ClauseReader({"en": build_english()}, default="en")


def read(text: str) -> Features:
    return READER.read(CLAUSES.read(text, NOW, "en"))


def test_the_model_was_trained_for_all_intents_iris_knows() -> None:
    assert MODEL.intents == tuple(KNOWN_INTENTS)


def test_the_buckets_of_a_word_never_change() -> None:
    """The arrays that ship were trained on these numbers."""
    features = read("plan")
    assert features.characters.tolist() == CHARACTERS_OF_PLAN
    assert features.words.tolist() == WORDS_OF_PLAN


def test_numbers_are_read_by_their_kind() -> None:
    assert read("wake me at 6:45").words.tolist() == read("wake me at 7:30").words.tolist()


@pytest.mark.parametrize("text", ["caf\u00e9", "CAFE", "cafe"])
def test_accents_and_case_are_the_same_piece(text: str) -> None:
    assert read(text).pieces.tolist() == read("cafe").pieces.tolist()


def test_an_unknown_word_is_cut_into_known_pieces() -> None:
    pieces = load_vocabulary()
    assert pieces.numbers(["unplannable"]) == [
        pieces["un"], pieces["##pl"], pieces["##anna"], pieces["##ble"],
    ]  # fmt: skip
    assert pieces.numbers(["\U0001f600"]) == [pieces["[UNK]"]]


@given(text=st.text(max_size=400))
def test_every_text_has_features_and_probabilities(text: str) -> None:
    features = read(text)
    assert all(bucket < BUCKETS for bucket in (*features.characters, *features.words))
    table = MODEL.probabilities(features, MODEL.tokens.total(features.pieces))
    assert len(table) == len(KNOWN_INTENTS)
    assert np.isfinite(table).all()
    assert sum(table) == pytest.approx(1.0)


@given(length=st.integers(1, 4_000))
def test_what_is_computed_is_bounded_whatever_the_length(length: int) -> None:
    """Counted work, not time: four n-grams for each of 256 characters at most."""
    features = read("x y" * length)
    assert len(features.characters) <= 4 * 260
    assert len(features.words) <= 3 * 260
    assert len(features.pieces) <= 2 * 260
