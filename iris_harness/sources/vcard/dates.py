"""Birthdays and anniversaries of a card: RFC 6350 §6.2.5 f., and what programs write instead."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from iris_harness.contracts.contacts import PersonDate
from iris_harness.contracts.day import OccasionKind
from iris_harness.sources.vcard.lines import CardLine, named, plain_text

# A date, perhaps with a time behind it. The time says nothing: a birthday is a day, and moving
# it into another zone would move it to another day.
_DATE = re.compile(
    r"(?:(\d{4})(?:-(\d\d?)-(\d\d?)|/(\d\d?)/(\d\d?)|(\d\d)(\d\d))|--(\d\d)-?(\d\d))"
    r"(?:\s*[T ].*|Z)?",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
# Dates that name no day of a year (RFC 6350 §4.3.1: 1984, 1984-03, --03, ---26, T102200), and
# what databases write for none.
_NO_DAY = re.compile(
    r"\d{4}(?:-\d\d)?|--\d\d|---\d\d|T\d.*|(?:0000-?00-?00|0001-?01-?01)(?:[T ].*)?",
    re.ASCII | re.DOTALL,
)
_NO_YEAR = frozenset({0, 1604})
"""Written where there is no year: by databases, and by Apple, whose calendar begins with 1604."""
_APPLE_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_ANDROID_EVENT = "vnd.android.cursor.item/contact_event"
_ANDROID_KINDS = {
    "1": OccasionKind.ANNIVERSARY,
    "2": OccasionKind.OTHER,
    "3": OccasionKind.BIRTHDAY,
}
_LEAP_YEAR = 2000


def read_dates(lines: Sequence[CardLine], warn: Callable[[str], None]) -> tuple[PersonDate, ...]:
    """Return the days of a card, in its order; `warn` hears of each that is not understood."""
    found = (date for line in lines for date in _line_dates(line, lines, warn))
    return tuple(dict.fromkeys(found))


def _line_dates(
    line: CardLine, lines: Sequence[CardLine], warn: Callable[[str], None]
) -> Iterator[PersonDate]:
    for kind, label, value in _occasions(line, lines):
        if line.parameters.get("CALSCALE", "gregorian").lower() != "gregorian":
            warn(f"the {kind.value} {value[:40]!r} is of another calendar")
        elif _NO_DAY.fullmatch(value):
            continue  # a valid value, and no day to remember
        elif (date := _parse(value, kind, label, line)) is not None:
            yield date
        elif line.parameters.get("VALUE", "").lower() != "text":  # "circa 1800" is valid, too
            warn(f"the {kind.value} {value[:40]!r} is no date that can be read")


def _occasions(
    line: CardLine, lines: Sequence[CardLine]
) -> Iterable[tuple[OccasionKind, str, str]]:
    """Return kind, label and value of what a line has to remember."""
    if line.name == "BDAY":
        return [(OccasionKind.BIRTHDAY, "", line.text)]
    if line.name.endswith("ANNIVERSARY"):
        return [(OccasionKind.ANNIVERSARY, "", line.text)]
    if line.name == "X-ABDATE":
        return [(*_named_by(_apple_label(line, lines)), line.text)]
    if line.name == "X-ANDROID-CUSTOM":
        return _android_event(line)
    return []


def _apple_label(line: CardLine, lines: Sequence[CardLine]) -> str:
    labels = (other.text for other in named(lines, "X-ABLABEL") if other.group == line.group)
    return next(labels, "") if line.group else ""


def _named_by(label: str) -> tuple[OccasionKind, str]:
    """Return the kind that a program's own label means; a label of the user's is kept."""
    own = _APPLE_LABEL.fullmatch(label)
    plain = plain_text(own[1] if own else label)
    match plain.casefold():
        case "anniversary":
            return OccasionKind.ANNIVERSARY, ""
        case "birthday":
            return OccasionKind.BIRTHDAY, ""
        case "other":
            return OccasionKind.OTHER, ""
        case _:
            return OccasionKind.OTHER, plain


def _android_event(line: CardLine) -> Iterable[tuple[OccasionKind, str, str]]:
    item, value, kind, label, *_ = [*line.parts(";"), "", "", ""]
    if item != _ANDROID_EVENT:
        return []
    if kind in _ANDROID_KINDS:
        return [(_ANDROID_KINDS[kind], "", value)]
    return [(*_named_by(label), value)]


def _parse(value: str, kind: OccasionKind, label: str, line: CardLine) -> PersonDate | None:
    found = _DATE.fullmatch(value)
    if not found:
        return None
    numbers = [int(number) for number in found.groups() if number]
    year, month, day = numbers if found[1] else (0, *numbers)
    known = year not in _NO_YEAR and str(year) != line.parameters.get("X-APPLE-OMIT-YEAR")
    if not _exists(year if known else _LEAP_YEAR, month, day):
        return None
    return PersonDate(kind=kind, month=month, day=day, year=year if known else None, label=label)


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]  # noqa: PLR2004 - months of a year
