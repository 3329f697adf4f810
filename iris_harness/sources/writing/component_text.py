"""The text of one component, changed line by line; every other line stays to the letter.

RFC 5545 §3.1 (content lines, folding), §3.3.11 (TEXT). What is nested in the component, and
properties that nobody here knows, are carried along.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple, Self

from iris_harness.contracts.unicode import well_formed

_LINE = re.compile(r"[^\n]*(?:\n[ \t][^\n]*)*(?:\n|\Z)")
_FOLD = re.compile(r"\r*\n[ \t]")
_NAME = re.compile(r"\s*([A-Za-z0-9-]+)\s*[:;]")
_LINE_END = re.compile(r"\r*\n")
_HEAD = re.compile(r'(?:[^":\\]++|"[^"]*+"|\\++.?)*+')
_FOLD_AT = 75  # octets
_ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


class ContentLine(NamedTuple):
    """One content line with its folds and its line end."""

    raw: str
    name: str
    """In capitals; empty when it is no content line."""
    depth: int
    """0: of the component itself or one that begins or ends it; more: of what is nested in it."""

    @property
    def unfolded(self) -> str:
        """The line without folds and line end."""
        return _FOLD.sub("", self.raw).rstrip("\r\n")

    @property
    def head(self) -> str:
        """Name and parameters, as written."""
        found = _HEAD.match(self.unfolded)
        return found[0] if found else ""

    @property
    def value(self) -> str:
        """What follows the colon, as written."""
        return self.unfolded[len(self.head) + 1 :]


class ComponentText(NamedTuple):
    """The lines of a component from its BEGIN to its END."""

    lines: tuple[ContentLine, ...]
    line_end: str

    @property
    def text(self) -> str:
        """The component as text, without the line end of its last line."""
        return "".join(line.raw for line in self.lines)

    def all(self, name: str) -> tuple[ContentLine, ...]:
        """Return its own lines of that name."""
        return tuple(line for line in self.lines if line.name == name and line.depth == 0)

    def find(self, name: str) -> ContentLine | None:
        """Return its first line of that name that has a value, or None."""
        return next((line for line in self.all(name) if line.value.strip()), None)

    def with_line(self, name: str, content: str) -> Self:
        """Return it with `content` as its only line of that name, where the first one stood."""
        new = ContentLine(fold(content, self.line_end), name, 0)
        old = self.all(name)
        if not old:
            place = self._end_of_own()
            return self._replace(lines=(*self.lines[:place], new, *self.lines[place:]))
        kept: list[ContentLine] = []
        for line in self.lines:
            if line is old[0]:
                kept.append(new if line.unfolded != content else line)
            elif not any(line is other for other in old):
                kept.append(line)
        return self._replace(lines=tuple(kept))

    def with_added(self, name: str, content: str) -> Self:
        """Return it with one more line of that name, after those there are."""
        new = ContentLine(fold(content, self.line_end), name, 0)
        same = [
            place for place, line in enumerate(self.lines) if line.name == name and not line.depth
        ]
        place = same[-1] + 1 if same else self._end_of_own()
        return self._replace(lines=(*self.lines[:place], new, *self.lines[place:]))

    def without(self, *names: str) -> Self:
        """Return it without its own lines of these names; ``*NAME`` is any that ends so."""
        exact = {name for name in names if not name.startswith("*")}
        endings = tuple(name[1:] for name in names if name.startswith("*"))
        return self._replace(
            lines=tuple(
                line
                for line in self.lines
                if line.depth
                or not (line.name in exact or (endings and line.name.endswith(endings)))
            )
        )

    def without_nested(self) -> Self:
        """Return it without what is nested in it: alarms, above all."""
        return self._replace(lines=tuple(line for line in self.lines if not line.depth))

    def _end_of_own(self) -> int:
        """Return the place after its last own property: before what is nested, or its END."""
        own = [
            place
            for place, line in enumerate(self.lines[:-1])
            if not line.depth and line.name not in {"", "END"}
        ]
        return own[-1] + 1 if own else 1


def parse_component(text: str) -> ComponentText:
    """Take the text of a whole component apart. Any text is one."""
    lines: list[ContentLine] = []
    depth = -1
    for found in _LINE.finditer(text):
        raw = found[0]
        if not raw:
            continue
        name_match = _NAME.match(_FOLD.sub("", raw))
        name = name_match[1].upper() if name_match else ""
        depth += name == "BEGIN"
        lines.append(ContentLine(raw, name, max(depth, 0)))
        depth -= name == "END"
    ends = _LINE_END.search(text)
    return ComponentText(tuple(lines), ends[0] if ends else "\r\n")


def new_component(kind: str, contents: Iterable[str], line_end: str) -> ComponentText:
    """Return a component of those content lines."""
    lines = [f"BEGIN:{kind}{line_end}", *(fold(line, line_end) for line in contents)]
    return parse_component("".join([*lines, f"END:{kind}"]))


def fold(content: str, line_end: str) -> str:
    """Return a content line folded at 75 octets (UTF-8), never inside a character."""
    pieces: list[str] = []
    piece, room = "", _FOLD_AT
    for letter in content:
        size = len(letter.encode("utf-8", "surrogatepass"))
        if size > room:
            pieces.append(piece)
            piece, room = " ", _FOLD_AT - 1
        piece += letter
        room -= size
    return line_end.join([*pieces, piece]) + line_end


def escape(text: str) -> str:
    """Return a text of the user's as a TEXT value (RFC 5545 §3.3.11)."""
    lines = well_formed(text).replace("\r\n", "\n").replace("\r", "\n")
    plain = "".join(
        letter for letter in lines if letter in "\n\t" or unicodedata.category(letter) != "Cc"
    )
    return plain.translate(_ESCAPES)


def one_line(text: str) -> str:
    """Return a title on one line."""
    return " ".join(text.split())
