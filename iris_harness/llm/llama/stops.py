"""Text that ends where a certain text begins, also when that comes in pieces."""

from __future__ import annotations


class StopText:
    """Gives text on as soon as it cannot be the beginning of the stop.

    Attributes:
        found: whether the stop came; what comes after it is left out.
    """

    def __init__(self, stop: str) -> None:
        """Take the stop; empty: none."""
        self._stop = stop
        self._held = ""
        self.found = False

    def add(self, piece: str) -> str:
        """Take a piece, and return what may be given on."""
        if self.found:
            return ""
        if not self._stop:
            return piece
        text = self._held + piece
        before, stop, _ = text.partition(self._stop)
        if stop:
            self.found, self._held = True, ""
            return before
        held = _overlap(text, self._stop)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Return what was held back, at the end."""
        rest, self._held = self._held, ""
        return rest


def _overlap(text: str, stop: str) -> int:
    """Return how many letters at the end of `text` begin `stop`."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if stop.startswith(text[-size:])), 0)
