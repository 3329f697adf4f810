"""Put the name of the source, and of the item, on what is said of a write that failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from iris_harness.errors import ChangedOutsideError, WriteError


@contextmanager
def named(source: str, item: str = "") -> Iterator[None]:
    """Let a `WriteError` of this block begin with the source it is about."""
    try:
        yield
    except WriteError as error:
        if not error.source:
            about = f'"{item}" in "{source}"' if item else f'"{source}"'
            error.source = source
            error.message = f"{about} {error.message}"
            error.args = (error.message,)
        raise


def not_found(uid: str, locator: str, noun: str) -> WriteError:
    """Return the error for an item that is no longer as it was read."""
    if locator and uid.startswith(f"{locator}#"):  # how readers name the second of two
        return WriteError(
            f"has two {noun}s of one UID, which Iris cannot tell apart to write one of them",
            hint="change it where it was made",
        )
    return ChangedOutsideError(
        f"no longer holds this {noun} as it was read", hint=f"look at the {noun}s again, then retry"
    )
