"""The content lines of one card: a line that cannot be read costs only itself."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from iris_harness.sources.decoding import decode

# A line and those it is folded over; a group stands before the name (RFC 6350 §3.3). Nobody
# folds inside a name: it is shorter than any line.
_LINE = re.compile(
    rb"^(?:([\w-]+)\.)?([\w-]+)[ \t]*(?=[:;])([^\n]*(?:\n[ \t][^\n]*)*)", re.MULTILINE
)
_FOLD = re.compile(rb"\r*\n[ \t]")
_OLD_FOLD = re.compile(rb"\r*\n(?=[ \t])")
_SOFT_BREAK = re.compile(rb"=[ \t\r]*\n")
_OLD_VERSION = re.compile(rb"^VERSION[ \t]*:[ \t]*2\.1", re.MULTILINE | re.IGNORECASE)
# What precedes the colon before the value; possessive, so that no line can make it go back.
_HEAD = re.compile(rb'(?:[^":]++|"[^"]*+")*+')
_PARAMETER = re.compile(rb'(?:[^";]++|"[^"]*+"|")++')
_ESCAPE = re.compile(r"\\([\\,;:nN])")
_PIECE = r"((?:[^\\{0}]|\\.|\\\Z)*)(?:{0}|\Z)"
_QUOTED_PRINTABLE = b"QUOTED-PRINTABLE"
_ENCODINGS = {"QUOTED-PRINTABLE", "BASE64", "B", "7BIT", "8BIT"}


class CardLine(NamedTuple):
    """One content line with a value that is not empty."""

    group: str
    """Lines that belong together share it, in capitals; empty when it has none."""
    name: str
    """In capitals."""
    parameters: Mapping[str, str]
    """By name in capitals, as written; what vCard 2.1 writes without a name is TYPE."""
    raw: str
    """The value decoded, still with its escapes; white space around it taken off."""

    @property
    def text(self) -> str:
        """The value on one line, without escapes."""
        return plain_text(self.raw)

    def parts(self, separator: str) -> list[str]:
        """Return the values that `separator` (``;`` or ``,``) stands between, each as `text`."""
        if "\\" not in self.raw:
            return [plain_text(part) for part in self.raw.split(separator)]
        pieces = re.findall(_PIECE.format(separator), self.raw, re.DOTALL)
        return [plain_text(piece) for piece in pieces]


def plain_text(raw: str) -> str:
    """Return a TEXT value on one line, without escapes (RFC 6350 §3.4)."""
    if "\\" in raw:
        raw = _ESCAPE.sub(lambda found: " " if found[1] in "nN" else found[1], raw)
    return " ".join(raw.split())


def parse_lines(body: bytes, is_wanted: Callable[[str], bool]) -> list[CardLine]:
    """Read the lines of a card whose name, in capitals, is wanted; in the card's order."""
    # vCard 2.1 folds before a space that belongs to the value, the later ones add a space.
    fold = _OLD_FOLD if _OLD_VERSION.search(body) else _FOLD
    found: list[CardLine] = []
    for group, name, rest in _logical_lines(body, is_wanted):
        head, value = _cut(fold.sub(b"", rest))
        parameters = _parameters(head)
        raw = _decoded(value, parameters).strip()
        if raw:
            found.append(CardLine(group=group, name=name, parameters=parameters, raw=raw))
    return found


def _logical_lines(
    body: bytes, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, str, bytes]]:
    position = 0
    while found := _LINE.search(body, position):
        position = found.end()
        name = found[2].decode("ascii", "replace").upper()
        rest = found[3]
        if _QUOTED_PRINTABLE in rest.partition(b":")[0].upper():
            end = _end_of_quoted(body, position)
            rest, position = _SOFT_BREAK.sub(b"", body[found.start(3) : end]), end
        if is_wanted(name):
            yield (found[1] or b"").decode("ascii", "replace").upper(), name, rest


def _end_of_quoted(body: bytes, end: int) -> int:
    """Return where a quoted-printable value ends: a line with ``=`` at its end goes on."""
    while body[max(end - 4, 0) : end].rstrip(b" \t\r").endswith(b"=") and end < len(body):
        following = body.find(b"\n", end + 1)
        end = len(body) if following < 0 else following
    return end


def _cut(text: bytes) -> tuple[bytes, bytes]:
    """Return what stands before and after the colon before the value."""
    found = _HEAD.match(text)
    end = found.end() if found else 0
    if not text.startswith(b":", end):  # a quotation mark is not closed
        head, _, value = text.partition(b":")
        return head, value
    return text[:end], text[end + 1 :]


def _parameters(head: bytes) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in _PARAMETER.findall(head):
        name, equals, value = decode(part).partition("=")
        name, value = name.strip().upper(), value.strip().strip('"').strip()
        if not equals:
            name, value = ("ENCODING" if name in _ENCODINGS else "TYPE"), name
        if name:
            parameters.setdefault(name, value)
    return parameters


def _decoded(value: bytes, parameters: Mapping[str, str]) -> str:
    encoding = parameters.get("ENCODING", "").upper()
    if encoding == "QUOTED-PRINTABLE":
        value = binascii.a2b_qp(value)
    elif encoding in {"B", "BASE64"}:
        try:
            value = binascii.a2b_base64(value)
        except binascii.Error:
            return ""
    return _in_charset(value, parameters.get("CHARSET", ""))


def _in_charset(value: bytes, charset: str) -> str:
    """Decode as the card says; where that cannot be right, as anything else is decoded."""
    if charset:
        try:
            text = value.decode(charset)
            return text.encode("utf-8", "replace").decode("utf-8")  # UTF-7 can hold half letters
        except (LookupError, ValueError):
            pass
    return decode(value)


def named(lines: Collection[CardLine], *names: str) -> list[CardLine]:
    """Return the lines with one of these names, in the card's order."""
    return [line for line in lines if line.name in names]
