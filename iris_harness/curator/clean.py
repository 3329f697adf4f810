"""Text that others wrote, made safe to show and to say.

Titles, locations and error messages come from calendars, mails and files that strangers can
write to. None of them may move a cursor, change a colour, break a line or turn the order of
letters around.
"""

from __future__ import annotations

import re

# CSI sequences (ECMA-48 §5.4) go as a whole: their parameters are noise once the ESC is gone.
_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")

# White space of every kind, the line and paragraph separators included.
_WHITE = re.compile(r"\s+")

# C0, C1, DEL; soft hyphen, zero-width spaces and joiners of words; bidirectional embeddings,
# overrides and isolates (Unicode UAX 9 §2); interlinear marks; lone surrogates, which no
# encoding can print. The joiners U+200C and U+200D stay: Persian and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)

# What a voice can say: letters, digits, and the punctuation that shapes a sentence.
_UNSPEAKABLE = re.compile(r"[^\w\s.,:;?!'%/+€$£-]|_")
_LOOSE_MARK = re.compile(r"(?:^|(?<=\s))[-/+:;,.]+(?=\s|$)")


def clean(text: str) -> str:
    """Return `text` on one line, without controls, escape sequences or direction overrides.

    Runs of white space become one space. Idempotent; may return an empty string.
    """
    if text.isprintable() and "  " not in text:  # nearly all there is, told in a moment
        return text.strip()
    visible = _WHITE.sub(" ", _SEQUENCE.sub("", text))
    return _WHITE.sub(" ", _INVISIBLE.sub("", visible)).strip()


def cleaned(*texts: str) -> tuple[str, ...]:
    """Return the texts cleaned, those that are empty then left out."""
    return tuple(text for text in map(clean, texts) if text)


def clean_lines(text: str) -> str:
    """Clean each line of `text` on its own and keep its indentation and the line breaks."""
    return "\n".join(_clean_line(line) for line in text.splitlines()).strip("\n")


def _clean_line(line: str) -> str:
    content = clean(line)
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + content if content else ""


def speakable(text: str) -> str:
    """Return `text` for a voice: cleaned, symbols left out.

    May return an empty string when nothing in it can be said.
    """
    words = _UNSPEAKABLE.sub(" ", clean(text))
    return _WHITE.sub(" ", _LOOSE_MARK.sub("", words)).strip()


def shorten(text: str, words: int) -> str:
    """Return the first `words` words of `text`, all of it when it is shorter."""
    return " ".join(text.split()[:words])
