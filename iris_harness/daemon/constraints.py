"""Version constraints, in the notations that manifests of all ecosystems use.

PEP 440 (``>=3.9,<4``), npm (``^20 || >=22``, ``18.x``, ``1.2 - 2.3``), Composer (``^8.1|^8.2``),
RubyGems and Hex (``~> 3.0``), Maven (``[17,22)``), Cabal (``==9.4.* || ==9.6.*``), Dart
(``>=3.0.0 <4.0.0``). A bare version allows everything it is the beginning of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Version = tuple[int, ...]
"""The numbers of a version; what follows them (rc1, -dev) is left out."""

_NUMBERS = re.compile(r"\d+(?:\.\d+)*")
_TERM = re.compile(
    r"(?P<op>===?|~=|~>|>=|<=|=>|=<|!=|=|[<>^~])?\s*[vV]?(?P<version>\d+(?:\.\d+)*(?:\.[xX*])*"
    r"|[xX*])(?P<rest>[-+.]?[A-Za-z][\w.+-]*|-\d[\w.+-]*|\+[\w.+-]+)?(?:@\w+)?"
)
_RANGE = re.compile(
    r"(?P<open>[\[(])\s*(?P<low>[\w.]*)\s*(?:(?P<comma>,)\s*(?P<high>[\w.]*)\s*)?(?P<close>[\])])"
)
_HYPHEN = re.compile(r"v?(?P<low>\d[\w.]*)\s+-\s+v?(?P<high>\d[\w.]*)")
_MAX_LENGTH = 2000
_LARGE = 10**9


_CHANNEL = re.compile(r"(?P<name>stable|beta|nightly)(?:-\d{4}-\d{2}-\d{2})?")


def find_channel(text: str) -> str:
    """Return the channel that `text` names, with or without a day; empty where it names none."""
    found = _CHANNEL.fullmatch(text)
    return found["name"] if found else ""


def parse_version(text: str) -> Version:
    """Return the numbers at the first digit of `text`; empty where there is none, as in a channel."""
    if find_channel(text):
        return ()
    found = _NUMBERS.search(text[:_MAX_LENGTH])
    return tuple(int(part[:9]) for part in found[0].split(".")) if found else ()


@dataclass(frozen=True, slots=True)
class Interval:
    """Versions from `low` (included) to `high` (excluded), without those under `holes`."""

    low: Version = ()
    high: Version | None = None
    """None: no upper end."""
    holes: tuple[Version, ...] = ()
    """Beginnings of versions that are left out."""

    def allows(self, version: Version) -> bool:
        """Return whether `version` is one of them; a short one stands for its latest."""
        filled = version + (_LARGE,) * (len(self.low) - len(version))
        if _padded(filled) < _padded(self.low):
            return False
        if self.high is not None and _padded(version) >= _padded(self.high):
            return False
        return not any(version[: len(hole)] == hole for hole in self.holes)

    def within(self, other: Interval) -> Interval:
        """Return what both allow."""
        low = max(self.low, other.low, key=_padded)
        ends = [end for end in (self.high, other.high) if end is not None]
        high = min(ends, key=_padded) if ends else None
        return Interval(low, high, self.holes + other.holes)

    @property
    def is_empty(self) -> bool:
        """Whether no version can be in it."""
        return self.high is not None and _padded(self.low) >= _padded(self.high)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A union of intervals."""

    text: str
    """As it was written."""
    intervals: tuple[Interval, ...]

    def allows(self, version: Version) -> bool:
        """Return whether any interval allows it."""
        return any(interval.allows(version) for interval in self.intervals)

    @property
    def floor(self) -> Version:
        """The lowest version that is allowed; empty where there is none."""
        return min((interval.low for interval in self.intervals), key=_padded, default=())


def parse_constraint(text: str, *, tilde_is_pessimistic: bool = False) -> Constraint | None:
    """Return the constraint that `text` states; None where it states none.

    Args:
        text: in any of the notations above.
        tilde_is_pessimistic: ``~1.2`` ends before 2, as Composer reads it, not before 1.3.
    """
    intervals: list[Interval] = []
    for choice in re.split(r"\s*\|\|?\s*", text.strip()[:_MAX_LENGTH]):
        ranges = list(_RANGE.finditer(choice))
        if ranges:
            intervals += [_maven(found) for found in ranges]
            continue
        interval = _conjunction(choice, tilde_is_pessimistic)
        if interval is None:
            return None
        intervals.append(interval)
    kept = tuple(interval for interval in intervals if not interval.is_empty)
    return Constraint(text.strip(), kept) if kept else None


def at_least(version: str) -> Constraint:
    """Return the constraint of a floor."""
    return Constraint(f">={version}", (Interval(parse_version(version)),))


def _conjunction(text: str, pessimistic: bool) -> Interval | None:  # noqa: FBT001 - private
    hyphen = _HYPHEN.fullmatch(text.strip())
    if hyphen:
        return Interval(parse_version(hyphen["low"]), _next(parse_version(hyphen["high"])))
    cleaned = re.sub(r"[,&]+|\band\b", " ", text)
    whole = Interval()
    position = 0
    for term in _TERM.finditer(cleaned):
        if cleaned[position : term.start()].strip():
            return None
        position = term.end()
        for interval in _term(term, pessimistic):
            whole = whole.within(interval)
    return None if cleaned[position:].strip() or not position else whole


def _term(term: re.Match[str], pessimistic: bool) -> Iterator[Interval]:  # noqa: FBT001 - private
    operator = term["op"] or ""
    version = parse_version(term["version"])
    if not version:
        yield Interval()
    elif operator in {">=", "=>"}:
        yield Interval(version)
    elif operator == ">":
        yield Interval(_next(version))
    elif operator in {"<=", "=<"}:
        yield Interval((), _next(version))
    elif operator == "<":
        yield Interval((), version)
    elif operator == "!=":
        yield Interval((), None, (version,))
    elif operator == "^":
        yield Interval(version, _caret(version))
    elif operator in {"~>", "~="} or (operator == "~" and pessimistic):
        yield Interval(version, _next(version[:-1]) if len(version) > 1 else _next(version))
    elif operator == "~":
        yield Interval(version, _next(version[:2]))
    else:
        yield Interval(version, _next(version))


def _caret(version: Version) -> Version:
    for index, number in enumerate(version):
        if number:
            return _next(version[: index + 1])
    return _next(version)


def _maven(found: re.Match[str]) -> Interval:
    low, high = parse_version(found["low"]), parse_version(found["high"] or "")
    if not found["comma"]:
        return Interval(low, _next(low))
    bottom = low if found["open"] == "[" or not low else _next(low)
    if not high:
        return Interval(bottom)
    return Interval(bottom, _next(high) if found["close"] == "]" else high)


def _next(version: Version) -> Version:
    """Return the first version after everything that begins with `version`."""
    return (*version[:-1], version[-1] + 1) if version else ()


def _padded(version: Version) -> Version:
    return version + (0,) * (8 - len(version))
