"""Changes to the user's own data: planned first, shown, applied, and taken back.

A `Change` says what one item reads before and after, to the letter. Applying it finds exactly
that text in the file as it is then and replaces nothing else, so an older change can be taken
back though newer ones were made to the same file. Implemented in `iris_harness.sources.writing`.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

from iris_harness.contracts.canonical import Json, to_json
from iris_harness.contracts.day import DailyPlan, Event, Todo
from iris_harness.contracts.sources import SourceKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where an item stands among its neighbours, enough to put it back there."""

    prior: str = ""
    """Digest of the item before it and of what follows that one up to it; empty: of the start."""
    gap: int = 0
    """Bytes from the end of the item before it (or the start of the file) to it."""
    follow: str = ""
    """Digest of the item after it; empty when it is the last."""
    number: int = 0
    """How many items stand before it: of places that look the same the nearest is meant."""
    lead: str = ""
    """Line end that comes and goes with it, before it."""
    trail: str = ""
    """Line end that comes and goes with it, after it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """One piece of text of a resource: whole lines, without the line end of the last."""

    before: str | None
    """Exactly as it stands in the resource; None: it is not there."""
    after: str | None
    """Exactly as it will stand there; None: it will not."""
    place: Place = field(default_factory=Place)
    before_twins: int = 0
    """How many other pieces of the resource read as `before` when it was planned."""
    after_twins: int = 0
    """How many other pieces of the resource read as `after` when it was planned."""

    def inverse(self) -> Edit:
        """Return the edit that takes this one back."""
        return replace(
            self,
            before=self.after,
            after=self.before,
            before_twins=self.after_twins,
            after_twins=self.before_twins,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What happens to one item in one resource, all of it or nothing."""

    source: str
    """Name of the source, unique among sources of its kind."""
    kind: SourceKind
    """`CALENDAR` or `TODO`."""
    resource: str
    """Its file (by name, or by path below the source's folder), or its path on a server."""
    uid: str
    """The item's UID after the change, else before; for a todo.txt ``file:line`` when planned."""
    edits: tuple[Edit, ...]
    """In the order in which they are made, each in what the one before it left; at least one."""
    whole: bool = False
    """Whether the one edit is the whole resource, which is made (or removed) by it."""
    encoding: str = "utf-8"
    """How the texts are bytes in the resource: ``utf-8``, ``cp1252`` or ``latin-1``."""
    title: str = ""
    """What the item is called, for words about it."""
    note: str = ""
    """What else will be, as a clause ("comes again on 2026-05-04"); empty when nothing."""
    tells_others: bool = False
    """Whether a server may tell other people of it (RFC 6638): that cannot be taken back."""

    @property
    def before(self) -> str | None:
        """The item's text before the change; None when it was not there."""
        return _joined(edit.before for edit in self.edits)

    @property
    def after(self) -> str | None:
        """The item's text after the change; None when it is gone."""
        return _joined(edit.after for edit in self.edits)

    def inverse(self) -> Change:
        """Return the change that takes this one back. The inverse of that is this one again."""
        return replace(self, edits=tuple(edit.inverse() for edit in reversed(self.edits)))

    def to_json(self) -> Json:
        """Return it as plain JSON, for `from_json`."""
        return to_json(self)

    @classmethod
    def from_json(cls, tree: Json) -> Change:
        """Read what `to_json` gave.

        Raises:
            ValueError: it is something else.
        """
        try:
            return _read_change(tree)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"this is no change ({error})") from error


def _joined(texts: Any) -> str | None:  # noqa: ANN401 - an iterable of text or None
    found = [text for text in texts if text is not None]
    return "\n".join(found) if found else None


def _read_change(tree: Any) -> Change:  # noqa: ANN401 - JSON of anything
    fields: dict[str, Any] = dict(tree)
    edits = tuple(Edit(**{**edit, "place": Place(**edit["place"])}) for edit in fields.pop("edits"))
    return Change(edits=edits, kind=SourceKind(fields.pop("kind")), **fields)


class Standing(enum.StrEnum):
    """How a change stands to its resource as it is now."""

    PENDING = "pending"  # the item reads as before the change
    DONE = "done"  # the item reads as after it
    CHANGED = "changed"  # neither: somebody else changed it


class Keep(enum.Enum):
    """A value that leaves a field of an item as it is."""

    KEEP = "keep"


