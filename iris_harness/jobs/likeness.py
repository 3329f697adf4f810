"""How alike texts are by their words; no model, and no meaning."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

_WORD = re.compile(r"[^\W_]{3,}")
_EMPTY_WORDS = frozenset(
    {"the", "and", "for", "with", "from", "that", "this", "then", "into", "all", "our", "please"}
)


def likeness(text: str, others: Sequence[str]) -> tuple[float, ...]:
    """Return how alike `text` is to each of `others`, 0 to 1; rare words say more than common ones.

    Cosine of term frequencies weighted by inverse document frequency (Salton and Buckley 1988).
    """
    counts = [_words(one) for one in (text, *others)]
    spread = Counter(word for words in counts for word in words)
    weights = {word: math.log(1 + len(counts) / number) for word, number in spread.items()}
    vectors = [_weighted(words, weights) for words in counts]
    return tuple(_cosine(vectors[0], vector) for vector in vectors[1:])


def _words(text: str) -> Counter[str]:
    found = (word.casefold() for word in _WORD.findall(text))
    return Counter(word for word in found if word not in _EMPTY_WORDS)


def _weighted(words: Mapping[str, int], weights: Mapping[str, float]) -> dict[str, float]:
    return {word: (1 + math.log(count)) * weights[word] for word, count in words.items()}


def _cosine(one: Mapping[str, float], two: Mapping[str, float]) -> float:
    lengths = math.sqrt(math.fsum(v * v for v in one.values()))
    lengths *= math.sqrt(math.fsum(v * v for v in two.values()))
    shared = math.fsum(value * two[word] for word, value in one.items() if word in two)
    return shared / lengths if lengths else 0.0
