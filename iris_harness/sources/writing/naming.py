"""Put the name of the source, and of the item, on what is said of a write that failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from iris_harness.errors import WriteError


@contextmanager
def named(source: str, item: str = "") -> Iterator[None]:
    """Let a `WriteError` of this block begin with the source it is about."""
    try:
        yield
    except WriteError as error:
        if not error.source:
            about = f'"{item}" in {source}' if item else source
            error.source = source
            error.message = f"{about} {error.message}"
            error.args = (error.message,)
        raise
