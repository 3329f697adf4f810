"""Take one content line apart: its value, and its parameters (RFC 5545 §3.1, RFC 6868).

icalendar can do it too, but cannot be asked for this alone: its import builds every component
and property type there is, which costs a plan a fifth of its time. The tests hold this reader
to icalendar's.
"""

from __future__ import annotations

import re

# What precedes the colon before the value. Outside of quotation marks a backslash takes the
# meaning from what follows it. Possessive, so that no line can make it go back.
_HEAD = re.compile(r'(?:[^":\\]++|"[^"]*+"|\\++.?)*+')
_PARAMETER = re.compile(r'[ \t]*([\w.-]+)[ \t]*=((?:[^";\\]++|"[^"]*+"|\\.?)*+)(;|\Z)')
_CONTROL = r"\x00-\x08\x0a-\x1f\x7f"
_ITEM = re.compile(
    rf'(?:"([^"{_CONTROL}]*+)"|((?:[^",\\{_CONTROL}]++|\\[^"{_CONTROL}]?+)*+))(,|\Z)'
)
_PARAMETER_ESCAPE = re.compile(r"\\([\\,;:])|\^([\^n'])")
_TEXT_ESCAPE = re.compile(r"\\([\\,;:nN])")
_MEANING = {"^": "^", "n": "\n", "N": "\n", "'": '"'}


def split_line(text: str) -> tuple[str, dict[str, str]]:
    """Return value and parameters of the line whose text after its name is `text`.

    The value comes without TEXT escapes (§3.3.11), the parameters by name in capitals; of a
    parameter with several values the first one counts, of two with one name the last.

    Raises:
        ValueError: the parameters cannot be read.
    """
    head = _HEAD.match(text)
    end = head.end() if head else 0
    if not text.startswith(":", end) and end < len(text):
        raise ValueError("a quotation mark is not closed")
    return _unescaped(text[end + 1 :]), _parameters(text[:end])


def _unescaped(value: str) -> str:
    return _TEXT_ESCAPE.sub(lambda found: _MEANING.get(found[1], found[1]), value)


def _parameters(text: str) -> dict[str, str]:
    """Read ``;NAME=value;NAME="value",value``; spaces around ``;`` and ``=`` are let pass."""
    parameters: dict[str, str] = {}
    position = 1
    while position <= len(text):
        found = _PARAMETER.match(text, position)
        if not found:
            raise ValueError(f"{text[position : position + 40]!r} is no parameter")
        name, value, end = found.groups()
        parameters[name.upper()] = _first_item(value.strip(" \t"))
        position = found.end() + (not end)
    return parameters


def _first_item(value: str) -> str:
    """Return the first of a parameter's values; all of them are checked."""
    items: list[str] = []
    position = 0
    while position <= len(value):
        found = _ITEM.match(value, position)
        if not found:
            raise ValueError(f"{value[:40]!r} is no parameter value")
        quoted, bare, end = found.groups()
        items.append(bare if quoted is None else quoted)
        position = found.end() + (not end)
    return _PARAMETER_ESCAPE.sub(_parameter_escape, items[0]).strip()


def _parameter_escape(found: re.Match[str]) -> str:
    return found[1] or _MEANING[found[2]]
