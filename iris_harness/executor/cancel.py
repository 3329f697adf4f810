"""CancelToken: how a surface stops a turn."""

from __future__ import annotations

import threading
from collections.abc import Callable


class CancelToken:
    """Says once and for all that a turn shall stop. Thread-safe; `cancel` also in signal handlers.

    Implements `iris_harness.contracts.progress.CancelSignal`.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask for the stop; again does nothing."""
        self._event.set()
        for callback in tuple(self._callbacks):
            callback()

    def subscribe(self, callback: Callable[[], None]) -> None:
        """Have `callback` called at `cancel`, at once when that already happened.

        It may be called twice and from a signal handler: it must take no lock.
        """
        self._callbacks.append(callback)
        if self.cancelled:
            callback()

    def unsubscribe(self, callback: Callable[[], None]) -> None:
        """Undo one `subscribe`."""
        self._callbacks.remove(callback)
