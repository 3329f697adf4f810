"""The planner: the day as one plan, from calendars and todos, and why it is as it is."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule
from iris_harness.planner import (
    build_answerer,
    build_explain_handler,
    build_mark_proposer,
    build_planner_handler,
)
from iris_harness.planner.frame import load_zone

EXPLAIN = "plan.explain"
"""The intent of asking why something is where it is."""
CHANGE = "plan.change"
"""The intent of having a say in the plan: what stays where it is, and what is left out."""

_SPAN = r"(?:day|morning|afternoon|evening|week|weekend|month|schedule|time|work|tasks|todos)"
_MY = rf"(?:(?:my|the|our|out|me|for|of|rest|whole|entire|work|all) )*{_SPAN}"
_ARRANGE = (
    r"(?:plan|replan|organi[sz]e|structure|arrange|rearrange|prioriti[sz]e|sort out|block out|"
    r"time block|map out|lay out|set up|start|prepare|review|summari[sz]e)"
)

# Seen with the scope taken out ("plan tomorrow" is "plan") and with it still there.
_GIVE = r"(?:(?:make|create|give|draft|show|get|list)(?: me)? )?(?:(?:a|an|my|the) )?"
_SUMMARY = r"(?:briefing|brief|overview|summary|rundown|plan|agenda)"
_TASKS = r"(?:focus on|do|work on|tackle|start with|get done|prioriti[sz]e)"

_EXACT = (
    rf"(?:help me )?(?:to )?{_ARRANGE}(?: {_MY})?",
    rf"{_GIVE}(?:daily |morning |evening |weekly |day )?{_SUMMARY}(?: of| for| on)?(?: {_MY})?",
    r"what is (?:on|ahead|next|planned|coming up|in store|the plan)(?: for)?(?: me)?",
    r"what (?:have i got|do i have|have i)(?: (?:going )?on)?",
    r"(?:is there )?anything (?:going )?on",
    r"",  # a time alone ("tomorrow") asks for what it brings
    r"what (?:do|must) i (?:have|need) to (?:do|get done)",
    rf"what should i {_TASKS}(?: first| next)?",
    rf"(?:what are )?{_GIVE}(?:top )?(?:two |three |\d )?priorities(?: for)?",
    r"(?:what is )?(?:my |on my |on the )?(?:focus|agenda|to focus on|plate)",
    r"brief me(?: on| for| about)?",
    rf"how (?:does|is|will) {_MY} look(?:ing)?(?: like)?",
    rf"what (?:does|will|is) {_MY} (?:look(?:ing)? )?like",
    r"(?:how|what) does look(?: like)?",
)


_POINTS = frozenset({ScopeKind.TIME, ScopeKind.DATETIME})
_TO_PLAN = re.compile(
    r"\b(?:re)?(?:plan|organi[sz]e|structure|arrange|prioriti[sz]e|schedule|block|map|lay|sort)\b"
    r"(?!\w)(?! is\b)",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:rest|remainder|remaining|left) (?:of )?(?:the |my |this |to)?day\b|"
    r"\bremaining day\b",
    re.IGNORECASE,
)
_AROUND = dt.timedelta(hours=1)
"""How much is shown of a day when only a moment of it is asked about."""

_WHY = r"(?:and |but )?(?:why|how come)"
_BE = r"(?:is|are|was|were|do i have(?: to do)?|did you (?:put|place|plan|schedule|leave))"
_PLAN = r"(?:plan|day|schedule|agenda|week|calendar|list)"
_PLACED = (
    r"(?:planned|scheduled|placed|unplanned|unscheduled|left out|dropped|so (?:early|late))"
    r"(?: so (?:early|late))?"
)
_HOUR = (
    r"(?:half past |quarter (?:past|to) )?(?:\d{1,2}(?:[:.]\d\d)?|noon|midnight|one|two|three|four|"
    r"five|six|seven|eight|nine|ten|eleven|twelve)(?: ?[ap] ?m| oclock)?"
)
_IN_THE_PLAN = (
    r"(?:why|how come) .+",
    (
        r"when (?:will|should|do|can|am) i (?:going to |supposed to |to )?"
        r"(?:do|doing|work on|start|begin|get to) (?P<title>.+)"
    ),
    r"(?:where|when)(?:'s| is) (?P<title>.+) in (?:my|the|today's) (?:plan|day|schedule)",
)
"""Questions about where something is in the plan, if it is in it."""

_PLAYED = (
    r"(?!.*\b(?:songs?|tracks?|tunes?|music|ads?|episodes?|intro|videos?|chapters?|levels?|scenes?|"
    r"podcasts?|forward|ahead|back|seconds|tv|speaker|radio|next|stations?)\b)"
)
"""Before what is skipped: what is played is skipped elsewhere."""
_ON_SCREEN = r"(?!.*\b(?:photos?|pictures?|tabs?|posts?|messages?|chats?|windows?)\b)"
_IN_PLAN = r"(?:of |from )?(?:my|the|todays|tomorrows) (?:plan|day|schedule)"
_MARK_EXACT = (
    rf"(?:un)?pin (?:down )?{_ON_SCREEN}.+",
    rf"(?:un ?skip|(?:do not|stop) skip(?:ping)?) {_PLAYED}.+",
    rf"keep .+ (?:at|from) {_HOUR}",
    r"keep (?!.*\bme\b).+ where it is",
    rf"(?:skip|leave out) {_PLAYED}.+ (?:today|tomorrow|this week|for now|on \w+day)",
    rf"(?:skip|drop|leave out) {_PLAYED}.+ {_IN_PLAN}",
    rf"leave {_PLAYED}.+ out(?: (?:today|tomorrow|{_IN_PLAN}))?",
    rf"(?:put|do|schedule) {_PLAYED}(?:the |my )?.+ first(?: thing)?(?: today| tomorrow)?",
)
_MARK_EVIDENCE = r"(?P<change>skip) (?P<title>.+)"
_WHY_EXACT = (
    rf"{_WHY} {_BE}(?: not)? .+ (?:at|from) {_HOUR}",
    rf"{_WHY} {_BE}(?: not)? .+ (?:not )?(?:in|on|part of|out of) (?:my|the|this|todays) {_PLAN}",
    rf"{_WHY} {_BE} .+ (?:not )?{_PLACED}",
    rf"{_WHY} not .+",
    rf"{_WHY} (?:does|do|did|can|could|will|would) .+ not fit(?: in)?",
    r"what would (?:it take to )?(?:make|let) .+ fit(?: in)?",
    r"(?:how (?:can|could|do) i|what would have to change to) (?:make room for|fit(?: in)?) .+",
)


def agent(ports: AgentPorts) -> Agent:
    """Return the planner with its own working hours and the user's sources."""
    plan = build_planner_handler(ports, ports.preferences)
    explain = build_explain_handler(ports, ports.preferences)

    answer = build_answerer(ports, ports.preferences)
    mark = build_mark_proposer(ports, ports.preferences)

    def handle(task: AgentTask) -> HandlerResult:
        if task.intent == EXPLAIN:
            return explain(task)
        if task.intent == CHANGE:
            return mark(task)
        return answer(task) or _part(task, plan(_as_of(task)))

    intents = (_intent(), _why_intent(), _change_intent())
    return Agent(name="planner", intents=intents, handler=handle, read_only=True)


