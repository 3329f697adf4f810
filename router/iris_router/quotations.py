"""What stands between quotation marks: a text of the user's, whatever it says."""

from __future__ import annotations

import re

QUOTATION = re.compile(
    '"(?P<a>[^"]+)"|\u201c(?P<b>[^\u201d]+)\u201d|\u201e(?P<c>[^\u201c]+)\u201c'
    "|\u00ab(?P<d>[^\u00bb]+)\u00bb|(?<!\\w)'(?P<e>[^']+)'(?!\\w)"
    "|(?<!\\w)\u2018(?P<f>[^\u2019]+)\u2019(?!\\w)"
)
"""A quotation; the group that matched is what stands between the marks."""
_MARK = re.compile("[\"\u201c\u201e\u00ab'\u2018]")


def may_quote(text: str) -> bool:
    """Return whether a text has a mark that begins a quotation; looking for one takes longer."""
    return _MARK.search(text) is not None
