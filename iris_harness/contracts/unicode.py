"""Text that can be written down: every value Iris keeps, hashes or prints holds only such text."""

from __future__ import annotations


def well_formed(text: str) -> str:
    r"""Return `text` with every lone surrogate written out, as ``\udcff``.

    File names, arguments and typed lines that are no UTF-8 reach Python as text with lone
    surrogates (PEP 383); no encoding, digest or database takes them. Different names stay
    different. Idempotent.
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
