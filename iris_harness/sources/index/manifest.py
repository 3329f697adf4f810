"""What an index was made of: the files of a source, and what is said of each whatever the day."""

from __future__ import annotations

import array
import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from iris_harness.sources.index.database import DamagedError
from iris_harness.sources.index.files import Sweep

_CHECKSUM_BYTES = 4


class FileNote(NamedTuple):
    """What is said of a file whatever the day."""

    problem: str = ""
    """Why it is no calendar, or cannot be read; empty when it was read."""
    doubts: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Warnings for its components that are not read."""


class Manifest(NamedTuple):
    """The files that an index was made of."""

    sweep: Sweep
    items: int = 0
    """How many of the entries are calendar files."""
    untrusted: frozenset[str] = frozenset()
    """Files whose identity proves nothing: they must be read again to know what they hold."""
    counts: Mapping[str, int] = {}
    """How many VEVENTs a file has, where it is not 1."""
    notes: Mapping[str, FileNote] = {}
    """By file, for those of which anything is to be said."""

    @property
    def holds_anything(self) -> bool:
        """Whether there is any event at all, of whatever time."""
        return self.items > len(self.counts) or any(self.counts.values())

    def describes(self, sweep: Sweep) -> bool:
        """Whether the files are, as far as can be known without reading them, the same."""
        return not self.untrusted and self.sweep == sweep


def dump_manifest(manifest: Manifest) -> bytes:
    """Write a manifest as bytes.

    Raises:
        UnicodeEncodeError: a file's name is no text.
    """
    facts = {
        "items": manifest.items,
        "untrusted": sorted(manifest.untrusted),
        "counts": manifest.counts,
        "notes": manifest.notes,
    }
    head = json.dumps(facts).encode()
    names = manifest.sweep.names.encode()
    lengths = array.array("q", (len(head), len(names)))
    numbers = manifest.sweep.identities.tobytes()
    content = b"".join((lengths.tobytes(), head, names, numbers))
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "big") + content


def load_manifest(data: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        DamagedError: these are not the bytes that were written.
    """
    content = memoryview(data)[_CHECKSUM_BYTES:]
    if zlib.crc32(content) != int.from_bytes(data[:_CHECKSUM_BYTES], "big"):
        raise DamagedError("the list of files is damaged")
    head_length, names_length = array.array("q", bytes(content[:16]))
    names_begin, names_end = 16 + head_length, 16 + head_length + names_length
    facts = json.loads(bytes(content[16:names_begin]))
    names = str(content[names_begin:names_end], "utf-8")
    return Manifest(
        sweep=Sweep(names, array.array("q", bytes(content[names_end:]))),
        items=facts["items"],
        untrusted=frozenset(facts["untrusted"]),
        counts=facts["counts"],
        notes={
            name: FileNote(problem, tuple(doubts), tuple(unread))
            for name, (problem, doubts, unread) in facts["notes"].items()
        },
    )
