"""The calendar: what is on, when something is, and whether the time is taken.

Nothing is said of a calendar that was not read: the facts name the ones that were, and one fact
per calendar that failed says so.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.explain import ItemKind
from iris_harness.contracts.intended import event_span, upcoming
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.resolution import Match
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, AgentTask, Handler, Intent, RoutingRule, Rule
from iris_harness.errors import TaskError
from iris_harness.planner import (
    build_answerer,
    build_change_proposer,
    build_events_handler,
    build_person_finder,
    build_planner_handler,
    find_first_free,
    refuse_to_write,
    which_person,
)
from iris_harness.planner.contact_card import WHO_IS, build_card_reader
from iris_harness.planner.persons import Person
from iris_harness.planner.proposals import proposed

_SHOW = r"(?:show me |show |read |open |check |list |what is (?:on|in) )?"
_THERE_ARE = r"(?:do i have|are there|have i got|is there)"
_MEETINGS = r"(?:meetings?|appointments?|events?)"

_EXACT = (
    rf"{_SHOW}(?:my )?(?:calendar|appointments|meetings|events|schedule)(?: for| on)?",
    rf"{_THERE_ARE} (?:any |a )?{_MEETINGS}(?: scheduled| planned)?",
    rf"{_THERE_ARE} (?:any )?plans(?: for)?",
    rf"(?:any|what|which) {_MEETINGS}(?: do i have)?",
    rf"(?:when|what time|where|what) is my next {_MEETINGS}",
    r"(?:(?:am|are|will) (?:i|we) (?:be )?)?(?:free|busy|available|booked)(?: for .+)?",
)

_GATHERING = (
    r"(?:meetings?|appointments?|events?|calls?|stand ?ups?|syncs?|lunch|dinner|breakfast|reviews?|"
    r"workshops?|interviews?|lessons?|check ?ups?|seminars?|lectures?|presentations?|retros?|"
    r"trainings?|sessions?)"
)

_FREE = r"(?:free|open|available|spare|empty)"
_SLOT = r"(?:hours?|half hour|times?|slots?|gaps?|spots?|minutes|mornings?|afternoons?|days?)"
_LONG = r"(?:\d+|half an|an?|one|two) (?:minutes?|hours?)"
_SOME_FREE = (
    rf"(?:(?:an?|any|some|the|my|next|first) )*"
    rf"(?:(?:\d+ )?{_FREE} (?:\d+ )?{_SLOT}|{_LONG} {_FREE})"
)
_TIME_FOR = r"(?:time|room) (?:for|to)"
_WHOLE = r"(?!.*\b(?:all|everything|that|my|our|it|this|us)\b)"
_WHEN_FREE = (
    rf"(?:when|what time|(?:what|which) days?) (?:am i|are we|will i be) (?:next )?{_FREE}(?: .+)?",
    rf"when (?:do|will) (?:i|we) (?:next )?have {_SOME_FREE}(?: .+)?",
    rf"(?:find|show|give|tell|suggest)(?: me)? {_SOME_FREE}(?: .+)?",
    rf"(?:what|how much) {_FREE} time (?:do|will) (?:i|we) have(?: left)?",
    rf"(?:when|what) is (?:my|the|our) (?:next|first) {_FREE} {_SLOT}(?: .+)?",
    rf"(?:(?:do|will) (?:i|we) (?:still )?have|is there) (?:enough |still )?{_TIME_FOR} {_WHOLE}.+",
    rf"(?:find|make)(?: me)?(?: some| enough| a)? {_TIME_FOR} {_WHOLE}.+",
    rf"(?:find|suggest|give me)(?: me)? an? (?:slot|gap|spot|window) (?:for|of) {_WHOLE}.+",
    rf"when (?:is|would be) (?:the|a) (?:best|good) time for (?:an? )?(?:\w+ ){{0,3}}{_GATHERING}",
    rf"can (?:i|we) (?:still )?(?:fit|squeeze)(?: in)? {_WHOLE}.+",
)

_CLASHES = r"(?:scheduling )?(?:conflicts?|clash(?:es)?|overlaps?|double bookings?)"
_IN_IT = r"(?:in|on|with) (?:my|the) (?:calendar|schedule|diary|agenda|day|week|meetings|events)"
_CLASH = r"(?:clash|overlap|conflict|collid)\w*"
_WHICH_CLASH = (
    rf"(?:{_THERE_ARE} |show me |find |check for )?(?:any |all |my )?{_CLASHES}(?: {_IN_IT})?",
    rf"{_THERE_ARE} (?:anything|something|any {_MEETINGS}) (?:that )?{_CLASH}",
    rf"do any (?:of my )?{_MEETINGS} {_CLASH}(?: with each other)?",
    r"am i double ?booked",
)

_ANY = r"(?:what|which|show me|list|tell me|any|are there|do i have|is there|upcoming|the|next|my)"
_COMING = r"(?:are|is|do i have|coming|come|next|up|there|on|in|i should know|soon)"
_BIRTHDAYS = (
    rf"(?:{_ANY} )*birthdays?(?: {_COMING})*",
    r"whose birthday is (?:it|next|coming up|soon|on)(?: next| soon)?",
    r"(?:when|what day|what date) (?:is|was) (?:my )?(?:\w+ )?\w+s birthday(?: again)?",
)

_A_GATHERING = rf"(?:[\w-]+ ){{0,2}}{_GATHERING}"
_LASTING = r"(?: be| take| last| going to (?:take|last|be))?"
_WHICH_ONE = (
    rf"(?:(?:when|what time|where|how long|what) is )?(?:my|our) next {_A_GATHERING}",
    rf"next {_A_GATHERING}",
    rf"what time is (?:my |our |the )?{_A_GATHERING}(?: with .+)?",
    rf"when (?:was|did i have) (?:my|our) (?:last|latest|previous) {_A_GATHERING}",
    rf"how long (?:is|are|will|does) (?:my|the|our) {_A_GATHERING}{_LASTING}",
    (
        rf"how (?:long|many (?:minutes|hours|days)|much time)(?: is it| is left| do i have)? "
        rf"(?:until|till|before|to) (?:my|the|our) (?:next )?{_A_GATHERING}"
    ),
    rf"where (?:is|are|does|will) (?:my|our) {_A_GATHERING}(?: be| take place)?",
)
_WITH = re.compile(r"\b(?:with|meet|see|visit|call)\s+(?:with\s+)?(?P<who>.+)$", re.IGNORECASE)
"""Whom an event is with, in its title."""
_QUERY = (*_EXACT, *_WHEN_FREE, *_WHICH_CLASH, *_BIRTHDAYS, *_WHICH_ONE)

_IF_KNOWN = (
    r"what(?:'s| is) the (?:address|location|place) of .+",
    r"(?:is|are|was|were) (?:the|my|our) .+",
    r"who(?:'s| is| are| will be| am i)? .+",
    r"how (?:long|many \w+|much time|soon)\b.* (?:until|till|before|to) .+",
    r"(?:when|what (?:time|day|date)|where|how long)(?:'s| is| are| was| does| do| did| will)? .+",
    r"how old (?:is|will) .+",
    r"(?!.*\b(?:your|party|present|gift|cake|card|song|happy)\b).*\bbirthdays?\b.*",
)
"""Questions about whatever a calendar or an address book knows."""

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
        rules=(
            *(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _QUERY),
            *(RoutingRule(pattern=pattern, kind=Rule.EVIDENCE) for pattern in WHO_IS),
            *(RoutingRule(pattern=pattern, kind=Rule.EVIDENCE) for pattern in _IF_KNOWN),
        ),
        priority=32,
    )
    answer = build_answerer(ports, ports.preferences)
    tell_who = build_card_reader(ports.sources.contacts)
    look_up = build_events_handler(ports, ports.preferences)
    proposers: dict[Intent, Handler] = {
        _create_intent(): _build_adder(ports),
        _change_intent(): build_change_proposer(ports.sources, ItemKind.EVENT),
    }
    by_name = {intent.name: propose for intent, propose in proposers.items()}

    def handle(task: AgentTask) -> HandlerResult:
        propose = by_name.get(task.intent)
        if propose is None and "whom" in task.slots:
            return tell_who(task)
        if propose is None:
            return answer(task) or look_up(task)
        refuse_to_write(task)
        return propose(task)

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
        kin=("todo.change",),
        writes=True,
    )


def _build_adder(ports: AgentPorts) -> Handler:
    """Return what proposes a new event.

    It raises `TaskError` where it is to repeat, which no draft can say, or no time is free for
    it, and `UsageError` where its time is no time of an event.
    """
    plan_days = build_planner_handler(ports, ports.preferences)
    find = build_person_finder(ports.sources.contacts)

    def propose(task: AgentTask) -> HandlerResult:
        named = _WITH.search(task.slots.get("title", ""))
        person = find(task, named["who"]) if named else None
        if person is not None and person.resolution.match is Match.AMBIGUOUS:
            return _ask_which(task, person)
        found = proposed(ItemKind.EVENT, task.slots.get("title", ""), _new(plan_days, task))
        note = _note(task, person) if person is not None else ""
        return replace(found, text=note)

    return propose


def _ask_which(task: AgentTask, person: Person) -> HandlerResult:
    title = task.slots["title"]
    asked = which_person(
        person.said,
        person.resolution.candidates,
        lambda name: {"title": title.replace(person.said, name, 1), "person": name},
    )
    return HandlerResult(facts=(asked.fact,), choice=asked.choice)


def _note(task: AgentTask, person: Person) -> str:
    """Return who is meant, where that is not said; empty where there is nothing to tell."""
    contact = person.resolution.contact
    if contact is not None and not person.is_said_in_full:
        return f"“{person.said}” is {contact.name} [{contact.source.source}]."
    if contact is None and "person" in task.slots:
        return f"Nobody in your address books is called “{person.said}”."
    return ""


def _new(plan_days: Handler, task: AgentTask) -> Action:
    """Return the event that is to be written down; what is missing in it is the runner's to say.

    `plan_days` tells what time is free, where no earlier request has told it already.
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
        start, end = event_span(upcoming(task.scope, task.asked_at), length)
        arguments |= {"start": start.isoformat(), "end": end.isoformat()}
    return Action(kind=ActionKind.EVENT_ADD, arguments=arguments)
