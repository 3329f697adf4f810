"""What Ctrl-C means during a conversation: it stops what is going on, never the program."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

from iris_harness.executor import CancelToken


class Interrupts:
    """Takes Ctrl-C while it is open: it cancels the running turn, or clears the line typed.

    Between the two it does nothing, so that a second press never ends the program by chance.
    """

    def __init__(self) -> None:
        self._turn: CancelToken | None = None
        self._typing = False
        self._before: signal._HANDLER = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def typing(self) -> Iterator[None]:
        """Ctrl-C raises `KeyboardInterrupt` inside."""
        self._typing = True
        try:
            yield
        finally:
            self._typing = False

    @contextmanager
    def turn(self) -> Iterator[CancelToken]:
        """Ctrl-C cancels the token given inside."""
        self._turn = CancelToken()
        try:
            yield self._turn
        finally:
            self._turn = None

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        if self._turn is not None:
            self._turn.cancel()
        elif self._typing:
            self._typing = False  # once: the exception is on its way
            raise KeyboardInterrupt
