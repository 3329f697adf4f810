"""The steps that a task states in its own words, and what their order is.

Order is never guessed: it is a numbered list, or a word that says it.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import NamedTuple


class Order(enum.StrEnum):
    """What the words say about the order of the steps; the value is how it is told to people."""

    NUMBERED = "the list is numbered, so each step waits for the one before"
    STATED = "words such as “first”, “then” or “after” state an order"
    LISTED = "the list names steps in no order"
    SENTENCES = "each sentence names work of its own"
    ONE = "nothing states several steps"


class Steps(NamedTuple):
    """A task as steps."""

    texts: tuple[str, ...]
    """In the order in which they are to be done, where there is one."""
    order: Order
    lead: str = ""
    """What stood before a list; it belongs to every step."""


_NUMBERED = re.compile(r"^[ \t]*(?:step\s+)?(\d{1,3})[.):]\s+(\S.*)$", re.IGNORECASE | re.MULTILINE)
_INLINE_NUMBER = re.compile(r"(?:(?<=\s)|^)(?:\((\d{1,2})\)|(\d{1,2})[.)])\s+")
_BULLET = re.compile(r"^[ \t]*[-*•+][ \t]+(\S.*)$", re.MULTILINE)
_THEN = re.compile(
    r"\s*(?:[,;.]|\n)*\s*\b(?:and\s+)?(?:(?P<bare>then)|after\s+(?:that|this|which)|afterwards"
    r"|subsequently|once\s+(?:that|this)(?:\s+is|'s)\s+(?:done|finished))\b[\s,:]*"
    r"|(?:\s*[,;.\n]+\s*(?:and\s+)?|\s+and\s+)(?:next,|finally\b,?|lastly\b,?)\s*",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|when|whenever|unless|until)\b[^.;\n]*$", re.IGNORECASE)
_YOU = re.compile(r"^you(?:'ve|\s+have)?\s+", re.IGNORECASE)
_FIRST = re.compile(r"^\s*first(?:ly|\s+of\s+all)?\b[\s,:]*", re.IGNORECASE)
_AFTER_BEFORE = re.compile(
    r"^\s*(?:after|once|when)\s+(?P<first>[^,\n]+?)\s*,\s*(?:then\s+)?(?P<second>[^\n]+)$",
    re.IGNORECASE,
)
_LATER_AFTER = re.compile(
    r"^(?P<second>[^\n]+?),?\s+(?:but\s+)?(?:only\s+)?after\s+(?P<first>(?:you(?:'ve|\s+have)?\s+)?"
    r"[^\n]+)$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"^(?P<first>[^\n]+?),?\s+before\s+(?:you\s+)?(?P<second>\w+ing\b[^\n]*|you\s+[^\n]+)$",
    re.IGNORECASE,
)
_DOING = re.compile(r"^(?:you(?:'ve|\s+have)?\s+)?\w+(?:ing|ed)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:is|are|has\s+been)\s+(?:done|finished|ready|merged|fixed)\b", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[\w)`\"'])[.;!]\s+(?=[A-Za-z`\"'])|\n+")
_REFERS_BACK = re.compile(
    r"\b(?:it|its|them|they|that\s+\w+|this\s+\w+|the\s+same|accordingly|likewise|the\s+new|the\s+"
    r"result|the\s+change|so\s+that)\b",
    re.IGNORECASE,
)


def find_steps(task: str) -> Steps:
    """Return the steps of `task`; one, when nothing states several."""
    text = task.strip()
    for find in (_numbered, _bullets, _stated, _subordinate, _sentences):
        steps = find(text)
        if steps is not None and all(map(str.strip, steps.texts)):
            return steps
    return Steps(texts=(text,), order=Order.ONE)


def refers_back(text: str) -> bool:
    """Whether a sentence speaks of what an earlier one made: "update it accordingly"."""
    return bool(_REFERS_BACK.search(text))


def _numbered(text: str) -> Steps | None:
    found = list(_NUMBERED.finditer(text))
    numbers = [int(match[1]) for match in found]
    if _counts_up(numbers):
        return _list_of(text, [(match.start(), match.start(2)) for match in found], Order.NUMBERED)
    inline = list(_INLINE_NUMBER.finditer(text))
    if _counts_up([int(match[1] or match[2]) for match in inline]):
        spans = [(match.start(), match.end()) for match in inline]
        return _list_of(text, spans, Order.NUMBERED)
    return None


def _counts_up(numbers: list[int]) -> bool:
    return len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _bullets(text: str) -> Steps | None:
    found = list(_BULLET.finditer(text))
    if len(found) < 2:  # noqa: PLR2004 - one bullet is no list
        return None
    return _list_of(text, [(match.start(), match.start(1)) for match in found], Order.LISTED)


def _list_of(text: str, spans: list[tuple[int, int]], order: Order) -> Steps | None:
    ends = [start for start, _ in spans[1:]] + [len(text)]
    items = [text[begin:end].strip(" \t\n,;") for (_, begin), end in zip(spans, ends, strict=True)]
    if not all(items):
        return None
    return Steps(texts=tuple(items), order=order, lead=text[: spans[0][0]].strip())


def _stated(text: str) -> Steps | None:
    parts = [part.strip(" \t\n,;.") for part in _split_at_then(_FIRST.sub("", text))]
    steps = tuple(filter(None, (_FIRST.sub("", part).strip() for part in parts)))
    if len(steps) < 2:  # noqa: PLR2004 - one step is no order
        return None
    return Steps(texts=steps, order=Order.STATED)


def _split_at_then(text: str) -> Iterator[str]:
    begin = 0
    for found in _THEN.finditer(text):
        # "if it fails, then show why" states no order.
        if found["bare"] and _CONDITION.search(text[begin : found.start()]):
            continue
        yield text[begin : found.start()]
        begin = found.end()
    yield text[begin:]


def _subordinate(text: str) -> Steps | None:
    """Read "after A, B", "B after A-ing" and "A before B-ing"; the main clause has its own verb."""
    line = text.rstrip(".")
    if (found := _AFTER_BEFORE.match(line)) and _is_work(found["first"]):
        return _pair(found)
    if (found := _LATER_AFTER.match(line)) and _is_work(found["first"]):
        return _pair(found)
    if found := _BEFORE.match(line):
        return _pair(found)
    return None


def _is_work(clause: str) -> bool:
    return bool(_DOING.match(clause) or _DONE.search(clause))


def _pair(found: re.Match[str]) -> Steps:
    texts = (_YOU.sub("", found[name].strip()) for name in ("first", "second"))
    return Steps(texts=tuple(texts), order=Order.STATED)


def _sentences(text: str) -> Steps | None:
    parts = tuple(part.strip(" \t\n.;") for part in _SENTENCE_END.split(text))
    parts = tuple(part for part in parts if part)
    return Steps(texts=parts, order=Order.SENTENCES) if len(parts) > 1 else None
