"""An action made ready: what exactly would change, before anything does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from iris_harness.contracts.actions import SURE
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.changes import Change
from iris_harness.contracts.marks import MarkChange
from iris_harness.contracts.reminders import ReminderChange
from iris_harness.curator.actions import Wording
from iris_harness.errors import StorageError


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """Everything that performing an action needs; nothing has been changed yet."""

    kind: str
    wording: Wording
    target: str = ""
    """The source that is changed, by name; empty when only what Iris keeps itself is."""
    changes: tuple[Change, ...] = ()
    """In the order in which they are made."""
    marks: tuple[MarkChange, ...] = ()
    reminders: tuple[ReminderChange, ...] = ()
    caution: str = ""
    """A sentence on what keeps it from having an effect, though it is done; empty: nothing does."""
    undoable: bool = True
    send: Callable[[], None] | None = None
    """What sends it to where it is kept by itself, such as the queue of jobs; None for changes."""
    undoes: int | None = None
    """The entry of the journal that this takes back."""
    is_taken_back: bool = False
    """Whether something is not as it was made any more; False where an undo is undone."""

    @property
    def is_empty(self) -> bool:
        """Whether all is as it was to become already."""
        return not (self.changes or self.marks or self.reminders or self.send)

    @property
    def is_final(self) -> bool:
        """Whether it can neither be undone nor, as what is sent away, be stopped later."""
        return not self.undoable and self.send is None

    @property
    def payload(self) -> str:
        """What the journal keeps of it."""
        return dump_payload(Payload(self.changes, self.marks, self.reminders))

    def needs_yes(self, confidence: float) -> bool:
        """Return whether the user has to be asked first, at a route's confidence."""
        return not self.undoable or confidence < SURE


class Payload(NamedTuple):
    """What one entry of the journal changes."""

    changes: tuple[Change, ...]
    marks: tuple[MarkChange, ...]
    reminders: tuple[ReminderChange, ...]


def dump_payload(payload: Payload) -> str:
    """Return changes as the journal keeps them."""
    tree: dict[str, Json] = {
        "changes": [change.to_json() for change in payload.changes],
        "marks": [mark.to_json() for mark in payload.marks],
        "reminders": [change.to_json() for change in payload.reminders],
    }
    return json.dumps(tree, ensure_ascii=False)


def load_payload(payload: str) -> Payload:
    """Return what `dump_payload` was given.

    Raises:
        StorageError: it is something else: the database was tampered with.
    """
    try:
        tree = json.loads(payload)
        return Payload(
            tuple(map(Change.from_json, tree["changes"])),
            tuple(map(MarkChange.from_json, tree["marks"])),
            tuple(map(ReminderChange.from_json, tree.get("reminders", ()))),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise StorageError(f"an entry of the journal cannot be read: {error}") from error
