"""Which todo or event a user's words mean; never a guess."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

_MOST_NEAREST = 3
_LEAST_ALIKE = 0.5
_MARKS_BEFORE_NUMBERS = "#"


class NamedItem(Protocol):
    """Something that can be meant."""

    @property
    def title(self) -> str:
        """What it is called."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """What else names exactly this one: its UID, its place in the source."""
        ...


ItemT = TypeVar("ItemT", bound=NamedItem)


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemMatch(Generic[ItemT]):
    """What words mean: one item, several, or none."""

    found: tuple[ItemT, ...]
    """What they fit, in the order given; exactly one is what they mean."""
    nearest: tuple[ItemT, ...] = ()
    """The most similar items where nothing fits, most similar first."""


def find_item(
    words: str, items: Sequence[ItemT], generic: frozenset[str] = frozenset()
) -> ItemMatch[ItemT]:
    """Return which of `items` the words mean.

    The first of these that fits any item decides:

    1. a UID or a place ("line 12"), to the letter;
    2. the whole title, whatever its case and white space;
    3. the same without accents;
    4. the beginning of the title, or words of it in any order, each whole or its beginning;
    5. the same without `generic` words, which say only what kind of thing it is ("appointment").
    """
    wanted = _folded(words)
    if not wanted:
        return ItemMatch(found=())
    bare = _bare(wanted)
    specific = " ".join(word for word in _words(bare) if word not in generic)
    rules: tuple[Callable[[ItemT], bool], ...] = (
        lambda item: words.strip() in item.keys,
        lambda item: _folded(item.title) == wanted,
        lambda item: _bare(_folded(item.title)) == bare,
        lambda item: _has(_bare(_folded(item.title)), bare),
        lambda item: _has(_bare(_folded(item.title)), specific),
    )
    for fits in rules:
        found = tuple(item for item in items if fits(item))
        if found:
            return ItemMatch(found=found)
    return ItemMatch(found=(), nearest=_nearest(bare, items))


def item_number(words: str) -> int | None:
    """Return the number that words are ("3", "#3"); None when they are something else."""
    bare = words.strip().removeprefix(_MARKS_BEFORE_NUMBERS)
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < len("1000000") else None


def _has(title: str, wanted: str) -> bool:
    own = _words(title)
    asked = _words(wanted)
    if not asked:
        return False
    return title.startswith(wanted) or all(
        any(word.startswith(part) for word in own) for part in asked
    )


def _nearest(wanted: str, items: Sequence[ItemT]) -> tuple[ItemT, ...]:
    scored = [(_likeness(wanted, _bare(_folded(item.title))), n) for n, item in enumerate(items)]
    best = sorted((-score, n) for score, n in scored if score >= _LEAST_ALIKE)
    return tuple(items[n] for _, n in best[:_MOST_NEAREST])


def _likeness(wanted: str, title: str) -> float:
    """Return how alike two texts are, 0 to 1; a part of a long title counts by itself."""
    whole = difflib.SequenceMatcher(None, wanted, title, autojunk=False).ratio()
    parts = (
        difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
        for one in _words(wanted)
        for other in _words(title)
    )
    return max(whole, max(parts, default=0.0) - (1 - whole) / 10)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _bare(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text).split()
