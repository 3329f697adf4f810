"""What names a time that cannot be used: it does not exist, or lies outside the calendar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

ValueT = TypeVar("ValueT")


class NoSuchTimeError(ValueError):
    """What is said is no time. `end` is the token after it."""

    def __init__(self, end: int) -> None:
        """Take where it ends."""
        super().__init__(f"no such time, up to token {end}")
        self.end = end


def counted(end: int, count: Callable[[], ValueT]) -> ValueT:
    """Return what `count` makes of words that surely name a time and end before a token.

    Raises:
        NoSuchTimeError: the calendar, years 1 to 9999, has no such time.
    """
    try:
        return count()
    except NoSuchTimeError:
        raise
    except (ValueError, OverflowError) as error:
        raise NoSuchTimeError(end) from error
