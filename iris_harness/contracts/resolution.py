"""Whom a name means among the people of the user's address books; never a guess."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.people import merge_contacts, name_foldings, normal_name


class Match(enum.StrEnum):
    """How sure it is whom a name means."""

    EXACT = "exact"  # somebody's full name, nickname or address
    UNIQUE = "unique"  # less than that, and only one person fits
    AMBIGUOUS = "ambiguous"  # several people fit
    UNKNOWN = "unknown"  # nobody fits


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolution:
    """Whom a name means."""

    name: str
    """The name as it was said."""
    match: Match
    candidates: tuple[Contact, ...]
    """Everybody it may mean, by name: one when exact or unique, none when unknown."""

    @property
    def contact(self) -> Contact | None:
        """The person it means; None when that is open."""
        return self.candidates[0] if self.match in {Match.EXACT, Match.UNIQUE} else None


def resolve_name(name: str, contacts: Iterable[Contact]) -> Resolution:
    """Return whom `name` means among `contacts`; their order makes no difference.

    The first of these that fits anybody decides; several people who fit it equally are
    candidates, and none of them is picked:

    1. a full name ("Ada King"), a nickname or a mail address, whatever its case (`EXACT`);
    2. the same without accents, or with umlauts spelt out ("Mueller", "Muller": Müller);
    3. whole words of a name in any order ("ada", "King", "king ada");
    4. beginnings of words ("Ad", "Ad Ki").

    Cards of one person (see `merge_contacts`) are one candidate.
    """
    people = merge_contacts(contacts)
    wanted = normal_name(name)
    if not wanted:
        return Resolution(name=name, match=Match.UNKNOWN, candidates=())
    exact = tuple(person for person in people if wanted in _exact_names(person))
    if exact:
        return _resolution(name, exact, Match.EXACT)
    queries = name_foldings(wanted)
    for fits in (_is_called, _has_words, _has_beginnings):
        found = tuple(person for person in people if any(fits(person, query) for query in queries))
        if found:
            return _resolution(name, found, Match.UNIQUE)
    return Resolution(name=name, match=Match.UNKNOWN, candidates=())


def _resolution(name: str, found: tuple[Contact, ...], match: Match) -> Resolution:
    return Resolution(
        name=name, match=match if len(found) == 1 else Match.AMBIGUOUS, candidates=found
    )


def _exact_names(person: Contact) -> frozenset[str]:
    return frozenset(map(normal_name, (*_full_names(person), *person.emails)))


def _full_names(person: Contact) -> tuple[str, ...]:
    """Return what the whole of a person may be called by."""
    parts = (f"{person.given} {person.family}",) if person.given and person.family else ()
    return (person.name, *parts, *person.nicknames)


def _is_called(person: Contact, query: str) -> bool:
    return any(query in name_foldings(normal_name(called)) for called in _full_names(person))


def _has_words(person: Contact, query: str) -> bool:
    return _words_fit(person, query, str.__eq__)


def _has_beginnings(person: Contact, query: str) -> bool:
    return _words_fit(person, query, str.startswith)


def _words_fit(person: Contact, query: str, fits: Callable[[str, str], bool]) -> bool:
    """Return whether each word of `query` fits a word of one of the person's names."""
    names = chain.from_iterable(
        name_foldings(normal_name(called)) for called in _full_names(person)
    )
    words = _words(query)
    return bool(words) and any(
        all(any(fits(own, word) for own in _own_words(called)) for word in words)
        for called in names
    )


def _words(name: str) -> list[str]:
    """Return a name's words: "Anne-Marie" has two."""
    return "".join(letter if letter.isalnum() else " " for letter in name).split()


def _own_words(name: str) -> list[str]:
    """Return a person's words, those with a hyphen or an apostrophe also in one ("obrien")."""
    joined = ("".join(letter for letter in word if letter.isalnum()) for word in name.split())
    return [*_words(name), *joined]
