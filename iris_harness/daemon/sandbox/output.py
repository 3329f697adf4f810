"""Keeps the beginning and the end of what a run prints."""

from __future__ import annotations


class Kept:
    """Takes bytes as they come, and holds at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        """Take how many bytes to hold: a quarter of them from the beginning."""
        self._first_limit = limit // 4
        self._last_limit = limit - self._first_limit
        self._first = bytearray()
        self._last = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take what was printed next."""
        room = self._first_limit - len(self._first)
        self._first += data[: max(room, 0)]
        self._last += data[max(room, 0) :]
        over = len(self._last) - self._last_limit
        if over > 0:
            del self._last[:over]
            self._dropped += over

    def text(self) -> str:
        """Return what is held, with a line that says how much is not."""
        if not self._dropped:
            return (self._first + self._last).decode("utf-8", "replace")
        first, last = (part.decode("utf-8", "replace") for part in (self._first, self._last))
        return f"{first}\n[... {self._dropped} bytes are left out here ...]\n{last}"
