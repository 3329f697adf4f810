"""Slips of the finger and of the ear, as people and speech recognition make them."""

from __future__ import annotations

import random

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SOUNDS_LIKE = {
    "buy": ("by", "bye"), "day": ("dey", "they"), "today": ("to day", "two day"),
    "tomorrow": ("to morrow", "tomorow"), "to": ("two", "too"), "for": ("four",),
    "mail": ("male",), "mails": ("males",), "email": ("e male", "e mail"), "week": ("weak",),
    "meeting": ("meting", "meat ing"), "meet": ("meat",), "write": ("right", "rite"),
    "briefing": ("breathing", "brie fing"), "brief": ("breathe",), "due": ("dew", "do"),
    "bill": ("bell", "build"), "bills": ("bells", "builds"), "add": ("ad", "at", "and"),
    "weather": ("whether",), "timer": ("time are",), "alarm": ("a lamb", "alarms"),
    "remind": ("rewind", "re mind"), "plan": ("plane", "plants"), "list": ("lest", "lists"),
    "what's": ("what", "watts"), "whats": ("watts",), "task": ("tusk",), "tasks": ("tusks",),
    "todo": ("to do", "too do"), "calendar": ("colander", "calender"), "rain": ("reign",),
    "appointment": ("a pointment",), "schedule": ("shed yule", "schedual"), "mark": ("mach",),
    "time": ("thyme",), "my": ("mine", "may"), "four": ("for",), "eight": ("ate",),
    "send": ("sand", "sent"), "check": ("cheque",), "cancel": ("council",), "test": ("text",),
    "tests": ("texts",), "code": ("coat",), "fix": ("fax",), "bug": ("back",), "repo": ("reap o",),
    "reply": ("re ply",), "balance": ("balanced",), "spend": ("spent",), "forward": ("foreword",),
    "wake": ("weak",), "hour": ("our",), "inbox": ("in box",), "pull": ("pool",),
    "know": ("no",), "read": ("red",), "move": ("moved",), "budget": ("budge it",),
}  # fmt: skip
"""Words to what speech recognition makes of them."""
_LEAST_LETTERS = 4
"""Shorter sentences stay as they are; a slip would leave nothing of them."""


def misspell(text: str, source: random.Random) -> str:
    """Return `text` with one slip, in one case of three with two."""
    for _ in range(source.choice((1, 1, 2))):
        text = _slip(text, source)
    return text


def _slip(text: str, source: random.Random) -> str:
    places = [index for index, letter in enumerate(text) if letter.isalpha()]
    if len(places) < _LEAST_LETTERS:
        return text
    at = source.choice(places)
    before, letter, after = text[:at], text[at], text[at + 1 :]
    kind = source.randrange(5)
    if kind == 0:
        return before + after  # left out
    if kind == 1:
        return before + letter + letter + after  # twice
    if kind == 2 and after:  # noqa: PLR2004 - the kinds are listed here
        return before + after[0] + letter + after[1:]  # too early
    if kind == 3:  # noqa: PLR2004
        return before + source.choice(_neighbours(letter.lower())) + after  # the key beside it
    return before + source.choice(_LETTERS) + letter + after  # one too many


def _neighbours(letter: str) -> str:
    for row in _ROWS:
        at = row.find(letter)
        if at >= 0:
            return row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
    return _LETTERS


def mishear(text: str, source: random.Random) -> str:
    """Return `text` with a word that sounds like another one taken for it, where there is one."""
    words = text.split()
    places = [index for index, word in enumerate(words) if word.lower() in _SOUNDS_LIKE]
    if not places:
        return text
    at = source.choice(places)
    words[at] = source.choice(_SOUNDS_LIKE[words[at].lower()])
    return " ".join(words)
