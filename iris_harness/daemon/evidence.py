"""A repository's evidence: its tracked tree and the texts of the files that decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from iris_harness.daemon.tree import Tree, name_of

_QUOTE_LENGTH = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """The place that decided."""

    file: str
    line: int = 0
    """1-based; 0 where the file as a whole decided."""
    quote: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What is known of a repository. Frozen: every decision over it is a pure function."""

    tree: Tree
    texts: Mapping[str, str] = field(default_factory=dict)
    """Contents of marker files, scripts and CI files by path; bounded, not every file is here."""

    def has(self, path: str) -> bool:
        """Return whether the file is tracked."""
        return path in self.tree.files

    def text(self, path: str) -> str:
        """Return the content of a file; empty where it was not read."""
        return self.texts.get(path, "")

    def first(self, *paths: str) -> str | None:
        """Return the first of the paths that is tracked; None where none is."""
        return next((path for path in paths if self.has(path)), None)

    def named(self, name: str) -> Iterator[str]:
        """Yield the tracked files of a name, nearest to the root first."""
        yield from sorted(self.tree.by_name.get(name, ()), key=lambda p: (p.count("/"), p))

    def read(self, suffix: str) -> Iterator[str]:
        """Yield the files with a text whose path ends with `suffix`, nearest first."""
        found = (path for path in self.texts if path.endswith(suffix))
        yield from sorted(found, key=lambda p: (p.count("/"), p))

    def where(self, path: str, needle: str) -> Source:
        """Return the first line of a file that holds `needle`; the file itself without one."""
        for number, line in enumerate(self.text(path).split("\n"), start=1):
            if needle in line:
                return Source(file=path, line=number, quote=line.strip()[:_QUOTE_LENGTH])
        return Source(file=path)

    def at(self, path: str, line: int) -> Source:
        """Return a line of a file with its text."""
        lines = self.text(path).split("\n")
        quote = lines[line - 1].strip()[:_QUOTE_LENGTH] if 0 < line <= len(lines) else ""
        return Source(file=path, line=line, quote=quote)


def is_fixture(path: str) -> bool:
    """Return whether a path lies where repositories keep examples, copies and test data."""
    return any(part.lower() in _ASIDE for part in path.split("/")[:-1])


_ASIDE = frozenset(
    """
    example examples sample samples demo demos fixture fixtures testdata test-data vendor vendored
    third_party third-party thirdparty external extern node_modules template templates benchmark
    benchmarks benches bench e2e docs doc website site playground playgrounds integration
    test tests spec specs __tests__ fuzz example-usage tools scripts
    """.split()  # noqa: SIM905 - a word list is read as words
)


def base_name(path: str) -> str:
    """Return the file name in lower case."""
    return name_of(path).lower()
