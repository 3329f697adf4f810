"""How a refresh went that did reach the server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What could not be refreshed though the rest was; by default nothing."""

    reasons: tuple[str, ...] = ()
    """One for each part that failed, naming it."""
    unread: bool = False
    """Whether there is a part that was never read in full."""
