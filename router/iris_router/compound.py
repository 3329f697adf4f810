"""Several requests in one utterance: where one ends and the next begins.

A joint is a word that may join two requests ("and", "then"), or the end of a sentence. It
divides an utterance when what follows is a request of its own:

- after it comes a question or a word to the assistant ("tell me …", "what …");
- or a command ("add …", "send …"), unless what stands before is still being written down:
  "remind me to buy milk and send the letter" is one reminder, "add 'milk' to my list and send
  the letter" is two requests, since the first says where its text ends;
- or anything at all, where a word of sequence joins it to a request that writes nothing down
  ("plan my day, then dim the lights"), so that what is not understood can be asked about.

Nothing is divided within a quotation. One request depends on the one before it when it is to
come "then", or when it speaks of what the other gives ("mail it to me").
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

from iris_router.patterns import any_of
from iris_router.quotations import QUOTATION, may_quote

_SENTENCE_END = r"(?:[?!;]+|\.(?=\s))\s*"
_COMMA = r"\s*,\s*"
_MARKS = "?!;., "
_MARK = re.compile(r"[?!;.,]")


@dataclass(frozen=True, kw_only=True, slots=True)
class CompoundWords:
    """The tables of ``data/compound_<language>.toml``."""

    sequence: tuple[str, ...]
    """Words that join a request to one that comes after it."""
    addition: tuple[str, ...]
    """Words that join two requests."""
    addressed: tuple[str, ...]
    """Beginnings of what is said to the assistant, whatever stands before."""
    commands: tuple[str, ...]
    """Beginnings of commands, which may as well be part of a text being written down."""
    polite: tuple[str, ...]
    """What may stand before either."""
    back: tuple[str, ...]
    """Words for what the request before gives."""
    not_back: tuple[str, ...]
    """Words after which `back` means something else."""
    closing: tuple[str, ...]
    """Patterns with which a text being written down ends."""
    holding: tuple[str, ...]
    """Words before a text that ends with one of `held`."""
    held: tuple[str, ...]
    """Patterns."""


def load_compound_words(language: str) -> CompoundWords:
    """Return the tables of a language."""
    file = resources.files("iris_router").joinpath("data", f"compound_{language}.toml")
    tables: Mapping[str, list[str]] = tomllib.loads(file.read_text("utf-8"))
    return CompoundWords(**{name: tuple(words) for name, words in tables.items()})


class Joint(NamedTuple):
    """A place where an utterance may be divided."""

    start: int
    """Where the request before it ends."""
    end: int
    """Where the request after it begins."""
    is_sequence: bool
    """Whether what follows is to come after what stands before."""
    is_addressed: bool
    """Whether a question or a word to the assistant follows."""
    is_command: bool
    """Whether a command follows, which may be part of a text."""
    is_bare: bool
    """Whether there is a comma and no word, which joins many other things."""


class JointFinder:
    """Finds joints with the words of one language. Pure and thread-safe."""

    def __init__(self, words: CompoundWords) -> None:
        """Compile the tables."""
        sequence, addition = any_of(words.sequence), any_of(words.addition)
        self._joint = re.compile(
            rf"(?P<pause>{_SENTENCE_END}|{_COMMA}|\s+)(?:(?P<sequence>{sequence})|{addition})"
            rf"(?:\s+(?:{sequence}))?,?\s+"
            rf"|{_SENTENCE_END}(?=\S)|(?P<comma>{_COMMA})(?=\S)",
            re.IGNORECASE,
        )
        polite = rf"(?:(?:{any_of(words.polite)})\s+)*"
        self._addressed = re.compile(rf"{polite}(?:{any_of(words.addressed)})\b", re.IGNORECASE)
        self._command = re.compile(rf"{polite}(?:{any_of(words.commands)})\s", re.IGNORECASE)
        self._back = re.compile(
            rf"(?<!\w)(?P<before>\w+\s+)?(?:{any_of(words.back)})(?!\w)", re.IGNORECASE
        )
        self._not_back = frozenset(words.not_back)
        held = "|".join(words.held)
        # A joint has a mark, or one of these words between blanks.
        self._joining = frozenset(
            phrase.split()[0] for phrase in (*words.sequence, *words.addition)
        )
        self._held = re.compile(
            rf"\b(?:{any_of(words.holding)})\s(?:(?!{held}).)*(?:{held})\b", re.IGNORECASE
        )
        self._closing = re.compile(rf"(?:{'|'.join(words.closing)})$", re.IGNORECASE)

    def joints(self, text: str) -> Iterator[Joint]:
        """Yield the joints of `text` outside quotations and texts held together, in order."""
        marked = _MARK.search(text.rstrip(_MARKS)) is not None
        if not marked and self._joining.isdisjoint(text.lower().split()):
            return
        whole = [match.span() for match in self._held.finditer(text)]
        if may_quote(text):
            whole += [match.span() for match in QUOTATION.finditer(text)]
        for match in self._joint.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in whole):
                continue
            if text[: match.start()].strip() and match.end() < len(text):
                yield self._build_joint(text, match)

    def _build_joint(self, text: str, match: re.Match[str]) -> Joint:
        is_addressed = self._addressed.match(text, match.end()) is not None
        is_command = self._command.match(text, match.end()) is not None
        # "Then" in the middle of a sentence means many things, unless a request follows.
        is_marked = bool((match["pause"] or "").strip()) or " " in (match["sequence"] or "")
        return Joint(
            start=match.start(),
            end=match.end(),
            is_sequence=match["sequence"] is not None and (is_marked or is_addressed or is_command),
            is_addressed=is_addressed,
            is_command=is_command,
            is_bare=match["comma"] is not None,
        )

    def is_request(self, text: str) -> bool:
        """Return whether `text` begins as a question or a command does."""
        return any(begins.match(text) for begins in (self._addressed, self._command))

    def is_closed(self, text: str) -> bool:
        """Return whether a request that writes a text down says where the text ends."""
        bare = text.rstrip(" ,.")
        quotations = list(QUOTATION.finditer(bare))
        ends_quoted = bool(quotations) and quotations[-1].end() == len(bare)
        return ends_quoted or self._closing.search(bare) is not None

    def speaks_of_before(self, text: str) -> bool:
        """Return whether a request speaks of what the one before it gives."""
        bare = QUOTATION.sub(" ", text) if may_quote(text) else text
        return any(
            (match["before"] or "").strip().lower() not in self._not_back
            for match in self._back.finditer(bare)
        )
