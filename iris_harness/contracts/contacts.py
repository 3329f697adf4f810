"""People as address books know them: how they are called, and the days to think of them."""

from __future__ import annotations

from dataclasses import dataclass

from iris_harness.contracts.day import OccasionKind
from iris_harness.contracts.sources import SourceRef
from iris_harness.contracts.values import Value


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PersonDate(Value):
    """A day of the year that belongs to a person. Never an instant: no zone moves it."""

    kind: OccasionKind
    month: int
    """1 to 12."""
    day: int
    """A day that the month has, in leap years at least."""
    year: int | None = None
    """None means the card does not tell; most people write birthdays without one."""
    label: str = ""
    """What the user calls it; empty unless `kind` is `OTHER`."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Contact(Value):
    """One card of an address book, or several cards of one person."""

    uid: str
    """vCard UID; empty when the card has none."""
    name: str
    """How the person is shown; never empty."""
    given: str = ""
    """First name; empty when the card does not tell it from the rest."""
    family: str = ""
    """Last name; empty when the card does not tell it from the rest."""
    nicknames: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    """Addresses as written, in the card's order."""
    dates: tuple[PersonDate, ...] = ()
    is_deceased: bool = False
    """Whether the card has a date of death."""
    source: SourceRef
