"""Make a contact of each card; what a card lacks is taken from what it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.sources import SourceRef
from iris_harness.sources.vcard.cards import Card
from iris_harness.sources.vcard.dates import read_dates
from iris_harness.sources.vcard.lines import CardLine, named, parse_lines

_WANTED = frozenset(
    b"BDAY DEATHDATE EMAIL FN KIND N NICKNAME ORG UID X-ABDATE X-ABLABEL X-ADDRESSBOOKSERVER-KIND"
    b" X-ANDROID-CUSTOM X-DEATHDATE".split()
)
_WANTED_ENDING = b"ANNIVERSARY"
_KINDS = ("KIND", "X-ADDRESSBOOKSERVER-KIND")
_DEATHS = ("DEATHDATE", "X-DEATHDATE")


class PersonReader:
    """Turns cards into contacts; collects what it could not understand."""

    def __init__(self, book: str) -> None:
        """Take the address book's name."""
        self.warnings: list[str] = []
        self._book = book

    def read(self, card: Card, label: str, locator: str) -> Contact | None:
        """Return the person of a card; None for a group and, with a warning, without a name.

        Args:
            card: the card.
            label: how warnings name its file.
            locator: where it is in the book, for a card without UID.
        """
        place = f"{label}:{card.line}"
        lines = parse_lines(card.body, _WANTED, _WANTED_ENDING)
        if not card.closed:
            self.warnings.append(f"{place}: a card without its end; what there is of it is used")
        if any(line.text.casefold() == "group" for line in named(lines, *_KINDS)):
            return None
        name = next(_names(lines), "")
        if not name:
            self.warnings.append(f"{place}: a card without a name; it is not used")
            return None
        return self._contact(lines, name, place, locator)

    def _contact(self, lines: Sequence[CardLine], name: str, place: str, locator: str) -> Contact:
        def warn(problem: str) -> None:
            self.warnings.append(f'{place}: "{name[:80]}": {problem}; it is not used')

        uid = _first(lines, "UID")
        family, given = _family_and_given(lines)
        return Contact(
            uid=uid,
            name=name,
            given=given,
            family=family,
            nicknames=_nicknames(lines),
            emails=tuple(dict.fromkeys(_addresses(lines))),
            dates=read_dates(lines, warn),
            is_deceased=bool(named(lines, *_DEATHS)),
            source=SourceRef(source=self._book, locator=uid or locator),
        )


def _names(lines: Sequence[CardLine]) -> Iterator[str]:
    """Yield what a person may be shown as, best first; only what is not empty."""
    family, given = _family_and_given(lines)
    organisations = (line.parts(";")[0] for line in named(lines, "ORG"))
    candidates = (
        *(line.text for line in named(lines, "FN")),
        " ".join(part for part in (given, family) if part),
        *organisations,
        *_nicknames(lines),
        *_addresses(lines),
    )
    return (name for name in candidates if name)


def _family_and_given(lines: Sequence[CardLine]) -> tuple[str, str]:
    """Return the first two parts of N (RFC 6350 §6.2.2)."""
    for line in named(lines, "N"):
        family, given, *_ = [*line.parts(";"), ""]
        return family, given
    return "", ""


def _nicknames(lines: Sequence[CardLine]) -> tuple[str, ...]:
    names = (name for line in named(lines, "NICKNAME") for name in line.parts(","))
    return tuple(dict.fromkeys(name for name in names if name))


def _addresses(lines: Sequence[CardLine]) -> Iterator[str]:
    for line in named(lines, "EMAIL"):
        text = line.text
        yield text[len("mailto:") :] if text.lower().startswith("mailto:") else text


def _first(lines: Sequence[CardLine], name: str) -> str:
    return next((line.text for line in named(lines, name)), "")
