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
    4. the same without punctuation and `generic` words, which tell nothing ("the", "appointment");
    5. words of the title, in any order;
    6. its beginning, or beginnings of its words, in any order;
    7. rules 5 and 6 without `generic` words.
    """
    wanted = normal_name(words)
    specific = " ".join(_telling(_words(wanted), generic))
    rules: tuple[Callable[[ItemT], bool], ...] = (
        lambda item: words.strip() in item.keys,
        lambda item: normal_name(item.title) == wanted,
        lambda item: not _forms(item.title).isdisjoint(_forms(words)),
        lambda item: _is_titled(item.title, wanted, generic),
        lambda item: _has(item.title, wanted, _holds),
        lambda item: _has(item.title, wanted, _begins),
        lambda item: _has(item.title, specific, _holds),
        lambda item: _has(item.title, specific, _begins),
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


def _is_titled(title: str, wanted: str, generic: frozenset[str]) -> bool:
    own, asked = (
        {tuple(_telling(_words(form), generic)) for form in _forms(text)}
        for text in (title, wanted)
    )
    return not own.isdisjoint(asked - {()})


def _has(title: str, wanted: str, fits: Callable[[str, str], bool]) -> bool:
    return any(fits(own, asked) for own in _forms(title) for asked in _forms(wanted))


def _holds(title: str, wanted: str) -> bool:
    asked = set(_words(wanted))
    return bool(asked) and asked <= set(_words(title))


def _begins(title: str, wanted: str) -> bool:
    own, asked = _words(title), _words(wanted)
    if not asked:
        return False
    return title.startswith(wanted) or all(
        any(word.startswith(part) for word in own) for part in asked
    )


def _telling(words: Sequence[str], generic: frozenset[str]) -> list[str]:
    return [word for word in words if word not in generic]


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
