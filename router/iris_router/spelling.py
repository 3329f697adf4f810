"""Misspelt words of requests: what is no word, and nearly one that requests are made of, is it.

Only how words are read changes, never what is written down: a title stays as it was typed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import resources
from typing import Any, NamedTuple

from iris_harness.sentences.vocabulary import read_vocabulary

_SHORTEST = 5
"""Letters of a word whose likeness tells anything."""
_LONGEST = 20
_WORD = re.compile(r"[^\W_]+")


class Repair(NamedTuple):
    """A misspelt word: where it stands, and what is meant."""

    start: int
    end: int
    word: str


def put_right(text: str, repairs: Sequence[Repair]) -> str:
    """Return `text` with the words that are meant."""
    parts: list[str] = []
    at = 0
    for repair in repairs:
        parts += [text[at : repair.start], repair.word]
        at = repair.end
    return "".join([*parts, text[at:]])


def typed_place(place: int, repairs: Sequence[Repair]) -> int:
    """Return where in what was typed a place of what was put right is."""
    moved = 0
    for repair in repairs:
        if place <= repair.start + moved:
            break
        moved += len(repair.word) - (repair.end - repair.start)
    return place - moved


class Speller:
    """Puts misspelt words right. Pure and thread-safe; loads its vocabulary when first needed."""

    def __init__(self, tables: Mapping[str, Any], load: Callable[[], Iterable[str]]) -> None:
        """Take the tables of a language, and what loads all words of it."""
        self._typed: Mapping[str, str] = tables["typed"]
        self._short = frozenset(self._typed)
        self._words = frozenset(tables["words"])
        self._not = frozenset(tables["not"])
        self._load = load
        self._near: dict[str, set[str]] = {}
        for word in sorted(self._words):
            for form in (word, *_shorter(word)):
                self._near.setdefault(form, set()).add(word)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._load())

    def repairs(self, text: str) -> tuple[Repair, ...]:
        """Return what is to be put right in `text`, in its order."""
        return tuple(self._repairs(text)) if self._may_err(text) else ()

    def _may_err(self, text: str) -> bool:
        """Return whether a word of a text is none; of nearly every text, none is."""
        words = _WORD.findall(text.lower())
        if not self._short.isdisjoint(words):
            return True
        others = [word for word in words if len(word) >= _SHORTEST and word not in self._words]
        return bool(others) and not self._known.issuperset(others)

    def _repairs(self, text: str) -> Iterator[Repair]:
        for match in _WORD.finditer(text):
            word = match[0]
            # In the middle of a sentence a capital makes a name.
            if match.start() and word[0].isupper() and not word.isupper():
                continue
            meant = self._meant(word.lower())
            if meant is not None:
                yield Repair(match.start(), match.end(), meant)

    def _meant(self, word: str) -> str | None:
        if word in self._typed:
            return self._typed[word]
        if not _SHORTEST <= len(word) <= _LONGEST or word in self._words or not word.isalpha():
            return None
        if word in self._known or word in self._not:
            return None
        forms = (word, *_shorter(word))
        near = set().union(*(self._near.get(form, ()) for form in forms))
        meant = sorted(one for one in near if one[0] == word[0] and _is_near(one, word))
        return meant[0] if len(meant) == 1 else None


def load_speller(language: str) -> Speller:
    """Return the speller of a language (``data/spelling_<language>.toml``)."""
    folder = resources.files("iris_router").joinpath("data")
    tables = tomllib.loads(folder.joinpath(f"spelling_{language}.toml").read_text("utf-8"))
    return Speller(tables, lambda: read_vocabulary(language))


def _shorter(word: str) -> Iterator[str]:
    """Yield a word without each of its letters."""
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def right_place(place: int, repairs: Sequence[Repair]) -> int:
    """Return where in what was put right a place of what was typed is."""
    return place + sum(len(one.word) - (one.end - one.start) for one in repairs if one.end <= place)


def _is_near(one: str, other: str) -> bool:
    """Return whether words differ by one letter, or by two neighbours that changed places."""
    pairs = enumerate(zip(one, other, strict=False))
    start = next((at for at, pair in pairs if pair[0] != pair[1]), min(len(one), len(other)))
    rest, others = one[start:], other[start:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return others in {rest[1:], swapped} or others[1:] in {rest, rest[1:]}
