"""Address books that nobody wrote, and names that anybody might say."""

from __future__ import annotations

import datetime as dt
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.contracts.contacts import Contact, PersonDate
from iris_harness.contracts.day import OccasionKind
from iris_harness.contracts.people import merge_contacts
from iris_harness.contracts.ports import Reading
from iris_harness.contracts.resolution import Match, resolve_name
from iris_harness.contracts.sources import SourceRef, SourceState
from iris_harness.planner.birthdays import find_birthdays
from iris_harness.sources.contacts import VcardBook
from iris_harness.testing import make_window

WINDOW = make_window(dt.date(2026, 3, 26))

PIECES = [
    "BEGIN:VCARD", "END:VCARD", "VERSION:2.1", "VERSION:4.0", "AGENT:", "KIND:group", "FN:Ada",
    "FN;CHARSET=utf-7:+2AA-", "FN;ENCODING=QUOTED-PRINTABLE:=C3=", "N:;;;;", "N:King;Ada",
    "BDAY:19840326", "BDAY;X-APPLE-OMIT-YEAR=x:1604-99-99", "item1.X-ABDATE:2010-05-01",
    "item1.X-ABLabel:_$!<", "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event",
    "NICKNAME:\\,\\\\,", 'EMAIL;=;;":', "UID:1", " folded", "\t=", "DEATHDATE:1900", "=", ":",
    "BDAY;VALUE=text:", "ORG;ENCODING=B:!!!", "BDAY:--0229", "\x00", "\ufeff",
]  # fmt: skip


def read(data: bytes) -> Reading[Contact]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "book.vcf"
        file.write_bytes(data)
        return VcardBook("book", file).read(WINDOW)


def _is_sound(reading: Reading[Contact]) -> None:
    assert "could not be read" not in reading.status.detail
    for contact in reading.items:
        assert contact.name == " ".join(contact.name.split()) != ""
        for date in contact.dates:
            assert dt.date(date.year or 2000, date.month, date.day) > dt.date.min
    canonical_bytes(find_birthdays(merge_contacts(reading.items), dt.date(2026, 3, 26)))


@given(st.lists(st.sampled_from(PIECES)), st.sampled_from(["\r\n", "\n", "\r"]))
def test_no_order_of_lines_breaks_the_reader(lines: list[str], end: str) -> None:
    _is_sound(read(end.join(["BEGIN:VCARD", *lines, ""]).encode()))


@given(st.binary(), st.sampled_from([b"BEGIN:VCARD\r\nFN", b"", b"BEGIN:VCARD\nBDAY"]))
def test_no_bytes_break_the_reader(data: bytes, before: bytes) -> None:
    _is_sound(read(before + data + b"\r\nEND:VCARD\r\n"))


# A card that is written by the rules comes back as it was

PLAIN_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), min_size=1
).map(lambda text: " ".join(text.split()))
TEXT = PLAIN_TEXT.filter(bool)
DATES = st.dates(dt.date(1605, 1, 1)).map(
    lambda day: PersonDate(kind=OccasionKind.BIRTHDAY, month=day.month, day=day.day, year=day.year)
)


@st.composite
def people(draw: st.DrawFn) -> Contact:
    date = draw(DATES)
    return Contact(
        uid="",
        name=draw(TEXT),
        given=draw(PLAIN_TEXT),
        family=draw(PLAIN_TEXT),
        nicknames=tuple(draw(st.lists(TEXT, max_size=3, unique=True))),
        dates=(replace(date, year=None) if draw(st.booleans()) else date,),
        source=SourceRef(source="book"),
    )


def escaped(text: str) -> str:
    for letter in "\\,;":
        text = text.replace(letter, f"\\{letter}")
    return text


def folded(line: str, width: int) -> bytes:
    data = line.encode()
    return b"\r\n ".join(data[at : at + width] for at in range(0, len(data), width))


def quoted_printable(text: str) -> bytes:
    return "".join(f"={byte:02X}" for byte in text.encode()).encode()


def modern(person: Contact, width: int) -> bytes:
    (date,) = person.dates
    year = "--" if date.year is None else f"{date.year:04}"
    lines = [
        "BEGIN:VCARD",
        "VERSION:4.0",
        f"FN:{escaped(person.name)}",
        f"N:{escaped(person.family)};{escaped(person.given)};;;",
        f"NICKNAME:{','.join(map(escaped, person.nicknames))}",
        f"BDAY:{year}{date.month:02}{date.day:02}",
        "END:VCARD",
    ]
    return b"\r\n".join(line.encode() if "VCARD" in line else folded(line, width) for line in lines)


