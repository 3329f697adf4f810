"""Reminders and timers: "remind me at five to call Ada", "set a timer for 10 minutes".

What is to be set or cancelled is proposed as an action, in the user's own words; when exactly it
is, and which one is meant, whoever keeps them settles.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections.abc import Iterable, Sequence

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.intended import new_start
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.reminders import PendingReminder, ReminderKind, ReminderPort
from iris_harness.contracts.repeats import (
    Repeat,
    find_repeat,
    is_hourly,
    names_days,
    parse_repeat,
    repeat_words,
)
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule
from iris_harness.errors import TaskError, UsageError
from iris_harness.planner import refuse_to_write, words
from iris_harness.planner.frame import load_zone

_THING = r"(?:reminders?|timers?|alarms?)"
_RING = r"(?: rings?| goes? off| ends?| due| over| set(?: for)?| left)?"
_IS_SET = (
    r"(?: do i have| have i(?: got| set)?| did i set| are there| (?:is|are)(?: set| running| active"
    r"| on| next)?| set| up| left)*"
)
_VERBS = (
    r"(?:cancel|delete|remove|stop|clear|dismiss|end|kill|turn off|switch off|shut off|drop"
    r"|call off|get rid of)"
)
_ANY = r"(?:all |every )?(?:of )?(?:(?:my|the|that|this|a) )?(?:next )?"

_MOVES = r"(?:move|postpone|reschedule|push(?: back)?|delay|shift|change|extend)"

_SET = (
    r"(?:remind|alert|ping|notify) (?:me|us) (?!of |wh|how |.*\blist\b).+",
    r"(?:wake|get) (?:me|us) up(?: .+)?",
    (
        r"(?:(?:set|start|create|make|add|give me|new|put)(?: up)? )?(?:(?:an?|another|the) )?"
        r"(?:new )?(?:[\w.]+[ -](?:hours?|minutes?|mins?|seconds?|secs?) )?"
        r"(?:timer|alarm|countdown|reminder)(?: (?:for|of|to|about|that) .+)?"
    ),
)
_QUERY = (
    rf"(?:what|which|how many) (?:are )?(?:my )?(?:next )?{_THING}{_IS_SET}",
    rf"(?:show|list|read|tell|give|check|see|view)(?: me)? {_ANY}(?:active |current )?{_THING}",
    rf"(?:all )?(?:my|the)(?: next)? {_THING}",
    (
        r"(?:do i have|have i|are there|is there|have i set)(?: got)?(?: any| an?)?(?: other)? "
        rf"{_THING}(?: set| running| left| for)?"
    ),
    (
        r"how (?:long|much time|many minutes)(?: is| are| do i have)?(?: left| remaining)?(?: is)?"
        rf"(?: left)?(?: on| for| in| until| till)? {_ANY}{_THING}{_RING}"
    ),
    rf"when (?:does|will|is|do) {_ANY}{_THING}{_RING}",
)
_CHANGE = (
    rf"{_VERBS} {_ANY}{_THING}(?: .+)?",
    rf"{_VERBS} {_ANY}(?!.*\b(?:meeting|appointment|event)\b).+ {_THING}",
    rf"(?:turn |switch |shut )?{_ANY}{_THING} off",
    rf"{_MOVES} {_ANY}(?:.+ )?{_THING}(?: .+)?",
    rf"snooze(?: {_ANY}{_THING})?(?: (?:for|by|until|till)(?: .+)?)?",
)

_CANCELS = re.compile(rf"{_VERBS}\b|(?:(?:turn|switch|shut) .*)?{_THING} off\b", re.IGNORECASE)
_IS_MOVING = re.compile(rf"{_MOVES}\b.*\b{_THING}\b", re.IGNORECASE)
_IS_SNOOZE = re.compile(r"snooze\b", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:how (?:long|much|many)|what|which|when|do i|have i|are there|is there|list|show)\b",
    re.IGNORECASE,
)
_TIMER = re.compile(r"\b(?:timers?|countdowns?)\b", re.IGNORECASE)
_ALARM = re.compile(r"\b(?:alarms?|wake)\b", re.IGNORECASE)
_REMINDER = re.compile(r"\b(?:reminders?|alarms?)\b", re.IGNORECASE)
_WAKE = re.compile(r"\bwake (?:me|us)(?P<up> up)?\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|every|everything)\b", re.IGNORECASE)
_NAMED = (
    re.compile(
        rf"\b{_THING}\b[, ]*(?:(?:to|about|of|for|called|named|that says|number)\b)?(?P<item>.*)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:{_VERBS}|{_MOVES}) {_ANY}(?P<item>.+?) {_THING}\b", re.IGNORECASE),
)
_NO_NAME = frozenset({"at", "on", "in", "for", "to", "the", "my", "a", "that", "this", "off",
                      "please", "now", "again"})  # fmt: skip

_UNIT = r"(?:hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)"
_NUMBER = r"(?:\d{1,9}(?:\.\d{1,9})?|an?|one)"
_SPAN = re.compile(rf"\b(?P<count>{_NUMBER}) ?-?(?P<unit>{_UNIT})\b", re.IGNORECASE)
_LENGTH = rf"{_NUMBER} ?-?{_UNIT}\b(?:(?:,? and|,)? {_NUMBER} ?-?{_UNIT}\b)*"
_FROM_NOW = re.compile(
    rf"\b(?:in|after|within) (?P<before>{_LENGTH})|\b(?P<after>{_LENGTH}) {_THING}", re.IGNORECASE
)
_LATER = re.compile(rf"\b(?:by|for) {_LENGTH}|\b{_LENGTH} later\b", re.IGNORECASE)
_ANY_LENGTH = re.compile(rf"\b(?P<before>{_LENGTH})(?P<after>)", re.IGNORECASE)
_LONGEST_SECONDS = 10 * 366 * 24 * 60 * 60
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_MOST_SECONDS = 100 * 366 * 24 * 3600
"""Nobody is to be reminded of anything in a hundred years."""
_LEAD = re.compile(
    rf"^(?:(?:in|for) (?:{_NUMBER} ?-?{_UNIT}(?:,? and |,? )?)+)?"
    r"(?:to |that i (?:have|need) to |about |that )?",
    re.IGNORECASE,
)
_BARE_HOUR = re.compile(r"(?:at |by )?(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?$", re.IGNORECASE)
_OCLOCK = r"(?P<h>2[0-3]|1\d|0?\d)(?!\d)(?:[:.](?P<m>[0-5]\d))?(?: ?(?P<half>[ap])\.?m\b\.?)?"
_AT = re.compile(rf"\bat {_OCLOCK}", re.IGNORECASE)
_CLOCK = re.compile(rf"\b{_OCLOCK}", re.IGNORECASE)
_ONE_TIME = re.sub(r"\?P<\w+>", "?:", _OCLOCK)
_MORE = rf"(?:,? and|,|,? &) (?:at )?{_ONE_TIME}(?![\w:.])"
_SEVERAL = re.compile(rf"\bat {_ONE_TIME}(?:{_MORE})+", re.IGNORECASE)
_LOOSE = re.compile(r"\b(?:on|at|by)(?= {2,}|$)", re.IGNORECASE)
_LEFT_OVER = re.compile(r"(?:and|or)\b", re.IGNORECASE)
_IS_OFTEN = re.compile(
    r"\b(?:remind|alert|ping|notify) (?:me|us) (?:every|each)\b|\b(?:seconds?|minutes?)\b",
    re.IGNORECASE,
)
_HOURS_OF_DAY = re.compile(r"\b(?:from|between) \d", re.IGNORECASE)
_HEAD = re.compile(
    r"\b(?:please )?(?:(?:remind|alert|ping|notify) (?:me|us)"
    r"|(?:set|create|make|add)(?: up)? (?:an?|another)(?: new)? (?:reminder|alarm)(?: for)?)\b",
    re.IGNORECASE,
)
_HOURS = frozenset({ScopeKind.TIME, ScopeKind.DATETIME, ScopeKind.TIME_RANGE})
_EARLIEST_MORNING, _EARLIEST_WAKING, _NOON = 7, 4, 12
_HALF_DAY, _DAY = dt.timedelta(hours=12), dt.timedelta(days=1)
_NOBODY = "Nothing would ring now: neither `iris serve` nor `iris briefing watch` is running."


def agent(ports: AgentPorts) -> Agent:
    """Return the agent that tells the user's reminders, and proposes new ones."""
    port = ports.reminders

    def handle(task: AgentTask) -> HandlerResult:
        said = task.utterance.strip()
        is_cancelling = _CANCELS.search(said) and (_TIMER.search(said) or _REMINDER.search(said))
        if _IS_SNOOZE.search(said):
            return HandlerResult(actions=(_snoozed(task),))
        if _IS_MOVING.match(said):
            return HandlerResult(actions=(_moved(task),))
        if (task.intent == "reminder.change" and is_cancelling) or _CANCELS.match(said):
            return HandlerResult(actions=(_cancelled(task),))
        if task.intent != "reminder.set" or _ASKS.match(said):
            return _told(port, task)
        refuse_to_write(task)
        return HandlerResult(actions=(_proposed(task),))

    return Agent(
        name="reminder",
        intents=(_set_intent(), _query_intent(), _change_intent()),
        handler=handle,
        read_only=True,
    )


