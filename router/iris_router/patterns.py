"""Regular expressions made of word tables."""

from __future__ import annotations

import re
from collections.abc import Iterable


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern of any of `phrases`, the longest that fits first, any blanks between."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in longest_first)


def compile_all(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Return the patterns compiled, upper and lower case alike."""
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
