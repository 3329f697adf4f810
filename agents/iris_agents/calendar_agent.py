"""The calendar: what is on, when something is, and whether the time is taken.

Nothing is said of a calendar that was not read: the facts name the ones that were, and one fact
per calendar that failed says so.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import Event, EventStatus
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.intended import event_span, new_start
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceStatus
from iris_harness.contracts.tasks import Agent, AgentTask, Handler, Intent, RoutingRule, Rule
from iris_harness.errors import TaskError
from iris_harness.planner import (
    build_planner_handler,
    find_first_free,
    read_snapshots,
    refuse_impossible_time,
    words,
)
from iris_harness.planner.frame import load_zone
from iris_harness.planner.states import state_facts

_AHEAD_DAYS = 30
"""How far a question without a day ("when is my next meeting") looks."""
_LONGEST_DAYS = 366
_MOST_FOUND = 5
"""Events told in answer to a question without a day."""
_PART_OF_DAY = dt.timedelta(hours=18)
"""A shorter window is named with its hours; days have 23 hours at least."""
_MOMENT = dt.timedelta(minutes=1)
"""A window this short is named as a point in time."""
_INSTANT = dt.timedelta(microseconds=1)
_NEAR = {-1: "yesterday", 0: "today", 1: "tomorrow"}

_SEEKING = re.compile(r"\b(?:when|where|what time|how long|who|next|which day)\b")
_NEXT = re.compile(r"\bnext (?:\w+ )?(?:meeting|appointment|event|call)\b")
_FREE = re.compile(r"\b(?:am|are|will|if) (?:i|we)\b.*\b(?:free|available|busy|booked)\b")
_BUSY = re.compile(r"\b(?:busy|booked)\b")
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset({
    "about", "afternoon", "ahead", "all", "and", "any", "anyone", "anything", "appointment",
    "appointments", "april", "are", "around", "attend", "august", "available", "been", "booked",
    "busy", "calendar", "calendars", "call", "called", "can", "check", "clear", "coming", "could",
    "date", "day", "days", "december", "did", "does", "doing", "evening", "event", "events",
    "everything", "february", "find", "first", "following", "for", "free", "friday", "from",
    "get", "give", "going", "got", "had", "happening", "has", "have", "hear", "how", "january",
    "july", "june", "just", "know", "last", "let", "lined", "list", "long", "look", "looking",
    "march", "may", "meet", "meeting", "meetings", "monday", "month", "morning", "need", "next",
    "night", "november", "now", "october", "open", "our", "out", "over", "plan", "planned",
    "planning", "plans", "please", "pull", "read", "remaining", "saturday", "schedule",
    "scheduled", "see", "september", "set", "should", "show", "some", "something", "sunday",
    "supposed", "take", "tell", "that", "the", "them", "there", "these", "thing", "things",
    "this", "thursday", "time", "today", "tomorrow", "tonight", "tuesday", "upcoming", "want",
    "was", "wednesday", "week", "weekend", "what", "when", "where", "which", "who", "will",
    "with", "would", "yesterday", "you", "your",
})  # fmt: skip
"""Words that say what is asked, and so are part of no title that is looked for."""

_SHOW = r"(?:show me |show |read |open |check |list |what is (?:on|in) )?"
_THERE_ARE = r"(?:do i have|are there|have i got|is there)"
_MEETINGS = r"(?:meetings?|appointments?|events?)"

_EXACT = (
    rf"{_SHOW}(?:my )?(?:calendar|appointments|meetings|events|schedule)(?: for| on)?",
    rf"{_THERE_ARE} (?:any |a )?{_MEETINGS}(?: scheduled| planned)?",
    rf"(?:any|what|which) {_MEETINGS}(?: do i have)?",
    rf"(?:when|what time|where|what) is my next {_MEETINGS}",
    r"am i (?:free|busy|available|booked)",
)

_MY_CALENDAR = r"(?:my|the|our) (?:calendar|agenda|schedule|diary)"
_AN_EVENT = r"(?:event|meeting|appointment|call|lunch|dinner|breakfast)"
_FREE_TIME = r"(?:(?:half )?(?:an )?hour|slot|time|gap|spot|\d+ .+)"
_FIRST_FREE = rf"(?:first|next) (?:free|open|available) {_FREE_TIME}"
_CREATE = (
    rf"(?:add|put|enter|write|pencil) .+ (?:to|on|onto|in|into) {_MY_CALENDAR}",
    rf"(?:schedule|create|set up|add|book|arrange|plan) an? (?:[\w-]+ )?{_AN_EVENT}(?: .+)?",
    rf"(?:schedule|add|put|book|arrange|plan) .+ {_FIRST_FREE}(?: .+)?",
)
_HOUR = r"(?:\d{1,2}[:.]\d\d(?: ?[ap] ?m)?|\d{1,2} ?(?:[ap] ?m|oclock)|noon)"
_OURS = r"(?:my|the|our) (?:[\w-]+ ){0,3}"
_NO_RING = r"(?!.*\b(?:alarm|timer|reminder)\b)"
_CHANGE = (
    rf"(?:move|reschedule|postpone|shift) {_NO_RING}.+ to {_HOUR}",
    rf"(?:move|reschedule|postpone|shift) {_NO_RING}{_OURS}{_AN_EVENT}(?: .+)?",
    rf"(?:cancel|delete|remove) {_NO_RING}{_OURS}{_AN_EVENT}(?: .+)?",
    rf"(?:cancel|delete|remove|take) .+ (?:from|off|out of) {_MY_CALENDAR}",
)


def agent(ports: AgentPorts) -> Agent:
    """Return the agent that answers from the user's calendars, and proposes changes to them."""
    query = Intent(
        name="calendar.query",
        description="look up what is in your calendar",
        examples=(
            "what meetings do I have tomorrow",
            "show my calendar for next week",
            "when is my next meeting",
            "what time is my dentist appointment",
            "am I free on Friday afternoon",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
        priority=32,
    )
    answer = _build_handler(ports.sources)
    create = partial(_propose_new, build_planner_handler(ports, ports.preferences))
    proposers: dict[Intent, Callable[[AgentTask], Action]] = {
        _create_intent(): create,
        _change_intent(): _propose_change,
    }
    by_name = {intent.name: propose for intent, propose in proposers.items()}

    def handle(task: AgentTask) -> HandlerResult:
        propose = by_name.get(task.intent)
        if propose is None:
            return answer(task)
        refuse_impossible_time(task)
        return HandlerResult(actions=(propose(task),))

    return Agent(name="calendar", intents=(query, *proposers), handler=handle, read_only=True)


def _create_intent() -> Intent:
    return Intent(
        name="calendar.create",
        description="put an event into your calendar",
        examples=(
            "add dentist to my calendar tomorrow at 3pm",
            "schedule a meeting with Ada on friday from 10 to 11",
            "put lunch with Bob in my calendar on 3 june at noon",
            "add 'prepare slides' for the first free hour tomorrow",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _CREATE),
        priority=40,
        writes=True,
    )


def _change_intent() -> Intent:
    return Intent(
        name="calendar.change",
        description="move or delete an event",
        examples=(
            "move my dentist appointment to friday at 10",
            "reschedule the budget meeting to tomorrow 15:00",
            "cancel my dentist appointment",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _CHANGE),
        priority=41,
        writes=True,
    )


def _propose_new(plan_days: Handler, task: AgentTask) -> Action:
    """Return the event that is to be written down; what is missing in it is the runner's to say.

    `plan_days` tells what time is free, where no earlier request has told it already.

    Raises:
        TaskError: it is to repeat, which no draft can say, or no time is free for it.
        UsageError: its time is no time of an event.
    """
    if "repeat" in task.slots:
        raise TaskError("I cannot write down what repeats yet", hint="leave out how often it is")
    arguments: dict[str, Json] = {"summary": task.slots.get("title")}
    if "first_free" in task.slots:
        first, last = find_first_free(task, plan_days)
        arguments |= {"start": first.isoformat(), "end": last.isoformat()}
    elif task.scope is not None:
        minutes = task.slots.get("duration_minutes")
        length = dt.timedelta(minutes=int(minutes)) if minutes else None
        start, end = event_span(task.scope, length)
        arguments |= {"start": start.isoformat(), "end": end.isoformat()}
    return Action(kind=ActionKind.EVENT_ADD, arguments=arguments)


def _propose_change(task: AgentTask) -> Action:
    """Return what is to become of the event that is named.

    Raises:
        TaskError: it is not said.
        UsageError: the time it is moved to is no time of an event.
    """
    arguments: dict[str, Json] = {"item": task.slots.get("title")}
    match task.slots.get("change"):
        case "move":
            if task.scope is not None:
                arguments |= new_start(task.scope)
            return Action(kind=ActionKind.EVENT_MOVE, arguments=arguments)
        case "delete":
            days = task.scope.days() if task.scope is not None else ()
            if len(days) == 1:
                arguments["on"] = days[0].isoformat()
            return Action(kind=ActionKind.EVENT_DELETE, arguments=arguments)
        case _:
            raise TaskError(
                "I did not understand which event is meant, and what is to become of it",
                hint="say, as in: move “dentist” to friday at 10",
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Window:
    """The time asked about: some days, and the part of them that counts."""

    days: tuple[dt.date, ...]
    start: dt.datetime
    end: dt.datetime
    """Exclusive."""

    def holds(self, event: Event) -> bool:
        """Return whether the event takes place in it, if only in part."""
        if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
            return event.start < self.end and max(event.start, event.end - _INSTANT) >= self.start
        last = max(event.start, event.end - dt.timedelta(days=1))
        return event.start <= self.days[-1] and last >= self.days[0]


def _build_handler(sources: SourcePorts) -> Handler:
    unavailable = tuple(s for s in sources.unavailable if s.kind is SourceKind.CALENDAR)
    calendars = SourcePorts(calendars=sources.calendars, unavailable=unavailable)

    def handle(task: AgentTask) -> HandlerResult:
        refuse_impossible_time(task)
        now = task.asked_at.astimezone(load_zone(task.timezone))
        window = _window(task, now)
        snapshots = read_snapshots(calendars, window.days, task.timezone, now)
        events = _distinct(event for snapshot in snapshots for event in snapshot.events)
        statuses = snapshots[0].sources
        if not any(status.was_read for status in statuses):
            facts = [_unknown(statuses)]
        else:
            facts = [*_answer(task, window, events, now, statuses)]
        return HandlerResult(
            facts=(*facts, *state_facts(statuses, "calendar")),
            warnings=snapshots[0].warnings,
        )

    return handle


def _window(task: AgentTask, now: dt.datetime) -> _Window:
    """Return the scope; without one the time from now that a search looks through.

    Raises:
        TaskError: the scope is longer than `_LONGEST_DAYS`.
    """
    if task.scope is None:
        return _from(now, _AHEAD_DAYS)
    if task.scope.end - task.scope.start > dt.timedelta(days=_LONGEST_DAYS):
        raise TaskError(
            f"{task.scope.text or 'that'} is too long to be listed", hint="ask for a year at most"
        )
    return _Window(days=task.scope.days(), start=task.scope.start, end=task.scope.end)


def _from(start: dt.datetime, days: int) -> _Window:
    every = tuple(start.date() + dt.timedelta(days=n) for n in range(days))
    midnight = dt.datetime.combine(every[-1] + dt.timedelta(days=1), dt.time(), start.tzinfo)
    return _Window(days=every, start=start, end=midnight)


def _distinct(events: Iterable[Event]) -> list[Event]:
    """Return each occurrence once; one that spans midnight comes with each of its days."""
    first: dict[tuple[str, str], Event] = {}
    for event in events:
        first.setdefault((event.uid, event.recurrence_id), event)
    return list(first.values())


def _answer(
    task: AgentTask,
    window: _Window,
    events: Sequence[Event],
    now: dt.datetime,
    statuses: Sequence[SourceStatus],
) -> list[Fact]:
    inside = [event for event in events if window.holds(event)]
    topics = frozenset(_WORD.findall(task.utterance.lower())) - _COMMON
    matching = [event for event in inside if _mentions(event, topics)]
    if task.scope is not None and _is_part(window) and _FREE.search(task.utterance.lower()):
        return _free_or_not(task.utterance.lower(), inside, window, now, statuses)
    if task.scope is not None:
        return _listed(matching or inside, window, now, statuses)
    if matching:
        return [_event_fact(event, now) for event in matching[:_MOST_FOUND]]
    if topics and _SEEKING.search(task.utterance.lower()):
        return [_not_found(topics, statuses)]
    if _NEXT.search(task.utterance.lower()):
        return _next(inside, now, statuses)
    today = dt.datetime.combine(now.date(), dt.time(), now.tzinfo)
    day = _from(today, 1)
    return _listed([event for event in events if day.holds(event)], day, now, statuses)


def _is_part(window: _Window) -> bool:
    return window.end - window.start <= _PART_OF_DAY


def _free_or_not(
    utterance: str,
    events: Sequence[Event],
    window: _Window,
    now: dt.datetime,
    statuses: Sequence[SourceStatus],
) -> list[Fact]:
    """Return yes or no, then what stands in the way; without a calendar unread, no doubt."""
    read = [status.name for status in statuses if status.was_read]
    taken = [event for event in events if event.busy and event.takes_place]
    when = _when(window, now)
    if not taken and len(read) < len(statuses):
        text = f"I found nothing that takes your time {when} in what could be read"
        return [_statement(f"{text} ({', '.join(read)}).", read)]
    answer = "Yes" if bool(taken) == bool(_BUSY.search(utterance)) else "No"
    text = f"{answer}, you are {'busy' if taken else 'free'} {when}."
    return [_statement(text, read), *(_event_fact(event, now) for event in taken)]


def _mentions(event: Event, topics: Collection[str]) -> bool:
    said = f"{event.summary} {event.location}".lower()
    return any(topic in said for topic in topics)


def _listed(
    events: Sequence[Event], window: _Window, now: dt.datetime, statuses: Sequence[SourceStatus]
) -> list[Fact]:
    """Return a sentence on how many there are, then a fact for each."""
    when = _when(window, now)
    read = [status.name for status in statuses if status.was_read]
    count = sum(event.takes_place for event in events)
    if not count and len(read) == len(statuses):
        # What is declined or cancelled is listed, but does not count as something you have.
        text = f"You have no events {when}." if events else f"Your calendar is clear {when}."
    elif not count:
        nothing = "nothing that takes place" if events else "nothing"
        text = f"I found {nothing} {when} in what could be read ({', '.join(read)})."
    else:
        noun = "event" if count == 1 else "events"
        text = f"You have {count} {noun} {when}."
    return [_statement(text, read), *(_event_fact(event, now) for event in events)]


def _next(
    events: Sequence[Event], now: dt.datetime, statuses: Sequence[SourceStatus]
) -> list[Fact]:
    for event in events:
        if isinstance(event.start, dt.datetime) and event.start > now and event.busy:
            return [_event_fact(event, now)]
    read = [status.name for status in statuses if status.was_read]
    return [_statement(f"No event is ahead in the next {_AHEAD_DAYS} days.", read)]


def _not_found(topics: Collection[str], statuses: Sequence[SourceStatus]) -> Fact:
    read = [status.name for status in statuses if status.was_read]
    named = " or ".join(f"\u201c{topic}\u201d" for topic in sorted(topics))
    return _statement(
        f"I found no event that mentions {named} in the next {_AHEAD_DAYS} days.", read
    )


def _unknown(statuses: Sequence[SourceStatus]) -> Fact:
    if not statuses:
        text = "No calendar is set up, so I cannot say what is in it; `iris setup` finds yours."
    else:
        text = "None of your calendars could be read, so I cannot say what is in them."
    return Fact(kind=FactKind.STATEMENT, text=text)


def _statement(text: str, read: Sequence[str]) -> Fact:
    sources = tuple(SourceRef(source=name) for name in read)
    return Fact(kind=FactKind.STATEMENT, text=text, sources=sources)


def _event_fact(event: Event, now: dt.datetime) -> Fact:
    place = f" ({event.location})" if event.location else ""
    return Fact(
        kind=FactKind.EVENT,
        text=f"{_event_time(event, now)}: {event.summary}{place}{_remark(event)}.",
        value={
            "summary": event.summary,
            "start": event.start.isoformat(),
            "end": event.end.isoformat(),
            "all_day": event.all_day,
            "busy": event.busy,
            "status": event.status.value,
            "calendar": event.calendar,
            "location": event.location,
        },
        sources=(event.source,),
    )


def _remark(event: Event) -> str:
    if event.status is EventStatus.CONFIRMED:
        return "" if event.busy else ", does not take your time"
    return f", {event.status.value.lower()}"


def _event_time(event: Event, now: dt.datetime) -> str:
    start, end = event.start, event.end
    if not isinstance(start, dt.datetime) or not isinstance(end, dt.datetime):
        last = max(start, end - dt.timedelta(days=1))
        days = _capital(_day(start, now))
        if last != start:
            days = f"{days} to {_day(last, now)}"
        return f"{days}, all day"
    first = f"{_capital(_day(start.date(), now))}, {words.clock_text(start)}"
    if start == end:
        return first
    if start.date() == end.date():
        return f"{first} to {words.clock_text(end)}"
    return f"{first} to {_day(end.date(), now)}, {words.clock_text(end)}"


def _day(day: dt.date, now: dt.datetime) -> str:
    near = _NEAR.get((day - now.date()).days)
    return near or words.day_name(day)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _when(window: _Window, now: dt.datetime) -> str:
    """Return the time in words, to stand at the end of a sentence."""
    first, last = window.days[0], window.days[-1]
    if first != last:
        return f"from {words.day_name(first)} to {words.day_name(last)}"
    near = _NEAR.get((first - now.date()).days) or f"on {words.day_name(first)}"
    if window.end - window.start <= _MOMENT:
        return f"{near} at {words.clock_text(window.start)}"
    if window.end - window.start > _PART_OF_DAY:
        return near
    return f"{near} from {words.clock_text(window.start)} to {words.clock_text(window.end)}"
