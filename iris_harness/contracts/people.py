"""Cards of one person become one contact.

Nothing is guessed: two cards stay two people until what they say decides it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from iris_harness.contracts.contacts import Contact, PersonDate

# Letters that no accent can be taken off, and how they are typed where a keyboard lacks them.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h",
     "\N{LATIN SMALL LETTER DOTLESS I}": "i"}
)  # fmt: skip
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


def merge_contacts(contacts: Iterable[Contact]) -> tuple[Contact, ...]:
    """Return each person once, by name; the order of `contacts` makes no difference.

    Two cards are of one person when they agree in name and in UID, a date or an address, or in
    UID and a date. The name and the source are those of the first card by source; nicknames,
    addresses and dates are those of all of them, and of a date with and without a year the one
    with the year is kept. What two cards say together may show that a third one is theirs, too.
    """
    people = tuple(contacts)
    while len(merged := _merge_cards(people)) < len(people):
        people = merged
    return merged


def _merge_cards(contacts: Iterable[Contact]) -> tuple[Contact, ...]:
    """Return the people whose cards agree as they are; alone, a person comes out unchanged."""
    cards = sorted(set(contacts), key=_card_order)
    leaders = list(range(len(cards)))
    holders: dict[tuple[object, ...], int] = {}
    for index, marks in enumerate(_marks(cards)):
        for mark in marks:
            _join(leaders, holders.setdefault(mark, index), index)
    people: dict[int, list[Contact]] = {}
    for index, card in enumerate(cards):
        people.setdefault(_leader(leaders, index), []).append(card)
    return tuple(sorted((_united(own) for own in people.values()), key=contact_order))


def contact_order(contact: Contact) -> tuple[object, ...]:
    """Return the sort key of contacts: name without accents, then source."""
    return (bare_name(normal_name(contact.name)), contact.name, contact.source, contact.uid)


def _card_order(card: Contact) -> tuple[object, ...]:
    rest = (card.given, card.family, card.nicknames, card.emails, card.is_deceased)
    return (card.source, card.uid, card.name, rest, tuple(map(_date_order, card.dates)))


def _date_order(date: PersonDate) -> tuple[object, ...]:
    return (list(type(date.kind)).index(date.kind), date.month, date.day, date.year or 0,
            date.label)  # fmt: skip


def _marks(cards: Sequence[Contact]) -> Iterator[list[tuple[object, ...]]]:
    """Yield what each card has that no two people share."""
    years: dict[tuple[object, ...], set[int]] = {}
    for card in cards:
        for day, year in _days(card):
            years.setdefault(day, set()).update({year} if year else ())
    for card in cards:
        name = bare_name(normal_name(card.name))
        marks: list[tuple[object, ...]] = [(name, normal_name(email)) for email in card.emails]
        if card.uid:
            marks.append((name, "uid", card.uid))
        # Father and son may share name and day: without its year a day is then neither's.
        marks += [
            (*day, year or (min(years[day]) if len(years[day]) == 1 else None))
            for day, year in _days(card)
        ]
        yield marks


def _days(card: Contact) -> Iterator[tuple[tuple[object, ...], int | None]]:
    """Yield each date together with the name, and with the UID; and its year."""
    if not card.dates:
        return
    called = [("name", bare_name(normal_name(card.name)))]
    called += [("uid", card.uid)] if card.uid else []
    for date in card.dates:
        for who in called:
            yield (*who, date.kind, date.month, date.day, date.label), date.year


def _join(leaders: list[int], first: int, second: int) -> None:
    one, two = _leader(leaders, first), _leader(leaders, second)
    leaders[max(one, two)] = min(one, two)


def _leader(leaders: list[int], index: int) -> int:
    while leaders[index] != index:
        leaders[index] = leaders[leaders[index]]
        index = leaders[index]
    return index


def _united(cards: Sequence[Contact]) -> Contact:
    first = cards[0]
    if len(cards) == 1:
        dates = _clean_dates(first.dates)
        return first if dates == first.dates else replace(first, dates=dates)
    # A card that calls the person otherwise still says how to find them.
    called = (card.name for card in cards[1:] if normal_name(card.name) != normal_name(first.name))
    return replace(
        first,
        given=next((card.given for card in cards if card.given), ""),
        family=next((card.family for card in cards if card.family), ""),
        nicknames=_distinct((*chain.from_iterable(c.nicknames for c in cards), *called)),
        emails=_distinct(chain.from_iterable(card.emails for card in cards)),
        dates=_clean_dates(tuple(chain.from_iterable(card.dates for card in cards))),
        is_deceased=any(card.is_deceased for card in cards),
    )


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(normal_name(text), text)
    return tuple(first.values())


def _clean_dates(dates: Collection[PersonDate]) -> tuple[PersonDate, ...]:
    """Return the dates in order, each once, with its year where one is known."""
    dated = {(date.kind, date.month, date.day, date.label) for date in dates if date.year}
    kept = {
        date
        for date in dates
        if date.year or (date.kind, date.month, date.day, date.label) not in dated
    }
    return tuple(sorted(kept, key=_date_order))


# Names


def normal_name(text: str) -> str:
    """Return `text` without differences of case, of white space, and of how letters are coded."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def name_foldings(normal: str) -> tuple[str, ...]:
    """Return how a name is written without accents: letters bare, and umlauts spelt out."""
    if normal.isascii():
        return (normal,)
    return tuple(dict.fromkeys((bare_name(normal), bare_name(normal.translate(_SPELT_OUT)))))


def bare_name(normal: str) -> str:
    """Return a name (see `normal_name`) without accents: "josé" is "jose"."""
    if normal.isascii():
        return normal
    apart = unicodedata.normalize("NFKD", normal.translate(_PLAIN))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
