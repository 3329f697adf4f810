"""Cut a file into its cards, as bytes, before anything can fail."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile(
    rb"^(?:[\w-]+\.)?(BEGIN|END)[ \t]*:[ \t]*VCARD[ \t]*\r?$", re.MULTILINE | re.IGNORECASE
)
# vCard 2.1 puts a person's assistant, a card of its own, in the middle of the person's.
_AGENT = re.compile(rb"AGENT[^:\r\n]*:\s*\Z", re.IGNORECASE)
_AGENT_BYTES = 80


class Card(NamedTuple):
    """One card of a file."""

    body: bytes
    """Its own lines, still folded."""
    line: int
    """1-based line of its BEGIN."""
    closed: bool
    """False when its END is missing."""


def split_cards(data: bytes) -> tuple[Card, ...]:
    """Split `data` (see `decoding.plain_bytes`). Linear in its size; never raises."""
    splitter = _Splitter(data)
    for mark in _MARK.finditer(data):
        splitter.take(mark)
    splitter.close(len(data), closed=False)
    return tuple(splitter.cards)


class _Splitter:
    """Follows BEGIN and END; forgiving where they do not match."""

    def __init__(self, data: bytes) -> None:
        self.cards: list[Card] = []
        self._data = data
        self._begin: int | None = None
        self._pieces: list[bytes] = []
        self._piece = 0  # where the part of the card begins that is not in `_pieces` yet
        self._agents = 0  # cards that are open inside the card
        self._line = 1
        self._counted_to = 0

    def take(self, mark: re.Match[bytes]) -> None:
        begins = mark[1].upper() == b"BEGIN"
        if self._begin is None:
            if begins:
                self._open(mark)
        elif begins and self._is_agent(mark.start()):
            if not self._agents:
                self._pieces.append(self._data[self._piece : mark.start()])
            self._agents += 1
        elif begins:
            self.close(mark.start(), closed=False)
            self._open(mark)
        elif self._agents:
            self._agents -= 1
            self._piece = mark.end()
        else:
            self.close(mark.start(), closed=True)

    def _is_agent(self, begin: int) -> bool:
        return _AGENT.search(self._data[max(begin - _AGENT_BYTES, 0) : begin]) is not None

    def _open(self, mark: re.Match[bytes]) -> None:
        self._begin, self._piece = mark.start(), mark.end()

    def close(self, end: int, *, closed: bool) -> None:
        if self._begin is None:
            return
        if not self._agents:
            self._pieces.append(self._data[self._piece : end])
        self._line += self._data.count(b"\n", self._counted_to, self._begin)
        self._counted_to = self._begin
        self.cards.append(Card(body=b"".join(self._pieces), line=self._line, closed=closed))
        self._begin, self._pieces, self._agents = None, [], 0
