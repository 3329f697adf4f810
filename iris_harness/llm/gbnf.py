r"""Grammars for llama.cpp (GBNF), built so that no text in them can break them.

A malformed grammar ends llama.cpp's process with a segmentation fault, so nobody writes one by
hand: every literal goes through `literal`. Source: llama.cpp, grammars/README.md and
src/llama-grammar.cpp (escapes ``\t \r \n \\ \" \xHH \uHHHH \UHHHHHHHH``; names of letters, digits
and dashes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ESCAPES = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}

JSON_CHARACTER = r'[^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})'
"""A character of a JSON text (RFC 8259, section 7), without controls."""


def literal(text: str) -> str:
    r"""Return the expression that matches exactly `text`.

    Everything but printable ASCII is escaped by its number.

    Raises:
        ValueError: it holds a NUL, which ends texts in llama.cpp, or a lone surrogate.
    """
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("a grammar cannot hold a NUL or a lone surrogate")
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if " " <= letter <= "~":
        return letter
    number = ord(letter)
    return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"  # noqa: PLR2004 - the plane


def json_literal(text: str) -> str:
    """Return the expression that matches `text` as a JSON string, in one spelling."""
    return literal(json.dumps(text, ensure_ascii=False))


def choice(texts: Sequence[str]) -> str:
    """Return the expression that matches exactly one of `texts`, in their order.

    Raises:
        ValueError: there are none, or one cannot stand in a grammar.
    """
    if not texts:
        raise ValueError("a choice has something to choose from")
    return " | ".join(literal(text) for text in texts)


def grammar(rules: Mapping[str, str]) -> str:
    """Return the grammar of these rules, name to expression; the first is called root.

    Raises:
        ValueError: a name that is none, or the first is not root.
    """
    if next(iter(rules), "") != "root":
        raise ValueError("a grammar begins with root")
    if wrong := [name for name in rules if not _NAME.fullmatch(name)]:
        raise ValueError(f"{wrong[0]!r} is no name of a rule")
    return "".join(f"{name} ::= {expression}\n" for name, expression in rules.items())


def choice_grammar(texts: Sequence[str]) -> str:
    """Return the grammar of one of `texts` and nothing else; raises as `choice`."""
    return grammar({"root": choice(texts)})


def json_text(*, longest: int) -> str:
    """Return the expression of a JSON string of 1 to `longest` characters."""
    return f'"\\"" ({JSON_CHARACTER}){{1,{longest}}} "\\""'


def dag_grammar(
    ids: Sequence[str],
    fields: Mapping[str, str],
    *,
    head: Mapping[str, str] | None = None,
    key: str = "workers",
) -> str:
    """Return the grammar of a JSON object with 1 to `len(ids)` nodes that form a DAG.

    ``{<head>, key: [{"id": ids[0], <fields>, "depends_on": []}, …]}``: node i is called ``ids[i]``
    and may depend on earlier nodes only, on each at most once, in their order. So no cycle, no
    unknown and no double id can be written; it has size n².

    Args:
        ids: what the nodes are called, at least one, all different.
        fields: further keys of a node, in order, each with the expression of its value.
        head: keys of the whole before its nodes, in the same form.
        key: of the list of nodes.

    Raises:
        ValueError: no ids, or two that are the same.
    """
    if not ids or len(set(ids)) != len(ids):
        raise ValueError("the nodes of a graph have ids, all different")
    rules = {"root": _object({**(head or {}), key: '"[" node-0 "]"'})}
    rules |= {
        f"node-{at}": _node(at, ids, fields) + (f' ("," node-{at + 1})?' if ids[at + 1 :] else "")
        for at in range(len(ids))
    }
    return grammar(rules | dict(_subsets(ids)))


def _object(members: Mapping[str, str]) -> str:
    parts = [f"{literal(json.dumps(name) + ':')} ({value})" for name, value in members.items()]
    return '"{" ' + ' "," '.join(parts) + ' "}"'


def _node(at: int, ids: Sequence[str], fields: Mapping[str, str]) -> str:
    depends = f'"[" after-0-{at}? "]"' if at else '"[]"'
    return _object({"id": json_literal(ids[at]), **fields, "depends_on": depends})


def _subsets(ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the rules ``after-J-I``: some of the nodes J to I-1, in their order."""
    for end in range(1, len(ids)):
        for first in range(end):
            one = json_literal(ids[first])
            more = f"after-{first + 1}-{end}"
            last = first + 1 == end
            yield f"after-{first}-{end}", one if last else f'{one} ("," {more})? | {more}'
