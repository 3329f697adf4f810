"""The clock: time, date, weekday and week, here or in another zone.

Everything follows from the task's `asked_at` and `timezone`. A place is looked up in the small
tables below, then among the cities that name IANA zones; one that is not found, or that has
several zones, is said to be so and never guessed.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo

from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule
from iris_harness.planner import words
from iris_harness.planner.frame import load_zone

_ZONE_NAMES = {
    "utc": "UTC",
    "gmt": "Etc/GMT",
    "cet": "Europe/Paris",
    "central european": "Europe/Paris",
    "est": "America/New_York",
    "eastern": "America/New_York",
    "eastern standard": "America/New_York",
    "central": "America/Chicago",
    "central standard": "America/Chicago",
    "mst": "America/Denver",
    "mountain": "America/Denver",
    "mountain standard": "America/Denver",
    "pst": "America/Los_Angeles",
    "pacific": "America/Los_Angeles",
    "pacific standard": "America/Los_Angeles",
}
"""Zones as people call them, summer time included; what has two meanings (CST, IST) is left out."""

_PLACES = {
    # countries with one zone
    "austria": "Europe/Vienna",
    "belgium": "Europe/Brussels",
    "china": "Asia/Shanghai",
    "denmark": "Europe/Copenhagen",
    "egypt": "Africa/Cairo",
    "england": "Europe/London",
    "finland": "Europe/Helsinki",
    "france": "Europe/Paris",
    "germany": "Europe/Berlin",
    "great britain": "Europe/London",
    "greece": "Europe/Athens",
    "india": "Asia/Kolkata",
    "ireland": "Europe/Dublin",
    "israel": "Asia/Jerusalem",
    "italy": "Europe/Rome",
    "japan": "Asia/Tokyo",
    "kenya": "Africa/Nairobi",
    "netherlands": "Europe/Amsterdam",
    "nigeria": "Africa/Lagos",
    "north korea": "Asia/Pyongyang",
    "norway": "Europe/Oslo",
    "pakistan": "Asia/Karachi",
    "philippines": "Asia/Manila",
    "poland": "Europe/Warsaw",
    "scotland": "Europe/London",
    "south africa": "Africa/Johannesburg",
    "south korea": "Asia/Seoul",
    "sweden": "Europe/Stockholm",
    "switzerland": "Europe/Zurich",
    "thailand": "Asia/Bangkok",
    "turkey": "Europe/Istanbul",
    "uk": "Europe/London",
    "united kingdom": "Europe/London",
    "vietnam": "Asia/Ho_Chi_Minh",
    "wales": "Europe/London",
    # cities that name no zone
    "atlanta": "America/New_York",
    "austin": "America/Chicago",
    "bangalore": "Asia/Kolkata",
    "barcelona": "Europe/Madrid",
    "beijing": "Asia/Shanghai",
    "boston": "America/New_York",
    "california": "America/Los_Angeles",
    "cape town": "Africa/Johannesburg",
    "dallas": "America/Chicago",
    "delhi": "Asia/Kolkata",
    "edinburgh": "Europe/London",
    "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich",
    "hamburg": "Europe/Berlin",
    "hanoi": "Asia/Ho_Chi_Minh",
    "hawaii": "Pacific/Honolulu",
    "houston": "America/Chicago",
    "kyoto": "Asia/Tokyo",
    "las vegas": "America/Los_Angeles",
    "manchester": "Europe/London",
    "miami": "America/New_York",
    "milan": "Europe/Rome",
    "montreal": "America/Toronto",
    "mumbai": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "new zealand": "Pacific/Auckland",
    "portugal": "Europe/Lisbon",
    "spain": "Europe/Madrid",
    "new delhi": "Asia/Kolkata",
    "new york city": "America/New_York",
    "nyc": "America/New_York",
    "osaka": "Asia/Tokyo",
    "philadelphia": "America/New_York",
    "rio de janeiro": "America/Sao_Paulo",
    "san diego": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "shenzhen": "Asia/Shanghai",
    "washington dc": "America/New_York",
}

_SEVERAL_ZONES = frozenset({
    "america", "argentina", "australia", "brazil", "canada", "chile", "europe", "indonesia",
    "mexico", "russia", "the states", "united states", "us", "usa",
})  # fmt: skip

_PLACE_PATTERNS = (
    r"\btime ?zone is (?P<place>[^\d]+?) in$",
    r"\b(?:in|for|at|of) (?:the )?(?P<place>[^\d]+?)(?: time ?zone| time)?$",
    r".*\b(?:what|the|is it) (?P<place>[^\d]+?) time(?: zone)?$",
)
_TAIL = re.compile(r"(?: (?:right now|right|now|today|please|currently|at the moment))+$")
_NO_PLACE = re.compile(
    r"\b(?:\w*day|morning|afternoon|evening|night|weeks?|months?|hours?|minutes?|year|tomorrow|"
    r"moment|it|is|time|date|what|exact|exactly|current|right|local|correct|zone|your|we)\b"
)
_ASKS_ZONE = re.compile(r"\btime ?zone\b")
_ASKS_TIME = re.compile(r"\btime\b|\bclock\b|\bhour\b")
_ASKS_WEEK = re.compile(r"\b(?:which|what|current) week\b|\bweek number\b")
_AREAS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
"""The IANA areas; a name outside them is an old one (``Japan``, ``US/Pacific``)."""
_ABBREVIATION = 3
"""Names up to this long are abbreviations (UTC, UK)."""
_NEAR = {-1: "yesterday", 0: "today", 1: "tomorrow"}

_EXACT = (
    r"(?:what|which) time is it(?: right)?(?: now| exactly)?",
    r"what is the (?:current |exact )?time(?: right)?(?: now)?|(?:the |current )?time",
    r"(?:what|which) (?:day|date|weekday|week)(?: of the week)? (?:is|was|will) it(?: be| now)?",
    r"what is (?:the )?(?:todays |current )?date|(?:the |todays )?date|what day",
    r"(?:what|which) (?:day|week) (?:is it|are we in|is this)",
)


def agent(ports: AgentPorts) -> Agent:
    """Return the clock; it reads nothing but its task."""
    del ports
    intent = Intent(
        name="time.query",
        description="tell the time here or elsewhere",
        examples=(
            "what time is it",
            "what's the date",
            "what day of the week is it",
            "what time is it in Tokyo",
            "what's the date tomorrow",
            "which week are we in",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
        priority=30,
    )
    return Agent(name="clock", intents=(intent,), handler=_handle, read_only=True)


def _handle(task: AgentTask) -> HandlerResult:
    utterance = _TAIL.sub("", " ".join(task.utterance.lower().split()).rstrip(" .?!"))
    place = _place(utterance) if task.scope is None else ""
    name = _find_zone(place) if place else task.timezone
    if name is None:
        return HandlerResult(facts=(_unknown_place(place),))
    now = task.asked_at.astimezone(load_zone(name))
    fact = Fact(
        kind=FactKind.TIME,
        text=_sentence(task, utterance, now, f" in {_title(place)}" if place else ""),
        value={"now": now.isoformat(), "timezone": name},
    )
    return HandlerResult(facts=(fact,))


def _sentence(task: AgentTask, utterance: str, now: dt.datetime, where: str) -> str:
    zone = str(now.tzinfo)
    if _ASKS_ZONE.search(utterance):
        return f"The time zone{where} is {zone} (UTC{_offset(now)}); it is {_clock(now)} there."
    if _ASKS_TIME.search(utterance) or where:
        return f"It is {_clock(now)} on {words.day_name(now.date())}{where} ({zone})."
    if task.scope is not None:
        return _about_day(task.scope.start.date(), task.scope.text, now)
    if _ASKS_WEEK.search(utterance):
        week = now.isocalendar()
        return f"It is week {week.week} of {week.year}, {words.day_name(now.date())}."
    return f"It is {words.day_name(now.date())} ({zone})."


def _about_day(day: dt.date, said: str, now: dt.datetime) -> str:
    distance = (day - now.date()).days
    name = _NEAR.get(distance, said).capitalize()
    if distance in _NEAR:
        return f"{name} is {words.day_name(day)}."
    away = f"in {distance} days" if distance > 0 else f"{-distance} days ago"
    return f"{name} is {words.day_name(day)}, {away}."


def _clock(now: dt.datetime) -> str:
    return words.clock_text(now)


def _offset(now: dt.datetime) -> str:
    text = f"{now:%z}"
    return f"{text[:3]}:{text[3:5]}"


def _place(utterance: str) -> str:
    """Return the place that the utterance clearly names; empty when it names none."""
    for pattern in _PLACE_PATTERNS:
        found = re.search(pattern, utterance)
        if found and not _NO_PLACE.search(found["place"]):
            return found["place"].strip(" ,'")
    return ""


def _find_zone(place: str) -> str | None:
    """Return the IANA zone of a place; None when it is unknown or has several."""
    if place in _SEVERAL_ZONES:
        return None
    known = _ZONE_NAMES.get(place) or _PLACES.get(place)
    return known or _zone_of_city(place.replace(" ", "_"))


def _zone_of_city(city: str) -> str | None:
    """Return the zone named after a city (lower case, ``new_york``); None when there is none."""
    for name in sorted(zoneinfo.available_timezones()):
        area, _, place = name.rpartition("/")
        if place.lower() == city and area.partition("/")[0] in _AREAS:
            return name
    return None


def _unknown_place(place: str) -> Fact:
    if place in _SEVERAL_ZONES:
        text = f"{_title(place)} has several time zones; name a city."
    else:
        text = f"I do not know the time zone of {_title(place)}; name a large city near it."
    return Fact(kind=FactKind.STATEMENT, text=text)


def _title(place: str) -> str:
    return place.upper() if len(place) <= _ABBREVIATION else place.title()
