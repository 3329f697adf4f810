"""What a request carries besides its intent: titles, lists, lengths, amounts, people, paths.

A slot is text in the user's own words, or a figure in one fixed form. What a slot means (which
contact, which todo) is settled by whoever holds the evidence, never here.

| slot | form |
|---|---|
| title | what is to be written down, or what the thing to change is called |
| change | ``done``, ``delete``, ``move`` or ``rename``; of a plan ``pin``, ``skip``, or ``first`` |
| list | the name of a list |
| duration_minutes | a whole number above 0 |
| impossible_length | a length that nothing can have: ``-5 minutes`` |
| first_free | minutes of the first free time it is to be in; 0 where only "slot" was said |
| repeat | how often, in the user's words: ``every friday`` |
| amount | a number and an ISO 4217 code, ``12.50 EUR`` |
| priority | 1 (highest) to 9; the words high, medium and low are 1, 5, 9 (RFC 5545 §3.8.1.9) |
| person | a name or a mail address |
| text | what a message is to say; what a todo is to be called |
| repo | the address, path or name of a repository |
| path | a file in it |
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from importlib import resources
from typing import Any, NamedTuple

from iris_harness.contracts.routing import IMPOSSIBLE_LENGTH
from iris_router.patterns import any_of, compile_all
from iris_router.quotations import QUOTATION, may_quote

_LEFT_OVER = re.compile(r" *(?:, *){2,}| +, *")
"""The commas between things that were taken out."""
_LETTERS = re.compile(r"[^\W\d_]+")
_CHANGES = ("done", "delete", "move", "rename", "pin", "unpin", "skip", "unskip", "first")
_TITLED = frozenset({"todo.add", "todo.change", "reminder.set", "calendar.create",
                     "calendar.change", "email.send", "job.submit", "plan.change",
                     "plan.explain"})  # fmt: skip
_LISTED = frozenset({"todo.add", "todo.change", "todo.query"})
_TIMED = frozenset({"todo.add", "reminder.set", "calendar.create", "calendar.query", "planner"})
_PLACED = frozenset({"calendar.create"})
_REPEATED = frozenset({"todo.add", "reminder.set", "calendar.create"})
_DATED = frozenset({"calendar.create", "calendar.change", "calendar.query"})
_PAID = frozenset({"finance.query"})
_RANKED = frozenset({"todo.add", "todo.change"})
_CODE = "job.submit"
_MOST_MINUTES = 366 * 24 * 60
_BELOW = r"(?:(?<!\S)(?:minus |[-\u2212\u2013]))"
"""What makes a number one below zero; between two words it is a dash."""


class Span(NamedTuple):
    """A part of a text, `end` exclusive."""

    start: int
    end: int


_Found = tuple[str, str, Span]
"""A slot's name, its value ("" when only its place matters) and where it stands."""
_Reader = tuple[frozenset[str], frozenset[str] | None, Callable[[str], _Found | None]]
"""The intents that have a slot, words of which it has one (None: nobody knows), what reads it."""


