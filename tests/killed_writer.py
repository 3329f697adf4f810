"""A process that makes changes and takes them back, without an end, for a test to kill.

It reads paths from its input, one a line. For each it forks a child that works on it, prints the
child's id, and waits for the child to be killed: a fork takes a hundredth of the time in which a
program starts.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
from pathlib import Path

from iris_harness.contracts.changes import EventDraft, TodoDraft, TurnTime
from iris_harness.sources.writing.opening import open_event_writer, open_todo_writer

AT = TurnTime(now=dt.datetime(2026, 4, 16, 8, tzinfo=dt.UTC), timezone="Europe/Berlin")
NEW = "new one " + "with words to fill a line " * 40
"""Title of what is added and taken out again."""


def work(path: Path) -> None:
    """Add an item and take it out again, for ever."""
    while True:
        for change in _changes(path):
            applier, made = change
            applied = applier.apply(made)
            applier.apply(applied.inverse())


def _changes(path: Path):  # type: ignore[no-untyped-def] # noqa: ANN202 - pairs of two kinds
    if path.suffix == ".txt":
        todos = open_todo_writer("todo", path)
        return [(todos, change) for change in todos.add(TodoDraft(summary=NEW), AT)]
    events = open_event_writer("home", path)
    draft = EventDraft(summary=NEW, start=dt.date(2026, 4, 16), end=dt.date(2026, 4, 17))
    return [(events, change) for change in events.add(draft, AT)]


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            work(Path(line.rstrip("\n")))
        print(child, flush=True)
        os.waitpid(child, 0)
        print("gone", flush=True)


if __name__ == "__main__":
    main()
