"""Questions about days as a handler: what is asked, what has to be read for it, the answer."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.memory import DayMemory
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.resolution import Match, resolve_name
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.sources import SourceKind, SourceStatus
from iris_harness.contracts.tasks import AgentTask
from iris_harness.contracts.zones import UserZones
from iris_harness.errors import TaskError
from iris_harness.planner.build import build_daily_plan
from iris_harness.planner.frame import load_zone
from iris_harness.planner.handler import MAX_DAYS, refuse_impossible_time
from iris_harness.planner.merge import event_order
from iris_harness.planner.persons import build_person_finder
from iris_harness.planner.questions.birthdays import answer_birthdays, answer_whose
from iris_harness.planner.questions.clashes import answer_conflicts
from iris_harness.planner.questions.events import edge_event, find_events, list_events, list_or_find
from iris_harness.planner.questions.free import (
    answer_when_free,
    answer_whether_free,
    answer_whether_it_fits,
)
from iris_harness.planner.questions.load import load_fact
from iris_harness.planner.questions.look import (
    LONGEST_DAYS,
    Look,
    Window,
    days_before,
    days_from,
    window_of,
)
from iris_harness.planner.questions.planned import planned_facts
from iris_harness.planner.questions.reading import Ask, Question, plain_words, read_question
from iris_harness.planner.questions.topics import Topics, read_topics
from iris_harness.planner.snapshot import read_days, read_events, read_people
from iris_harness.planner.states import state_facts

AHEAD_DAYS = 90
"""How far a question without a day ("when is my dentist appointment") looks."""
_FREE_DAYS = 14
_CONFLICT_DAYS = 14
_BIRTHDAY_DAYS = 31
_WITH = re.compile(r"\b(?:with|meet|meeting|see|seeing|visit|visiting) (?P<who>.+)$")
_BUSY = ("busy", "booked")

Answerer: TypeAlias = Callable[[AgentTask], HandlerResult | None]
"""Answers a task; None where it asks nothing of the kind."""


def build_answerer(ports: AgentPorts, preferences: DayPreferences) -> Answerer:
    """Return what answers a question about days that wants no plan, and None for everything else.

    It knows free time, whether something fits, conflicts, birthdays, how busy a day is, and what
    was planned. A time that is named in the task's scope is the one looked at; without one it is
    as far ahead as the question makes sense.

    The handler raises `TaskError` for a scope that is too long and for one that does not exist,
    and `UsageError` for an unknown zone.
    """
    reader = _Reader(ports, preferences)

    def answer(task: AgentTask) -> HandlerResult | None:
        question = _question(task)
        if question is None or question.ask not in _KNOWN:
            return None
        refuse_impossible_time(task)
        return _KNOWN[question.ask](reader, task, question)

    return answer


def build_events_handler(
    ports: AgentPorts, preferences: DayPreferences
) -> Callable[[AgentTask], HandlerResult]:
    """Return what lists the events of a time, or finds the one that is asked about.

    Raises as `build_answerer` says.
    """
    reader = _Reader(ports, preferences)

    def answer(task: AgentTask) -> HandlerResult:
        refuse_impossible_time(task)
        question = _question(task)
        return _answer_events(reader, task, question)

    return answer


class _Seen(NamedTuple):
    """What was read, and what has to be said of that."""

    look: Look
    warnings: tuple[str, ...]


class _Reader:
    """Reads what questions are about."""

    def __init__(self, ports: AgentPorts, preferences: DayPreferences) -> None:
        self.ports = ports
        self.preferences = preferences
        self._find = build_person_finder(ports.sources.contacts)

    def events(self, task: AgentTask, window: Window) -> _Seen:
        """Read the calendars."""
        now = _now(task)
        read = read_events(self.ports.sources.calendars, window.days, task.timezone, now)
        look = Look(
            now=now,
            zone=load_zone(task.timezone),
            preferences=self.preferences,
            window=window,
            is_named=task.scope is not None,
            events=_by_day(filter(window.holds, read.events), window.days[0]),
            statuses=(*read.statuses, *self.unavailable(SourceKind.CALENDAR)),
        )
        return _Seen(look, read.warnings)

    def topics(self, task: AgentTask) -> Topics:
        """Return what a task names; a person by what that person is called."""
        time = task.scope.text if task.scope else ""
        topics = read_topics(task.utterance, time)
        match = _WITH.search(plain_words(task.utterance).replace(plain_words(time), " ", 1))
        person = self._find(task, match["who"]) if match else None
        return topics.of(person.said, person.calls) if person and person.calls else topics

    def unavailable(self, kind: SourceKind) -> tuple[SourceStatus, ...]:
        """Return the sources of a kind that this program cannot read."""
        return tuple(one for one in self.ports.sources.unavailable if one.kind is kind)

    def memory(self, day: dt.date) -> DayMemory:
        """Return what is remembered of a day."""
        memories = self.ports.recall((day,)) if self.ports.recall else {}
        return memories.get(day, DayMemory())


def _by_day(events: Iterable[Event], first: dt.date) -> tuple[Event, ...]:
    """Return events by day, all-day ones first in each; what began before is of the `first`."""

    def order(event: Event) -> tuple[object, ...]:
        is_timed = isinstance(event.start, dt.datetime)
        day = event.start.date() if isinstance(event.start, dt.datetime) else event.start
        return (max(day, first), is_timed, event_order(event))

    return tuple(sorted(events, key=order))


def _question(task: AgentTask) -> Question | None:
    return read_question(task.utterance, task.slots, task.scope.text if task.scope else "")


def _now(task: AgentTask) -> dt.datetime:
    return task.asked_at.astimezone(load_zone(task.timezone))


def _window(task: AgentTask, days: int) -> Window:
    """Return the time that was named, else so many days from now."""
    return window_of(task.scope) if task.scope else days_from(_now(task), days)


def _result(seen: _Seen, facts: list[Fact], noun: str = "calendar") -> HandlerResult:
    states = state_facts(seen.look.statuses, noun)
    return HandlerResult(facts=(*facts, *states), warnings=seen.warnings)


def _from_calendars(
    reader: _Reader, task: AgentTask, window: Window, tell: Callable[[Look], list[Fact]]
) -> HandlerResult:
    """Return what `tell` makes of the calendars; nothing is said where none was read."""
    seen = reader.events(task, window)
    if not seen.look.read:
        return _result(seen, [_unknown(seen.look)])
    return _result(seen, tell(seen.look))


def _unknown(look: Look) -> Fact:
    if not look.statuses:
        text = "No calendar is set up, so I cannot say what is in it; `iris setup` finds yours."
    else:
        text = "None of your calendars could be read, so I cannot say what is in them."
    return Fact(kind=FactKind.STATEMENT, text=text)


# The questions


def _answer_when_free(reader: _Reader, task: AgentTask, question: Question) -> HandlerResult:
    return _from_calendars(
        reader,
        task,
        _window(task, _FREE_DAYS),
        lambda look: answer_when_free(look, question.minutes, is_next=question.is_next),
    )


def _answer_whether_free(reader: _Reader, task: AgentTask, _question: Question) -> HandlerResult:
    is_busy = any(word in plain_words(task.utterance).split() for word in _BUSY)
    return _from_calendars(
        reader, task, _window(task, 1), lambda look: answer_whether_free(look, busy=is_busy)
    )


def _answer_fits(reader: _Reader, task: AgentTask, question: Question) -> HandlerResult:
    return _from_calendars(
        reader,
        task,
        _window(task, 1),
        lambda look: answer_whether_it_fits(look, question.minutes),
    )


def _answer_conflicts(reader: _Reader, task: AgentTask, _question: Question) -> HandlerResult:
    return _from_calendars(reader, task, _window(task, _CONFLICT_DAYS), answer_conflicts)


def _answer_edge(reader: _Reader, task: AgentTask, question: Question) -> HandlerResult:
    return _from_calendars(
        reader,
        task,
        _window(task, 1),
        lambda look: edge_event(look, is_last=question.ask is Ask.LAST),
    )


def _answer_load(reader: _Reader, task: AgentTask, _question: Question) -> HandlerResult:
    days = task.scope.days() if task.scope else (_now(task).date(),)
    if len(days) > MAX_DAYS:
        raise TaskError(f"I can say how busy {MAX_DAYS} days are at most", hint="name fewer")
    zones = reader.ports.zones or UserZones(home=task.timezone)
    sources = replace(reader.ports.sources, contacts=())
    snapshots = read_days(sources, days, zones, task.asked_at)
    plans = [build_daily_plan(snapshot, reader.preferences) for snapshot in snapshots]
    statuses = [one for one in snapshots[0].sources if one.kind is not SourceKind.CONTACTS]
    return HandlerResult(
        facts=(*map(load_fact, plans), *state_facts(statuses, "source")),
        warnings=snapshots[0].warnings,
    )


def _answer_planned(reader: _Reader, task: AgentTask, _question: Question) -> HandlerResult | None:
    days = task.scope.days() if task.scope else (_now(task).date(),)
    if len(days) > 1:
        return None
    return _from_calendars(
        reader,
        task,
        _window(task, 1),
        lambda look: planned_facts(look, days[0], reader.memory(days[0])),
    )


def _answer_birthdays(reader: _Reader, task: AgentTask, question: Question) -> HandlerResult | None:
    books = reader.ports.sources.contacts
    now = _now(task)
    days = LONGEST_DAYS if question.name or question.is_next else _BIRTHDAY_DAYS
    window = window_of(task.scope) if task.scope and not question.name else days_from(now, days)
    seen = reader.events(task, window)
    read = read_people(books, now.date(), task.timezone, now)
    statuses = (*read.statuses, *reader.unavailable(SourceKind.CONTACTS))
    look = replace(seen.look, statuses=(*statuses, *seen.look.statuses))
    seen = _Seen(look, (*read.warnings, *seen.warnings))
    if task.is_tried and not _is_known(question.name, read.people):
        return HandlerResult(declined=True)
    if not look.read:
        text = (
            "No address book and no calendar could be read, so I cannot say whose birthday is when."
        )
        return _result(seen, [Fact(kind=FactKind.STATEMENT, text=text)], "source")
    if not question.name:
        return _result(
            seen, answer_birthdays(look, read.people, is_next=question.is_next), "source"
        )
    told = answer_whose(look, read.people, question.name)
    return replace(_result(seen, told.facts, "source"), choice=told.choice)


def _is_known(name: str, people: Sequence[Contact]) -> bool:
    """Return whether there is somebody of the name; of no name, whether there is anybody."""
    if not name:
        return bool(people)
    return resolve_name(name, people).match is not Match.UNKNOWN


def _answer_events(reader: _Reader, task: AgentTask, question: Question | None) -> HandlerResult:
    topics = reader.topics(task)
    if task.is_tried:
        return _answer_if_known(reader, task, question, topics)
    if task.scope is not None:
        return _from_calendars(
            reader,
            task,
            window_of(task.scope),
            lambda look: list_or_find(look, question, topics),
        )
    if question is not None and (not topics.is_empty or question.is_next or question.is_last):
        window = (
            days_before(_now(task), LONGEST_DAYS)
            if question.is_last
            else days_from(_now(task), AHEAD_DAYS)
        )
        return _from_calendars(
            reader, task, window, lambda look: find_events(look, question, topics)
        )
    return _today_or_mentioned(reader, task, topics)


def _answer_if_known(
    reader: _Reader, task: AgentTask, question: Question | None, topics: Topics
) -> HandlerResult:
    """Return the event that is asked about; declined where none is called so."""
    window = _window(task, AHEAD_DAYS)
    look = reader.events(task, window).look
    asked = question or Question(Ask.WHEN)
    if topics.is_empty and task.scope is not None and asked.ask is Ask.WHERE and look.events:
        return _from_calendars(reader, task, window, lambda look: list_or_find(look, asked, topics))
    if topics.is_empty or not any(map(topics.all_in, look.events)):
        return HandlerResult(declined=True)
    return _from_calendars(reader, task, window, lambda look: find_events(look, asked, topics))


def _today_or_mentioned(reader: _Reader, task: AgentTask, topics: Topics) -> HandlerResult:
    """Return what mentions what is named, in the days ahead; else what is on today."""

    def tell(look: Look) -> list[Fact]:
        ahead = _within(look, days_from(look.now, AHEAD_DAYS))
        if not topics.is_empty and any(map(topics.all_in, ahead.events)):
            return find_events(ahead, Question(Ask.WHEN), topics)
        today = _within(look, days_from(look.window.start, 1))
        return list_events(today, today.events)

    midnight = dt.datetime.combine(_now(task).date(), dt.time(), load_zone(task.timezone))
    return _from_calendars(reader, task, days_from(midnight, AHEAD_DAYS), tell)


def _within(look: Look, window: Window) -> Look:
    return replace(look, window=window, events=tuple(filter(window.holds, look.events)))


_KNOWN: dict[Ask, Callable[[_Reader, AgentTask, Question], HandlerResult | None]] = {
    Ask.WHEN_FREE: _answer_when_free,
    Ask.IS_FREE: _answer_whether_free,
    Ask.FITS: _answer_fits,
    Ask.CONFLICTS: _answer_conflicts,
    Ask.FIRST: _answer_edge,
    Ask.LAST: _answer_edge,
    Ask.LOAD: _answer_load,
    Ask.PLANNED: _answer_planned,
    Ask.BIRTHDAYS: _answer_birthdays,
}
