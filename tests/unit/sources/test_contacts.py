"""Address books as programs really write them, read through the port."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.ports import Reading
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.contacts import VcardBook
from iris_harness.testing import make_window

WINDOW = make_window(dt.date(2026, 3, 26))

Read = Callable[[str | bytes], Reading[Contact]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a file `book.vcf` and read it."""

    def run(content: str | bytes) -> Reading[Contact]:
        data = content if isinstance(content, bytes) else content.encode()
        file = tmp_path / "book.vcf"
        file.write_bytes(data)
        return VcardBook("book.vcf", file).read(WINDOW)

    return run


def card(*lines: str, version: str = "3.0", name: str = "FN:Ada King") -> str:
    return "\r\n".join(["BEGIN:VCARD", f"VERSION:{version}", name, *lines, "END:VCARD", ""])


def one(reading: Reading[Contact]) -> Contact:
    (contact,) = reading.items
    return contact


def dates_of(contact: Contact) -> list[tuple[str, int | None, int, int, str]]:
    return [
        (date.kind.value, date.year, date.month, date.day, date.label) for date in contact.dates
    ]


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("BDAY:1984-03-26", 1984),
        ("BDAY:19840326", 1984),
        ("BDAY:--0326", None),
        ("BDAY:--03-26", None),
        ("BDAY;VALUE=date:1984-03-26", 1984),
        ("bday;value=DATE:1984-03-26", 1984),
        ("item3.BDAY:1984-03-26", 1984),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-26", None),
        ("BDAY;X-APPLE-OMIT-YEAR=1600;VALUE=date:1600-03-26", None),
        ("BDAY;VALUE=date:1604-03-26", None),
        ("BDAY:0000-03-26", None),
        ("BDAY:1984-03-26T23:30:00Z", 1984),
        ("BDAY;VALUE=DATE-TIME:19840326T000000+1400", 1984),
        ("BDAY;VALUE=date-and-or-time:--0326T0000-0800", None),
        ("BDAY:1984-03-26 00:00:00", 1984),
        ("BDAY:1984/3/26", 1984),
        ("BDAY:1984-3-26", 1984),
        ("BDAY: 1984-03-26 ", 1984),
        ("BDAY;VALUE=text:1984-03-26", 1984),
        ("BDAY;CALSCALE=gregorian:19840326", 1984),
        ("BDAY:1984-\r\n 03-26", 1984),
        ("X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;1984-03-26;3;;;;", 1984),
        ("item1.X-ABDATE:1984-03-26\r\nitem1.X-ABLabel:_$!<Birthday>!$_", 1984),
    ],
)
def test_a_birthday_is_read_in_every_form_and_never_moved_by_a_zone(
    read: Read, line: str, year: int | None
) -> None:
    reading = read(card(line))
    assert dates_of(one(reading)) == [("birthday", year, 3, 26, "")]
    assert reading.warnings == ()


@pytest.mark.parametrize(
    "line",
    [
        "BDAY;VALUE=text:circa 1800",
        "BDAY:",
        "BDAY:1984",
        "BDAY:1984-03",
        "BDAY:--03",
        "BDAY:---26",
        "BDAY:T102200",
        "BDAY:0000-00-00",
        "BDAY:00000000",
        "BDAY:0001-01-01T00:00:00",
        "NOTE:BDAY:1984-03-26",
        "NOTE:folded over a line\r\n BDAY:1984-03-26",
    ],
)
def test_what_names_no_day_of_a_year_is_left_out_without_noise(read: Read, line: str) -> None:
    reading = read(card(line))
    assert one(reading).dates == ()
    assert reading.warnings == ()


@pytest.mark.parametrize(
    "value",
    [
        "BDAY:1984-02-30",
        "BDAY:1983-02-29",
        "BDAY:1984-13-01",
        "BDAY:--0230",
        "BDAY:26.03.84",
        "BDAY:March 26",
        "BDAY:198403261",
        "BDAY;CALSCALE=chinese:19840326",
    ],
)
def test_a_date_that_cannot_be_read_costs_itself_and_a_warning(read: Read, value: str) -> None:
    reading = read(card("ANNIVERSARY:20100501", value))
    assert dates_of(one(reading)) == [("anniversary", 2010, 5, 1, "")]
    (warning,) = reading.warnings
    assert warning.startswith('book.vcf:1: "Ada King": the birthday ')
    assert value.partition(":")[2] in warning