def _set_intent() -> Intent:
    return Intent(
        name="reminder.set",
        description="set a reminder or a timer",
        examples=(
            "remind me at five to call Ada",
            "remind me in 20 minutes to check the oven",
            "set a timer for 10 minutes",
            "remind me every friday to water the plants",
            "wake me up at 7",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _SET),
        priority=45,
        writes=True,
    )


def _query_intent() -> Intent:
    return Intent(
        name="reminder.query",
        description="list your reminders and timers",
        examples=("which reminders and timers are set",),  # shorter ones draw other questions
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _QUERY),
        priority=46,
    )


def _change_intent() -> Intent:
    return Intent(
        name="reminder.change",
        description="move or cancel a reminder or timer, or snooze it",
        examples=("cancel the oven reminder",),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _CHANGE),
        priority=44,
        writes=True,
    )


# Setting


def _proposed(task: AgentTask) -> Action:
    """Return what is to be set.

    Raises:
        TaskError: it is not said when, or of what, or not all of what is said can be kept.
    """
    repeat = _repeat(task)
    if _TIMER.search(task.utterance) and repeat is None:
        # The router knows more words for lengths ("an hour and a half"), but no seconds.
        length = max(_length(task.utterance, _ANY_LENGTH), _minutes(task))
        if length:
            return _added({"timer_seconds": length})
        raise TaskError("I do not know how long the timer is to run", hint="as in: 10 minutes")
    title = _title(task, "" if repeat is None else find_repeat(task.utterance))
    if _LEFT_OVER.match(title):
        raise TaskError(
            f"I understand only a part of when, and not “{title}”", hint="set one for each time"
        )
    if not title:
        raise TaskError(
            "I do not know what to remind you of",
            hint="say it, as in: remind me at five to call Ada",
        )
    when = _once(task) if repeat is None else _again(repeat, task)
    times = _times_of_day(task.utterance)
    if times:
        when = _said_day(task) if repeat is None else when
        when["times"] = " ".join(f"{time:%H:%M}" for time in times)
    return _added({"summary": title, **when})


