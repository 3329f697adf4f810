"""What chat clients ask behind the user's back: a title, tags, follow-up questions.

Open WebUI sends such requests as a user's message that begins with "### Task:" and asks for JSON.
They are answered from the conversation it quotes, the same for the same words, and are no turns.
"""

from __future__ import annotations

import json
import re

_TASK = "### Task:"
_QUOTED = re.compile(r"<chat_history>\s*(.*?)\s*</chat_history>", re.DOTALL)
_USER = re.compile(r"^USER:\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
_KEYS = ("title", "tags", "follow_ups", "queries", "text", "emoji")
_KEY = re.compile(rf'"({"|".join(_KEYS)})"\s*:')
_MOST_WORDS = 6
_FOLLOW_UPS = ("Plan my day", "What is overdue?", "What is on tomorrow?")
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = frozenset({"what", "when", "which", "where", "with", "that", "this", "have", "tell",
                     "show", "there", "about", "from", "your", "please", "could",
                     "would"})  # fmt: skip
_GENERAL = "General"


def is_housekeeping(text: str) -> bool:
    """Return whether a message is a client's own, not the user's."""
    return text.lstrip().startswith(_TASK)


def answer_housekeeping(text: str) -> str:
    """Return the JSON that is asked for; an empty object when it is nothing known."""
    asked = _KEY.search(text)
    quoted = _QUOTED.search(text)
    said = _USER.findall(quoted[1]) if quoted else []
    if asked is None:
        return "{}"
    return json.dumps({asked[1]: _value(asked[1], said)}, ensure_ascii=False)


def _value(key: str, said: list[str]) -> str | list[str]:
    if key == "title":
        return _title(said)
    if key == "tags":
        return _tags(said)
    if key == "follow_ups":
        asked = {text.lower().strip("?!. ") for text in said}
        return [text for text in _FOLLOW_UPS if text.lower().strip("?") not in asked]
    return [] if key == "queries" else ""


def _title(said: list[str]) -> str:
    words = said[0].split() if said else []
    if not words:
        return "Iris"
    title = " ".join(words[:_MOST_WORDS]).rstrip(",;:-?!. ")
    return title[:1].upper() + title[1:] + ("\u2026" if len(words) > _MOST_WORDS else "")


def _tags(said: list[str]) -> list[str]:
    words = (word.lower() for text in said for word in _WORD.findall(text))
    found = list(dict.fromkeys(word for word in words if word not in _COMMON))
    return [word.capitalize() for word in found[:3]] or [_GENERAL]
