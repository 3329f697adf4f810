"""The iCalendar resources of one source: find items, and make changes of them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from iris_harness.contracts.changes import Change, Standing
from iris_harness.contracts.sources import SourceKind
from iris_harness.errors import WriteError
from iris_harness.sources.ical.components import Component
from iris_harness.sources.writing.component_text import ComponentText
from iris_harness.sources.writing.documents import (
    ICALENDAR,
    About,
    Document,
    calendar_around,
    change_of,
    line_end_of,
    open_document,
    whole_edit,
)
from iris_harness.sources.writing.naming import named
from iris_harness.sources.writing.redraft import Redraft
from iris_harness.sources.writing.stores import Store, apply_change, change_standing, may_hold
from iris_harness.sources.writing.wrapping import encode, encoding_of

_ATTENDEE = re.compile(r"^ATTENDEE[;:]", re.MULTILINE | re.IGNORECASE)


class Item(NamedTuple):
    """What a change is about, in words and by name."""

    uid: str
    title: str
    note: str = ""


class Resources:
    """The resources of one calendar or list. Thread-safe."""

    def __init__(self, name: str, kind: SourceKind, store: Store) -> None:
        """Take the source's name and kind, and where its resources are."""
        self.name = name
        self._kind = kind
        self._store = store

    def documents(self, uid: str, kind: str, timezone: str) -> Iterator[Document]:
        """Yield the resources that hold components of a kind and UID.

        Raises:
            WriteError: the source cannot be read; a single item of many that cannot be read is
                passed over, as the reader does.
        """
        for resource in self._store.candidates(uid):
            try:
                raw = self._store.read(resource)
                if raw is None or not may_hold(raw, uid):
                    continue
                document = open_document(resource, raw, timezone)
            except WriteError:
                if self._store.is_single:
                    raise
                continue
            if document.components(kind, uid):
                yield document

    def every(self, timezone: str, mark: str) -> Iterator[Document]:
        """Yield the resources whose bytes hold `mark`, an ASCII text, whole or folded."""
        for resource in self._store.candidates(""):
            try:
                raw = self._store.read(resource)
                if raw is None or not may_hold(raw, mark):
                    continue
                yield open_document(resource, raw, timezone)
            except WriteError:
                if self._store.is_single:
                    raise

    def added(self, text: ComponentText, item: Item) -> Change:
        """Return the change that adds a component."""
        resource = self._store.new_resource(item.uid)
        self._store.check_open(resource)
        if self._store.is_single:
            return self._appended(resource, text, item)
        edits, encoding = whole_edit(None, calendar_around(text))
        return change_of(self._about(resource, item), edits, encoding, whole=True)

    def _appended(self, resource: str, text: ComponentText, item: Item) -> Change:
        raw = self._store.read(resource)
        if raw is None:
            raise WriteError("does not exist", hint="create it, or mend its path in the settings")
        document = open_document(resource, raw, "UTC")
        redraft = document.redraft()
        lines = text.text.replace("\r\n", line_end_of(document))
        redraft.append(encode(lines, encoding_of(document.data)))
        return self._of_redraft(resource, redraft, item)

    def changed(self, document: Document, redraft: Redraft, item: Item) -> tuple[Change, ...]:
        """Return the change that `redraft` makes of a resource; () when it makes none."""
        self._store.check_open(document.resource)
        if redraft.data == document.data:
            return ()
        return (self._of_redraft(document.resource, redraft, item),)

    def removed(
        self, document: Document, components: Collection[Component], item: Item
    ) -> tuple[Change, ...]:
        """Return the change that takes components out, with the resource if it has no others."""
        self._store.check_open(document.resource)
        alone = document.is_alone(components)
        if alone and not self._store.is_single:
            edits, encoding = whole_edit(document.raw, None)
            about = self._about(document.resource, item)
            return (self._telling(change_of(about, edits, encoding, whole=True)),)
        redraft = document.redraft()
        for component in components:
            document.text_of(component)  # refuses what has no end
            document.replace(redraft, component, None)
        return (self._of_redraft(document.resource, redraft, item),)

    def apply(self, change: Change) -> Change:
        """Make a change; see `ChangeApplier.apply`."""
        with named(self.name, change.title):
            return apply_change(self._store, change, ICALENDAR)

    def standing(self, change: Change) -> Standing:
        """Return how a change stands; see `ChangeApplier.standing`."""
        with named(self.name, change.title):
            data = self._store.read(change.resource)
            return change_standing(data, change, exact=self._store.keeps_bytes)

    def _of_redraft(self, resource: str, redraft: Redraft, item: Item) -> Change:
        edits, encoding = redraft.edits()
        return self._telling(change_of(self._about(resource, item), edits, encoding))

    def _telling(self, change: Change) -> Change:
        """Return a change that says whether a server may tell other people of it."""
        text = "\n".join(filter(None, (change.before, change.after)))
        if self._store.keeps_bytes or not _ATTENDEE.search(text):
            return change
        note = "; ".join(filter(None, (change.note, "others are invited, and may be told of it")))
        return dataclasses.replace(change, note=note, tells_others=True)

    def _about(self, resource: str, item: Item) -> About:
        return About(self.name, self._kind, resource, item.uid, item.title, item.note)


def together(*changes: Change) -> tuple[Change, ...]:
    """Return changes of one resource as a single one, made as a whole; others as they are."""
    first = changes[0]
    are_one = all(
        (change.resource, change.encoding, change.whole) == (first.resource, first.encoding, False)
        for change in changes
    )
    if not are_one:
        return changes
    edits = tuple(edit for change in changes for edit in change.edits)
    return (dataclasses.replace(first, edits=edits),)
