"""The content lines of one card: a line that cannot be read costs only itself."""

from __future__ import annotations

import binascii
import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from iris_harness.sources.decoding import decode

_OLD_VERSION = re.compile(rb"^VERSION[ \t]*:[ \t]*2\.1", re.MULTILINE | re.IGNORECASE)
# A quoted-printable value and the lines it goes on in: those before have "=" at their end. The
# bounds keep a hostile line from being tried again and again.
_QUOTED = re.compile(
    rb"^[^\n:]{0,200}QUOTED-PRINTABLE[^\n:]{0,200}:(?:[^\n]*=[ \t]*\n)+",
    re.MULTILINE | re.IGNORECASE,
)
_SOFT_BREAK = re.compile(rb"=[ \t]*\n")
# What precedes the colon before the value; possessive, so that no line can make it go back.
_HEAD = re.compile(rb'(?:[^":]++|"[^"]*+")*+')
_PARAMETER = re.compile(rb'(?:[^";]++|"[^"]*+"|")++')
_ESCAPE = re.compile(r"\\([\\,;:nN])")
_PIECE = r"((?:[^\\{0}]|\\.|\\\Z)*)(?:{0}|\Z)"
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


def parse_lines(body: bytes, wanted: Collection[bytes], ending: bytes) -> list[CardLine]:
    """Read the lines of a card, in its order, whose name is in `wanted` or has that ending."""
    found: list[CardLine] = []
    for line in _unfolded(body).split(b"\n"):
        before = line.partition(b":")[0].partition(b";")[0]
        group, _, name = before.rpartition(b".")  # RFC 6350 §3.3: group.name
        name = name.strip().upper()
        if name in wanted or name.endswith(ending):
            found += _parse_line(group, name, line[len(before) :])
    return found


def _unfolded(body: bytes) -> bytes:
    body = body.replace(b"\r", b"")
    if b"QUOTED-" in body.upper():
        body = _QUOTED.sub(lambda found: _SOFT_BREAK.sub(b"", found[0]), body)
    # vCard 2.1 folds before a space that belongs to the value, the later ones add a space.
    if b"2.1" in body and _OLD_VERSION.search(body):
        return body.replace(b"\n ", b" ").replace(b"\n\t", b"\t")
    return body.replace(b"\n ", b"").replace(b"\n\t", b"")


def _parse_line(group: bytes, name: bytes, rest: bytes) -> Iterator[CardLine]:
    head, value = _cut(rest)
    parameters = _parameters(head) if head else {}
    raw = _decoded(value, parameters).strip()
    if raw:
        yield CardLine(
            group=group.strip().upper().decode("ascii", "replace"),
            name=name.decode("ascii", "replace"),
            parameters=parameters,
            raw=raw,
        )


def _cut(text: bytes) -> tuple[bytes, bytes]:
    """Return what stands before and after the colon before the value."""
    if b'"' not in text:
        head, _, value = text.partition(b":")
        return head, value
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
