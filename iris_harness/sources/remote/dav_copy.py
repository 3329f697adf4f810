"""The copy of a CalDAV server: a vdir of collections, and beside it what the server said of each.

Items keep their file from one refresh to the next, so that only what changed is written. A crash
leaves at worst items that are newer than their index says; the next refresh fetches them again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
from collections.abc import Collection as Container
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from iris_harness.sources.remote.dav import Item, last_segment
from iris_harness.sources.remote.kept_copy import ITEMS, Copy
from iris_harness.storage.files import make_private_folder, new_private_file, write_atomically

_INDEXES = "indexes"
_VERSION = 1
_LONGEST_NAME = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """One item of the copy."""

    etag: str | None
    file: str
    size: int
    """In bytes: tells a file that lost its content when the power went."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Index:
    """What is kept of one collection."""

    items: Mapping[str, Kept] = field(default_factory=dict)
    """By path on the server."""
    complete: bool = False
    """Whether it was fetched in full once; else some of it is missing."""
    marker: str | None = None
    token: str | None = None
    revision: int = 0
    """Counts the times it was stored: who finds another number was overtaken."""


class OvertakenError(Exception):
    """Another process has stored a newer index meanwhile."""


class CollectionCopy:
    """The copy of one collection."""

    def __init__(self, copy: Copy, url: str) -> None:
        """Take the copy of the source, and the address of the collection on the server."""
        self.name = _file_name(url, digits=8)
        self._copy = copy
        self._folder = copy.folder / ITEMS / self.name
        self._file = copy.folder / _INDEXES / f"{self.name}.json"

    def load(self) -> Index:
        """Return the index without the items whose file is not as it was stored."""
        try:
            tree = json.loads(self._file.read_bytes())
            if tree.pop("version") != _VERSION:
                return Index()
            kept = {path: Kept(**item) for path, item in tree.pop("items").items()}
            index = Index(items=kept, **tree)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return Index()  # missing or damaged: fetched anew
        sizes = self._sizes()
        intact = {path: item for path, item in kept.items() if sizes.get(item.file) == item.size}
        whole = len(intact) == len(kept)
        return index if whole else Index(items=intact, revision=index.revision)

    def _sizes(self) -> dict[str, int]:
        try:
            return {entry.name: entry.stat().st_size for entry in self._folder.iterdir()}
        except OSError:
            return {}

    def store(self, index: Index, fetched: Mapping[str, Item]) -> Index:
        """Write what was fetched and keep the new index.

        With nothing fetched, files that the index does not name are removed.

        Raises:
            OvertakenError: the index on the disk is not the one that `index` was made from.
            SourceError: it cannot be written.
        """
        with self._copy.exclusive():
            if self._stored_revision() != index.revision:
                raise OvertakenError
            make_private_folder(self._folder)
            make_private_folder(self._file.parent)
            written = {path: self._write(path, item) for path, item in fetched.items()}
            new = Index(
                items={**index.items, **written},
                complete=index.complete,
                marker=index.marker,
                token=index.token,
                revision=index.revision + 1,
            )
            if not fetched:  # once, after the last batch
                self._remove_others({item.file for item in new.items.values()})
            write_atomically(self._file, _to_json(new))
        return new

    def _stored_revision(self) -> int:
        try:
            return int(json.loads(self._file.read_bytes())["revision"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def _write(self, path: str, item: Item) -> Kept:
        # Not forced to the disk one by one, which takes minutes for thousands: `load` finds
        # the ones that were lost.
        name = _file_name(path.removesuffix(".ics"), digits=12) + ".ics"
        scratch = new_private_file(self._folder, ".new-")
        try:
            scratch.write_bytes(item.data)
            scratch.replace(self._folder / name)
        finally:
            scratch.unlink(missing_ok=True)
        return Kept(etag=item.etag, file=name, size=len(item.data))

    def _remove_others(self, files: Container[str]) -> None:
        for path in self._folder.iterdir():
            if path.name not in files:
                path.unlink(missing_ok=True)


def kept_items(copy: Copy) -> Iterator[tuple[str, bytes]]:
    """Yield path on the server and content of every item of a copy."""
    for file in sorted((copy.folder / _INDEXES).glob("*.json")):
        try:
            items = json.loads(file.read_bytes())["items"]
            folder = copy.folder / ITEMS / file.stem
            found = {path: folder / item["file"] for path, item in sorted(items.items())}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # damaged: fetched anew when it is next read
        for path, item in found.items():
            with contextlib.suppress(OSError):
                yield path, item.read_bytes()


def keep_item(copy: Copy, collection_url: str, path: str, item: Item | None) -> None:
    """Let the copy say of one item what was just written to the server; None: it is gone.

    Raises:
        OvertakenError: another process is at it; its refresh will find the item.
        SourceError: it cannot be written.
    """
    kept = CollectionCopy(copy, collection_url)
    index = kept.load()
    if item is not None:
        kept.store(index, {path: item})
        return
    items = {other: known for other, known in index.items.items() if other != path}
    kept.store(replace(index, items=items), {})


def remove_other_collections(copy: Copy, kept: Container[str]) -> None:
    """Remove the copies of collections that are not in `kept` (names of `CollectionCopy`).

    Call it under the copy's lock.
    """
    make_private_folder(copy.folder / ITEMS)
    for folder in sorted((copy.folder / ITEMS).iterdir()):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)
            (copy.folder / _INDEXES / f"{folder.name}.json").unlink(missing_ok=True)


def _file_name(url: str, *, digits: int) -> str:
    """Return a name for a file or folder: readable, of safe characters, and like no other."""
    readable = _UNSAFE.sub("-", last_segment(url)).strip("-.")[:_LONGEST_NAME]
    return f"{readable or 'item'}-{hashlib.sha256(url.encode()).hexdigest()[:digits]}"


def _to_json(index: Index) -> bytes:
    items = {
        path: {"etag": item.etag, "file": item.file, "size": item.size}
        for path, item in index.items.items()
    }
    tree = {
        "version": _VERSION,
        "items": items,
        "complete": index.complete,
        "marker": index.marker,
        "token": index.token,
        "revision": index.revision,
    }
    return json.dumps(tree).encode()
