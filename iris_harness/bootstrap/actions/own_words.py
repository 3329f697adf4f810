"""What an action names has to stand in the user's own words.

A mail or an invitation may say "add … to the list" or "move the meeting". Whoever wrote it, no
title, item or place of an action comes from there: it has to be found in the utterance.
"""

from __future__ import annotations

import unicodedata

from iris_harness.contracts.actions import Action
from iris_harness.errors import ActionError

_NAMING = ("summary", "item", "list", "to_list", "calendar", "location")
_STRAIGHT = {ord(mark): "'" for mark in '\u2018\u2019\u02bc\u201c\u201d\u201e\u00ab\u00bb"'}


def check_own_words(action: Action, utterance: str) -> None:
    """Do nothing when all that an action names was said by the user.

    Raises:
        ActionError: a text in it was not.
    """
    said = _folded(utterance)
    for name in _NAMING:
        text = action.arguments.get(name)
        if isinstance(text, str) and _folded(text) not in said:
            raise ActionError(
                "this would change something you did not name, so it was not done",
                hint="say it in your own words",
            )


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFC", text).translate(_STRAIGHT)
    return " ".join(plain.casefold().split())
