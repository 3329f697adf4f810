"""The terminal that Iris runs in."""

from __future__ import annotations

import threading
from typing import TextIO

from iris_harness.curator.clean import clean, clean_lines
from iris_harness.errors import DeliveryError
from iris_harness.surfaces.briefing.message import Message, Receipt

_BELL = "\a"


class TerminalChannel:
    """Prints, and rings the bell for a reminder where a person watches."""

    def __init__(self, name: str, stream: TextIO) -> None:
        """Take where it is printed."""
        self.name = name
        self._stream = stream
        self._lock = threading.Lock()

    def deliver(self, message: Message) -> Receipt:
        """Print it.

        Raises:
            DeliveryError: nobody reads there.
        """
        try:
            with self._lock:
                is_watched = self._stream.isatty()
                bell = _BELL if message.is_ring and is_watched else ""
                self._stream.write(f"{bell}{clean(message.title)}\n{clean_lines(message.text)}\n\n")
                self._stream.flush()
        except (OSError, ValueError) as error:
            raise DeliveryError(f"the terminal cannot be written: {error}") from error
        return Receipt("printed on a terminal" if is_watched else "printed")
