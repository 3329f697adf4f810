"""The hours of a day: events, blocks, free time and "now", merged in order of time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from iris_harness.contracts.day import (
    Block,
    BlockKind,
    DailyPlan,
    Event,
    EventStatus,
    FreeSpan,
    PlannedTodo,
    ShownBlock,
)
from iris_harness.contracts.scopes import Scope
from iris_harness.curator.clean import clean, cleaned
from iris_harness.curator.figures import days_from_now
from iris_harness.curator.frame import frame_of, minutes_between
from iris_harness.curator.language import Language
from iris_harness.curator.view import Line, LineKind, Mark, Tone


class Entry(NamedTuple):
    """A line of the timeline with the instants it spans."""

    start: dt.datetime
    rank: int
    """What comes first of what starts at one instant."""
    end: dt.datetime
    line: Line
    block: BlockKind | None = None
    """What a block is given to; None for what is no block."""

    @property
    def key(self) -> tuple[dt.datetime, int, dt.datetime]:
        """Start and end in UTC: two times of one zone compare by the wall clock otherwise."""
        return (self.start.astimezone(dt.UTC), self.rank, self.end.astimezone(dt.UTC))


class DayLines:
    """Writes the all-day lines and the timeline of one plan."""

    def __init__(
        self, plan: DailyPlan, language: Language, listed: Sequence[PlannedTodo] = ()
    ) -> None:
        """Take a plan and those of its todos whose reasons the view gives in a list of its own."""
        self._plan = plan
        self._reasons = {planned.todo.source: planned.reason for planned in listed}
        self._language = language
        self._frame = frame_of(plan)
        self._is_today = days_from_now(plan) == 0
        self._in_conflict = frozenset(
            event for conflict in plan.conflicts for event in (conflict.first, conflict.second)
        )

    def all_day(self) -> tuple[Line, ...]:
        """Return a line per event that takes the whole day, in the plan's order."""
        return tuple(
            self._event_line(event, start="", end="")
            for event in self._plan.events
            if self._fills_the_day(event)
        )

    def timeline(self, focus: Scope | None = None) -> tuple[Line, ...]:
        """Return the lines of the hours, in order of time; at one instant events come first.

        With a `focus` these are what takes place in it, if only in part; free time is cut to it.
        """
        return tuple(entry.line for entry in self.entries(focus))

    def entries(self, focus: Scope | None = None) -> tuple[Entry, ...]:
        """Return what `timeline` writes, each line with its instants, for views that draw them."""
        entries = [
            *(self._event(e) for e in self._plan.events if not self._fills_the_day(e)),
            *(self._block(block) for block in self._plan.blocks),
            *(self._block(_as_block(shown)) for shown in self._plan.history),
            # Less than a minute can neither be shown nor used.
            *(
                self._free(s)
                for s in _cut(self._plan.free, focus)
                if minutes_between(s.start, s.end)
            ),
        ]
        if entries and self._is_today:
            entries.append(self._now())
        shown = (entry for entry in entries if focus is None or _is_in(entry, focus))
        return tuple(sorted(shown, key=lambda entry: entry.key))

    def span(self, start: dt.datetime, end: dt.datetime) -> tuple[str, str]:
        """Return the written start and end of a span, cut to the day."""
        return self._start(start), self._end(end)

    def _fills_the_day(self, event: Event) -> bool:
        if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
            return True
        return event.start <= self._frame.start and event.end >= self._frame.end

    def _event(self, event: Event) -> Entry:
        start, end = _instants(event)
        line = self._event_line(
            event,
            start=self._start(start),
            end=self._end(end) if minutes_between(start, end) else "",
            past=self._is_past(end),
        )
        return Entry(start=start, rank=1, end=end, line=line)

    def _event_line(self, event: Event, *, start: str, end: str, past: bool = False) -> Line:
        return Line(
            kind=LineKind.EVENT,
            title=clean(event.summary) or self._language.say("untitled"),
            start=start,
            end=end,
            marks=self._event_marks(event),
            notes=(*self._reach(event), *cleaned(event.location)),
            sources=(event.source,),
            struck=not event.takes_place,
            past=past,
        )

    def _event_marks(self, event: Event) -> tuple[Mark, ...]:
        say = self._language.say
        marks = []
        if event in self._in_conflict:
            marks.append(Mark(text=say("mark.conflict"), tone=Tone.ALARM))
        match event.status:
            case EventStatus.TENTATIVE:
                marks.append(Mark(text=say("mark.tentative"), tone=Tone.CAUTION))
            case EventStatus.DECLINED:
                marks.append(Mark(text=say("mark.declined"), tone=Tone.QUIET))
            case EventStatus.CANCELLED:
                marks.append(Mark(text=say("mark.cancelled"), tone=Tone.QUIET))
            case EventStatus.CONFIRMED:
                pass
        if not event.busy and not event.all_day and event.takes_place:
            marks.append(Mark(text=say("mark.not_busy"), tone=Tone.QUIET))
        return tuple(marks)

    def _reach(self, event: Event) -> tuple[str, ...]:
        """Say where an event begins or ends when that is on another day."""
        if not isinstance(event.start, dt.datetime) or not isinstance(event.end, dt.datetime):
            return self._date_reach(event)
        start, end = self._frame.local(event.start), self._frame.local(event.end)
        notes = []
        if event.start < self._frame.start:
            when = self._language.day_and_time(start, self._plan.date)
            notes.append(self._language.say("event.from", when=when))
        if event.end > self._frame.end:
            when = self._language.day_and_time(end, self._plan.date)
            notes.append(self._language.say("event.until", when=when))
        return (*notes, *self._offsets(start, end))

    def _date_reach(self, event: Event) -> tuple[str, ...]:
        first, last = event.start, event.end - dt.timedelta(days=1)
        if first >= last:
            return ()
        short, near = self._language.date_short, self._plan.date
        return (self._language.say("span", start=short(first, near), end=short(last, near)),)

    def _offsets(self, *instants: dt.datetime) -> tuple[str, ...]:
        """Tell apart the two runs of an hour that the clock shows twice."""
        notes = (
            self._language.say("time.offset", offset=instant.isoformat()[-len("+00:00") :])
            for instant in instants
            if self._frame.is_ambiguous(instant)
        )
        return tuple(dict.fromkeys(notes))

    def _block(self, block: Block) -> Entry:
        is_todo = block.kind is BlockKind.TODO
        start, end = self._frame.local(block.start), self._frame.local(block.end)
        reason = self._block_reason(block)
        pinned = Mark(text=self._language.say("mark.pinned"), tone=Tone.QUIET)
        # A reason may say so itself.
        is_marked = block.pinned and pinned.text.casefold() not in reason.casefold()
        line = Line(
            kind=LineKind.TODO_BLOCK if is_todo else LineKind.OTHER_BLOCK,
            title=clean(block.title) or self._language.say("untitled"),
            start=self._start(start),
            end=self._end(end),
            label=self._language.say("label.todo") if is_todo else "",
            marks=(pinned,) if is_marked else (),
            notes=(*cleaned(reason), *self._offsets(start, end)),
            sources=(block.source,) if block.source else (),
            past=self._is_past(end),
        )
        return Entry(start=start, rank=2, end=end, line=line, block=block.kind)

    def _block_reason(self, block: Block) -> str:
        """Return why a block is here, less what the list of todos says of its todo anyway."""
        if block.source in self._reasons:
            return block.reason.removeprefix(self._reasons[block.source]).lstrip(" ;,")
        return block.reason

    def _free(self, span: FreeSpan) -> Entry:
        length = self._language.duration(minutes_between(span.start, span.end))
        line = Line(
            kind=LineKind.FREE,
            title=self._language.say("timeline.free"),
            tone=Tone.QUIET,
            start=self._start(span.start),
            end=self._end(span.end),
            notes=(length,),
            past=self._is_past(span.end),
        )
        return Entry(start=span.start, rank=3, end=span.end, line=line)

    def _now(self) -> Entry:
        now = self._plan.now
        line = Line(
            kind=LineKind.NOW,
            title=self._language.say("timeline.now"),
            start=self._start(now),
        )
        # Before what starts at this very moment, after what has started already.
        return Entry(start=now, rank=0, end=now, line=line)

    def _start(self, instant: dt.datetime) -> str:
        local = self._frame.local(instant)
        return self._language.time(dt.time() if instant < self._frame.start else local)

    def _end(self, instant: dt.datetime) -> str:
        if instant >= self._frame.end:
            return self._language.say("time.end_of_day")
        return self._language.time(self._frame.local(instant))

    def _is_past(self, end: dt.datetime) -> bool:
        return self._is_today and end <= self._plan.now.astimezone(dt.UTC)


