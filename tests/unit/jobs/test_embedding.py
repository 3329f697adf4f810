"""Tasks as vectors, with the real model."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.jobs.embedding import MiniLmEmbedder, build_embedder
from iris_harness.jobs.likeness import likeness
from tests.job_paraphrases import PARAPHRASES
from tests.support import examples

EMBEDDER = MiniLmEmbedder()
PROGRAM = """
import sys
from iris_harness.jobs.embedding import build_embedder
from iris_harness.jobs.submit import Submitter
embedder = build_embedder()
print(embedder is not None, sorted({"numpy", "onnxruntime"} & set(sys.modules)))
"""


def test_meaning_finds_what_words_do_not() -> None:
    done = [pair.done for pair in PARAPHRASES]
    vectors = EMBEDDER.embed(done)
    by_meaning = by_words = 0
    for at, pair in enumerate(PARAPHRASES):
        meant = vectors @ EMBEDDER.embed([pair.asked])[0]
        said = likeness(pair.asked, done)
        by_meaning += at in np.argsort(-meant)[:3] and bool(meant[at] >= 0.3)
        by_words += said[at] >= 0.25
    assert len(done) == 30
    assert by_meaning >= 26  # 27 where this was written; int8 is not the same on all processors
    assert by_words == 0


@given(st.lists(st.text(max_size=200), max_size=4))
@settings(max_examples=examples(20), deadline=None)
def test_any_text_has_one_vector_whatever_it_stands_beside(texts: list[str]) -> None:
    rows = EMBEDDER.embed(texts)
    assert rows.shape == (len(texts), EMBEDDER.dimension)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert EMBEDDER.embed([text])[0].tobytes() == row.tobytes()


def test_case_does_not_matter_and_length_is_bounded() -> None:
    small, capital = EMBEDDER.embed(["fix the login", "Fix the LOGIN"])
    assert small.tobytes() == capital.tobytes()
    assert EMBEDDER.embed(["word " * 100_000]).shape == (1, EMBEDDER.dimension)


def test_nothing_is_loaded_before_something_is_read() -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert result.stdout == "True []\n"


def test_without_the_extra_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iris_harness.sentences._NEEDED", ("a_package_that_nobody_has",))
    assert build_embedder() is None
