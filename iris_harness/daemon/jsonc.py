"""JSON with comments and trailing commas, as devcontainers, deno.json and tsconfig.json are."""

from __future__ import annotations

import json
import re

_MAX_CHARACTERS = 2_000_000
# A string, a comment, or a comma before a closing bracket: only what is outside strings goes.
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


def parse_jsonc(text: str) -> object:
    """Return the value of `text`; None where it is no JSON even without comments."""
    if len(text) > _MAX_CHARACTERS:
        return None
    bare = _PART.sub(_kept, text.lstrip("\ufeff"))
    try:
        return json.loads(bare)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        return None


def _kept(match: re.Match[str]) -> str:
    if match[0].startswith('"'):
        return match[0]
    return re.sub(r"[^\n]", " ", match[0])  # lines keep their numbers
