r"""Sentences from phrases with choices, written for this project (``tools/router_phrases``).

::

    [planner]                                the intent of the lines below it
    (plan|organize) <day> [please|for me]    (one of), a word of a slot, [perhaps one of]

Each phrase draws from a source seeded by its own text, so a new phrase changes no other's
sentences.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from router_training.rows import Row

FOLDER = Path(__file__).parent.parent / "router_phrases"
SOURCE = "phrases"
_SLOT = re.compile(r"<(\w+)> (.*)")
_SECTION = re.compile(r"\[([a-z_]+(?:\.[a-z]+)?)\]")
_INNERMOST = re.compile(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]|<(\w+)>")
_PERHAPS = 0.45
"""How often what may be there is there."""
_TRIES = 3
"""How often a sentence may come out that was there already, for each that is wanted."""


def sample_phrases(count: int) -> list[Row]:
    """Return up to `count` different sentences of each phrase, in the order of the files."""
    slots = _read_slots((FOLDER / "slots.txt").read_text("utf-8"))
    rows = []
    for path in sorted(FOLDER.glob("*.txt")):
        if path.name != "slots.txt":
            for intent, phrase in _read_phrases(path.read_text("utf-8")):
                sentences = _sentences(phrase, slots, count)
                rows += [Row(text=text, intent=intent, source=SOURCE) for text in sentences]
    return rows


def _read_slots(text: str) -> dict[str, list[str]]:
    slots: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.splitlines():
        if found := _SLOT.fullmatch(line):
            words = slots.setdefault(found[1], [])
            words += _choices(found[2])
        elif line.startswith("  "):
            words += _choices(line)
    return slots


def _choices(text: str) -> list[str]:
    return [word.strip() for word in text.split("|")]


def _read_phrases(text: str) -> Iterator[tuple[str, str]]:
    intent = ""
    for line in text.splitlines():
        if section := _SECTION.fullmatch(line):
            intent = section[1]
        elif line and not line.startswith("#"):
            yield intent, line


def _sentences(phrase: str, slots: Mapping[str, list[str]], count: int) -> list[str]:
    source = random.Random(zlib.crc32(phrase.encode()))  # noqa: S311 - sampling, no secret
    found: dict[str, None] = {}
    for _ in range(count * _TRIES):
        if len(found) < count:
            found.setdefault(_sentence(phrase, slots, source))
    return list(found)


def _sentence(phrase: str, slots: Mapping[str, list[str]], source: random.Random) -> str:
    while place := _INNERMOST.search(phrase):
        one_of, perhaps, slot = place.groups()
        if slot is not None:
            word = source.choice(slots[slot])
        elif one_of is not None:
            word = source.choice(one_of.split("|"))
        else:
            word = source.choice(perhaps.split("|")) if source.random() < _PERHAPS else ""
        phrase = phrase[: place.start()] + word + phrase[place.end() :]
    return " ".join(phrase.split())