def _added(arguments: dict[str, Json]) -> Action:
    return Action(kind=ActionKind.REMINDER_ADD, arguments=arguments)


def _said_day(task: AgentTask) -> dict[str, Json]:
    """Return the day that is said with several times; {}: none is, so the next of each is meant."""
    scope = task.scope
    is_day = scope is not None and scope.kind in {ScopeKind.DATE, ScopeKind.DATETIME}
    return {"day": scope.days()[0].isoformat()} if scope is not None and is_day else {}


def _minutes(task: AgentTask) -> int:
    """Return a length that was said in words ("half an hour"), in seconds; 0: none was."""
    return int(task.slots.get("duration_minutes", "0")) * 60


def _title(task: AgentTask, often: str | None) -> str:
    """Return what it is about, without `often`; what else says when is taken off its front."""
    title = _title_anew(task, often) or task.slots.get("title", "")
    if often:
        title = " ".join(title.replace(often, " ").split())
    for when in (find_repeat(title), *(found[0] for found in _AT.finditer(title))):
        title = title.removeprefix(when).strip() if when else title
    title = _LEAD.sub("", title.strip(" ,.;!?")).strip(" ,.;!?")
    woken = None if title else _WAKE.search(task.utterance)
    if woken:
        return "wake up" if woken["up"] else "wake"  # it names nothing that was not said
    if not title and _ALARM.search(task.utterance):
        return "alarm"
    return title


