"""The tracked files of a repository, indexed by what hints say of them."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

MAX_PATHS = 1_000_000
"""Paths taken of one listing; what is beyond is left out."""

_MAX_PATH_LENGTH = 4096
_ESCAPE = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


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
        return _grouped(self.paths, fold)

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[str]]:
        """Paths by file name."""
        return _grouped(self.paths, name_of)

    @cached_property
    def by_folded_name(self) -> Mapping[str, Sequence[str]]:
        """Paths by file name without case."""
        return _grouped(self.paths, lambda path: fold(name_of(path)))


def build_tree(paths: Iterable[str]) -> Tree:
    """Return the tree of `paths`; one that no checkout can hold is left out.

    That is: empty, absolute, with ``.``, ``..`` or ``.git`` as a segment, with NUL or a line
    break, or beyond `MAX_PATHS`.
    """
    kept: set[str] = set()
    for path in paths:
        if _is_possible(path):
            kept.add(path)
            if len(kept) >= MAX_PATHS:
                break
    return Tree(tuple(sorted(kept)))


def parse_listing(data: bytes) -> Tree:
    """Return the tree of a listing as ``git ls-files`` prints it, with or without ``-z``.

    Without it one path stands on each line, and git quotes the unusual ones as C strings. What is
    not UTF-8 keeps its place as replacement characters.
    """
    if b"\0" in data:
        return build_tree(data.decode("utf-8", "replace").split("\0"))
    lines = data.decode("utf-8", "replace").split("\n")
    return build_tree(_unquoted(line.removesuffix("\r")) for line in lines)


def name_of(path: str) -> str:
    """Return the last segment."""
    return path[path.rfind("/") + 1 :]


def folder_of(path: str) -> str:
    """Return everything before the last segment; empty for the root."""
    return path[: path.rfind("/")] if "/" in path else ""


def fold(text: str) -> str:
    """Return the form under which two names clash on some file system."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def _grouped(paths: Sequence[str], key: Callable[[str], str]) -> Mapping[str, Sequence[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[key(path)].append(path)
    return groups


def _is_possible(path: str) -> bool:
    if not path or len(path) > _MAX_PATH_LENGTH or path[0] == "/" or "\0" in path or "\n" in path:
        return False
    if "//" in path or path[-1] == "/":
        return False
    if "." not in path:
        return True
    return not any(part in {".", ".."} or part.lower() == ".git" for part in path.split("/"))


def _unquoted(line: str) -> str:
    if not (line.startswith('"') and line.endswith('"') and len(line) > 1):
        return line
    raw = _ESCAPE.sub(_escape, line[1:-1])
    return raw.encode("latin-1", "replace").decode("utf-8", "replace")


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code, 8) & 0xFF) if len(code) == 3 else _ESCAPED.get(code, code)  # noqa: PLR2004 - three octal digits