def test_29_february_needs_a_leap_year_or_none(read: Read) -> None:
    contact = one(read(card("BDAY:--0229", "ANNIVERSARY:2012-02-29")))
    assert dates_of(contact) == [("birthday", None, 2, 29, ""), ("anniversary", 2012, 2, 29, "")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["ANNIVERSARY:20100501"], ("anniversary", "")),
        (["X-ANNIVERSARY:2010-05-01"], ("anniversary", "")),
        (["X-EVOLUTION-ANNIVERSARY:2010-05-01"], ("anniversary", "")),
        (["X-KADDRESSBOOK-X-Anniversary:2010-05-01"], ("anniversary", "")),
        (["ANNIVERSARY:20100501", "X-ANNIVERSARY:2010-05-01"], ("anniversary", "")),
        (
            ["item1.X-ABDATE;type=pref:2010-05-01", "item1.X-ABLabel:_$!<Anniversary>!$_"],
            ("anniversary", ""),
        ),
        (["item1.X-ABLABEL:First met", "item1.X-ABDATE:20100501"], ("other", "First met")),
        (["ITEM1.X-ABDATE:20100501", "item1.X-ABLabel:_$!<Other>!$_"], ("other", "")),
        (["X-ABDATE:2010-05-01", "X-ABLabel:Moved in"], ("other", "")),
        (["item1.X-ABDATE:2010-05-01", "item2.X-ABLabel:Moved in"], ("other", "")),
        (
            ["X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;2010-05-01;1;;;;"],
            ("anniversary", ""),
        ),
        (
            ["X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;2010-05-01;0;First met;;"],
            ("other", "First met"),
        ),
    ],
)
def test_anniversaries_and_labelled_dates_are_known_by_every_vendors_name(
    read: Read, lines: list[str], expected: tuple[str, str]
) -> None:
    kind, label = expected
    reading = read(card(*lines))
    assert dates_of(one(reading)) == [(kind, 2010, 5, 1, label)]
    assert reading.warnings == ()


def test_an_android_line_of_another_kind_is_no_date(read: Read) -> None:
    line = "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Addie;1;;;;"
    assert one(read(card(line))).dates == ()


@pytest.mark.parametrize("line", ["DEATHDATE:18521127", "DEATHDATE;VALUE=text:in the war"])
def test_a_date_of_death_is_known_however_it_is_written(read: Read, line: str) -> None:
    assert one(read(card(line, version="4.0"))).is_deceased
    assert not one(read(card("DEATHDATE:", version="4.0"))).is_deceased


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["FN:", "N:King;Ada;Augusta;;"], "Ada King"),
        (["N:King;;;;"], "King"),
        (["N:;;;;", "ORG:Analytical Engines;Research"], "Analytical Engines"),
        (["ORG:Smith\\; Sons\\, Ltd."], "Smith; Sons, Ltd."),
        (["NICKNAME:Addie,Countess"], "Addie"),
        (["EMAIL:mailto:ada@example.org"], "ada@example.org"),
        (["FN:Ada\\nKing"], "Ada King"),
        (["FN;LANGUAGE=en:Ada King", "FN;LANGUAGE=de:Ada Koenig"], "Ada King"),
        (['FN;SORT-AS="King:Ada;x":Ada King'], "Ada King"),
        (['FN;X-ODD="open:Ada King'], "Ada King"),
        (["FN:O\\\\Neill\\;"], "O\\Neill;"),
        (["N:O'Neill\\;x;Ada\\\\;;;"], "Ada\\ O'Neill;x"),
    ],
)
def test_a_person_is_shown_by_the_best_name_the_card_has(
    read: Read, lines: list[str], name: str
) -> None:
    reading = read(card(*lines[1:], name=lines[0]))
    assert one(reading).name == name
    assert reading.warnings == ()


def test_a_card_without_any_name_is_named_by_its_line(read: Read) -> None:
    reading = read(card() + card("TEL:1", name="NOTE:who is this?"))
    assert [contact.name for contact in reading.items] == ["Ada King"]
    assert reading.warnings == ("book.vcf:5: a card without a name; it is not used",)


