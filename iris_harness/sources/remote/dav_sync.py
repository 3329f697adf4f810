"""The calendars or todo lists of a CalDAV server (`RemoteKind.CALDAV`), kept in step with it.

A refresh asks for each collection's marker, then for the changes since the last token, then for
the changed items. A server without tokens, or one that no longer knows ours, is asked for the
list of all items with their ETags instead. What was fetched is stored in batches: a large first
reading that runs out of time goes on where it ended.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from iris_harness.errors import SourceError
from iris_harness.sources.remote.dav import Changes, Collection, DavServer, RefusedError
from iris_harness.sources.remote.dav_copy import (
    CollectionCopy,
    Index,
    OvertakenError,
    remove_other_collections,
)
from iris_harness.sources.remote.kept_copy import Copy, CopyState
from iris_harness.sources.remote.outcome import Outcome
from iris_harness.sources.remote.settings import RemoteSource
from iris_harness.sources.remote.web import Web

_BATCH = 100
"""Items asked for at once; servers refuse very long lists."""


def refresh_caldav(source: RemoteSource, copy: Copy, web: Web, now: dt.datetime) -> Outcome:
    """Bring the copy in step with the server.

    A collection that cannot be read does not keep the others from being read.

    Raises:
        SourceError: the server cannot be asked at all, or has not what was named. The copy stays.
    """
    server = DavServer(web, source.http_url)
    home, wanted = find_collections(source, copy, server)
    copies = {collection: CollectionCopy(copy, collection.url) for collection in wanted}
    failures = [f for c, kept in copies.items() if (f := _refresh_one(server, c, kept)) is not None]
    state = CopyState(read_at=now, facts={"home": home})
    with copy.exclusive():
        remove_other_collections(copy, {kept.name for kept in copies.values()})
        if not failures:
            copy.store_state(state)
    return Outcome(
        reasons=tuple(failure.reason for failure in failures),
        unread=any(failure.unread for failure in failures),
    )


def find_collections(
    source: RemoteSource, copy: Copy, server: DavServer
) -> tuple[str, list[Collection]]:
    """Return the address of the user's collections, and those that `source` is about.

    Raises:
        SourceError: the server cannot be asked, or has not what was named.
    """
    home, found = _collections(server, copy.state())
    return home, _wanted(source, found)


def _collections(server: DavServer, known: CopyState | None) -> tuple[str, tuple[Collection, ...]]:
    home = known.facts.get("home") if known else None
    if isinstance(home, str):
        found = _still_there(server, home)
        if found:
            return home, found
    home = server.find_home()
    return home, server.collections(home)


def _still_there(server: DavServer, home: str) -> tuple[Collection, ...]:
    try:
        return server.collections(home)
    except RefusedError:  # moved since: looked for again
        return ()


def _wanted(source: RemoteSource, found: Sequence[Collection]) -> list[Collection]:
    fitting = [c for c in found if c.components is None or source.component.value in c.components]
    if not source.collections:
        return fitting
    for name in source.collections:
        if not any(_is_named(collection, name) for collection in fitting):
            names = ", ".join(collection.name for collection in fitting) or "none"
            raise SourceError(f"has no collection {name!r}; it has: {names}")
    return [c for c in fitting if any(_is_named(c, name) for name in source.collections)]


def _is_named(collection: Collection, name: str) -> bool:
    wanted = name.casefold()
    return wanted in {collection.name.casefold(), collection.last_segment.casefold()}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Failure:
    reason: str
    unread: bool


def _refresh_one(
    server: DavServer, collection: Collection, kept: CollectionCopy
) -> _Failure | None:
    try:
        _follow(server, collection, kept)
    except OvertakenError:
        # The other process is at it: what it has stored so far is read.
        if kept.load().complete:
            return None
        return _Failure(
            reason=f"{collection.name}: another Iris is reading it just now", unread=True
        )
    except SourceError as error:
        index = kept.load()
        so_far = "" if index.complete else f" ({len(index.items)} items read so far)"
        return _Failure(
            reason=f"{collection.name}: {error.message}{so_far}", unread=not index.complete
        )
    return None


def _follow(server: DavServer, collection: Collection, kept: CollectionCopy) -> None:
    index = kept.load()
    if index.complete and collection.marker is not None and index.marker == collection.marker:
        return
    changes = _changes(server, collection, index)
    gone = set(changes.deleted)
    index = replace(index, items={p: item for p, item in index.items.items() if p not in gone})
    for batch in _batches(_to_fetch(changes, index)):
        index = kept.store(index, server.fetch(collection, batch))
    kept.store(
        replace(index, complete=True, marker=collection.marker, token=changes.token), fetched={}
    )


def _changes(server: DavServer, collection: Collection, index: Index) -> Changes:
    if index.complete and index.token:
        changes = server.changes(collection, index.token)
        if changes is not None:
            return changes
    there = server.list_items(collection)
    gone = tuple(path for path in index.items if path not in there)
    # The token is older than the list: what changed in between is said again next time.
    return Changes(changed=there, deleted=gone, token=collection.token)


def _to_fetch(changes: Changes, index: Index) -> list[str]:
    return sorted(
        path
        for path, etag in changes.changed.items()
        if etag is None or path not in index.items or index.items[path].etag != etag
    )


def _batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(paths), _BATCH):
        yield paths[start : start + _BATCH]