def _title_anew(task: AgentTask, often: str | None) -> str:
    """Return the title where words that say when are more than those that the router took out.

    Of "every 31st at 9" it leaves "every", since the 31st is a day to it, and of "at 8 and 20" the
    second time. "" where it took out all.
    """
    said, several = task.utterance, _SEVERAL.search(task.utterance)
    if several is None and (not often or often == task.slots.get("repeat")):
        return ""
    day = _span(said, task.scope.text if task.scope else None)
    spans = (day, _span(said, often), several.span() if several else None)
    return " ".join(_HEAD.sub(" ", _without(said, spans)).split())


def _span(said: str, part: str | None) -> tuple[int, int] | None:
    at = said.find(part) if part else -1
    return None if part is None or at < 0 else (at, at + len(part))


def _without(said: str, spans: Iterable[tuple[int, int] | None]) -> str:
    """Return a text without some of its parts, and without the prepositions before them."""
    for start, end in sorted(filter(None, spans), reverse=True):
        said = f"{said[:start]}{' ' * (end - start)}{said[end:]}"  # keeps the places of the others
    return _LOOSE.sub(" ", said)


def _once(task: AgentTask) -> dict[str, Json]:
    scope = task.scope
    if scope is None:
        length = _length(task.utterance, _FROM_NOW)
        if not length:
            raise TaskError(
                "I do not know when to remind you", hint="say when, as in: remind me at five"
            )
        return {"at": _later(task, length)}
    match scope.kind:
        case ScopeKind.TIME:
            return {"at": _next_time(scope, task).isoformat()}
        case ScopeKind.DATETIME | ScopeKind.TIME_RANGE:
            return {"at": scope.start.isoformat()}
        case ScopeKind.DAY_PART if scope.start <= task.asked_at < scope.end:
            raise TaskError(f"“{scope.text}” has begun", hint="say when, as in: at 21:00")
        case ScopeKind.DAY_PART:
            return {"at": scope.start.isoformat()}
        case _:
            return {"day": scope.days()[0].isoformat()}


def _later(task: AgentTask, seconds: int) -> str:
    if seconds > _LONGEST_SECONDS:
        raise TaskError("that is too far away", hint="name a day, as in: on 3 may 2030")
    return (task.asked_at + dt.timedelta(seconds=seconds)).isoformat()


def _next_time(scope: Scope, task: AgentTask) -> dt.datetime:
    """Return the next time a clock shows what was said; a morning for what is to wake."""
    at = scope.start
    bare = _BARE_HOUR.search(scope.text.strip())
    if bare and _ALARM.search(task.utterance) and _EARLIEST_WAKING <= int(bare["h"]) < _NOON:
        at = at.replace(hour=int(bare["h"]), minute=int(bare["m"] or 0))
    step = _HALF_DAY if bare and not _ALARM.search(task.utterance) else _DAY
    while at <= task.asked_at:
        at += step
    return at


def _length(said: str, pattern: re.Pattern[str]) -> int:
    """Return the first length that `pattern` finds, in seconds; 0: there is none.

    Raises:
        TaskError: it is longer than anybody waits.
    """
    found = pattern.search(said)
    text = (found["before"] or found["after"]) if found else ""
    spans = ((span["count"], span["unit"][0].lower()) for span in _SPAN.finditer(text))
    seconds = sum(_count(count) * _SECONDS[unit] for count, unit in spans)
    if seconds > _MOST_SECONDS:
        raise TaskError("that is longer than I can wait", hint="name a shorter time")
    return int(seconds)


def _count(text: str) -> float:
    return float(text) if text[0].isdigit() else 1.0


def _repeat(task: AgentTask) -> Repeat | None:
    """Return how often it comes again; None: once."""
    often = find_repeat(task.utterance)
    for text in (often, task.slots.get("repeat")):
        if text:
            with contextlib.suppress(UsageError):  # "every room" says nothing of time
                return parse_repeat(text)
    if often and _IS_OFTEN.search(task.utterance):
        raise TaskError(
            f"I cannot tell how often “{often}” is",
            hint="as in: every friday, every 2 hours, the 31st of every month",
        )
    return None


