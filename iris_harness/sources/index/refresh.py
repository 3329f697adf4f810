"""Bring the index up to the files: read what changed, and nothing else."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from iris_harness.errors import SourceError
from iris_harness.sources.ical.components import Component, Stream
from iris_harness.sources.ical.entries import raw_uid
from iris_harness.sources.ical.events import count_events, event_components, unread_warnings
from iris_harness.sources.ical.screening import sure_days
from iris_harness.sources.index.files import NOT_THERE, Identity, SourceFiles, Sweep
from iris_harness.sources.index.manifest import FileNote, Manifest
from iris_harness.sources.index.tables import Tables, checksum
from iris_harness.sources.streams import doubts, parse_stream

TRUSTED_AFTER_NS = 2_500_000_000
"""Coarsest file systems tell times two seconds apart, so a file that changed so short before it
was read may be changed again without looking it."""

_SIZE = 2  # its place in an `Identity`
_MOST_CHANGES = 200
"""More owners than this are not corrected in each listing: the listings are made anew."""

_Signature = Mapping[int, Sequence[tuple[int, int, bytes]]]


class _Found(NamedTuple):
    """A file as it was just read."""

    name: str
    identity: Identity
    note: FileNote
    digest: bytes
    """Empty when it could not be read."""
    stream: Stream | None
    """None when it is no calendar, or was not read because its bytes are known."""
    is_trusted: bool


class _Difference(NamedTuple):
    """What a sweep shows that a manifest does not know."""

    gone: list[str]
    suspects: dict[str, Identity]
    """Files that must be read, in reading order."""
    items: int
    """How many files there are now."""


class Refreshed(NamedTuple):
    """What bringing the index up to date came to."""

    manifest: Manifest
    owners: frozenset[int] | None
    """Whose components changed; None means that all listings must be made anew."""


def refresh(
    tables: Tables, files: SourceFiles, sweep: Sweep, known: Manifest | None, now_ns: int
) -> Refreshed:
    """Read the files that changed since `known` and store what they hold.

    Args:
        tables: the rows of the calendar; a transaction that may write is open.
        files: the calendar's files.
        sweep: how they looked at `now_ns` or later.
        known: what is stored; None: nothing is.
        now_ns: the machine's time before `sweep`, POSIX nanoseconds.
    """
    difference = _difference(sweep, known)
    update = _Update(tables, files, now_ns)
    for name in difference.gone:
        update.remove(name)
    found = [update.read(name, identity) for name, identity in difference.suspects.items()]
    update.flush()
    return Refreshed(
        manifest=_manifest(known, sweep, found, difference),
        owners=None if len(update.owners) > _MOST_CHANGES else frozenset(update.owners),
    )


def _difference(sweep: Sweep, known: Manifest | None) -> _Difference:
    if known is None:
        everything = sweep.items()
        return _Difference([], everything, len(everything))
    few = known.untrusted if len(known.untrusted) <= _MOST_CHANGES else ()
    changed = sweep.suspects(known.sweep, few)
    if changed is not None and len(few) == len(known.untrusted):
        return _Difference([], changed, known.items)
    then, now = known.sweep.items(), sweep.items()
    gone = [name for name in then if name not in now]
    suspects = {
        name: identity
        for name, identity in now.items()
        if then.get(name) != identity or name in known.untrusted
    }
    return _Difference(gone, suspects, len(now))


def _manifest(
    known: Manifest | None, sweep: Sweep, found: Sequence[_Found], difference: _Difference
) -> Manifest:
    before = known or Manifest(sweep)
    counts, notes = dict(before.counts), dict(before.notes)
    untrusted = set(before.untrusted)
    for name in difference.gone:
        counts.pop(name, None)
        notes.pop(name, None)
        untrusted.discard(name)
    for item in found:
        untrusted.discard(item.name)
        if not item.is_trusted:
            untrusted.add(item.name)
        if item.stream is None and not item.note.problem:
            continue  # touched, not changed
        counts[item.name] = count_events(item.stream) if item.stream else 0
        notes[item.name] = item.note
    return Manifest(
        sweep=sweep,
        items=difference.items,
        untrusted=frozenset(untrusted),
        counts={name: count for name, count in counts.items() if count != 1},
        notes={name: note for name, note in notes.items() if note != FileNote()},
    )


class _Update:
    """Collects rows, and writes them together."""

    def __init__(self, tables: Tables, files: SourceFiles, now_ns: int) -> None:
        self._tables = tables
        self._files = files
        self._now_ns = now_ns
        self._next_file = itertools.count(tables.number("find_last_file") + 1)
        self._file_rows: list[dict[str, object]] = []
        self._component_rows: list[dict[str, object]] = []
        self.owners: set[int] = set()
        """Whose components are not what they were."""

    def remove(self, name: str) -> None:
        """Forget a file."""
        stored = self._tables.run("find_file", name=name).fetchone()
        if stored:
            self.owners.update(self._stored_signature(stored[0]))
            self._forget(stored[0])

    def read(self, name: str, identity: Identity) -> _Found:
        """Read a file, and take in what it holds unless it is known."""
        try:
            file = self._files.read(name)
        except SourceError as error:
            self.remove(name)
            problem = FileNote(problem=error.message)
            return _Found(name, identity, problem, b"", stream=None, is_trusted=False)
        digest = hashlib.blake2b(file.data, digest_size=16).digest()
        # What is made as it is read (/proc, some network drives) states no size, and no change.
        settled = self._is_settled(identity) and identity[_SIZE] == len(file.data)
        stored = self._tables.run("find_file", name=name).fetchone()
        if stored and stored[1] == digest:
            return _Found(name, identity, FileNote(), digest, stream=None, is_trusted=settled)
        try:
            stream = parse_stream(file)
        except SourceError as error:
            self.remove(name)
            problem = FileNote(problem=error.message)
            return _Found(name, identity, problem, digest, stream=None, is_trusted=settled)
        note = FileNote(doubts=tuple(doubts(stream)), unread=tuple(unread_warnings(stream)))
        self._take(name, digest, stream, stored)
        return _Found(name, identity, note, digest, stream=stream, is_trusted=settled)

    def _is_settled(self, identity: Identity) -> bool:
        if identity == NOT_THERE:
            return False
        changed_at, facts_changed_at, *_ = identity
        return max(changed_at, facts_changed_at) < self._now_ns - TRUSTED_AFTER_NS

    def _take(
        self, name: str, digest: bytes, stream: Stream, stored: tuple[int, bytes, int] | None
    ) -> None:
        context = self._tables.context_of(stream)
        found = [
            (number, item, _owner(item)) for number, item in enumerate(event_components(stream))
        ]
        self._compare(_signature(found), stored, context)
        if stored:
            self._forget(stored[0])
        file = next(self._next_file)
        self._file_rows.append({
            "id": file, "source": self._tables.source, "name": name, "digest": digest,
            "context": context,
        })  # fmt: skip
        self._component_rows += (
            self._row(file, number, item, owner) for number, item, owner in found
        )

    def _compare(
        self, new: _Signature, stored: tuple[int, bytes, int] | None, context: int
    ) -> None:
        old: _Signature = self._stored_signature(stored[0]) if stored else {}
        same_context = stored is not None and stored[2] == context
        self.owners.update(
            owner
            for owner in {**old, **new}
            if not same_context or old.get(owner) != new.get(owner)
        )

    def _stored_signature(self, file: int) -> _Signature:
        signature: dict[int, list[tuple[int, int, bytes]]] = {}
        for owner, calendar, closed, body in self._tables.run("list_components_of_file", file=file):
            signature.setdefault(owner, []).append((calendar, closed, body))
        return signature

    def _forget(self, file: int) -> None:
        self._tables.run("remove_components_of_file", file=file)
        self._tables.run("remove_file", file=file)

    def _row(self, file: int, number: int, item: Component, owner: int) -> dict[str, object]:
        days = sure_days((item,))
        return {
            "source": self._tables.source,
            "file": file,
            "number": number,
            "owner": owner,
            "line": item.line,
            "calendar": item.calendar,
            "closed": int(item.closed),
            "first_on": days and days[0].toordinal(),
            "last_on": days and days[1].toordinal(),
            "checksum": checksum(item),
            "body": item.body,
        }

    def flush(self) -> None:
        """Write the rows that were collected."""
        self._tables.run_many("write_file", self._file_rows)
        self._tables.run_many("write_component", self._component_rows)


def _signature(found: Iterable[tuple[int, Component, int]]) -> _Signature:
    signature: dict[int, list[tuple[int, int, bytes]]] = {}
    for _, item, owner in found:
        signature.setdefault(owner, []).append((item.calendar, int(item.closed), item.body))
    return signature


def _owner(component: Component) -> int:
    """Return a number for what is read together: a UID in a folder.

    Two that share a number by chance are read together, which changes nothing: the reader tells
    them apart.
    """
    folder = component.file.rpartition("/")[0]
    text = f"{folder}\0{raw_uid(component)}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big")
