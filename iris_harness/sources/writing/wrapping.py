"""Files as they are beside the text in them: byte order mark, UTF-16.

The inverse of `decoding.plain_bytes` for files that say themselves how they are kept: what is read
without its wrapping is written back in it. Of others it would have to be guessed again each time,
and a guess may turn with every change: they are refused.
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

    def wrap(self, plain: bytes) -> bytes:
        """Return `plain` as the file holds it."""
        return self.mark + (plain.decode().encode(self.codec) if self.codec else plain)


def unwrap(data: bytes) -> tuple[bytes, Wrapping]:
    """Return the bytes as `decoding.plain_bytes` gives them, and how to get back.

    Raises:
        WriteError: they could not be put back as they were.
    """
    wrapping = _wrapping(data)
    plain = data.removeprefix(wrapping.mark)
    try:
        if wrapping.codec:
            plain = plain.decode(wrapping.codec).encode()
        if wrapping.wrap(plain) == data and not _is_guesswork(plain):
            return plain, wrapping
    except UnicodeError:
        pass
    raise WriteError("is in an encoding, or has line ends, that could not be kept", hint=_HINT)


_HINT = "save it as UTF-8 with usual line ends, with a text editor"


def _wrapping(data: bytes) -> Wrapping:
    for mark, codec in _UTF16.items():
        if data.startswith(mark):
            return Wrapping(mark=mark, codec=codec)
    return Wrapping(mark=codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b"")


def _is_guesswork(plain: bytes) -> bool:
    """Whether it may be UTF-16 without a mark, or text of old Macs, whose lines end with CR."""
    is_old_mac = b"\r" in plain and b"\n" not in plain
    return plain[1:2] == b"\0" or plain.startswith(codecs.BOM_UTF8) or is_old_mac


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
            hint=_HINT,
        ) from error