def _as_block(shown: ShownBlock) -> Block:
    """Return what an earlier plan had as a block; why it was there is not known any more."""
    return Block(
        kind=shown.kind,
        title=shown.title,
        start=shown.start,
        end=shown.end,
        pinned=shown.pinned,
        source=shown.source,
        reason="",
    )


def _cut(free: Iterable[FreeSpan], focus: Scope | None) -> Iterator[FreeSpan]:
    """Yield free time, the part of it that is in focus."""
    for span in free:
        if focus is None:
            yield span
            continue
        start = max(span.start, focus.start, key=_instant)
        end = min(span.end, focus.end, key=_instant)
        if _instant(start) < _instant(end):
            yield replace(span, start=start, end=end)


def _is_in(entry: Entry, focus: Scope) -> bool:
    start, end = _instant(entry.start), _instant(entry.end)
    first, last = _instant(focus.start), _instant(focus.end)
    return start < last and (end > first or start == end == first)


def _instant(time: dt.datetime) -> dt.datetime:
    """Return a time in UTC: two times of one zone compare by the wall clock otherwise."""
    return time.astimezone(dt.UTC)


def _instants(event: Event) -> tuple[dt.datetime, dt.datetime]:
    start, end = event.start, event.end
    if isinstance(start, dt.datetime) and isinstance(end, dt.datetime):
        return start, end
    raise TypeError(f"a timed event carries dates: {event.uid}")