def test_names_nicknames_and_addresses_are_kept_for_finding_people(read: Read) -> None:
    contact = one(
        read(
            card(
                "N:King;Ada;;;",
                "NICKNAME:Addie, Countess\\, the,",
                "EMAIL;TYPE=work:ada@example.org",
                "item1.EMAIL:ADA@example.com",
                "UID:urn:uuid:1",
            )
        )
    )
    assert (contact.given, contact.family) == ("Ada", "King")
    assert contact.nicknames == ("Addie", "Countess, the")
    assert contact.emails == ("ada@example.org", "ADA@example.com")
    assert (contact.uid, str(contact.source)) == ("urn:uuid:1", "book.vcf: urn:uuid:1")


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff".encode() + card(name="FN:Jörg Müller").encode(),
        card(name="FN:Jörg Müller").encode("cp1252"),
        card(name="FN:Jörg Müller").encode("utf-16"),
        card(name="FN:Jörg Müller").replace("\r\n", "\n").encode(),
        card(name="FN:Jörg Müller").replace("\r\n", "\r").encode(),
        card(name="FN:Jörg Müller").encode().replace(b"\xc3\xb6", b"\xc3\r\n \xb6"),
        card(name="FN;CHARSET=UTF-8:Jörg Müller", version="2.1").encode(),
        card(name="FN;CHARSET=ISO-8859-1:Jörg Müller", version="2.1").encode("latin-1"),
        card(name="FN;CHARSET=no-such-charset:Jörg Müller", version="2.1").encode(),
        card(name="FN;CHARSET=ascii:Jörg Müller", version="2.1").encode(),
        card(
            name="FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg M=\r\n=C3=BC=\r\nller",
            version="2.1",
        ).encode(),
        card(
            name="FN;QUOTED-PRINTABLE;CHARSET=windows-1252:J=F6rg M=FCller", version="2.1"
        ).encode(),
        card(name="FN;ENCODING=QUOTED-PRINTABLE:J=F6rg=20M=FCller", version="2.1").encode(),
        card(name="FN;ENCODING=BASE64:SsO2cmcgTcO8bGxlcg==", version="2.1").encode(),
        card(name="FN:Jörg\r\n Müller", version="2.1").encode(),
        card(name="FN:Jörg \r\n Müller", version="3.0").encode(),
        card(name="FN :Jörg Müller").encode(),
    ],
)
def test_a_name_survives_every_encoding(read: Read, content: bytes) -> None:
    reading = read(content)
    assert one(reading).name == "Jörg Müller"
    assert reading.warnings == ()


def test_a_quoted_printable_value_takes_no_line_of_its_neighbours(read: Read) -> None:
    contact = one(
        read(
            card(
                "NOTE;ENCODING=QUOTED-PRINTABLE:first=0D=0A=",
                "BDAY:1900-01-01 is only part of this note=",
                "",
                "BDAY:1984-03-26",
                version="2.1",
            )
        )
    )
    assert dates_of(contact) == [("birthday", 1984, 3, 26, "")]


def test_a_photo_of_many_lines_is_passed_over(read: Read) -> None:
    photo = "PHOTO;ENCODING=b;TYPE=JPEG:" + "\r\n ".join(["QkRBWTox" * 8] * 2000)
    reading = read(card(photo, "BDAY:1984-03-26"))
    assert dates_of(one(reading)) == [("birthday", 1984, 3, 26, "")]


def test_groups_are_no_people(read: Read) -> None:
    groups = card("KIND:group", "MEMBER:urn:uuid:1", version="4.0") + card(
        "X-ADDRESSBOOKSERVER-KIND:group"
    )
    reading = read(groups)
    assert (reading.items, reading.warnings) == ((), ())
    assert reading.status.state is SourceState.EMPTY
    assert len(read(groups + card()).items) == 1


def test_the_assistant_inside_a_card_is_not_the_person(read: Read) -> None:
    agent = card("BDAY:1999-09-09", version="2.1", name="FN:Assistant")
    reading = read(card("AGENT:", agent.rstrip(), "BDAY:1984-03-26", version="2.1"))
    assert one(reading).name == "Ada King"
    assert dates_of(one(reading)) == [("birthday", 1984, 3, 26, "")]


def test_a_card_without_its_end_costs_no_neighbour(read: Read) -> None:
    broken = card("BDAY:1984-03-26").replace("END:VCARD\r\n", "")
    reading = read(broken + card(name="FN:Bea") + broken)
    assert [contact.name for contact in reading.items] == ["Ada King", "Bea", "Ada King"]
    assert reading.warnings == (
        "book.vcf:1: a card without its end; what there is of it is used",
        "book.vcf:9: a card without its end; what there is of it is used",
    )


