"""One line on the error stream that tells what a turn is doing, gone when it is done."""

from __future__ import annotations

from typing import TextIO

from iris_harness.contracts.progress import ProgressEvent, Stage

_ERASE_LINE = "\r\x1b[2K"


class ProgressLine:
    """Shows which agents are at work. Writes nothing where there is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        """Write to `stream` while it is a terminal."""
        self._stream = stream
        self._active = stream.isatty()
        self._working: dict[str, str] = {}

    def __call__(self, event: ProgressEvent) -> None:
        """Take one step of a running plan."""
        if event.stage is Stage.FINISHED:
            self._working.pop(event.task_id, None)
        else:
            self._working[event.task_id] = event.agent
        self._draw(f"… {', '.join(self._working.values())}" if self._working else "")

    def clear(self) -> None:
        """Remove the line."""
        self._draw("")

    def _draw(self, text: str) -> None:
        if self._active:
            self._stream.write(_ERASE_LINE + text)
            self._stream.flush()
