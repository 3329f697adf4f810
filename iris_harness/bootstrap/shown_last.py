"""Which day each conversation was shown last: what is said next is about it, or names one."""

from __future__ import annotations

import datetime as dt
import threading
from collections import OrderedDict
from collections.abc import Sequence

from iris_harness.contracts.day import PlannedDay
from iris_harness.contracts.explain import Explanation
from iris_harness.contracts.results import AgentResult

_MOST_SESSIONS = 1000
"""Conversations whose day is kept; the one that was quiet longest is forgotten first."""


class ShownLast:
    """The day shown last, by conversation. Thread-safe."""

    def __init__(self) -> None:
        """Begin with nothing shown."""
        self._days: OrderedDict[str, dt.date] = OrderedDict()
        self._lock = threading.Lock()

    def day_of(self, session: str) -> dt.date | None:
        """Return the day that a conversation was shown last; None where it was none, or several."""
        with self._lock:
            return self._days.get(session)

    def remember(self, session: str, results: Sequence[AgentResult]) -> None:
        """Keep which day a turn showed; a turn that shows none changes nothing."""
        days = {day for result in results if result.result for day in _days_of(result)}
        if not session or not days:
            return
        with self._lock:
            self._days.pop(session, None)
            if len(days) == 1:
                self._days[session] = days.pop()
            while len(self._days) > _MOST_SESSIONS:
                self._days.popitem(last=False)


def _days_of(result: AgentResult) -> set[dt.date]:
    values = [fact.value for fact in result.result.facts] if result.result else []
    planned = {value.plan.date for value in values if isinstance(value, PlannedDay)}
    return planned | {value.date for value in values if isinstance(value, Explanation)}
