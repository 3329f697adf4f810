"""Files as they are beside the text in them: byte order mark, UTF-16, line ends of old Macs.

The inverse of `decoding.plain_bytes`: what is read without its wrapping is written back in it.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from typing import NamedTuple

from iris_harness.errors import WriteError

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Wrapping(NamedTuple):
    """How a file's text is kept."""

    mark: bytes = b""
    """Byte order mark."""
    codec: str = ""
    """Of UTF-16; empty: the bytes are the text's own."""
    old_mac: bool = False
    """Whether lines end with CR alone."""

    def wrap(self, plain: bytes) -> bytes:
        """Return `plain` as the file holds it."""
        if self.old_mac:
            plain = plain.replace(b"\r\n", b"\n").replace(b"\n", b"\r")
        if self.codec:
            plain = plain.decode("utf-8").encode(self.codec)
        return self.mark + plain


def unwrap(data: bytes) -> tuple[bytes, Wrapping]:
    """Return the bytes as `decoding.plain_bytes` gives them, and how to get back.

    Raises:
        WriteError: they could not be put back as they were.
    """
    wrapping = _wrapping(data)
    plain = data.removeprefix(wrapping.mark)
    try:
        if wrapping.codec:
            plain = plain.decode(wrapping.codec).encode("utf-8")
        old_mac = b"\n" not in plain and b"\r" in plain
        if old_mac:
            plain = plain.replace(b"\r", b"\n")
        wrapping = wrapping._replace(old_mac=old_mac)
        if wrapping.wrap(plain) == data and not plain.startswith(codecs.BOM_UTF8):
            return plain, wrapping
    except UnicodeError:
        pass
    raise WriteError(
        "is in a damaged encoding, in which nothing can be written without changing the rest",
        hint="save it as UTF-8 with a text editor",
    )


def _wrapping(data: bytes) -> Wrapping:
    for mark, codec in _UTF16.items():
        if data.startswith(mark):
            return Wrapping(mark=mark, codec=codec)
    if data[1:2] == b"\0" and data[3:4] == b"\0":
        return Wrapping(codec="utf-16-le")
    if data.startswith(codecs.BOM_UTF8):
        return Wrapping(mark=codecs.BOM_UTF8)
    return Wrapping()


def encoding_of(plain: bytes) -> str:
    """Return how `plain` is read: ``utf-8``, or ``cp1252`` when it is none."""
    try:
        plain.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def lossless_encoding(pieces: Iterable[bytes]) -> str:
    """Return an encoding that gives every byte of `pieces` back."""
    together = b"\n".join(pieces)
    for name in ("utf-8", "cp1252"):
        try:
            together.decode(name)
        except UnicodeDecodeError:
            continue
        return name
    return "latin-1"


def encoding_within(piece: bytes, whole: bytes) -> str:
    """Return how new text is written into `piece` of `whole`: as what is in it is read."""
    if piece.isascii():
        return encoding_of(whole)
    return lossless_encoding([piece])


def encode(text: str, encoding: str) -> bytes:
    """Return a text as bytes of a file.

    Raises:
        WriteError: the file's encoding has no such letter.
    """
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise WriteError(
            f"is not in UTF-8, and its encoding ({encoding}) has no {text[error.start]!r}",
            hint="save it as UTF-8 with a text editor",
        ) from error
