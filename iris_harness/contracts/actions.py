"""Actions: writes that a handler proposes and bootstrap's runner performs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.sources import SourceRef


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """One typed write, previewed before it happens and recorded with its inverse after.

    No action is ever derived from text that came out of a mail or an invitation.
    """

    kind: str
    """What is done, as ``todo.add``."""
    preview: str
    """What will have changed, in a sentence for the user."""
    target: SourceRef
    """What is written to."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    undoable: bool = True
    """False (sending mail) means the user must confirm it, whatever the confidence."""