class SlotReader:
    """Reads slots with the tables of one language (``data/slots_<language>.toml``). Pure."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        """Compile the tables."""
        self._edges = _edges(tables["edges"])
        self._openings = re.compile(rf"(?:(?:{any_of(tables['openings'])})[, ]+)+", re.IGNORECASE)
        self._titles = {intent: compile_all(found) for intent, found in tables["titles"].items()}
        name = f"(?:{tables['people']['address']}|{tables['people']['name']})"
        # A name begins in upper case or is the only word there: case counts within it.
        self._persons = {
            intent: compile_all(one.replace("NAME", f"(?-i:{name})") for one in found)
            for intent, found in tables["persons"].items()
        }
        self._not_names = frozenset(tables["people"]["not_names"])
        self._lists = compile_all(tables["lists"]["patterns"])
        self._any_list = frozenset(tables["lists"]["any"])
        self._free = _FirstFree(tables["free"])
        self._lengths = _Lengths(tables["lengths"])
        self._calendars = compile_all(tables["calendars"]["patterns"])
        self._repeats = _repeats(tables["repeats"])
        self._amounts = _Amounts(tables["currencies"])
        self._priority = _Priorities(tables["priority"])
        self._repos = compile_all(tables["code"]["repo"])
        self._not_repos = frozenset(tables["code"]["not_repos"])
        self._path = re.compile(tables["code"]["path"])
        readers: tuple[_Reader, ...] = (
            (_LISTED, frozenset(tables["lists"]["telling"]), self._list),
            (_DATED, frozenset(tables["calendars"]["telling"]), self._calendar),
            (
                _REPEATED,
                frozenset((*tables["repeats"]["every"], *tables["repeats"]["words"])),
                self._repeat,
            ),
            (_PLACED, frozenset(tables["free"]["open"]), self._free.read),
            (_TIMED, self._lengths.units, self._lengths.read),
            (_PAID, None, self._amounts.read),
            (_RANKED, frozenset(tables["priority"]["words"]), self._priority.read),
        )
        self._readers = {
            intent: tuple(
                (telling, read) for intents, telling, read in readers if intent in intents
            )
            for intent in frozenset().union(*(intents for intents, _, _ in readers))
        }

    def read(self, intent: str, text: str, scope: Span | None) -> dict[str, str]:
        """Return the slots of a request, in a stated order.

        Args:
            intent: what the request was understood as.
            text: the request in the user's words.
            scope: where its scope stands, the preposition included; None when it has none.
        """
        return dict(self._slots(intent, _straight(text), scope))

    def _slots(self, intent: str, text: str, scope: Span | None) -> Iterator[tuple[str, str]]:
        quotation = QUOTATION.search(text) if may_quote(text) else None
        # What is quoted is text, whatever it says.
        bare = _blanked(text, [Span(*quotation.span())] if quotation else [])
        taken: list[Span] = [scope] if scope else []
        readers = self._readers.get(intent, ())
        letters = frozenset(_LETTERS.findall(bare.lower())) if readers else frozenset()
        for telling, read in readers:
            found = None if telling and telling.isdisjoint(letters) else read(bare)
            if found is not None:
                slot, value, span = found
                taken.append(span)
                if value:
                    yield slot, value
        if intent == _CODE:
            yield from self._code(bare)
        if intent in _TITLED or intent in self._persons:
            rest = self._request(text, taken)
            yield from self._person(intent, rest)
            if intent in _TITLED:
                yield from self._title(intent, rest, _quoted(quotation) if quotation else "")

    def _request(self, text: str, taken: Sequence[Span]) -> str:
        """Return `text` without what is `taken`, and without politeness around it."""
        rest = " ".join(_blanked(text, taken).split())
        if "," in rest:
            rest = _LEFT_OVER.sub(", ", rest)
        rest = rest.strip(" ,.;!?")
        opening = self._openings.match(rest)
        rest = rest[opening.end() :] if opening and opening.end() < len(rest) else rest
        return self._edges.sub("", rest)

    def _title(self, intent: str, text: str, quoted: str) -> Iterator[tuple[str, str]]:
        for pattern in self._titles.get(intent, ()):
            match = pattern.fullmatch(text)
            if match is None:
                continue
            groups = match.groupdict()
            yield from (("change", name) for name in _CHANGES if groups.get(name) is not None)
            for slot in ("title", "text"):
                said = self._edges.sub("", (groups.get(slot) or "").strip(" ,.;:!?"))
                value = quoted if quoted and said else said
                if value:
                    yield slot, value
            return
        if quoted:
            yield "title", quoted

    def _list(self, text: str) -> _Found | None:
        for pattern in self._lists:
            match = pattern.search(text)
            if match:
                name = (match.groupdict().get("list") or "").lower()
                return "list", "" if name in self._any_list else name, Span(*match.span())
        return None

    def _calendar(self, text: str) -> _Found | None:
        match = next(filter(None, (one.search(text) for one in self._calendars)), None)
        return ("calendar", "", Span(*match.span())) if match else None

    def _repeat(self, text: str) -> _Found | None:
        match = self._repeats.search(text)
        return ("repeat", match[0].lower(), Span(*match.span())) if match else None

    def _person(self, intent: str, text: str) -> Iterator[tuple[str, str]]:
        for pattern in self._persons.get(intent, ()):
            for match in pattern.finditer(text):
                if match["person"].split()[0].lower() not in self._not_names:
                    yield "person", match["person"].rstrip(".,;")
                    return

    def _code(self, text: str) -> Iterator[tuple[str, str]]:
        for pattern in self._repos:
            match = pattern.search(text)
            if match and match["repo"].lower() not in self._not_repos:
                yield "repo", match["repo"].rstrip(".,;")
                text = _blanked(text, [Span(*match.span("repo"))])
                break
        path = self._path.search(text)
        if path:
            yield "path", path["path"]


def load_slot_reader(language: str) -> SlotReader:
    """Return the reader of a language."""
    file = resources.files("iris_router").joinpath("data", f"slots_{language}.toml")
    return SlotReader(tomllib.loads(file.read_text("utf-8")))


class _Lengths:
    """Finds how long something takes."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        hours, minutes, days, one, half, before, between = (
            any_of(words[name])
            for name in ("hours", "minutes", "days", "one", "half", "before", "between")
        )
        hours, minutes = (rf"(?:(?:{between}) )?(?:{units})" for units in (hours, minutes))
        self._before = re.compile(rf"(?:{before}) ", re.IGNORECASE)
        # Every length has one of these, if joined to its number; most texts have none.
        self.units = frozenset((*words["hours"], *words["minutes"], *words["days"]))
        number = r"\d+(?:\.\d+)?"
        one = rf"(?:{one})(?=[ -])"  # "an d" is a day, "and" is none
        more = any_of(words["and_a_half"])
        units = rf"(?:(?P<h>{number}|{one}) ?-?{hours}\b(?P<half>,? (?:{more}))?)"
        self._pattern = re.compile(
            rf"(?:\b(?:{before}) )?(?P<below>{_BELOW})?(?<![\w.])(?:"
            rf"(?P<half_hour>{half})|(?P<three>{any_of(words['three_quarters'])})"
            rf"|(?P<quarter>{any_of(words['quarter'])})"
            rf"|{units}(?:,? (?:and )?(?P<hm>\d{{1,2}}) ?-?(?:{minutes})?)?"
            rf"|(?P<h2>\d{{1,2}})h(?P<m2>\d\d)?"
            rf"|(?P<m>{number}|{one}) ?-?{minutes}|(?P<d>{number}|{one}) ?-?(?:{days}))(?!\w)",
            re.IGNORECASE,
        )

    def read(self, text: str) -> _Found | None:
        """Return the first length in `text`, in minutes."""
        for match in self._pattern.finditer(text):
            minutes = self._minutes(match)
            if match["below"] or not 0 < minutes <= _MOST_MINUTES:
                said = match[0].strip()
                return IMPOSSIBLE_LENGTH, self._before.sub("", said), Span(*match.span())
            if minutes == int(minutes):
                return "duration_minutes", str(int(minutes)), Span(*match.span())
        return None

    def _minutes(self, match: re.Match[str]) -> Decimal:
        for name, length in (("half_hour", 30), ("three", 45), ("quarter", 15)):
            if match[name]:
                return Decimal(length)
        if match["h"]:
            half = 30 if match["half"] else 0
            return _number(match["h"]) * 60 + half + int(match["hm"] or 0)
        if match["h2"]:
            return Decimal(int(match["h2"]) * 60 + int(match["m2"] or 0))
        if match["m"]:
            return _number(match["m"])
        return _number(match["d"]) * 24 * 60


