"""Components as a server tells them again: the same in other words.

Servers keep what they are sent in a form of their own: other folds, another order of the lines.
A change must still be found in it, and taken back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from iris_harness.contracts.changes import Change, Edit
from iris_harness.sources.ical.components import Component, split
from iris_harness.sources.writing.component_text import ComponentText, parse_component
from iris_harness.sources.writing.text import occurrences
from iris_harness.sources.writing.wrapping import lossless_encoding


def found_again(change: Change, plain: bytes) -> Change:
    """Return `change` with its texts as `plain` tells them, where it says the same in other words.

    What it says neither so nor so stays as it is.
    """
    if change.whole:
        return change
    components = split(plain, "").components
    edits = [
        dataclasses.replace(
            edit,
            before=_told(edit.before, change.encoding, plain, components),
            after=_told(edit.after, change.encoding, plain, components),
        )
        for edit in change.edits
    ]
    return _with_edits(change, edits, plain)


def as_kept(change: Change, kept: bytes | None) -> Change:
    """Return `change`, which was just made, with what the server kept as its outcome."""
    if kept is None:
        return change
    if change.whole:
        (edit,) = change.edits
        before = None if edit.before is None else edit.before.encode(change.encoding)
        encoding = lossless_encoding([text for text in (before, kept) if text is not None])
        old = None if before is None else before.decode(encoding)
        whole = dataclasses.replace(edit, before=old, after=kept.decode(encoding))
        return dataclasses.replace(change, edits=(whole,), encoding=encoding)
    components = split(kept, "").components
    edits = [
        dataclasses.replace(edit, after=_kept(edit.after, change.encoding, kept, components))
        for edit in change.edits
    ]
    return _with_edits(change, edits, kept)


def same_whole(text: str | None, data: bytes | None, encoding: str) -> bool:
    """Whether a whole resource says what `text` says."""
    if text is None or data is None:
        return text is None and data is None
    own = text.encode(encoding)
    return own == data or _sayings(own) == _sayings(data)


def _with_edits(change: Change, edits: Sequence[Edit], plain: bytes) -> Change:
    # Another text may hold what the change's own encoding cannot say; the server's text is UTF-8.
    encoding = change.encoding if tuple(edits) == change.edits else lossless_encoding([plain])
    return dataclasses.replace(change, edits=tuple(edits), encoding=encoding)


def _told(
    text: str | None, encoding: str, plain: bytes, components: Sequence[Component]
) -> str | None:
    if text is None or occurrences(plain, text.encode(encoding)):
        return text
    wanted = _canonical(text)
    for told in _texts(plain, components):
        if _canonical(told) == wanted:
            return told
    return text


def _kept(
    text: str | None, encoding: str, plain: bytes, components: Sequence[Component]
) -> str | None:
    told = _told(text, encoding, plain, components)
    if told is None or occurrences(plain, told.encode(encoding)) or told != text:
        return told
    wanted = _identity(parse_component(told))
    for other in _texts(plain, components):
        if _identity(parse_component(other)) == wanted:
            return other
    return told


def _texts(plain: bytes, components: Sequence[Component]) -> list[str]:
    encoding = lossless_encoding([plain])
    return [plain[item.begin : item.end].decode(encoding) for item in components]


def _sayings(data: bytes) -> list[list[str]]:
    components = split(data, "").components
    return sorted(map(_canonical, _texts(data, components)))


def _canonical(text: str) -> list[str]:
    """Return the lines of a component without folds, in an order of no consequence."""
    return sorted(
        ";".join([line.name, *sorted(line.head.split(";")[1:])]) + ":" + line.value.strip()
        for line in parse_component(text).lines
        if line.unfolded.strip()
    )


def _identity(component: ComponentText) -> tuple[str, ...]:
    """Return kind, UID and instance of a component."""
    lines = (component.lines[0], component.find("UID"), component.find("RECURRENCE-ID"))
    return tuple(line.value.strip() if line else "" for line in lines)
