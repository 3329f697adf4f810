"""How a change ended in whose middle Iris was stopped: found by looking at the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from iris_harness.bootstrap.actions.prepared import load_payload
from iris_harness.contracts.changes import Change, ChangeApplier, Standing, Writers
from iris_harness.curator.language import Language
from iris_harness.errors import ReadOnlySourceError, WriteError
from iris_harness.storage.records import JournalEntry
from iris_harness.storage.store import IrisStore


def applier_of(writers: Writers, change: Change) -> ChangeApplier:
    """Return who applies a change.

    Raises:
        ReadOnlySourceError: its source is not set up any more.
    """
    found = writers.of(change)
    if found is None:
        raise ReadOnlySourceError(
            f"{change.source} is not set up any more, so it cannot be changed",
            source=change.source,
            hint="`iris sources` lists what is",
        )
    return found


def take_back(writers: Writers, made: Sequence[Change]) -> None:
    """Take changes back that were made, the last one first.

    Raises:
        WriteError: one of them cannot be.
    """
    for change in reversed(made):
        applier_of(writers, change).apply(change.inverse())


class Settler:
    """Settles the entries that a crash left open. Its caller holds the lock of all changes."""

    def __init__(
        self, store: IrisStore, writers: Callable[[], Writers], language: Language
    ) -> None:
        """Take the open database; the writers are asked for only when an entry is open."""
        self._store = store
        self._writers = writers
        self._language = language

    def settle(self) -> tuple[str, ...]:
        """Settle all of them; return a sentence on each, oldest first."""
        return tuple(self._settle())

    def _settle(self) -> Iterator[str]:
        for entry in self._store.journal.list_intended():
            changes = load_payload(entry.payload).changes
            try:
                standings = [self._standing(change) for change in changes]
                yield self._end(entry, changes, standings)
            except WriteError as error:  # a server that cannot be asked: tried again next time
                yield self._say("unknown", entry, reason=str(error))

    def _standing(self, change: Change) -> Standing:
        return applier_of(self._writers(), change).standing(change)

    def _end(
        self, entry: JournalEntry, changes: Sequence[Change], standings: Sequence[Standing]
    ) -> str:
        if standings and all(one is Standing.DONE for one in standings):
            self._store.journal.finish(
                entry.entry_id, payload=entry.payload, detail="found done after a crash"
            )
            return self._say("done", entry, number=str(entry.entry_id))
        how = "failed"  # what Iris keeps changes with the end of the entry: it is not made
        if Standing.CHANGED in standings:
            how = "changed"
        elif Standing.DONE in standings:
            pairs = zip(changes, standings, strict=True)
            take_back(self._writers(), [change for change, one in pairs if one is Standing.DONE])
            how = "rolled_back"
        text = self._say(how, entry)
        self._store.journal.fail(entry.entry_id, payload=entry.payload, detail=text)
        return text

    def _say(self, how: str, entry: JournalEntry, **values: str) -> str:
        return self._language.say(f"action.settled.{how}", preview=entry.preview, **values)
