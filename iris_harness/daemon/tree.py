"""The tracked files of a repository, indexed by what hints say of them."""

from __future__ import annotations

import codecs
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

MAX_PATHS = 1_000_000
"""Paths taken of one listing; what is beyond is left out."""

_MAX_PATH_LENGTH = 4096
# Absolute, an empty segment, or one that no checkout can hold.
_IMPOSSIBLE = re.compile(r"\0|//|^/|/$|(?:^|/)(?:\.\.?|\.git)(?:/|$)", re.IGNORECASE)
# Where none of these is in a whole listing, none of its paths is like that.
_SIGNS = (
    "\0", "//", "\n/", "/\n", "/./", "/../", "\n./", "\n../", "/.\n", "/..\n", "\n.\n", "\n..\n",
    "/.git/", "\n.git/", "/.git\n", "\n.git\n",
)  # fmt: skip
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = dict(zip(b"ntrabfv", b"\n\t\r\a\b\f\v", strict=True))
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Tree:
    """The tracked paths, with ``/`` between segments, relative to the root, sorted."""

    paths: tuple[str, ...]

    @cached_property
    def files(self) -> frozenset[str]:
        """All paths."""
        return frozenset(self.paths)

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders that hold a tracked file, however deep; not the root."""
        found: set[str] = set()
        for path in self.paths:
            parent = path.rpartition("/")[0]
            while parent and parent not in found:
                found.add(parent)
                parent = parent.rpartition("/")[0]
        return frozenset(found)

    @cached_property
    def by_folded(self) -> Mapping[str, Sequence[str]]:
        """Paths by their form without case."""
        groups: dict[str, list[str]] = {}
        for path in self.paths:
            groups.setdefault(path.lower() if path.isascii() else fold(path), []).append(path)
        return groups

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[str]]:
        """Paths by file name."""
        groups: dict[str, list[str]] = {}
        for path in self.paths:
            groups.setdefault(path[path.rfind("/") + 1 :], []).append(path)
        return groups

    @cached_property
    def by_folded_name(self) -> Mapping[str, Sequence[str]]:
        """Paths by file name without case."""
        groups: dict[str, list[str]] = {}
        for name, paths in self.by_name.items():
            groups.setdefault(fold(name), []).extend(paths)
        return groups

    @cached_property
    def extensions(self) -> Mapping[str, int]:
        """How many files have each extension, as it is written; without one they are not counted."""
        counts = Counter(path[path.rfind(".") + 1 :] for path in self.paths)
        return {extension: count for extension, count in counts.items() if "/" not in extension}

    def below(self, folder: str) -> Sequence[str]:
        """Return the paths below a folder, sorted; all of them for the root."""
        if not folder:
            return self.paths
        first = bisect_left(self.paths, f"{folder}/")
        return self.paths[first : bisect_left(self.paths, f"{folder}0", first)]  # 0 follows /


def build_tree(paths: Iterable[str]) -> Tree:
    """Return the tree of `paths`; one that no checkout can hold is left out.

    That is: empty, absolute, with ``.``, ``..`` or ``.git`` as a segment, with NUL or a line
    break, or beyond `MAX_PATHS`.
    """
    found = list(islice(paths, MAX_PATHS))
    joined = "\n".join(("", *found, "")).lower()
    if any(sign in joined for sign in _SIGNS) or any("\n" in path for path in found):
        found = [
            path for path in found if path and "\n" not in path and not _IMPOSSIBLE.search(path)
        ]
    if max(map(len, found), default=0) > _MAX_PATH_LENGTH:
        found = [path for path in found if len(path) <= _MAX_PATH_LENGTH]
    return Tree(tuple(sorted(set(found) - {""})))


def parse_listing(data: bytes) -> Tree:
    """Return the tree of a listing as ``git ls-files`` prints it, with or without ``-z``.

    Without it one path stands on each line, and git quotes the unusual ones as C strings; a
    leading ``./``, as `find` prints it, is left out. What is not UTF-8 keeps its place as
    replacement characters; a byte order mark, also that of UTF-16, is obeyed.
    """
    if data.startswith(_UTF_16):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        return build_tree(data.decode("utf-8", "replace").split("\0"))
    lines = (_unquoted(line.removesuffix(b"\r")) for line in data.split(b"\n"))
    return build_tree(line.decode("utf-8", "replace").removeprefix("./") for line in lines)


def name_of(path: str) -> str:
    """Return the last segment."""
    return path[path.rfind("/") + 1 :]


def folder_of(path: str) -> str:
    """Return everything before the last segment; empty for the root."""
    return path[: path.rfind("/")] if "/" in path else ""


def fold(text: str) -> str:
    """Return the form under which two names clash on some file system."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def _unquoted(line: bytes) -> bytes:
    if not (line.startswith(b'"') and line.endswith(b'"') and len(line) > 1):
        return line
    return _ESCAPE.sub(_escape, line[1:-1])


def _escape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if len(code) == 3:  # noqa: PLR2004 - three octal digits
        return bytes([int(code, 8) & 0xFF])
    return bytes([_ESCAPED.get(code[0], code[0])])
