"""Bytes as other programs wrote them: byte order marks, UTF-16, cp1252, line ends."""

from __future__ import annotations

import codecs

_LONGEST_TEXT = 1000
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def plain_bytes(data: bytes) -> bytes:
    """Return `data` without byte order mark, UTF-16 as UTF-8, and with LF or CRLF line ends."""
    if data.startswith(_UTF16):
        data = data.decode("utf-16", "replace").encode("utf-8")
    elif data[1:2] == b"\0" and data[3:4] == b"\0":
        data = data.decode("utf-16-le", "replace").encode("utf-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data


def decode(data: bytes) -> str:
    """Decode UTF-8, and each line that is none as cp1252: the other encoding that is found.

    Line by line, for one entry may have been through several programs.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(map(_decode_line, data.splitlines(keepends=True)))


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def shorten(text: str) -> str:
    """Cut a title or a place that is longer than anybody reads; the cut shows."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def looks_binary(data: bytes) -> bool:
    """Whether the beginning of `data` holds a byte that no text has."""
    return b"\0" in data[:4096]
