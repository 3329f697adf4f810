"""The person that a request names, looked up in the user's address books; never a guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import ContactsPort
from iris_harness.contracts.resolution import Match, Resolution, resolve_name
from iris_harness.contracts.results import Choice, Option
from iris_harness.contracts.tasks import AgentTask
from iris_harness.planner.frame import load_zone
from iris_harness.planner.snapshot import read_people

_LONGEST_NAME = 4
"""Words of a name that are tried."""
_NOT_NAMED = re.compile(
    r"^(?:my|our|the|an?|some|his|her|their|every\w*|all|both)\b", re.IGNORECASE
)
_MOST_CANDIDATES = 6


class Question(NamedTuple):
    """Which of several people is meant: in words, and as a choice."""

    fact: Fact
    choice: Choice


class Person(NamedTuple):
    """Whom words name."""

    said: str
    """The words that name somebody."""
    resolution: Resolution
    calls: tuple[str, ...] = ()
    """What the one who is meant is called, and nobody else; () where nobody is or several are."""

    @property
    def is_said_in_full(self) -> bool:
        """Whether nothing is left to tell of who is meant."""
        return self.resolution.match is Match.EXACT


Finder: TypeAlias = Callable[[AgentTask, str], Person | None]
"""Returns whom the beginning of some words names; None where there is nobody to look among."""


def build_person_finder(books: Sequence[ContactsPort]) -> Finder:
    """Return what looks people up, the longest name first: "john smith for lunch" is John Smith.

    Words that begin with an article ("the team") name nobody. Where no address book is set up or
    none could be read, nothing is said of anybody.
    """

    def find(task: AgentTask, words: str) -> Person | None:
        if not books or _NOT_NAMED.match(words):
            return None
        today = task.asked_at.astimezone(load_zone(task.timezone)).date()
        read = read_people(books, today, task.timezone, task.asked_at)
        if not any(status.was_read for status in read.statuses):
            return None
        return _longest(words, read.people)

    return find


def _longest(words: str, people: Sequence[Contact]) -> Person | None:
    tries = [Person(said, resolve_name(said, people)) for said in _prefixes(words)]
    known = (one for one in tries if one.resolution.match is not Match.UNKNOWN)
    found = next(known, tries[-1] if tries else None)
    contact = found.resolution.contact if found else None
    return (
        found if found is None or contact is None else found._replace(calls=_calls(contact, people))
    )


def _calls(person: Contact, people: Sequence[Contact]) -> tuple[str, ...]:
    called = (person.name, *person.nicknames, person.given, person.family)
    return tuple(
        dict.fromkeys(
            name for name in called if name and resolve_name(name, people).contact == person
        )
    )


def _prefixes(words: str) -> Iterator[str]:
    split = words.split()
    for count in range(min(len(split), _LONGEST_NAME), 0, -1):
        yield " ".join(split[:count]).strip(" ,.;!?")


def which_person(
    name: str, candidates: Sequence[Contact], slots: Callable[[str], dict[str, str]]
) -> Question:
    """Return the question which of several people is meant.

    `slots` gives what a task's slots become for one of them, by the name that tells that person
    from the others.
    """
    shown = candidates[:_MOST_CANDIDATES]
    labels = [_label(one, shown) for one in shown]
    more = len(candidates) - len(shown)
    rest = [f"one of {more} more"] if more else []
    named = [*labels, *rest]
    text = f"Which {name[:1].upper()}{name[1:]}: {', '.join(named[:-1])} or {named[-1]}?"
    options = tuple(
        Option(label=label, slots=slots(_address(one, shown)))
        for label, one in zip(labels, shown, strict=True)
    )
    sources = tuple(dict.fromkeys(one.source for one in shown))
    fact = Fact(kind=FactKind.STATEMENT, text=text, sources=sources)
    return Question(fact, Choice(options=options))


def _label(person: Contact, others: Sequence[Contact]) -> str:
    if not _is_namesake(person, others):
        return person.name
    return f"{person.name} ({(*person.emails, str(person.source))[0]})"


def _address(person: Contact, others: Sequence[Contact]) -> str:
    namesake = _is_namesake(person, others)
    return person.emails[0] if namesake and person.emails else person.name


def _is_namesake(person: Contact, others: Sequence[Contact]) -> bool:
    return sum(one.name.casefold() == person.name.casefold() for one in others) > 1