class _FirstFree:
    """Finds that something is to be in the first free time."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        before, which, is_open, hour, half_hour, whatever = (
            any_of(words[name]) for name in ("before", "which", "open", "hour", "half_hour", "any")
        )
        self._pattern = re.compile(
            rf"\b(?:(?:{before}) )?(?:{which}) (?:{is_open}) "
            rf"(?:(?P<half>{half_hour})|(?P<hour>{hour})|(?P<m>\d{{1,3}}) ?min(?:ute)?s?"
            rf"|(?P<h>\d{{1,2}}) hours|(?:{whatever}))\b",
            re.IGNORECASE,
        )

    def read(self, text: str) -> _Found | None:
        """Return how long the first free time has to be, in minutes."""
        match = self._pattern.search(text)
        if match is None:
            return None
        hours = int(match["h"] or bool(match["hour"]))
        minutes = 30 if match["half"] else 60 * hours + int(match["m"] or 0)
        return "first_free", str(minutes), Span(*match.span())


class _Amounts:
    """Finds a sum of money."""

    def __init__(self, currencies: Mapping[str, Sequence[str]]) -> None:
        self._codes = {word: code for code, words in currencies.items() for word in words}
        units = any_of(self._codes)
        number = r"(?:\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.\d{1,2})?"
        self._pattern = re.compile(
            rf"(?<!\w)(?:(?P<before>{units}) ?(?P<first>{number})"
            rf"|(?P<last>{number}) ?(?P<after>{units}))(?!\w)",
            re.IGNORECASE,
        )

    def read(self, text: str) -> _Found | None:
        """Return the first sum in `text`."""
        match = self._pattern.search(text)
        if match is None:
            return None
        number = Decimal((match["first"] or match["last"]).replace(",", ""))
        code = self._codes[(match["before"] or match["after"]).lower()]
        return "amount", f"{number} {code}", Span(*match.span())


class _Priorities:
    """Finds how important something is."""

    def __init__(self, tables: Mapping[str, Sequence[str]]) -> None:
        self._values = {
            word: value for value, words in tables.items() if value.isdigit() for word in words
        }
        nouns, words = any_of(tables["words"]), any_of(self._values)
        self._pattern = re.compile(
            rf"\b(?:(?:with|at|as|of) )?(?:(?:{nouns}):? ?(?P<number>[1-9])"
            rf"|(?P<word>{words}) (?:{nouns})|(?:{nouns}):? (?P<after>{words}))(?!\w)",
            re.IGNORECASE,
        )

    def read(self, text: str) -> _Found | None:
        """Return the first priority in `text`."""
        match = self._pattern.search(text)
        if match is None:
            return None
        word = (match["word"] or match["after"] or "").lower()
        return "priority", match["number"] or self._values[word], Span(*match.span())


def _repeats(words: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    every, other, units = (any_of(words[name]) for name in ("every", "other", "units"))
    named = rf"(?:{every}) (?:(?:{other}) )?(?:{units})(?: (?:{units}))?"
    named += rf"(?:(?:,? and|,) (?:{units}))*"
    return re.compile(rf"\b(?:{named}|{any_of(words['words'])})\b", re.IGNORECASE)


def _number(text: str) -> Decimal:
    return Decimal(text) if text[0].isdigit() else Decimal(1)


def _quoted(quotation: re.Match[str]) -> str:
    return next(part for part in quotation.groups() if part is not None).strip()


def _straight(text: str) -> str:
    return text.replace("\u2019", "'").replace("\u02bc", "'")


def _blanked(text: str, spans: Iterable[Span]) -> str:
    """Return `text` with blanks in place of `spans`, so that positions stay."""
    for span in spans:
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text


def _edges(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?:[ ,]+(?:{any_of(words)}))+$", re.IGNORECASE)
