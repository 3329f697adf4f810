"""Numbers in words and digits. Each reader takes a place and returns a value and where it ends."""

from __future__ import annotations

from iris_router.scopes_tokens import Tokens
from iris_router.scopes_words import ScopeWords

_LONGEST_DIGITS = 4
_MOST_DIGITS = 11
"""Of an amount: so many minutes are outside the calendar already."""
_TENS = 10


class NumberReader:
    """Reads numbers in one text."""

    def __init__(self, tokens: Tokens, words: ScopeWords) -> None:
        """Take the text and its language's words."""
        self._tokens = tokens
        self._words = words

    def cardinal(self, at: int) -> tuple[int, int] | None:
        """Read ``12``, ``twelve`` or ``forty five``."""
        token = self._tokens[at]
        if token.kind == "number":
            return (int(token.text), at + 1) if len(token.text) <= _LONGEST_DIGITS else None
        value = self._words.numbers.get(token.text)
        if value is None:
            return None
        after = at + 1 + (self._tokens.text(at + 1) == "-")
        rest = self._words.numbers.get(self._tokens.text(after), _TENS)
        if value >= 2 * _TENS and rest < _TENS:
            return value + rest, after + 1
        return value, at + 1

    def ordinal(self, at: int) -> tuple[int, int] | None:
        """Read ``3rd``, ``third`` or ``twenty-third``."""
        token, words = self._tokens[at], self._words
        if token.kind == "number":
            suffixed = self._tokens.text(at + 1) in words.suffixes and self._tokens.touch(at + 1)
            return (
                (int(token.text), at + 2)
                if suffixed and len(token.text) < _LONGEST_DIGITS
                else None
            )
        if token.text in words.ordinals:
            return words.ordinals[token.text], at + 1
        tens = words.numbers.get(token.text, 0)
        after = at + 1 + (self._tokens.text(at + 1) == "-")
        rest = words.ordinals.get(self._tokens.text(after), _TENS)
        return (tens + rest, after + 1) if tens >= 2 * _TENS and rest < _TENS else None

    def amount(self, at: int) -> tuple[int, int] | None:
        """Read how much of a unit, in 60ths: ``3``, ``2.5``, ``3/4``, ``half an``, ``a few``."""
        token = self._tokens[at]
        if token.text in self._words.amounts:
            return self._words.amounts[token.text], at + 1
        if token.kind == "decimal":
            return round(float(token.text) * 60), at + 1
        if token.kind == "fraction":
            above, _, below = token.text.partition("/")
            return (int(above) * 60 // int(below), at + 1) if int(below) else None
        if token.kind == "number":
            return int(token.text[:_MOST_DIGITS]) * 60, at + 1
        whole = self.cardinal(at)
        return (whole[0] * 60, whole[1]) if whole else None

    def length(self, at: int) -> tuple[int, str, int] | None:
        """Read an amount and its unit: the amount in 60ths, the unit, the end."""
        amount = self.amount(at)
        if amount is None:
            return None
        unit = self._words.units.get(self._tokens.text(amount[1]))
        if unit is None or unit in {"weekend", "quarter"}:
            return None
        return amount[0], unit, amount[1] + 1
