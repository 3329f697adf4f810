r"""Read a file of hints: sections of regular expressions, with named fragments.

::

    <part> = (?:morning|afternoon|     a fragment; an indented line goes on with the line before
      evening)

    [planner]                          the intent the next lines belong to
    \bplan my <part>                    one pattern
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iris_harness.contracts.tasks import RoutingRule

_FRAGMENT = re.compile(r"<([a-z]+)> = (.*)")
_SECTION = re.compile(r"\[([a-z_.]+)\]")
_USE = re.compile(r"(?<!\?)<([a-z]+)>")


def parse_hints(text: str) -> dict[str, tuple[RoutingRule, ...]]:
    """Return the rules of each section, in the order of the file.

    Raises:
        KeyError: a fragment is used above its definition, or a pattern stands in no section.
    """
    fragments: dict[str, str] = {}
    sections: dict[str, list[RoutingRule]] = {}
    section = ""
    for line in _logical_lines(text):
        if fragment := _FRAGMENT.fullmatch(line):
            fragments[fragment[1]] = _expand(fragment[2], fragments)
        elif named := _SECTION.fullmatch(line):
            section = named[1]
            sections[section] = []
        else:
            sections[section].append(RoutingRule(pattern=_expand(line, fragments)))
    return {name: tuple(rules) for name, rules in sections.items()}


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines with their continuations, without comments and blank lines."""
    whole = ""
    for line in text.splitlines():
        if line.startswith("  "):
            whole += line[2:]
            continue
        if whole:
            yield whole
        whole = "" if line.startswith("#") else line
    if whole:
        yield whole


def _expand(pattern: str, fragments: dict[str, str]) -> str:
    return _USE.sub(lambda use: fragments[use[1]], pattern)
