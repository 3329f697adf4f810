"""Hints that name no single file: patterns, lists, placeholders. Nothing is ever made of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from iris_harness.daemon.tree import Tree

_MAX_WILDCARDS = 3  # matching costs a power of the length for each of them
_WILDCARD = re.compile(r"\*\*/|\*+|\?|\{[^{}/]*\}")
_BETWEEN = re.compile(r"\s+(?:and|or|und|oder|et|&)\s+|[,;]\s+", re.IGNORECASE)
# What stands for a path, and characters that some file system refuses.
_PLACEHOLDER = re.compile(
    r"(?:^|/)(?:path/to/|your[-_ ]|my[-_]?file\b|some[-_]?file\b|xxx+\b|\.\.\.|\u2026)|\.\.\.|\u2026|[<>|\"*?]"
    r"|^(?:n/a|none|null|undefined|unknown|tbd|todo|various|multiple(?: files)?)$",
    re.IGNORECASE,
)


def is_pattern(path: str) -> bool:
    """Return whether `path` holds wildcards; brackets are names of routes, not wildcards."""
    return "*" in path or "?" in path or bool(re.search(r"\{[^{}/]*,[^{}/]*\}", path))


def matching(pattern: str, tree: Tree) -> Sequence[str]:
    """Return the tracked paths that a pattern means, sorted; none for one that costs too much.

    ``*`` stays in a folder, ``**`` does not; a pattern without a folder is one for names.
    """
    if len(re.findall(r"\*+|\?", pattern)) > _MAX_WILDCARDS:
        return ()
    prefix = "" if "/" in pattern else "(?:.*/)?"
    wanted = re.compile(prefix + _translated(pattern))
    return [path for path in tree.paths if wanted.fullmatch(path)]


def _translated(pattern: str) -> str:
    parts, end = [], 0
    for wildcard in _WILDCARD.finditer(pattern):
        parts.append(re.escape(pattern[end : wildcard.start()]))
        parts.append(_meaning(wildcard[0]))
        end = wildcard.end()
    return "".join((*parts, re.escape(pattern[end:])))


def _meaning(wildcard: str) -> str:
    if wildcard.startswith("{"):
        return f"(?:{'|'.join(map(re.escape, wildcard[1:-1].split(',')))})"
    return {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}.get(wildcard, ".*")


def listed_files(path: str, tree: Tree) -> Sequence[str]:
    """Return the tracked files that a list names ("a.py and b.py"), sorted; none if it is no list."""
    parts = [part.strip("`'\" ") for part in _BETWEEN.split(path)]
    if len(parts) < 2:  # noqa: PLR2004 - two make a list
        return ()
    found: set[str] = set()
    for part in parts:
        named = tree.by_name.get(part.rpartition("/")[2], ())
        found.update([part] if part in tree.files else named[:1])
    return sorted(found) if len(found) == len(set(parts)) else ()


def names_no_file(path: str) -> bool:
    """Return whether `path` is a placeholder or a sentence, of which no file may be made."""
    name = path.rpartition("/")[2]
    sentence = " " in name and "." not in name
    return sentence or bool(_PLACEHOLDER.search(path))
