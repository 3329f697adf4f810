"""JSON with comments and trailing commas, as devcontainers, deno.json and tsconfig.json are."""

from __future__ import annotations

import json
import re

_MAX_CHARACTERS = 2_000_000
# Every alternative runs to its end or to that of the text, so that the time is linear.
_COMMENT = re.compile(r'"(?:[^"\\]|\\.?)*"?|//[^\n]*|/\*(?:.*?\*/|.*\Z)', re.DOTALL)
_COMMA = re.compile(r'"(?:[^"\\]|\\.?)*"?|,(?=\s*[}\]])', re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\n]")


def parse_jsonc(text: str) -> object:
    """Return the value of `text`; None where it is no JSON even without comments."""
    if len(text) > _MAX_CHARACTERS:
        return None
    bare = _COMMA.sub(_blanked, _COMMENT.sub(_blanked, text.lstrip("\ufeff")))
    try:
        value: object = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return value


def _blanked(match: re.Match[str]) -> str:
    """Return a string as it is, and blanks for everything else; lines keep their numbers."""
    return match[0] if match[0].startswith('"') else _NOT_LINE_END.sub(" ", match[0])
