"""The arguments of an action as values; a handler's or a command's mistake is said, not obeyed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from iris_harness.contracts.actions import Action
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.sources import SourceRef
from iris_harness.curator.clean import clean
from iris_harness.errors import ActionError

_PRIORITIES = range(1, 10)
_LONGEST_MINUTES = 60 * 24 * 31
_LONGEST_TEXT = 1000
_LONGEST_TITLE = 300
_TITLES = frozenset({"summary", "title"})
_MOST = 10**10
"""No count of seconds or minutes that anybody means is larger, and instants cannot be."""
_MISSING = {
    "summary": "it needs a title",
    "title": "it is not said what it is to be called",
    "item": "it is not said which one is meant",
}


def check_length(name: str, text: str) -> None:
    """Do nothing where a text is short enough to be kept.

    Raises:
        ActionError: it is not.
    """
    if name in _TITLES and len(text) > _LONGEST_TITLE:
        raise ActionError(
            f"a title of more than {_LONGEST_TITLE} letters is not written down",
            hint="say it in fewer words",
        )
    if len(text) > _LONGEST_TEXT:
        raise ActionError(f"the {name.replace('_', ' ')} is no text of reasonable length")


class Arguments:
    """Reads one action's arguments."""

    def __init__(self, action: Action) -> None:
        """Take the action whose arguments are read."""
        self._kind = action.kind
        self._values: Mapping[str, Json] = action.arguments
        self._target = action.target

    def __contains__(self, name: str) -> bool:
        return name in self._values

    @property
    def target(self) -> SourceRef | None:
        """Where the item was when the user saw it; None where only words say which is meant."""
        return self._target

    def text(self, name: str) -> str:
        """Return a text on one line.

        Raises:
            ActionError: it is missing, empty or far too long.
        """
        value = self.maybe_text(name)
        if value is None:
            raise ActionError(_MISSING.get(name, f"the {name} is missing"))
        return value

    def maybe_text(self, name: str) -> str | None:
        """Return a text on one line, or None where there is none.

        Raises:
            ActionError: it is far too long, or no text.
        """
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise ActionError(f"the {name.replace('_', ' ')} is no text")
        check_length(name, value)
        return clean(value) or None

    def number(self, name: str) -> int | None:
        """Return a whole number above 0, or None.

        Raises:
            ActionError: it is something else.
        """
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ActionError(f"the {name.replace('_', ' ')} is no whole number above 0")
        if value > _MOST:
            raise ActionError(f"the {name.replace('_', ' ')} is more than can be counted with")
        return value

    def flag(self, name: str) -> bool:
        """Return whether something is set."""
        return self._values.get(name) is True

    def priority(self) -> int | None:
        """Return a priority, 1 to 9, or None.

        Raises:
            ActionError: it is none.
        """
        value = self.number("priority")
        if value is not None and value not in _PRIORITIES:
            raise ActionError("a priority is 1 (highest) to 9")
        return value

    def minutes(self) -> int | None:
        """Return a length in minutes, or None.

        Raises:
            ActionError: it is none, or longer than a month.
        """
        value = self.number("estimate_minutes")
        if value is not None and value > _LONGEST_MINUTES:
            raise ActionError("that takes longer than a month", hint="cut it into smaller todos")
        return value

    def moment(self, name: str) -> dt.date | dt.datetime | None:
        """Return a day or an aware instant, or None.

        Raises:
            ActionError: it is neither.
        """
        text = self.maybe_text(name)
        if text is None:
            return None
        try:
            if len(text) == len("2026-03-04"):
                return dt.date.fromisoformat(text)
            instant = dt.datetime.fromisoformat(text)
        except ValueError as error:
            raise ActionError(f"{text!r} is no day and no time") from error
        if instant.tzinfo is None:
            raise ActionError(f"{text!r} has no offset")
        return instant

    def day(self, name: str) -> dt.date | None:
        """Return a day, or None.

        Raises:
            ActionError: it is none.
        """
        value = self.moment(name)
        return value.date() if isinstance(value, dt.datetime) else value

    def clock(self, name: str) -> dt.time | None:
        """Return a time of day (``HH:MM``), or None where there is none or it is no such time."""
        text = self.maybe_text(name)
        if text is None or len(text) != len("10:30"):
            return None
        try:
            return dt.time.fromisoformat(text)
        except ValueError:
            return None
