"""HTML and SVG written so that no text can become a tag.

An element takes texts and other elements. A text is escaped when it is put in; an element is not,
because only `element` and `verbatim` make one.
"""

from __future__ import annotations

import html
from typing import TypeAlias

_VOID = frozenset({"meta", "link", "br", "img", "input"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child: TypeAlias = "Markup | str | None"


def element(
    tag: str, /, *children: Child, between: str = "", **attributes: str | float | None
) -> Markup:
    """Return an element; children that are None are left out, and so are such attributes.

    `between` is a text between two children.
    An underscore in an attribute's name stands for a hyphen, one at its end for nothing
    (``class_``, ``aria_label``). The order of attributes is that of the call.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{join(*children, between=between)}</{tag}>")


def join(*children: Child, between: str = "") -> Markup:
    """Return children one after another, `between` (a text) between two."""
    return Markup(html.escape(between).join(_escaped(child) for child in children if child))


def verbatim(text: str) -> Markup:
    """Return text that Iris itself wrote as markup, a style sheet say. Never a user's."""
    return Markup(text)


def _escaped(child: Markup | str) -> str:
    return child if isinstance(child, Markup) else html.escape(child, quote=False)