def _as_of(task: AgentTask) -> AgentTask:
    """Return the task as if asked at the hour from which it is to plan ("plan my day at 14:10")."""
    scope = task.scope
    if scope is None or scope.kind not in _POINTS or not _TO_PLAN.search(task.utterance):
        return task
    return replace(task, asked_at=scope.start.astimezone(dt.UTC))


def _part(task: AgentTask, result: HandlerResult) -> HandlerResult:
    """Return a result with the part of the day to show, where the scope does not say it."""
    now = task.asked_at.astimezone(load_zone(task.timezone))
    midnight = dt.datetime.combine(now.date() + dt.timedelta(days=1), dt.time(), now.tzinfo)
    scope = task.scope
    if scope is None and _REST.search(task.utterance):
        return replace(result, focus=_hours(now, midnight))
    if scope is None or scope.kind not in _POINTS or _TO_PLAN.search(task.utterance):
        return result
    return replace(result, focus=_hours(scope.start, scope.start + _AROUND))


def _hours(start: dt.datetime, end: dt.datetime) -> Scope:
    return Scope(start=start, end=end, kind=ScopeKind.TIME_RANGE, text="")


def _why_intent() -> Intent:
    rules = (
        *(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _WHY_EXACT),
        *(RoutingRule(pattern=pattern, kind=Rule.EVIDENCE) for pattern in _IN_THE_PLAN),
    )
    return Intent(
        name=EXPLAIN,
        description="say why something is where it is in your plan",
        examples=(
            "why is that not in my plan",
            "why not that one today",
            "why is that at three",
            "why is that planned so late",
            "what would make that fit",
        ),
        rules=rules,
        priority=58,
    )


def _change_intent() -> Intent:
    rules = (
        *(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _MARK_EXACT),
        RoutingRule(pattern=_MARK_EVIDENCE, kind=Rule.EVIDENCE),
    )
    return Intent(
        name=CHANGE,
        description="pin or skip a todo in your plan",
        examples=("pin this todo", "pin a todo in my plan"),
        rules=rules,
        priority=57,
        writes=True,
    )


def _intent() -> Intent:
    return Intent(
        name="planner",
        description="plan your day or your week",
        examples=(
            "plan my day",
            "what's on today",
            "what should I focus on",
            "priorities",
            "what do I have to do today",
            "brief me",
            "how does my week look",
            "time to plan my day",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
        priority=60,
    )