def _again(found: Repeat, task: AgentTask) -> dict[str, Json]:
    arguments: dict[str, Json] = {"rule": found.rule}
    if is_hourly(found.rule) and _names_hours(task):
        raise TaskError(
            "one that comes every so many hours does so day and night",
            hint="name the times instead, as in: every weekday at 9, 12 and 15",
        )
    scope, time = task.scope, _time_of_day(task) or found.time
    if time is not None:
        arguments["time"] = f"{time:%H:%M}"
    is_day = scope is not None and scope.kind in {ScopeKind.DATE, ScopeKind.DATETIME}
    if scope is not None and is_day and not names_days(found.rule):
        arguments["day"] = scope.days()[0].isoformat()
    return arguments


def _names_hours(task: AgentTask) -> bool:
    """Return whether a time of the day is said."""
    if task.scope is not None:
        return task.scope.kind in _HOURS
    return _HOURS_OF_DAY.search(task.utterance) is not None


def _times_of_day(said: str) -> tuple[dt.time, ...]:
    """Return the times of "at 8 and 20", or "at 7 and 9 pm", in their order; () for only one."""
    several = _SEVERAL.search(said)
    if several is None:
        return ()
    found = list(_CLOCK.finditer(several[0]))
    times: list[dt.time] = []
    for clock, following in zip(found, (*found[1:], None), strict=True):
        half = clock["half"] or ""
        if not half and following is not None and int(clock["h"]) < int(following["h"]):
            half = following["half"] or ""
        times.append(_clock_time(clock, half))
    return tuple(dict.fromkeys(times))


def _time_of_day(task: AgentTask) -> dt.time | None:
    """Return the time at which something is every day; None: it is not said."""
    if task.scope is not None and task.scope.kind in _HOURS:
        return _as_said(task.scope)
    clock = _AT.search(task.utterance)
    if clock is None:
        return None
    return _clock_time(clock, clock["half"] or "")


def _clock_time(clock: re.Match[str], half: str) -> dt.time:
    """Return a time of day: 7 to 12 are as said, without am or pm."""
    hour, half = int(clock["h"]), half.lower()
    is_early = not half and 0 < hour < _EARLIEST_MORNING
    is_afternoon = half.startswith("p") or hour >= _NOON or is_early
    return dt.time(hour % 12 + 12 * is_afternoon, int(clock["m"] or 0))


def _as_said(scope: Scope) -> dt.time:
    """Return the time of day of a scope: an hour of the morning is one where it is every day's.

    The scope of "8" in "every day at 8", said at noon, is the next 8 o'clock: tonight's.
    """
    bare = _BARE_HOUR.search(scope.text.strip())
    if bare and _EARLIEST_MORNING <= int(bare["h"]) < _NOON:
        return dt.time(int(bare["h"]), int(bare["m"] or 0))
    return scope.start.time()


# Changing


def _snoozed(task: AgentTask) -> Action:
    """Return that what rang last is to ring again."""
    arguments: dict[str, Json] = {}
    length = _length(task.utterance, _ANY_LENGTH)
    if length:
        arguments["later_seconds"] = length
    elif task.scope is not None:
        arguments |= _once(task)
    return Action(kind=ActionKind.REMINDER_SNOOZE, arguments=arguments)


def _moved(task: AgentTask) -> Action:
    """Return another time for the one that is meant."""
    said = task.utterance.strip(" .!?")
    arguments: dict[str, Json] = {}
    if _TIMER.search(said):
        arguments["kind"] = ReminderKind.TIMER.value
    if later := _LATER.search(said):
        arguments["later_seconds"] = _length(later[0], _ANY_LENGTH)
        said = said.replace(later[0], " ")
    elif task.scope is not None:
        arguments |= new_start(task.scope)
        said = said.replace(task.scope.text, " ")
    if item := _item(said):
        arguments["item"] = item
    return Action(kind=ActionKind.REMINDER_MOVE, arguments=arguments)


