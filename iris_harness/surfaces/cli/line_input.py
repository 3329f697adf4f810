"""Lines typed by a person (edited, with a history) or piped by a program."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import click

from iris_harness.surfaces.cli.interrupts import Interrupts

_PROMPT = "> "
_HISTORY_LINES = 1000


def chat_history(data_folder: Path) -> Path:
    """Return the file of the lines typed in `iris chat`."""
    return data_folder / "chat_history"


class LineInput:
    """Yields lines until the end of input. Ctrl-C while typing only clears the line."""

    def __init__(self, history: Path, interrupts: Interrupts) -> None:
        """Keep the history of a terminal's lines in `history` (mode 0600)."""
        self._interrupts = interrupts
        self.interactive = sys.stdin.isatty()
        self._history = history

    def __enter__(self) -> Self:
        if self.interactive:
            self._load_history()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.interactive:
            self._save_history()

    def __iter__(self) -> Iterator[str]:
        while True:
            try:
                with self._interrupts.typing():
                    line = input(_PROMPT if self.interactive else "").strip()
            except KeyboardInterrupt:
                click.echo()
                continue
            except EOFError:
                if self.interactive:
                    click.echo()
                return
            if line:
                yield line

    def _load_history(self) -> None:
        import readline  # importing it is what makes `input` an editor

        readline.set_history_length(_HISTORY_LINES)
        if self._history.is_file():
            readline.read_history_file(self._history)

    def _save_history(self) -> None:
        import readline

        try:
            self._history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._history, os.O_CREAT | os.O_WRONLY, 0o600))
            readline.write_history_file(self._history)
        except OSError as error:
            click.echo(f"iris: the history was not kept: {error}", err=True)
