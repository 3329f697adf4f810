"""Reports: what became of actions, for every surface."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class ActionState(enum.StrEnum):
    """What became of an action."""

    DONE = "done"
    ASKED = "asked"  # nothing is done: it waits for the user's yes
    UNCHANGED = "unchanged"  # all is as it was to become already
    DECLINED = "declined"  # nothing is done: the user said no
    PREVIEWED = "previewed"  # only shown
    REFUSED = "refused"  # nothing is done; `text` says why


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionReport:
    """What became of one action, for every surface."""

    kind: str
    state: ActionState
    text: str
    """In sentences: what was done, is asked, or why not."""
    entry: int | None = None
    """The number it is undone by; None when nothing was done."""
    target: str = ""
    """The source that is changed, by name; empty for Iris' own marks and for what is refused."""
    undoable: bool = True
    is_taken_back: bool = False
    """Whether what was done is that something was undone, so that undoing it does that again."""
    candidates: tuple[str, ...] = ()
    """What an item's words may mean, when that is why nothing was done."""
    notes: tuple[str, ...] = ()
    """What else is to be said: an earlier change that was interrupted, and how it ended."""

    @property
    def is_question(self) -> bool:
        """Whether it waits for the user's yes or no."""
        return self.state is ActionState.ASKED
