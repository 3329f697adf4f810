"""What the router knows about a language, apart from intents: a table of words per language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iris_router.scopes_words import ScopeWords


@dataclass(frozen=True, kw_only=True, slots=True)
class NormalWords:
    """How different spellings of the same words are made equal. Keys and values are lower case."""

    tokens: Mapping[str, str]
    """A word as people write it, to the words it stands for (``whats`` to ``what is``)."""
    endings: Mapping[str, str]
    """What stands behind an apostrophe, to the word it stands for (``m`` to ``am``)."""
    fillers: frozenset[str]
    """Words that never change what is asked, wherever they stand."""
    openings: tuple[str, ...]
    """Patterns of polite beginnings; removed while something follows."""
    closings: tuple[str, ...]
    """Polite ends, with the blank before them; removed while something stands before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Language:
    """One language."""

    normal: NormalWords
    scopes: ScopeWords
