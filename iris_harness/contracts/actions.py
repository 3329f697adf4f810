"""Actions: writes that a handler or a command proposes and bootstrap's runner performs."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.sources import SourceRef

SURE = 0.9
"""A route's confidence from which an action that can be undone is done without asking."""


class ActionKind(enum.StrEnum):
    """What can be done, with the arguments each takes (all text unless said otherwise).

    An `item` is in the user's words; the runner finds what they mean, and never guesses. Days,
    times and instants are ISO 8601: a plain date is a whole day, an instant has an offset.
    """

    TODO_ADD = "todo.add"  # summary, due?, priority? (1-9), estimate_minutes? (int), list?
    TODO_DONE = "todo.done"  # item, list?
    TODO_MOVE = "todo.move"  # item, list?, due? (None takes it off), to_list?
    TODO_RENAME = "todo.rename"  # item, title, list?
    TODO_SET = (
        "todo.set"  # item, list?, priority? (1-9), estimate_minutes? (int); None: takes it off
    )
    TODO_DELETE = "todo.delete"  # item, list?
    EVENT_ADD = "event.add"  # summary, start, end, calendar?, location?
    EVENT_MOVE = "event.move"  # item, start, end?, on? (the day of the occurrence)
    EVENT_DELETE = "event.delete"  # item, on?
    PIN = "plan.pin"  # item, day, start?
    UNPIN = "plan.unpin"  # item, day
    SKIP = "plan.skip"  # item, day
    UNSKIP = "plan.unskip"  # item, day
    WRITE_BLOCKS = "blocks.write"  # asked for with a plan, never with arguments
    JOB_SUBMIT = "job.submit"  # task, repo, file?
    JOB_CANCEL = "job.cancel"  # job: its id, as the port of jobs told it
    # of a reminder: summary?, then at (an instant), or day?, time? or times? ("08:00 20:00") and
    # rule? (RRULE); of a timer:
    REMINDER_ADD = "reminder.add"  # timer_seconds (int)
    REMINDER_SNOOZE = "reminder.snooze"  # at? or later_seconds? (int): the one that rang last
    REMINDER_MOVE = "reminder.move"  # item?, kind?, start (HH:MM, day, instant) or later_seconds
    REMINDER_CANCEL = "reminder.cancel"  # item?, kind?, times? or from? and to?, all? (bool)
    UNDO = "undo"  # entry? (int); without it the last change


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """One typed write, previewed before it happens and journaled with its inverse before it is.

    No action is ever derived from text that came out of a mail or an invitation: what it names
    (a title, an item, a place) stands in the user's own words, and the runner holds it to that.
    """

    kind: str
    """What is done: an `ActionKind`."""
    preview: str = ""
    """What will have changed, in a sentence for the user; the runner writes its own."""
    target: SourceRef | None = None
    """Where an item was when the user saw it and pointed at it; its title is in `arguments`. None:
    the user named it in words."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    undoable: bool = True
    """False (sending mail) means the user must confirm it, whatever the confidence."""
