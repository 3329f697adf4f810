"""The conversation: what is kept of it, and what no database could keep."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import NamedTuple

from iris_harness.bootstrap.assistant import Turn
from iris_harness.bootstrap.day import open_store
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.reports import ActionState
from iris_harness.curator.clean import clean, clean_lines
from iris_harness.errors import RecordNotFoundError
from iris_harness.storage.records import EntryState, StoredTurn
from iris_harness.storage.store import IrisStore

MOST_TURNS = 40
"""Turns of a conversation that a page shows."""

_MOST_UNKEPT = 100


class Exchange(NamedTuple):
    """One turn as a page shows it."""

    said: str
    answer: str
    at: dt.datetime
    """Aware."""
    entry: int | None = None
    """The change it made that can be taken back now; None: there is none."""
    is_taken_back: bool = False
    """Whether what it did is that something was undone."""


class Unkept:
    """The newest turn of a conversation that could not be kept: it is shown all the same.

    Used by one thread only, that of the server's event loop, but for `of`.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._turns: dict[str, Exchange] = {}

    def note(self, turn: Turn) -> None:
        """Remember a turn that was not kept; one that was kept takes its place."""
        trace, reply = turn.trace, turn.reply
        self._turns.pop(trace.session_id, None)
        if reply.trace_id:
            return
        if len(self._turns) >= _MOST_UNKEPT:
            del self._turns[next(iter(self._turns))]  # the oldest
        lines = (reply.text, *reply.warnings)
        self._turns[trace.session_id] = Exchange(
            said=clean(trace.utterance), answer=clean_lines("\n".join(lines)), at=trace.asked_at
        )

    def of(self, session: str) -> tuple[Exchange, ...]:
        """Return the turn of a conversation, () when all are kept."""
        found = self._turns.get(session)
        return () if found is None else (found,)


def read_talk(folder: Path, session: str) -> tuple[Exchange, ...]:
    """Return the turns of a conversation that are kept, oldest first.

    Raises:
        StorageError: the database cannot be read.
    """
    with open_store(folder) as store:
        turns = store.list_turns(session=session, limit=MOST_TURNS)
        return tuple(_exchange(turn, store) for turn in reversed(turns))


def _exchange(turn: StoredTurn, store: IrisStore) -> Exchange:
    entry, kind = _last_done(turn.trace)
    if entry is not None and not _is_undoable(entry, store):
        entry = None
    return Exchange(
        said=clean(turn.utterance),
        answer=clean_lines(turn.reply),
        at=turn.asked_at,
        entry=entry,
        is_taken_back=kind == ActionKind.UNDO,
    )


def _last_done(trace: str) -> tuple[int | None, str]:
    actions = json.loads(trace).get("actions", [])
    done = [one for one in actions if one["state"] == ActionState.DONE.value and one["entry"]]
    return (done[-1]["entry"], done[-1]["kind"]) if done else (None, "")


def _is_undoable(entry: int, store: IrisStore) -> bool:
    try:
        found = store.journal.get(entry)
    except RecordNotFoundError:
        return False
    return found.undoable and found.state is EntryState.DONE