def ancient(person: Contact, width: int) -> bytes:
    (date,) = person.dates
    year = "--" if date.year is None else f"{date.year:04}-"
    name = quoted_printable(escaped(person.name))
    broken = b"=\r\n".join(name[at : at + 3 * width] for at in range(0, len(name), 3 * width))
    return b"\r\n".join(
        [
            b"BEGIN:VCARD",
            b"VERSION:2.1",
            b"FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:" + broken,
            f"BDAY:{year}{date.month:02}-{date.day:02}".encode(),
            b"END:VCARD",
        ]
    )


@given(st.lists(people(), min_size=1, max_size=4), st.integers(12, 75))
def test_what_is_written_by_the_rules_comes_back_as_it_was(
    given_people: list[Contact], width: int
) -> None:
    reading = read(b"\r\n".join(modern(person, width) for person in given_people))
    assert (reading.status.state, reading.warnings) == (SourceState.OK, ())
    found = [replace(person, source=SourceRef(source="book")) for person in reading.items]
    assert found == given_people


@given(st.lists(people(), min_size=1, max_size=4), st.integers(1, 20))
def test_a_quoted_printable_card_comes_back_as_it_was(
    given_people: list[Contact], width: int
) -> None:
    reading = read(b"\r\n".join(ancient(person, width) for person in given_people))
    found = [(person.name, person.dates) for person in reading.items]
    assert found == [(person.name, person.dates) for person in given_people]


# Finding people

WORDS = st.sampled_from(["Ada", "Adam", "José", "Jose", "Zoë", "Müller", "Mueller", "Ng", "Å"])
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@st.composite
def books(draw: st.DrawFn) -> list[Contact]:
    return [
        replace(
            draw(people()),
            name=draw(NAMES),
            given="",
            family="",
            nicknames=tuple(draw(st.lists(NAMES, max_size=1))),
            uid=draw(st.sampled_from(["", "1", "2"])),
            dates=draw(st.sampled_from([(), (FIRST,), (LATER,), (OPEN,)])),
            source=SourceRef(source=draw(st.sampled_from("ab")), locator=str(number)),
        )
        for number in range(draw(st.integers(0, 6)))
    ]


FIRST, LATER, OPEN = (
    PersonDate(kind=OccasionKind.BIRTHDAY, month=5, day=1, year=year) for year in (1950, 1980, None)
)


@given(books(), NAMES, st.randoms(use_true_random=False))
def test_neither_order_nor_case_nor_doubles_change_whom_a_name_means(
    book: list[Contact], name: str, random: object
) -> None:
    found = resolve_name(name, book)
    shuffled = [*book, *book[:2]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis' randoms are untyped
    assert resolve_name(name, shuffled) == found
    assert resolve_name(name.upper(), book).candidates == found.candidates
    assert resolve_name(f" {name.lower()} ", book).match == found.match


@given(books(), NAMES)
def test_a_resolution_never_picks_and_always_says_how_sure_it_is(
    book: list[Contact], name: str
) -> None:
    found = resolve_name(name, book)
    count = len(found.candidates)
    assert (found.contact is not None) == (found.match in {Match.EXACT, Match.UNIQUE})
    assert (found.match is Match.AMBIGUOUS) == (count > 1)
    assert (found.match is Match.UNKNOWN) == (count == 0)
    assert list(found.candidates) == [p for p in merge_contacts(book) if p in found.candidates]


@given(books())
def test_everybody_is_found_by_their_own_name(book: list[Contact]) -> None:
    for person in merge_contacts(book):
        found = resolve_name(person.name, book)
        assert person in found.candidates
        assert found.match in {Match.EXACT, Match.AMBIGUOUS}


@given(books(), st.randoms(use_true_random=False))
def test_merging_loses_nobody_and_is_done_once(book: list[Contact], random: object) -> None:
    merged = merge_contacts(book)
    assert merge_contacts(merged) == merged
    random.shuffle(book)  # type: ignore[attr-defined]  # hypothesis' randoms are untyped
    assert merge_contacts(book) == merged
    assert {person.name.casefold() for person in book} == {
        name.casefold()
        for person in merged
        for name in (person.name, *person.nicknames)
        if name.casefold() in {one.name.casefold() for one in book}
    }
