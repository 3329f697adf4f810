"""What fingers, cats and broken programs type: words that are none."""

from __future__ import annotations

import random

from iris_harness.contracts.routing import OUT_OF_SCOPE
from router_training.rows import Row

_LETTERS = (
    "abcdefghijklmnopqrstuvwxyz", "asdfghjkl", "qwertyuiop", "zxcvbnm", "xzqkj",
    "0123456789abcdef", "\u03b1\u03b2\u03b3\u03b4\u03b5\u03b8\u03bb\u03c0",
    "\u0430\u0431\u0432\u0433\u0434\u0435\u0438",
    "\u0627\u0628\u062a\u062d\u062f\u0631\u0645\u0646",
    "\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5", "\u4eca\u5929\u662f\u6211\u4f60\u4e0d",
    "\u3042\u3044\u3046\u3048\u304a\u304b\u304d",
    "\u0905\u0906\u0915\u0916\u0917\u0924\u0928",
)  # fmt: skip
_SEED = 11
SOURCE = "gibberish"


def sample_gibberish(count: int) -> list[Row]:
    """Return `count` rows of it, all out of scope."""
    source = random.Random(_SEED)  # noqa: S311 - sampling, no secret
    return [Row(text=_text(source), intent=OUT_OF_SCOPE, source=SOURCE) for _ in range(count)]


def _text(source: random.Random) -> str:
    letters = source.choice(_LETTERS)
    return " ".join(_word(letters, source) for _ in range(source.choice((1, 1, 2, 3, 5))))


def _word(letters: str, source: random.Random) -> str:
    if source.random() < 0.3:  # noqa: PLR2004 - a key held down
        return source.choice(letters) * source.randrange(2, 7)
    return "".join(source.choice(letters) for _ in range(source.randrange(2, 9)))
