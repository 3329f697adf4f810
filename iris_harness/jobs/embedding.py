"""What turns tasks into vectors, so that jobs are found by what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from iris_harness.errors import ConfigError
from iris_harness.sentences import DIMENSION, MODEL_ID, is_minilm_installed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iris_harness.sentences.encoder import SentenceEncoder

_MOST_PIECES: Final = 128
"""Word pieces of a task that are read, some 90 words: what it is about is said in them."""


class Embedder(Protocol):
    """Turns texts into vectors that are near each other where the texts mean alike."""

    @property
    def model_id(self) -> str:
        """What made the vectors, at most 64 characters; those of another are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of length 1 for each text; shape (texts, `dimension`).

        The same text has the same row, whatever it stands beside.

        Raises:
            ConfigError: what it needs does not load.
        """
        ...


class MiniLmEmbedder:
    """MiniLM on this machine; implements `Embedder`. Thread-safe; loads it when first asked."""

    model_id = MODEL_ID
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row for each text; some 5 ms for a sentence."""
        import numpy as np

        rows = [self._encoder.encode(text.lower()) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dimension)

    @cached_property
    def _encoder(self) -> SentenceEncoder:
        try:
            from iris_harness.sentences.encoder import SentenceEncoder
            from iris_harness.sentences.wordpiece import load_vocabulary
        except ImportError as error:  # a library of the system that is missing
            raise ConfigError(f"MiniLM does not load: {error}") from error
        return SentenceEncoder(load_vocabulary(), most_pieces=_MOST_PIECES)


def build_embedder() -> Embedder | None:
    """Return what is installed; None without the extra ``minilm``. Nothing is loaded yet."""
    return MiniLmEmbedder() if is_minilm_installed() else None
