"""The reader of content lines agrees with icalendar's wherever RFC 5545 says what a line means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from icalendar.parser import Contentline

from iris_harness.sources.ical.content_line import split_line

# Where the two differ no calendar goes: chains of backslashes or quotation marks, spaces beside
# an "=" in a value or in place of a parameter.
_UNSETTLED = re.compile(r'\\\\|""|[ \t]=|=[ \t]|;[ \t]+(?:[:;]|$)')
_PIECES = st.sampled_from((*"ab;:=,\"\\ ^'n\t\x07%", "TZID=", "X-A=", '"a:b"', "^^", r"\,", "ä"))

LINES = st.lists(_PIECES, max_size=16).map("".join)


def read_by_icalendar(rest: str) -> tuple[str, dict[str, str]] | None:
    """Return what icalendar finds in the line ``N`` + `rest`; None when there is no value."""
    try:
        _, parameters, value = Contentline(f"N{rest}").parts()  # type: ignore[no-untyped-call]
    except ValueError:
        return refused(rest)
    first = {
        name.upper(): str(given[0] if isinstance(given, list) else given).strip()
        for name, given in parameters.items()
    }
    return (str(value), first) if value else None


def read(rest: str) -> tuple[str, dict[str, str]] | None:
    try:
        value, parameters = split_line(rest)
    except ValueError:
        return refused(rest)
    return (value, parameters) if value else None


def refused(rest: str) -> tuple[str, dict[str, str]] | None:
    value = rest.partition(":")[2]
    return (value, {"": "refused"}) if value else None


@given(start=st.sampled_from((":", ";", ";TZID=", ';X-A="', ";A=b;C=")), rest=LINES)
@example(start=";TZID=", rest='"(UTC+01:00) Berlin":20250401T090000')
@example(start=";", rest='CN="Doe; Jane":mailto:jane@example.org')
@example(start=";A=b;C=", rest="d")
def test_a_line_is_read_as_icalendar_reads_it(start: str, rest: str) -> None:
    line = start + rest
    if not _UNSETTLED.search(line):
        assert read(line) == read_by_icalendar(line)


@pytest.mark.corpus
def test_every_line_of_collected_calendars_is_read_as_icalendar_reads_it(corpus: Path) -> None:
    read_lines = 0
    for path in sorted(corpus.rglob("*.ics")):
        text = re.sub(r"\r*\n[ \t]", "", path.read_bytes()[:2_000_000].decode(errors="replace"))
        for line in set(text.replace("\r", "").split("\n")):
            found = re.match(r"[A-Za-z0-9-]+(?=[:;])", line)
            if found and not _UNSETTLED.search(line.partition(":")[0]):
                rest = line[found.end() :].rstrip()
                assert read(rest) == read_by_icalendar(rest), (path.name, line[:200])
                read_lines += 1
    assert read_lines > 1000


@pytest.mark.parametrize(
    ("line", "value", "parameters"),
    [
        (":Plain", "Plain", {}),
        (r":One\, two\; three\nfour \\ five", "One, two; three\nfour \\ five", {}),
        (";value=date:20250401", "20250401", {"VALUE": "date"}),
        (';A="x;y:z";B=w:v:u', "v:u", {"A": "x;y:z", "B": "w"}),
        (';MEMBER="first","second":v', "v", {"MEMBER": "first"}),
        (";A=1;A=2:v", "v", {"A": "2"}),
        (" ; A = b ; C = d :v"[1:], "v", {"A": "b", "C": "d"}),
        (";CN=^'Jim^' Doe^^^n:v", "v", {"CN": '"Jim" Doe^'}),
        (r";A=a\,b\;c\:d:v", "v", {"A": "a,b;c:d"}),
        (";A=:v", "v", {"A": ""}),
        (";A=b", "", {"A": "b"}),
    ],
)
def test_value_and_parameters_are_told_apart(
    line: str, value: str, parameters: dict[str, str]
) -> None:
    assert split_line(line) == (value, parameters)


@pytest.mark.parametrize("line", [';A="b:v', ";:v", ";A:v", ";A=b;:v", ';A=b"c":v', ";A=\x07:v"])
def test_a_line_with_broken_parameters_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"parameter|quotation"):
        split_line(line)


def test_a_long_line_is_read_in_time_that_grows_with_its_length_only() -> None:
    hostile = ';A="' + "\\" * 300_000 + "," * 300_000
    with pytest.raises(ValueError, match="quotation"):
        split_line(hostile)
    assert split_line(";A=" + "\\a" * 200_000 + ":" + "\\," * 300_000)[0] == "," * 300_000