KEEP = Keep.KEEP


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnTime:
    """The turn's one "now", and the zone it is read in."""

    now: dt.datetime
    """Aware."""
    timezone: str
    """IANA name of the user's zone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TodoDraft:
    """A todo that is to be written. Text from the user: it is escaped, never obeyed."""

    summary: str
    due: dt.date | dt.datetime | None = None
    """A day, an aware instant, or None: never."""
    start: dt.date | dt.datetime | None = None
    """Not before this; None: any time."""
    priority: int | None = None
    """1 (highest) to 9; None: undefined."""
    estimate_minutes: int | None = None
    """How long it takes; None: unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TodoEdit:
    """What becomes of the fields of a todo; None takes a field away."""

    summary: str | Keep = KEEP
    due: dt.date | dt.datetime | Keep | None = KEEP
    start: dt.date | dt.datetime | Keep | None = KEEP
    priority: int | Keep | None = KEEP
    estimate_minutes: int | Keep | None = KEEP


@dataclass(frozen=True, kw_only=True, slots=True)
class EventDraft:
    """An event that is to be written. Text from the user: it is escaped, never obeyed."""

    summary: str
    start: dt.date | dt.datetime
    """A day, or an aware instant."""
    end: dt.date | dt.datetime
    """Exclusive, of the same type as `start` and not before it."""
    location: str = ""
    description: str = ""
    busy: bool = True
    """Whether it takes the user's time."""


class ChangeApplier(Protocol):
    """One source that can be written."""

    @property
    def name(self) -> str:
        """The source's name, unique among sources of its kind."""
        ...

    def apply(self, change: Change) -> Change:
        """Make the change and return it as it was made: its inverse takes it back.

        What is returned differs from `change` where a server keeps a text in its own form.
        Once this returns, the change survives a power cut. Thread-safe.

        Raises:
            ChangedOutsideError: the item is no longer as `change.before` says; nothing is written.
            ReadOnlySourceError: the source may not be written.
            WriteError: it cannot be written; nothing is.
        """
        ...

    def standing(self, change: Change) -> Standing:
        """Return whether the change was made; reads only.

        Raises:
            WriteError: the source cannot be read.
        """
        ...


class TodoWriter(ChangeApplier, Protocol):
    """A list whose todos can be changed.

    Each method but `apply` plans only: it reads, and writes nothing. The changes it returns are
    applied in their order. All of them raise as `ChangeApplier.apply` does.
    """

    def add(self, draft: TodoDraft, at: TurnTime) -> tuple[Change, ...]:
        """Plan a new todo at the end of the list."""
        ...

    def done(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:
        """Plan that `todo` (as it was read) is done; one that comes again gets its next date."""
        ...

    def edit(self, todo: Todo, edit: TodoEdit, at: TurnTime) -> tuple[Change, ...]:
        """Plan other values for fields of `todo`; () when it has them already.

        Of a recurring todo the whole series changes.
        """
        ...

    def delete(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:
        """Plan that `todo` is taken out of the list; of a recurring one the whole series."""
        ...


class EventWriter(ChangeApplier, Protocol):
    """A calendar whose events can be changed. Methods as those of `TodoWriter`."""

    def add(self, draft: EventDraft, at: TurnTime) -> tuple[Change, ...]:
        """Plan a new event."""
        ...

    def move(
        self,
        event: Event,
        start: dt.date | dt.datetime,
        end: dt.date | dt.datetime | None,
        at: TurnTime,
    ) -> tuple[Change, ...]:
        """Plan another time for `event` (as it was read); end None keeps its length.

        Of a series only this one occurrence moves. () when it is at that time already.
        """
        ...

    def delete(
        self, event: Event, at: TurnTime, *, whole_series: bool = False
    ) -> tuple[Change, ...]:
        """Plan that `event` is taken out; of a series this one occurrence, or all of it."""
        ...


class BlockWriter(ChangeApplier, Protocol):
    """The calendar of their own that the blocks of plans are written to."""

    def write(self, plan: DailyPlan, at: TurnTime) -> tuple[Change, ...]:
        """Plan that the calendar holds the blocks of `plan` and no older ones of its day.

        Events that Iris did not write are never touched. () when it is so already.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Writers:
    """A writer for every source that can be read; one of a source that may not be written refuses.

    Each mapping is by source name, in configured order.
    """

    todos: Mapping[str, TodoWriter] = field(default_factory=lambda: MappingProxyType({}))
    calendars: Mapping[str, EventWriter] = field(default_factory=lambda: MappingProxyType({}))
    blocks: BlockWriter | None = None
    """None: no calendar for blocks is configured."""

    def of(self, change: Change) -> ChangeApplier | None:
        """Return who applies `change`; None when its source is configured no longer."""
        if change.kind is SourceKind.TODO:
            return self.todos.get(change.source)
        if self.blocks is not None and change.source == self.blocks.name:
            return self.blocks
        return self.calendars.get(change.source)
