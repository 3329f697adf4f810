"""Settings of how a day is planned."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    StrictBool,
    StrictStr,
)

from iris_harness.config.sections import Section, problem
from iris_harness.config.spans import parse_spans, span_text
from iris_harness.contracts.day import BreakWish, EnergyWindow, PlaceTravel, TimeSpan

_MINUTES_FORM = "a whole number of minutes, 1 to 1440"
_BUFFER_FORM = "a whole number of minutes, 0 to 240"
_BREAK_FORM = "{title, window, minutes}, as {title: Coffee, window: 15:00-16:00, minutes: 15}"
_ENERGY_FORM = "a word, then spans of the day, as high: [09:00-12:00]"
_TRAVEL_FORM = "words of a location, then the minutes of the way, 0 to 1440, as Office: 25"
_ENERGY = re.compile(r"[^\W\d_][\w-]{0,31}")
_LUNCH = "Lunch"
_DAY = 24 * 60  # minutes

Minutes = Annotated[int, Field(strict=True, ge=1, le=_DAY)]
Buffer = Annotated[int, Field(strict=True, ge=0, le=240)]


def _divisor_of_an_hour(minutes: int) -> int:
    if 60 % minutes:  # minutes of an hour
        raise problem(f"{minutes} minutes do not divide an hour")
    return minutes


def _one_span(value: object) -> TimeSpan:
    spans = parse_spans(value)
    if len(spans) != 1:
        raise problem("a break has one window")
    return spans[0]


Window = Annotated[TimeSpan, PlainValidator(_one_span), PlainSerializer(span_text, return_type=str)]


class Lunch(Section):
    """The break in the middle of the day."""

    window: Window = Field(
        description="Span of the day's wall clock that it lies in.",
        json_schema_extra={"expected": "a span of the day, as 12:00-14:00"},
    )
    minutes: Minutes = Field(
        description="How long it is.", json_schema_extra={"expected": _MINUTES_FORM}
    )

    def wish(self, title: str) -> BreakWish:
        """Return what the planner takes."""
        return BreakWish(title=title, window=self.window, minutes=self.minutes)


class Break(Lunch):
    """Any other break."""

    title: Annotated[StrictStr, Field(min_length=1, max_length=80)] = Field(
        description="What it is called in plans.",
        json_schema_extra={"expected": "a name, unique among the breaks"},
    )


def _unique_titles(breaks: tuple[Break, ...]) -> tuple[Break, ...]:
    seen: set[str] = {_LUNCH.casefold()}
    for index, one in enumerate(breaks):
        if one.title.casefold() in seen:
            raise problem(f"two breaks are called {one.title!r}", at=(index, "title"))
        seen.add(one.title.casefold())
    return breaks


def _energy(value: object) -> dict[str, tuple[TimeSpan, ...]]:
    if not isinstance(value, Mapping):
        raise problem("not hours of energies")
    found: dict[str, tuple[TimeSpan, ...]] = {}
    for name, spans in value.items():
        if not isinstance(name, str) or not _ENERGY.fullmatch(name):
            raise problem(f"{name!r} is no word", at=(str(name),))
        if name.lower() in found:
            raise problem(f"{name.lower()!r} stands twice", at=(name,))
        found[name.lower()] = parse_spans(spans)
    return found


def _energy_texts(windows: Mapping[str, tuple[TimeSpan, ...]]) -> dict[str, list[str]]:
    return {name: [span_text(span) for span in spans] for name, spans in windows.items()}


def _ways(value: object) -> dict[str, int]:
    if not isinstance(value, Mapping):
        raise problem("not ways to places")
    found: dict[str, int] = {}
    for place, minutes in value.items():
        name = " ".join(str(place).split())
        if not name:
            raise problem("a place without a name", at=(str(place),))
        if isinstance(minutes, bool) or not isinstance(minutes, int) or not 0 <= minutes <= _DAY:
            raise problem(f"{minutes!r} is no length of a way", at=(str(place),))
        if name.casefold() in {known.casefold() for known in found}:
            raise problem(f"{name!r} stands twice", at=(str(place),))
        found[name] = minutes
    return found


class Planning(Section):
    """How time blocks are made."""

    default_estimate_minutes: Minutes = Field(
        default=30,
        description="Minutes a todo takes that does not say so itself.",
        json_schema_extra={"expected": _MINUTES_FORM},
    )
    grid_minutes: Annotated[int, Field(strict=True, ge=1), AfterValidator(_divisor_of_an_hour)] = (
        Field(
            default=5,
            description="Minutes; blocks start and end on multiples of it.",
            json_schema_extra={
                "expected": "minutes that divide an hour: 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60"
            },
        )
    )
    fill_with_backlog: StrictBool = Field(
        default=True,
        description="Whether time that is left goes to todos that are not due yet.",
        json_schema_extra={"expected": "true or false"},
    )
    split_minutes: Minutes | None = Field(
        default=None,
        description="Least piece of a todo that does not say whether it may be split; None: whole.",
        json_schema_extra={"expected": _MINUTES_FORM},
    )
    buffer_before_minutes: Buffer = Field(
        default=0,
        description="Minutes that todos keep away from the event after them.",
        json_schema_extra={"expected": _BUFFER_FORM},
    )
    buffer_after_minutes: Buffer = Field(
        default=0,
        description="Minutes that todos keep away from the event before them.",
        json_schema_extra={"expected": _BUFFER_FORM},
    )
    lunch: Lunch | None = Field(
        default=None,
        description="When lunch is, and how long; None: no lunch in plans.",
        json_schema_extra={"expected": "{window: 12:00-14:00, minutes: 30}"},
    )
    breaks: Annotated[tuple[Break, ...], AfterValidator(_unique_titles)] = Field(
        default=(),
        description="Further breaks.",
        json_schema_extra={"expected": f"a list of {_BREAK_FORM}"},
    )
    energy: Annotated[
        dict[str, tuple[TimeSpan, ...]],
        PlainValidator(_energy),
        PlainSerializer(_energy_texts, return_type=dict[str, list[str]]),
    ] = Field(
        default_factory=dict,
        description="Hours for todos that ask for an energy, by its name.",
        json_schema_extra={"expected": _ENERGY_FORM},
    )
    travel_minutes: Annotated[dict[str, int], PlainValidator(_ways)] = Field(
        default_factory=dict,
        description="Minutes of the way to a place, by words of an event's location.",
        json_schema_extra={"expected": _TRAVEL_FORM},
    )
    travel_back: StrictBool = Field(
        default=True,
        description="Whether the way back takes time, too.",
        json_schema_extra={"expected": "true or false"},
    )

    write_blocks_to: StrictStr | None = Field(
        default=None,
        description="Name of the calendar that the blocks of plans are written to; None: none.",
        json_schema_extra={"expected": "the name of one of your calendars"},
    )

    def wishes(self) -> tuple[BreakWish, ...]:
        """Return the breaks, lunch first."""
        lunch = (self.lunch.wish(_LUNCH),) if self.lunch else ()
        return (*lunch, *(one.wish(one.title) for one in self.breaks))

    def energy_windows(self) -> tuple[EnergyWindow, ...]:
        """Return the hours of each energy, by name."""
        return tuple(
            EnergyWindow(energy=name, spans=spans) for name, spans in sorted(self.energy.items())
        )

    def ways(self) -> tuple[PlaceTravel, ...]:
        """Return the ways to places, by place."""
        return tuple(
            PlaceTravel(place=place, minutes=minutes)
            for place, minutes in sorted(self.travel_minutes.items())
        )
