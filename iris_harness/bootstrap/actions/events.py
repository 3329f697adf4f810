"""Actions on events, made ready."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.actions.arguments import Arguments
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.todos import noted
from iris_harness.bootstrap.actions.world import World, exact_instant
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.changes import EventDraft
from iris_harness.contracts.day import Event
from iris_harness.curator.actions import ActionWords
from iris_harness.errors import ActionError


def prepare_add(arguments: Arguments, world: World) -> Prepared:
    """Return a new event, ready to be written."""
    start, end = arguments.moment("start"), arguments.moment("end")
    if start is None or end is None:
        raise ActionError("an event needs a day or a time", hint="say it, as in: tomorrow 15:00")
    _check_span(start, end)
    draft = EventDraft(
        summary=arguments.text("summary"),
        start=start,
        end=end,
        location=arguments.maybe_text("location") or "",
    )
    place, changes = world.targets.add_event(draft, arguments.maybe_text("calendar"))
    return Prepared(
        kind=ActionKind.EVENT_ADD,
        wording=noted(world.words.event_added(draft, place), changes, world),
        target=place,
        changes=changes,
    )


def _check_span(start: dt.date | dt.datetime, end: dt.date | dt.datetime) -> None:
    if isinstance(start, dt.datetime) and isinstance(end, dt.datetime):
        backwards = end < start
    elif isinstance(start, dt.datetime) or isinstance(end, dt.datetime):
        raise ActionError("an event starts and ends on days, or at times, not one of each")
    else:
        backwards = end <= start
    if backwards:
        raise ActionError("the event would end before it begins")


def prepare_move(arguments: Arguments, world: World) -> Prepared:
    """Return another time for an event, ready to be written. Of a series one occurrence moves.

    `start` is an instant; or a day, on which it is at its own time; or a time, at which it is
    on its own day.
    """
    event = world.find_event(arguments.text("item"), arguments.day("on"))
    start = _new_start(event, arguments, ZoneInfo(world.at.timezone), world.words)
    end = arguments.moment("end")
    if end is None:
        end = start + _length(event)
    _check_span(start, end)
    changes = world.targets.calendar(event.calendar).move(event, start, end, world.at)
    wording = world.words.wording(
        "event.move",
        title=event.summary,
        before=world.words.event_when(event),
        when=world.words.span(start, end),
    )
    return Prepared(
        kind=ActionKind.EVENT_MOVE,
        wording=noted(wording, changes, world),
        target=event.calendar,
        changes=changes,
    )


def _length(event: Event) -> dt.timedelta:
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return event.end - event.start
    days = (event.start.toordinal(), event.end.toordinal())
    return dt.timedelta(days=days[1] - days[0])


def _new_start(
    event: Event, arguments: Arguments, zone: ZoneInfo, words: ActionWords
) -> dt.date | dt.datetime:
    clock = arguments.clock("start")
    if clock is not None:
        if not isinstance(event.start, dt.datetime):
            raise ActionError(
                f"“{event.summary}” is a whole day; it has no time to move",
                hint="name a day, or a day and a time",
            )
        return exact_instant(event.start.astimezone(zone).date(), clock, zone, words)
    start = arguments.moment("start")
    if start is None:
        raise ActionError("it is not said when it is to be", hint="say it, as in: friday 10:00")
    if isinstance(start, dt.datetime) and not isinstance(event.start, dt.datetime):
        raise ActionError(
            f"“{event.summary}” is a whole day; only its day can be moved", hint="name a day"
        )
    if isinstance(event.start, dt.datetime) and not isinstance(start, dt.datetime):
        return exact_instant(start, event.start.astimezone(zone).time(), zone, words)
    return start


def prepare_delete(arguments: Arguments, world: World) -> Prepared:
    """Return that an event is taken out, ready to be written. Of a series one occurrence is."""
    event = world.find_event(arguments.text("item"), arguments.day("on"))
    changes = world.targets.calendar(event.calendar).delete(event, world.at)
    wording = world.words.wording(
        "event.delete",
        title=event.summary,
        when=world.words.event_when(event),
        place=event.calendar,
    )
    return Prepared(
        kind=ActionKind.EVENT_DELETE,
        wording=noted(wording, changes, world),
        target=event.calendar,
        changes=changes,
    )