def test_lines_that_mean_nothing_cost_only_themselves(read: Read) -> None:
    reading = read(card("this is no line", ";;;:", ":", "=", '";"', "BDAY:1984-03-26"))
    assert dates_of(one(reading)) == [("birthday", 1984, 3, 26, "")]


def test_cards_without_a_uid_are_found_again_by_their_line(read: Read) -> None:
    reading = read(card() + card(name="FN:Bea"))
    assert [str(contact.source) for contact in reading.items] == [
        "book.vcf: line 1",
        "book.vcf: line 5",
    ]


def test_a_folder_is_read_with_its_collections_and_a_bad_file_is_a_warning(tmp_path: Path) -> None:
    book = tmp_path / "people"
    for name, content in {
        "a.vcf": card(name="FN:Ada"),
        "club/b.vcf": card(name="FN:Bea") + card(name="FN:Cid"),
        "club/event.vcf": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
        "empty.vcf": "",
        ".hidden.vcf": card(name="FN:Hidden"),
        "d.vcf.tmp": card(name="FN:Half"),
        "readme.txt": "no card",
    }.items():
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        (book / name).write_text(content)
    reading = VcardBook("people", book).read(WINDOW)
    assert [(contact.name, str(contact.source)) for contact in reading.items] == [
        ("Ada", "people: a.vcf"),
        ("Bea", "people: club/b.vcf line 1"),
        ("Cid", "people: club/b.vcf line 5"),
    ]
    assert reading.warnings == (
        "people/empty.vcf: is empty: not an address book",
        "people/club/event.vcf: is not an address book; it holds a calendar (iCalendar)",
    )
    assert reading.status.state is SourceState.OK


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\0" * 50, "is empty"),
        (b"<!doctype html><title>Log in</title>", "web page"),
        (b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "calendar"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"Name,Birthday\nAda,1984-03-26\n", "is not an address book"),
    ],
)
def test_a_file_that_is_no_address_book_fails_with_what_it_is(
    read: Read, content: bytes, reason: str
) -> None:
    reading = read(content)
    assert reading.status.state is SourceState.FAILED
    assert reason in reading.status.detail
    assert reading.items == ()


def test_a_book_that_is_missing_fails_and_one_without_cards_is_empty(tmp_path: Path) -> None:
    missing = VcardBook("gone", tmp_path / "gone.vcf").read(WINDOW)
    assert (missing.status.state, missing.status.detail) == (
        SourceState.FAILED,
        "gone (gone.vcf): does not exist",
    )
    (tmp_path / "new").mkdir()
    empty = VcardBook("new", tmp_path / "new").read(WINDOW)
    assert (empty.status.state, empty.status.detail) == (
        SourceState.EMPTY,
        "the folder holds no .vcf files",
    )


def test_a_book_older_than_allowed_is_stale_and_still_read(tmp_path: Path) -> None:
    import os

    file = tmp_path / "book.vcf"
    file.write_text(card())
    day_before = WINDOW.now.timestamp() - 25 * 3600
    os.utime(file, (day_before, day_before))
    reading = VcardBook("book", file, stale_after_hours=24).read(WINDOW)
    assert (reading.status.state, reading.status.age_seconds) == (SourceState.STALE, 90_000)
    assert one(reading).name == "Ada King"


@pytest.mark.parametrize(
    "line",
    [
        "QUOTED-PRINTABLE" * 100_000,
        "NOTE;QUOTED-PRINTABLE:" + "=\n" * 500_000,
        "NOTE;QUOTED-PRINTABLE:" + "= " * 500_000,
        "FN;" + '"' * 1_000_001 + ":Ada King",
        "NICKNAME:" + "\\,;" * 300_000,
        "BDAY:" + "0" * 1_000_000,
        "a" * 1_000_000,
        "AGENT:\nBEGIN:VCARD\n" * 40_000,
        "BEGIN:VCARD\n" * 80_000,
    ],
    ids=["marks", "breaks", "blanks", "quotes", "escapes", "digits", "letters", "agents", "begins"],
)
@pytest.mark.timeout(10)
def test_a_hostile_line_of_a_megabyte_is_read_in_linear_time(read: Read, line: str) -> None:
    reading = read(card(line).replace("\r\n", "\n"))
    assert reading.status.state is SourceState.OK
    assert any(contact.name == "Ada King" for contact in reading.items)
