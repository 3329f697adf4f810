"""Address books in vCard files: one file, or a folder of them. Implements `ContactsPort`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind
from iris_harness.errors import SourceError
from iris_harness.files import is_folder
from iris_harness.sources.decoding import looks_binary, plain_bytes
from iris_harness.sources.files import SourceFile, list_folder, none_read, read_entry, read_file
from iris_harness.sources.status import age_at, failed, read_status
from iris_harness.sources.vcard.cards import Card, split_cards
from iris_harness.sources.vcard.people import PersonReader


class VcardBook:
    """A .vcf file, a folder with one for each person (vdir), or a folder of such folders.

    Reads it anew each time; thread-safe.
    """

    def __init__(self, name: str, path: Path, *, stale_after_hours: float | None = None) -> None:
        """Take the address book's name (unique among them) and its file or folder."""
        self.name = name
        self._path = path
        self._stale_after_hours = stale_after_hours

    def read(self, window: ReadWindow) -> Reading[Contact]:
        """Return the people in it; see `ContactsPort.read`."""
        try:
            return self._read(window)
        except SourceError as error:
            return Reading(status=failed(self.name, SourceKind.CONTACTS, error.message))
        except Exception as error:  # noqa: BLE001 - the source's boundary: a reading never raises
            detail = f"could not be read ({type(error).__name__}: {error})"
            return Reading(status=failed(self.name, SourceKind.CONTACTS, detail))

    def _read(self, window: ReadWindow) -> Reading[Contact]:
        warnings: list[str] = []
        if is_folder(self._path):
            files = list(_load_folder(self.name, self._path, warnings))
            if warnings and not files:
                status = failed(self.name, SourceKind.CONTACTS, none_read(warnings))
                return Reading(status=status, warnings=tuple(warnings))
            modified_at = max([self._path.stat().st_mtime, *(f.modified_at for f in files)])
            detail = "" if files or warnings else "the folder holds no .vcf files"
        else:
            files = [_load_file(self.name, self._path)]
            modified_at, detail = files[0].modified_at, ""
        reader = PersonReader(self.name)
        people = tuple(person for file in files for person in _people(reader, file))
        status = read_status(
            self.name,
            SourceKind.CONTACTS,
            empty=not (people or warnings),
            age=age_at(window.now, modified_at),
            stale_after_hours=self._stale_after_hours,
            detail=detail,
        )
        said = dict.fromkeys((*warnings, *reader.warnings))
        return Reading(status=status, items=people, warnings=tuple(said))


class _File(NamedTuple):
    cards: tuple[Card, ...]
    label: str
    """How warnings name it."""
    place: str
    """Where it is in a folder; empty for a book that is one file."""
    modified_at: float


def _load_folder(name: str, folder: Path, warnings: list[str]) -> Iterator[_File]:
    for entry in list_folder(folder, name, ".vcf"):
        place = entry.path.relative_to(folder).as_posix()
        try:
            yield _load(read_entry(entry, f"{name}/{place}"), place)
        except SourceError as error:
            warnings.append(error.message)


def _load_file(name: str, path: Path) -> _File:
    label = name if name.endswith(path.name) else f"{name} ({path.name})"
    return _load(read_file(path, label), "")


def _load(file: SourceFile, place: str) -> _File:
    data = plain_bytes(file.data)
    cards = split_cards(data)
    if not cards:
        raise SourceError(f"{file.label}: {_what_it_is(data)}")
    return _File(cards=cards, label=file.label, place=place, modified_at=file.modified_at)


def _what_it_is(data: bytes) -> str:
    if not data.strip(b"\0 \t\r\n"):
        return "is empty: not an address book"
    beginning = data.lstrip()[:64].upper()
    if beginning.startswith(b"BEGIN:VCALENDAR"):
        return "is not an address book; it holds a calendar (iCalendar)"
    if beginning.startswith(b"<"):
        return (
            "is not an address book; it looks like a web page: "
            "check the address or the login it was downloaded with"
        )
    return "is binary, not an address book" if looks_binary(data) else "is not an address book"


def _people(reader: PersonReader, file: _File) -> Iterator[Contact]:
    for card in file.cards:
        line = f"line {card.line}"
        place = f"{file.place} {line}" if len(file.cards) > 1 else file.place
        person = reader.read(card, file.label, place if file.place else line)
        if person is not None:
            yield person
