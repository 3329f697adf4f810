"""Questions about days as a handler: what is asked, what has to be read for it, the answer."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.resolution import Match, resolve_name
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.sources import SourceKind
from iris_harness.contracts.tasks import AgentTask
from iris_harness.contracts.zones import UserZones
from iris_harness.errors import TaskError
from iris_harness.planner.build import build_daily_plan
from iris_harness.planner.frame import load_zone
from iris_harness.planner.handler import MAX_DAYS, refuse_impossible
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
from iris_harness.planner.questions.reader import DayReader, Seen, now_of, window_of_task
from iris_harness.planner.questions.reading import Ask, Question, plain_words, read_question
from iris_harness.planner.questions.topics import Topics
from iris_harness.planner.snapshot import read_days, read_people
from iris_harness.planner.states import state_facts

AHEAD_DAYS = 90
"""How far a question without a day ("when is my dentist appointment") looks."""
_FREE_DAYS = 14
_CONFLICT_DAYS = 14
_BIRTHDAY_DAYS = 31
_OVERLAPPING = re.compile("conflict|clash|overlap|collid|double|book|each|other")
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
    reader = DayReader(ports, preferences)

    def answer(task: AgentTask) -> HandlerResult | None:
        question = _question(task)
        if question is None or question.ask not in _KNOWN:
            return None
        refuse_impossible(task)
        return _KNOWN[question.ask](reader, task, question)

    return answer


def build_events_handler(
    ports: AgentPorts, preferences: DayPreferences
) -> Callable[[AgentTask], HandlerResult]:
    """Return what lists the events of a time, or finds the one that is asked about.

    Raises as `build_answerer` says.
    """
    reader = DayReader(ports, preferences)

    def answer(task: AgentTask) -> HandlerResult:
        refuse_impossible(task)
        question = _question(task)
        return _answer_events(reader, task, question)

    return answer


def _question(task: AgentTask) -> Question | None:
    return read_question(task.utterance, task.slots, task.scope.text if task.scope else "")


def _result(seen: Seen, facts: list[Fact], noun: str = "calendar") -> HandlerResult:
    states = state_facts(seen.look.statuses, noun)
    return HandlerResult(facts=(*facts, *states), warnings=seen.warnings)


def _from_calendars(
    reader: DayReader, task: AgentTask, window: Window, tell: Callable[[Look], list[Fact]]
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


def _answer_when_free(reader: DayReader, task: AgentTask, question: Question) -> HandlerResult:
    return _from_calendars(
        reader,
        task,
        window_of_task(task, _FREE_DAYS),
        lambda look: answer_when_free(look, question),
    )


def _answer_whether_free(reader: DayReader, task: AgentTask, _question: Question) -> HandlerResult:
    is_busy = any(word in plain_words(task.utterance).split() for word in _BUSY)
    return _from_calendars(
        reader, task, window_of_task(task, 1), lambda look: answer_whether_free(look, busy=is_busy)
    )


def _answer_fits(reader: DayReader, task: AgentTask, question: Question) -> HandlerResult:
    return _from_calendars(
        reader,
        task,
        window_of_task(task, 1),
        lambda look: answer_whether_it_fits(look, question.minutes),
    )


def _answer_conflicts(reader: DayReader, task: AgentTask, _question: Question) -> HandlerResult:
    topics = reader.topics(task).without(_OVERLAPPING)
    return _from_calendars(
        reader,
        task,
        window_of_task(task, _CONFLICT_DAYS),
        lambda look: answer_conflicts(look, topics),
    )


def _answer_edge(reader: DayReader, task: AgentTask, question: Question) -> HandlerResult:
    return _from_calendars(
        reader,
        task,
        window_of_task(task, 1),
        lambda look: edge_event(look, is_last=question.ask is Ask.LAST),
    )


def _answer_load(reader: DayReader, task: AgentTask, _question: Question) -> HandlerResult:
    days = task.scope.days() if task.scope else (now_of(task).date(),)
    if len(days) > MAX_DAYS:
        raise TaskError(f"I can say how busy {MAX_DAYS} days are at most", hint="name fewer")
    zones = reader.ports.zones or UserZones(home=task.timezone)
    sources = replace(reader.ports.sources, contacts=(), jobs=None)
    snapshots = read_days(sources, days, zones, task.asked_at)
    plans = [build_daily_plan(snapshot, reader.preferences) for snapshot in snapshots]
    statuses = [one for one in snapshots[0].sources if one.kind is not SourceKind.CONTACTS]
    return HandlerResult(
        facts=(*map(load_fact, plans), *state_facts(statuses, "source")),
        warnings=snapshots[0].warnings,
    )


def _answer_planned(
    reader: DayReader, task: AgentTask, _question: Question
) -> HandlerResult | None:
    days = task.scope.days() if task.scope else (now_of(task).date(),)
    if len(days) > 1:
        return None
    return _from_calendars(
        reader,
        task,
        window_of_task(task, 1),
        lambda look: planned_facts(look, days[0], reader.memory(days[0])),
    )


def _answer_birthdays(
    reader: DayReader, task: AgentTask, question: Question
) -> HandlerResult | None:
    books = reader.ports.sources.contacts
    now = now_of(task)
    days = LONGEST_DAYS if question.name or question.is_next else _BIRTHDAY_DAYS
    window = window_of(task.scope) if task.scope and not question.name else days_from(now, days)
    seen = reader.events(task, window)
    read = read_people(books, now.date(), task.timezone, now)
    statuses = (*read.statuses, *reader.unavailable(SourceKind.CONTACTS))
    look = replace(seen.look, statuses=(*statuses, *seen.look.statuses))
    seen = Seen(look, (*read.warnings, *seen.warnings))
    if task.is_tried and not _is_known(question.name, read.people):
        return HandlerResult(declined=True)
    if not look.read:
        return _result(seen, [Fact(kind=FactKind.STATEMENT, text=_no_birthdays(look))], "source")
    if not question.name:
        return _result(
            seen, answer_birthdays(look, read.people, is_next=question.is_next), "source"
        )
    told = answer_whose(look, read.people, question.name)
    return replace(_result(seen, told.facts, "source"), choice=told.choice)


def _no_birthdays(look: Look) -> str:
    if not look.statuses:
        return "No address book is set up, so I know of no birthdays; `iris setup` finds yours."
    return "No address book and no calendar could be read, so I cannot say whose birthday is when."


def _is_known(name: str, people: Sequence[Contact]) -> bool:
    """Return whether there is somebody of the name; of no name, whether there is anybody."""
    if not name:
        return bool(people)
    return resolve_name(name, people).match is not Match.UNKNOWN


def _answer_events(reader: DayReader, task: AgentTask, question: Question | None) -> HandlerResult:
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
            days_before(now_of(task), LONGEST_DAYS)
            if question.is_last
            else days_from(now_of(task), AHEAD_DAYS)
        )
        return _from_calendars(
            reader, task, window, lambda look: find_events(look, question, topics)
        )
    return _today_or_mentioned(reader, task, topics)


def _answer_if_known(
    reader: DayReader, task: AgentTask, question: Question | None, topics: Topics
) -> HandlerResult:
    """Return the event that is asked about; declined where none is called so."""
    window = window_of_task(task, AHEAD_DAYS)
    look = reader.events(task, window).look
    asked = question or Question(Ask.WHEN)
    if topics.is_empty and task.scope is not None and asked.ask is Ask.WHERE and look.events:
        return _from_calendars(reader, task, window, lambda look: list_or_find(look, asked, topics))
    if topics.is_empty or not any(map(topics.all_in, look.events)):
        return HandlerResult(declined=True)
    return _from_calendars(reader, task, window, lambda look: find_events(look, asked, topics))


def _today_or_mentioned(reader: DayReader, task: AgentTask, topics: Topics) -> HandlerResult:
    """Return what mentions what is named, in the days ahead; else what is on today."""

    def tell(look: Look) -> list[Fact]:
        ahead = _within(look, days_from(look.now, AHEAD_DAYS))
        if not topics.is_empty and any(map(topics.all_in, ahead.events)):
            return find_events(ahead, Question(Ask.WHEN), topics)
        today = _within(look, days_from(look.window.start, 1))
        return list_events(today, today.events)

    midnight = dt.datetime.combine(now_of(task).date(), dt.time(), load_zone(task.timezone))
    return _from_calendars(reader, task, days_from(midnight, AHEAD_DAYS), tell)


def _within(look: Look, window: Window) -> Look:
    return replace(look, window=window, events=tuple(filter(window.holds, look.events)))


_KNOWN: dict[Ask, Callable[[DayReader, AgentTask, Question], HandlerResult | None]] = {
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
