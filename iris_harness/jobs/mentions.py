"""Which files a task names in its own words.

A mention is a hint: a path, a name with an ending that files have, or either in backticks. Nothing
is looked up, since nothing here has seen the repository.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

# Endings that name files wherever they stand; others count only behind a folder or in quotes.
_ENDINGS = frozenset(
    {
        "py", "pyi", "ipynb", "js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "svelte", "html",
        "htm", "css", "scss", "sass", "less", "json", "jsonc", "yaml", "yml", "toml", "ini", "cfg",
        "conf", "xml", "svg", "md", "mdx", "rst", "txt", "csv", "tsv", "sql", "sh", "bash", "zsh",
        "fish", "ps1", "bat", "rb", "erb", "rs", "go", "java", "kt", "kts", "scala", "swift", "c",
        "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "fs", "php", "pl", "pm", "lua", "r", "jl", "ex",
        "exs", "erl", "hs", "ml", "clj", "dart", "zig", "tf", "proto", "graphql", "gradle", "lock",
        "env", "tex", "adoc", "org", "png", "jpg", "ico", "nix", "mk", "cmake",
    }
)  # fmt: skip
_NAMED_WHOLE = frozenset(
    {"dockerfile", "makefile", "justfile", "rakefile", "gemfile", "procfile", "jenkinsfile"}
)
# Names of things that only look like files.
_NO_FILES = frozenset(
    {
        "node.js", "vue.js", "next.js", "nuxt.js", "react.js", "express.js", "three.js", "d3.js",
        "chart.js", "angular.js", "backbone.js", "ember.js", "alpine.js", "nest.js", "p5.js",
    }
)  # fmt: skip
_QUOTES = "`\"'\u201c\u201d\u2018\u2019"
_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]*://|git@|www\.)\S+|\S+@\S+\.\S+", re.IGNORECASE)
_QUOTED = re.compile(rf"[{_QUOTES}]([^{_QUOTES}\n]{{1,200}})[{_QUOTES}]")
_WORD = re.compile(rf"[^\s,;:!?()\[\]{{}}<>{_QUOTES}]+")
_PATH = re.compile(r"(?:\.{0,2}/)?[\w.@+~$*-]+(?:/[\w.@+~$*\[\]-]+)*/?")
_LIST_GLUE = re.compile(r"\s*(?:,|;|&|\+|,?\s*(?:and|or|as well as))\s*")


class Mention(NamedTuple):
    """A file that is named, and where in the text."""

    name: str
    start: int
    end: int


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the files that `text` names, in order, each once (where it is named first)."""
    clear = _ADDRESS.sub(lambda found: " " * len(found.group()), text)
    found: dict[str, Mention] = {}
    for mention in sorted((*_quoted(clear), *_words(clear)), key=lambda one: (one.start, -one.end)):
        inside = any(m.start <= mention.start and mention.end <= m.end for m in found.values())
        if not inside:
            found.setdefault(mention.name.casefold(), mention)
    return tuple(found.values())


def are_a_list(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether `mentions`, in order, stand in `text` as a list: "a.py, b.py and c.py"."""
    between = (text[one.end : two.start].strip(_QUOTES) for one, two in pairwise(mentions))
    return all(_LIST_GLUE.fullmatch(glue) for glue in between)


def _quoted(text: str) -> list[Mention]:
    return [
        Mention(found[1], found.start(1), found.end(1))
        for found in _QUOTED.finditer(text)
        if _PATH.fullmatch(found[1]) and ("/" in found[1] or _has_any_ending(found[1]))
    ]


def _words(text: str) -> list[Mention]:
    found = []
    for match in _WORD.finditer(text):
        word = match.group().rstrip(".")
        if word and _looks_like_a_file(word):
            found.append(Mention(word, match.start(), match.start() + len(word)))
    return found


def _looks_like_a_file(word: str) -> bool:
    if not _PATH.fullmatch(word) or word.casefold() in _NO_FILES or word[0] == "~":
        return False  # what is in a home folder is in no repository
    name = word.rstrip("/").rpartition("/")[2]
    if name.casefold() in _NAMED_WHOLE or (_ending(name) in _ENDINGS and _ending(name) != name):
        return True
    return word.count("/") >= 1 and _is_a_path(word)


def _is_a_path(word: str) -> bool:
    """Whether a word with a slash is a path: "src/app" is, "and/or", "1/2" and "I/O" are not."""
    if word.startswith(("./", "../", "/")) or word.endswith("/"):
        return len(word) > 2  # noqa: PLR2004 - more than the sign itself
    return _has_any_ending(word) or word.count("/") >= 2 or word.startswith(_FOLDERS)  # noqa: PLR2004 - three parts


_FOLDERS = ("src/", "lib/", "app/", "tests/", "test/", "docs/", "pkg/", "cmd/", "internal/",
            "scripts/", "components/", "packages/", ".github/")  # fmt: skip


def _has_any_ending(word: str) -> bool:
    name = word.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return bool(dot and (stem or ending) and re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,9}", ending))


def _ending(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    return ending.casefold() if stem else ""