def _cancelled(task: AgentTask) -> Action:
    said = task.utterance.strip(" .!?")
    arguments: dict[str, Json] = {}
    if _TIMER.search(said):
        arguments["kind"] = ReminderKind.TIMER.value
    elif _REMINDER.search(said):
        arguments["kind"] = ReminderKind.REMINDER.value
    if task.scope is not None:
        arguments |= _at(task.scope)
        said = said.replace(task.scope.text, " ")
    if _ALL.search(said):
        return Action(kind=ActionKind.REMINDER_CANCEL, arguments={**arguments, "all": True})
    is_any_alarm = _ALARM.search(said) is not None and "times" not in arguments
    if item := _item(said) or ("alarm" if is_any_alarm else ""):
        arguments["item"] = item
    return Action(kind=ActionKind.REMINDER_CANCEL, arguments=arguments)


def _at(scope: Scope) -> dict[str, Json]:
    """Return which times are meant: a clock's, in the morning or the evening, or a span."""
    if scope.kind is not ScopeKind.TIME:
        return {"from": scope.start.isoformat(), "to": scope.end.isoformat()}
    times = [scope.start]
    if _BARE_HOUR.search(scope.text.strip()):
        times.append(scope.start + _HALF_DAY)
    return {"times": " ".join(f"{time:%H:%M}" for time in times)}


def _item(said: str) -> str:
    """Return which one is meant, in the user's words; empty: the only one."""
    for pattern in _NAMED:
        found = pattern.search(said)
        named = found["item"].strip(" ,").split() if found else []
        while named and named[0].lower() in _NO_NAME:
            named = named[1:]
        while named and named[-1].lower() in _NO_NAME:
            named = named[:-1]
        if named:
            return " ".join(named)
    return ""


# Telling


def _told(port: ReminderPort | None, task: AgentTask) -> HandlerResult:
    if port is None:
        raise TaskError("reminders are kept with your own settings only", hint="`iris setup`")
    kinds = _kinds(task.utterance)
    pending = [one for one in port.pending() if one.reminder.kind in kinds]
    if task.scope is not None:
        scope = task.scope
        pending = [one for one in pending if scope.start <= one.next_at < scope.end]
    facts = [_statement(_heading(pending, kinds)), *(_fact(one, task) for one in pending)]
    if pending and not port.is_anybody_there():
        facts.append(_statement(_NOBODY))
    return HandlerResult(facts=tuple(facts))


def _kinds(utterance: str) -> tuple[ReminderKind, ...]:
    if _TIMER.search(utterance):
        return (ReminderKind.TIMER,)
    return tuple(ReminderKind)


def _heading(pending: Sequence[PendingReminder], kinds: Sequence[ReminderKind]) -> str:
    noun = kinds[0].value
    if not pending:
        return f"No {noun} is set."
    count = len(pending)
    return f"You have {count} {noun}{'' if count == 1 else 's'}."


def _statement(text: str) -> Fact:
    return Fact(kind=FactKind.STATEMENT, text=text)


def _fact(one: PendingReminder, task: AgentTask) -> Fact:
    reminder = one.reminder
    now = task.asked_at.astimezone(load_zone(task.timezone))
    at = one.next_at.astimezone(now.tzinfo)
    if reminder.kind is ReminderKind.TIMER:
        text = f"Timer of {reminder.title}: {_left(one.next_at - task.asked_at)} left."
    else:
        again = f", {repeat_words(reminder.rule)}" if reminder.rule else ""
        title = reminder.title or "Reminder"
        text = f"{title[:1].upper()}{title[1:]}: {_when(at, now)}{again}."
    return Fact(
        kind=FactKind.STATEMENT,
        text=text,
        value={
            "kind": reminder.kind.value,
            "title": reminder.title,
            "at": at.isoformat(),
            "rule": reminder.rule,
        },
    )


def _left(length: dt.timedelta) -> str:
    seconds = max(0, int(length.total_seconds()))
    hours, minutes = seconds // 3600, seconds // 60 % 60
    parts = [f"{hours} h"] if hours else []
    parts += [f"{minutes} min"] if minutes else []
    parts += [f"{seconds % 60} s"] if seconds % 60 and seconds < 10 * 60 else []
    return " ".join(parts) or "0 s"


def _when(at: dt.datetime, now: dt.datetime) -> str:
    near = {0: "today", 1: "tomorrow"}.get((at.date() - now.date()).days)
    return f"{near or words.day_name(at.date())}, {words.clock_text(at)}"
