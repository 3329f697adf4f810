"""What an action names has to stand in the user's own words.

A mail or an invitation may say "add … to the list" or "move the meeting". Whoever wrote it, no
title, item or place of an action comes from there: its words have to be in the utterance, in their
order. (A time that was named may have stood between them.)
"""

from __future__ import annotations

import unicodedata

from iris_harness.bootstrap.actions.arguments import check_length
from iris_harness.contracts.actions import Action
from iris_harness.errors import ActionError

_NAMING = (
    "summary",
    "title",
    "item",
    "list",
    "to_list",
    "calendar",
    "location",
    "task",
    "repo",
    "file",
)


def check_own_words(action: Action, utterance: str) -> None:
    """Do nothing when all that an action names was said by the user.

    Raises:
        ActionError: a text in it was not, or is longer than anybody means to say.
    """
    said = _words(utterance)
    for name in _NAMING:
        text = action.arguments.get(name)
        if isinstance(text, str):
            check_length(name, text)
        if isinstance(text, str) and not _is_part(_words(text), said):
            raise ActionError(
                "this would change something you did not name, so it was not done",
                hint="say it in your own words",
            )


def _is_part(words: list[str], said: list[str]) -> bool:
    """Return whether all `words` were said, in their order; others may stand between."""
    rest = iter(said)
    return all(word in rest for word in words)


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFC", text).casefold()
    return "".join(letter if letter.isalnum() else " " for letter in plain).split()
