"""Units of the calendar: "next week", "the rest of the month", "beginning of june"."""

from __future__ import annotations

from iris_harness.contracts.scopes import ScopeKind
from iris_router import scopes_calendar as calendar
from iris_router.scopes_calendar import Days, one_day
from iris_router.scopes_months import MonthReader
from iris_router.scopes_text import DayForms, DayText, Found


class UnitReader(DayForms):
    """Reads weeks, months and years, whole or an edge of them."""

    def __init__(self, text: DayText, months: MonthReader) -> None:
        """Take the text and the reader of its months."""
        super().__init__(text)
        self._months = months

    def unit(self, at: int) -> Found | None:
        """Read "next week", "the week after next", "the rest of the month", "this quarter"."""
        text = self._text(at)
        unit = self._words.units.get(self._text(at + 1))
        if text in self._words.all and unit in {"week", "month", "year"}:
            whole = self._unit_days(unit, 0, self._today)
            return Days(self._today, whole.last, ScopeKind.DATE_RANGE), at + 2
        skip = at + (text in self._words.whole)
        if (
            self._words.units.get(self._text(skip))
            and self._text(skip + 1) in self._words.after_next
        ):
            return self._of(self._words.units[self._text(skip)], 2, skip + 2)
        if unit is None:
            return self._lone_weekend(at)
        distance = self._words.which.get(text)
        if distance is None and text in self._words.whole:
            named = unit in {"week", "workweek", "weekend", "fortnight", "month"}
            around = {self._text(at - 1), self._text(at + 2)}
            alone = around.isdisjoint(self._words.part_of) and self._ends(at + 2)
            distance = 0 if named and alone else None
        return None if distance is None else self._of(unit, distance, at + 2)

    def _of(self, unit: str, distance: int, end: int) -> Found | None:
        if unit in {"hour", "minute", "day"}:
            return None
        weekday = self._words.weekdays.get(self._text(end + (self._text(end) in self._words.on)))
        days = self._unit_days(unit, distance, self._today)
        if weekday is not None and unit == "week":
            return one_day(self._in_week(days, weekday)), end + 1 + (
                self._text(end) in self._words.on
            )
        return days, end

    def _lone_weekend(self, at: int) -> Found | None:
        if self._words.units.get(self._text(at)) != "weekend":
            return None
        if self._tokens[at + 1].kind == "word" and self._text(at + 1) not in self._words.followers:
            return None
        return self._unit_days("weekend", 0, self._today), at + 1

    def whole(self, at: int) -> Found | None:
        """Read the week, month or year that something is a part of."""
        at += self._text(at) in self._words.whole and self._text(at + 1) in self._words.which
        named = (
            self.unit(at) or self._months.month(at, sure=True) or self._months.year(at, sure=True)
        )
        if named:
            return named
        unit = self._words.units.get(self._text(at + (self._text(at) in self._words.whole)))
        if unit not in {"week", "month", "year"}:
            return None
        end = at + 1 + (self._text(at) in self._words.whole)
        return self._unit_days(unit, 0, self._today), end

    def edge(self, at: int) -> Found | None:
        """Read "the beginning of the month", "mid march"."""
        edge = self._words.edges.get(self._text(at))
        if edge is None:
            return None
        joined = (
            self._text(at + 1) in self._words.of - self._words.start or self._text(at + 1) == "-"
        )
        after = at + 1 + joined
        after += self._text(after) in self._words.glue
        whole = self.whole(after)
        if whole is None or whole[0].kind is ScopeKind.WEEKEND:
            return None
        return calendar.edge_of(edge, whole[0]), whole[1]
