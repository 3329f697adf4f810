"""All rows that were written for this project and stand in the repository."""

from __future__ import annotations

from router_training.gibberish import sample_gibberish
from router_training.phrases import sample_phrases
from router_training.rows import Row

_SENTENCES = 14
"""Of each phrase, where it has so many."""
_GIBBERISH = 250


def own_rows() -> list[Row]:
    """Return them, in a fixed order."""
    return [*sample_phrases(_SENTENCES), *sample_gibberish(_GIBBERISH)]
