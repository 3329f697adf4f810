"""Which todo or event a user's words mean; never a guess."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from iris_harness.contracts.people import name_foldings, normal_name

_MOST_NEAREST = 3
_LEAST_ALIKE = 0.6
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
    3. the same without accents, or with umlauts spelt out;
    4. the beginning of the title, or words of it in any order, each whole or its beginning;
    5. the same without `generic` words, which say only what kind of thing it is ("appointment").
    """
    wanted = normal_name(words)
    specific = " ".join(word for word in _words(wanted) if word not in generic)
    rules: tuple[Callable[[ItemT], bool], ...] = (
        lambda item: words.strip() in item.keys,
        lambda item: normal_name(item.title) == wanted,
        lambda item: not _forms(item.title).isdisjoint(_forms(words)),
        lambda item: _has(item.title, wanted),
        lambda item: _has(item.title, specific),
    )
    for fits in rules if wanted else ():
        found = tuple(item for item in items if fits(item))
        if found:
            return ItemMatch(found=found)
    return ItemMatch(found=(), nearest=_nearest(wanted, items))


def item_number(words: str) -> int | None:
    """Return the number that words are ("3", "#3"); None when they are something else."""
    bare = words.strip().removeprefix(_MARKS_BEFORE_NUMBERS)
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < len("1000000") else None


def _forms(text: str) -> frozenset[str]:
    return frozenset(name_foldings(normal_name(text)))


def _has(title: str, wanted: str) -> bool:
    return any(_begins(own, asked) for own in _forms(title) for asked in _forms(wanted))


def _begins(title: str, wanted: str) -> bool:
    own, asked = _words(title), _words(wanted)
    if not asked:
        return False
    return title.startswith(wanted) or all(
        any(word.startswith(part) for word in own) for part in asked
    )


def _nearest(wanted: str, items: Sequence[ItemT]) -> tuple[ItemT, ...]:
    scored = ((_likeness(wanted, normal_name(item.title)), n) for n, item in enumerate(items))
    best = sorted((-score, n) for score, n in scored if score >= _LEAST_ALIKE)
    return tuple(items[n] for _, n in best[:_MOST_NEAREST])


def _likeness(wanted: str, title: str) -> float:
    """Return how alike two texts are, 0 to 1; a word of a long title counts by itself."""
    whole = _ratio(wanted, title)
    parts = (_ratio(one, other) for one in _words(wanted) for other in _words(title))
    return max(whole, max(parts, default=0.0) - (1 - whole) / 10)


def _ratio(one: str, other: str) -> float:
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    # The cheap bound first: a list may have thousands of todos.
    return matcher.ratio() if matcher.real_quick_ratio() >= _LEAST_ALIKE else 0.0


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text).split()
