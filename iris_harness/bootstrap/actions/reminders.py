"""Actions on reminders and timers, made ready."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.actions.arguments import Arguments
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.world import World, exact_instant
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.items import find_item, item_number
from iris_harness.contracts.reminders import (
    Reminder,
    ReminderChange,
    ReminderKind,
    first_occurrence,
)
from iris_harness.contracts.repeats import is_hourly, of_month_day, repeat_words
from iris_harness.curator.actions import Wording
from iris_harness.errors import ActionError, AmbiguousItemError, UnknownItemError
from iris_harness.planner.frame import at_offset, first_instant
from iris_harness.storage.records import StoredReminder
from iris_harness.storage.store import IrisStore
from iris_harness.storage.ticker import find_ticker

_ID_BYTES = 4
_HOUR = dt.timedelta(hours=1)
_SNOOZE = dt.timedelta(minutes=10)
_RECENT = dt.timedelta(hours=12)
"""What rang longer ago is not what "snooze" means."""
_LONGEST = dt.timedelta(days=366)


def prepare_add(arguments: Arguments, world: World) -> Prepared:
    """Return a new reminder or timer.

    Raises:
        ActionError: its time is missing, or over already.
    """
    seconds = arguments.number("timer_seconds")
    if seconds is not None:
        return _timer(_span(seconds), arguments, world)
    rule = arguments.maybe_text("rule") or ""
    title = arguments.maybe_text("summary") or ""
    times = _times(arguments)
    first = sorted({_first(arguments, time, rule, world) for time in times})
    made = [_reminder(ReminderKind.REMINDER, title, at, world, whole) for at, whole in first]
    again = f", {repeat_words(made[0].rule)}" if rule else ""
    key = "reminder.add" if title else "reminder.add_untitled"
    when = world.words.language.listing([world.words.when(one.first_at) for one in made])
    return _added(made, world.words.wording(key, title=title, when=when, again=again), world)


def _times(arguments: Arguments) -> list[dt.time | None]:
    """Return the times of day that are wanted; [None]: none is said.

    Raises:
        ActionError: one of several is none.
    """
    several = arguments.maybe_text("times")
    if several is None:
        return [arguments.clock("time")]
    try:
        return [dt.time.fromisoformat(one) for one in several.split()]
    except ValueError as error:
        raise ActionError(f"{several!r} are no times of the day") from error


def _span(seconds: int) -> dt.timedelta:
    """Return a length of time.

    Raises:
        ActionError: it is longer than a year.
    """
    if seconds > _LONGEST.total_seconds():
        raise ActionError("that is longer than a year", hint="set a reminder for a day")
    return dt.timedelta(seconds=seconds)


def _timer(length: dt.timedelta, arguments: Arguments, world: World) -> Prepared:
    said = _length(length, world)
    title = arguments.maybe_text("summary") or said
    reminder = _reminder(ReminderKind.TIMER, title, world.at.now + length, world)
    is_today = reminder.first_at.date() == world.at.now.date()
    words = world.words
    until = words.language.time(reminder.first_at) if is_today else words.when(reminder.first_at)
    return _added([reminder], world.words.wording("timer.add", length=said, until=until), world)


def _length(length: dt.timedelta, world: World) -> str:
    """Return a length with its seconds, where it has some."""
    language = world.words.language
    minutes, seconds = divmod(int(length.total_seconds()), 60)
    parts = [language.duration(minutes)] if minutes else []
    if seconds:
        parts.append(language.say("duration.seconds", count=seconds))
    return " ".join(parts)


def _first(
    arguments: Arguments, time: dt.time | None, rule: str, world: World
) -> tuple[dt.datetime, str]:
    """Return when a reminder comes first, and its rule with what the day adds to it."""
    now, zones = world.at.now, world.setting.zones
    at = arguments.moment("at")
    if isinstance(at, dt.datetime):
        return _to_come(at, world), rule
    if rule and is_hourly(rule):
        hours = int(rule.partition("INTERVAL=")[2] or 1)
        return now + hours * _HOUR, rule
    day = arguments.day("day")
    if rule:
        start = day or world.now.date()
        time = time or world.setting.reminder_time
        rule = of_month_day(rule, start)
        return first_occurrence(rule, start, time, now, zones), rule
    if day is None and time is not None:
        return _next_clock(time, world), rule
    if day is None:
        raise ActionError(
            "it is not said when", hint="say when, as in: remind me at five to call Ada"
        )
    zone = ZoneInfo(zones.on(day))
    at = exact_instant(day, time or world.setting.reminder_time, zone, world.words)
    if time is None and day == world.now.date() and at <= now:
        raise ActionError("it is not said at what time", hint="say when, as in: at 17:00")
    return _to_come(at, world), rule


def _next_clock(time: dt.time, world: World) -> dt.datetime:
    """Return when the clock shows `time` next."""
    today = world.now.date()
    days = (today, today + dt.timedelta(days=1), today + dt.timedelta(days=2))
    zones = world.setting.zones
    instants = (first_instant(day, time, ZoneInfo(zones.on(day))) for day in days)
    return next(instant for instant in instants if instant > world.at.now)


def _to_come(at: dt.datetime, world: World) -> dt.datetime:
    if at <= world.at.now:
        raise ActionError(f"{world.words.when(at)} is over already", hint="say a time to come")
    return at


def _reminder(
    kind: ReminderKind, title: str, at: dt.datetime, world: World, rule: str = ""
) -> Reminder:
    zone = ZoneInfo(world.setting.zones.at(at))
    made = at_offset(at.astimezone(zone), zone)
    return Reminder(secrets.token_hex(_ID_BYTES), kind, title, made, rule)


def _added(made: Sequence[Reminder], wording: Wording, world: World) -> Prepared:
    return Prepared(
        kind=ActionKind.REMINDER_ADD,
        wording=wording,
        reminders=tuple(ReminderChange(before=None, after=one) for one in made),
        caution=_caution(world),
    )


def _caution(world: World) -> str:
    """Return a sentence on that nobody would say it; empty where somebody does."""
    ticker = find_ticker(world.setting.data_folder)
    return "" if ticker is not None and ticker.stays else world.words.language.say("ring.nobody")


def prepare_snooze(arguments: Arguments, world: World, store: IrisStore) -> Prepared:
    """Return that what rang last is said again.

    Raises:
        ActionError: nothing has rung lately, or the time is over already.
    """
    rang = store.deliveries.last_ring(world.at.now - _RECENT)
    if rang is None:
        raise ActionError("nothing has rung lately", hint="say what to remind you of, and when")
    at = arguments.moment("at")
    if not isinstance(at, dt.datetime):
        seconds = arguments.number("later_seconds") or int(_SNOOZE.total_seconds())
        at = world.at.now + _span(seconds)
    title = rang.title or world.words.language.say("untitled")
    reminder = _reminder(ReminderKind.REMINDER, title, _to_come(at, world), world)
    when = world.words.when(reminder.first_at)
    return _added([reminder], world.words.wording("reminder.snooze", title=title, when=when), world)


# Moving


def prepare_move(arguments: Arguments, world: World, store: IrisStore) -> Prepared:
    """Return another time for a reminder or timer.

    Raises:
        UnknownItemError: there is none such.
        AmbiguousItemError: several are meant.
        ActionError: the time is missing, over, or nothing that a repeated one can have.
    """
    item = _one(arguments, world, store)
    old = item.stored.reminder
    first_at = _moved(item.stored, arguments, world)
    new = _reminder(old.kind, old.title, first_at, world, old.rule)
    wording = world.words.wording(
        "reminder.move",
        title=old.title or world.words.language.say("untitled"),
        before=world.words.when(item.stored.next_at or old.first_at),
        when=world.words.when(new.first_at),
    )
    changes = (ReminderChange(before=old, after=None), ReminderChange(before=None, after=new))
    return Prepared(
        kind=ActionKind.REMINDER_MOVE, wording=wording, reminders=changes, caution=_caution(world)
    )


def _moved(stored: StoredReminder, arguments: Arguments, world: World) -> dt.datetime:
    """Return the new time: a time alone is one of its own day, a day alone keeps its time."""
    rule, zones, now = stored.reminder.rule, world.setting.zones, world.at.now
    clock, moment = arguments.clock("start"), None
    if clock is None:
        moment = arguments.moment("start")
    at = (stored.next_at or stored.reminder.first_at).astimezone(world.now.tzinfo)
    if rule and clock is not None and not is_hourly(rule):
        return first_occurrence(rule, at.date(), clock, now, zones)
    if rule:
        raise ActionError(
            "one that comes again can only get another time of day",
            hint="cancel it and set it anew",
        )
    seconds = arguments.number("later_seconds")
    if seconds is not None:
        return _to_come(at + _span(seconds), world)
    if clock is not None:
        zone = ZoneInfo(zones.on(at.date()))
        return _to_come(exact_instant(at.date(), clock, zone, world.words), world)
    if isinstance(moment, dt.datetime):
        return _to_come(moment, world)
    if moment is None:
        raise ActionError("it is not said where to move it", hint="name a day or a time")
    zone = ZoneInfo(zones.on(moment))
    return _to_come(exact_instant(moment, at.time(), zone, world.words), world)


# Cancelling


@dataclass(frozen=True, kw_only=True, slots=True)
class _Item:
    """A reminder that can be meant."""

    stored: StoredReminder
    number: int
    """In `iris reminders`."""
    shown: str

    @property
    def title(self) -> str:
        """What it is about."""
        return self.stored.reminder.title

    @property
    def keys(self) -> tuple[str, ...]:
        """Its id."""
        return (self.stored.reminder.reminder_id,)


def prepare_cancel(arguments: Arguments, world: World, store: IrisStore) -> Prepared:
    """Return that a reminder is not said, or all of them.

    Raises:
        UnknownItemError: there is none such.
        AmbiguousItemError: several are meant.
    """
    chosen = [_one(arguments, world, store)] if not arguments.flag("all") else []
    if not chosen:
        every = _items(world, store)
        chosen = [item for item in every if _may_be_meant(item.stored, arguments, world)]
    if not chosen:
        raise UnknownItemError(f"no {arguments.maybe_text('kind') or 'reminder'} is set")
    if len(chosen) == 1:
        wording = world.words.wording("reminder.cancel", shown=chosen[0].shown)
    else:
        wording = world.words.wording("reminder.cancel_all", count=len(chosen))
    changes = (ReminderChange(before=item.stored.reminder, after=None) for item in chosen)
    return Prepared(kind=ActionKind.REMINDER_CANCEL, wording=wording, reminders=tuple(changes))


def _items(world: World, store: IrisStore) -> list[_Item]:
    return [_item(number, one, world) for number, one in enumerate(store.reminders.active(), 1)]


def _one(arguments: Arguments, world: World, store: IrisStore) -> _Item:
    """Return the one that is meant; never a guess."""
    every = _items(world, store)
    found = [item for item in every if _may_be_meant(item.stored, arguments, world)]
    noun = arguments.maybe_text("kind") or "reminder"
    return _meant(arguments.maybe_text("item"), found, every, noun, world)


def _item(number: int, stored: StoredReminder, world: World) -> _Item:
    when = world.words.when(stored.next_at or stored.reminder.first_at)
    title = stored.reminder.title or world.words.language.say("untitled")
    return _Item(stored=stored, number=number, shown=f"“{title}”, {when}")


def _may_be_meant(stored: StoredReminder, arguments: Arguments, world: World) -> bool:
    kind, times = arguments.maybe_text("kind"), arguments.maybe_text("times")
    since, until = arguments.moment("from"), arguments.moment("to")
    at = stored.next_at or stored.reminder.first_at
    if kind is not None and stored.reminder.kind != kind:
        return False
    if times is not None:
        return f"{at.astimezone(world.now.tzinfo):%H:%M}" in times.split()
    if isinstance(since, dt.datetime) and isinstance(until, dt.datetime):
        return since <= at < until
    return True


def _meant(
    words: str | None, found: Sequence[_Item], every: Sequence[_Item], noun: str, world: World
) -> _Item:
    number = item_number(words or "")
    if number is not None and (numbered := [one for one in every if one.number == number]):
        return numbered[0]
    generic = frozenset(world.words.language.say("action.generic.reminder").split())
    match = find_item(words, found, generic) if words else None
    fitting = match.found if match is not None else tuple(found)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise AmbiguousItemError(
            f"{len(fitting)} {noun}s are meant" if words else f"{len(fitting)} {noun}s are set",
            words=words or "",
            candidates=tuple(item.shown for item in fitting),
            hint="say more of it, or its number in `iris reminders`",
        )
    if not found:
        raise UnknownItemError(f"no {noun} is set", words=words or "")
    nearest = tuple(item.shown for item in match.nearest) if match else ()
    raise UnknownItemError(f"no {noun} fits “{words}”", words=words or "", nearest=nearest)
