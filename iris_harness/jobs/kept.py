"""Words and values that others hand in, made such that every database keeps them.

What daemons, models and servers say may hold anything: text that is no Unicode, a NUL, megabytes.
A worker must not be lost over what was said of it, so that is mended here, not refused.
"""

from __future__ import annotations

import json
from typing import Final

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.unicode import well_formed

LONGEST_KIND: Final = 32
LONGEST_REASON: Final = 4_000
_CUT: Final = " …"


def kept_text(text: str, longest: int) -> str:
    """Return `text` as it is kept: at most `longest` characters, its beginning where it is more."""
    whole = well_formed(text.replace("\0", "\N{REPLACEMENT CHARACTER}"))
    if len(whole) <= longest:
        return whole
    return f"{whole[: longest - len(_CUT)].rstrip()}{_CUT}"


def kept_json(value: Json) -> str:
    """Return a value as the JSON text that is kept of it; a number that JSON has not is null."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        finite = json.loads(json.dumps(value), parse_constant=lambda _: None)
        text = json.dumps(finite, ensure_ascii=False)
    return text.encode(
        "utf-8", "replace"
    ).decode()  # lone surrogates; written out, JSON had them back
