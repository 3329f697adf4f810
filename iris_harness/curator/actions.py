"""Actions in words: what is to be done, and that it is done."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.changes import EventDraft, TodoDraft
from iris_harness.contracts.day import Event, Todo
from iris_harness.curator.language import Language

_DAY = dt.timedelta(days=1)


class Wording(NamedTuple):
    """One action in words, without a full stop."""

    preview: str
    """What is to be done: "Add …"."""
    outcome: str
    """The same, done: "Added …"."""


class ActionWords:
    """Says actions in one language, in the zone of one "now"."""

    def __init__(self, language: Language, now: dt.datetime) -> None:
        """Take the turn's "now" in the user's zone."""
        self.language = language
        self._now = now

    def wording(self, key: str, **values: str | int) -> Wording:
        """Return the two forms of the action `key`."""
        return Wording(
            preview=self.language.say(f"action.{key}.preview", **values),
            outcome=self.language.say(f"action.{key}.outcome", **values),
        )

    def todo_added(self, draft: TodoDraft, place: str) -> Wording:
        """Return how a new todo is said."""
        details = self._details(draft.due, draft.priority, draft.estimate_minutes)
        return self.wording("todo.add", title=draft.summary, place=place, details=details)

    def todo_detail(self, todo: Todo) -> str:
        """Return what tells a todo from others: when it is due, and its list."""
        due = self._said("action.detail.due", when=self.when(todo.due)) if todo.due else ""
        return f"{due}{self._said('action.detail.on', place=todo.source.source)}"

    def _details(
        self, due: dt.date | dt.datetime | None, priority: int | None, minutes: int | None
    ) -> str:
        say = self.language.say
        parts = (
            self._said("action.detail.due", when=self.when(due)) if due else "",
            say("action.detail.priority", count=priority) if priority else "",
            self._said("action.detail.takes", length=self.language.duration(minutes))
            if minutes
            else "",
        )
        return "".join(parts)

    def priority(self, value: int | None) -> str:
        """Return a priority, or that there is none."""
        say = self.language.say
        return say("action.set.priority", count=value) if value else say("action.set.no_priority")

    def length(self, minutes: int | None) -> str:
        """Return how long something takes, or that it names no length."""
        say = self.language.say
        if minutes is None:
            return say("action.set.no_length")
        return say("action.set.takes", length=self.language.duration(minutes))

    def _said(self, key: str, **values: str) -> str:
        return self.language.say(key, **values)

    def event_added(self, draft: EventDraft, place: str) -> Wording:
        """Return how a new event is said."""
        where = self._said("action.detail.at", place=draft.location) if draft.location else ""
        when = self.span(draft.start, draft.end)
        return self.wording("event.add", title=draft.summary, place=place, when=when, where=where)

    def event_when(self, event: Event) -> str:
        """Return when an event is."""
        return self.span(event.start, event.end)

    def when(self, moment: dt.date | dt.datetime) -> str:
        """Return a day, or a day with its time: "Fri 6 Mar", "Fri 6 Mar 10:00"."""
        if isinstance(moment, dt.datetime):
            local = moment.astimezone(self._now.tzinfo)
            day, time = self.day(local.date()), self.language.time(local)
            return self.language.say("day_and_time", day=day, time=time)
        return self.day(moment)

    def day(self, day: dt.date) -> str:
        """Return the short date of a day: the journal is read on other days, too."""
        return self.language.date_short(day, self._now.date())

    def span(self, start: dt.date | dt.datetime, end: dt.date | dt.datetime) -> str:
        """Return a span of days or of time, the second day only where it is another."""
        if not isinstance(start, dt.datetime) or not isinstance(end, dt.datetime):
            last = max(start, end - _DAY)
            if last == start:
                return self._said("action.all_day", day=self.day(start))
            return self._said("span", start=self.day(start), end=self.day(last))
        zone = self._now.tzinfo
        start, end = start.astimezone(zone), end.astimezone(zone)
        if start == end:
            return self.when(start)
        same_day = start.date() == end.date()
        until = self.language.time(end) if same_day else self.when(end)
        return self._said("span", start=self.when(start), end=until)

    def times(self, spans: Sequence[tuple[dt.datetime, dt.datetime]]) -> str:
        """Return spans of one day by their times alone."""
        zone = self._now.tzinfo
        return self.language.listing(
            [
                self._said(
                    "span",
                    start=self.language.time(start.astimezone(zone)),
                    end=self.language.time(end.astimezone(zone)),
                )
                for start, end in spans
            ]
        )
