"""What an index was made of: the files of a source, and what is said of each whatever the day."""

from __future__ import annotations

import array
import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from iris_harness.sources.index.database import DamagedError
from iris_harness.sources.index.files import Identity, Sweep

_SEPARATOR = "\0"  # in no path
_WIDTH = 4


class FileNote(NamedTuple):
    """What is said of a file whatever the day."""

    problem: str = ""
    """Why it is no calendar, or cannot be read; empty when it was read."""
    doubts: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Warnings for its components that are not read."""


class Manifest(NamedTuple):
    """The files that an index was made of."""

    names: list[str]
    identities: list[Identity]
    untrusted: frozenset[str] = frozenset()
    """Files whose identity proves nothing: they must be read again to know what they hold."""
    counts: Mapping[str, int] = {}
    """How many VEVENTs a file has, where it is not 1."""
    notes: Mapping[str, FileNote] = {}
    """By file, for those of which anything is to be said."""

    @property
    def holds_anything(self) -> bool:
        """Whether there is any event at all, of whatever time."""
        return len(self.names) > len(self.counts) or any(self.counts.values())

    def describes(self, sweep: Sweep) -> bool:
        """Whether the files are, as far as can be known without reading them, the same."""
        return (
            not self.untrusted and self.names == sweep.names and self.identities == sweep.identities
        )


def dump_manifest(manifest: Manifest) -> bytes:
    """Write a manifest as bytes.

    Raises:
        UnicodeEncodeError: a file's name is no text.
        OverflowError: a file system numbers its files beyond 63 bits.
    """
    facts = {
        "untrusted": sorted(manifest.untrusted),
        "counts": manifest.counts,
        "notes": manifest.notes,
    }
    head = json.dumps(facts).encode()
    names = _SEPARATOR.join(manifest.names).encode()
    numbers = array.array("q")
    for identity in manifest.identities:
        numbers.extend(identity)
    lengths = array.array("q", (len(head), len(names)))
    content = b"".join((lengths.tobytes(), head, names, numbers.tobytes()))
    return zlib.crc32(content).to_bytes(4, "big") + content


def load_manifest(data: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        DamagedError: these are not the bytes that were written.
    """
    content = memoryview(data)[4:]
    if zlib.crc32(content) != int.from_bytes(data[:4], "big"):
        raise DamagedError("the list of files is damaged")
    lengths = array.array("q", bytes(content[:16]))
    head_end = 16 + lengths[0]
    names_end = head_end + lengths[1]
    facts = json.loads(bytes(content[16:head_end]))
    names = str(content[head_end:names_end], "utf-8")
    numbers = iter(array.array("q", bytes(content[names_end:])))
    return Manifest(
        names=names.split(_SEPARATOR) if names else [],
        identities=list(zip(*[numbers] * _WIDTH, strict=True)),
        untrusted=frozenset(facts["untrusted"]),
        counts=facts["counts"],
        notes={
            name: FileNote(problem, tuple(doubts), tuple(unread))
            for name, (problem, doubts, unread) in facts["notes"].items()
        },
    )
