"""Every setting: its type, its default, its bounds and its unit.

``config.yaml`` at the project's root says the same for people; a test holds the two together.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictStr,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from iris_harness.config.addresses import address_problem, address_type, host_of, is_address
from iris_harness.config.credentials import FETCH
from iris_harness.config.zone import AUTO, is_zone, nearest_zone
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DayPreferences, TimeSpan
from iris_harness.contracts.zones import Journey

CURRENT_VERSION = 1
SAID = "iris"
"""Type of the errors whose message is ours and complete; ctx may hold `nearest` and `at`."""

_SPAN = re.compile(r"(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)")
_SPAN_FORM = "spans of one day, as 09:00-12:30; [] for a day off"
_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_NAMED_SUFFIXES = {".ics", ".txt", ".vcf"}
_MIDNIGHT = 24 * 60  # minutes
_LAST_MINUTE = 59  # of an hour
_UNNAMED = "unnamed"  # of a path without a last part; without a path the entry is refused anyway


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def problem(
    message: str, *, nearest: str | None = None, at: tuple[str | int, ...] = ()
) -> Exception:
    """Return the exception a validator raises to say `message` about the value, or part of it."""
    # The message travels in the context: pydantic would read braces in it as placeholders.
    return PydanticCustomError(SAID, "{said}", {"said": message, "nearest": nearest, "at": at})


# Working hours


def parse_spans(value: object) -> tuple[TimeSpan, ...]:
    """Read one day's spans from text, a list of texts, or spans; sorted, without overlap."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    timed = [(_parse_span(part, index), index) for index, part in enumerate(parts)]
    timed.sort(key=lambda pair: pair[0].start)
    for (before, _), (after, index) in pairwise(timed):
        if after.start < before.end or before.end == dt.time():
            raise problem(f"{span_text(before)} and {span_text(after)} overlap", at=(index,))
    return tuple(span for span, _ in timed)


def _parse_span(value: object, index: int) -> TimeSpan:
    if isinstance(value, TimeSpan):
        return value
    match = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise problem(f"{value!r} is no span of time", at=(index,))
    hours = [int(group) for group in match.groups()]
    start, end = (hour * 60 + minute for hour, minute in (hours[:2], hours[2:]))
    if max(hours[1], hours[3]) > _LAST_MINUTE or end > _MIDNIGHT:
        raise problem(f"{value!r} names a time that no day has", at=(index,))
    if start >= end:
        raise problem(f"{value!r} ends before it starts", at=(index,))
    return TimeSpan(start=_time(start), end=_time(end))


def _time(minutes: int) -> dt.time:
    return dt.time(minutes // 60 % 24, minutes % 60)


def span_text(span: TimeSpan) -> str:
    """Return a span as it is written in the settings."""
    end = "24:00" if span.end == dt.time() else f"{span.end:%H:%M}"
    return f"{span.start:%H:%M}-{end}"


def _span_texts(spans: tuple[TimeSpan, ...]) -> list[str]:
    return [span_text(span) for span in spans]


Spans = Annotated[
    tuple[TimeSpan, ...],
    PlainValidator(parse_spans),
    PlainSerializer(_span_texts),
    Field(description="Spans of the day's wall clock.", json_schema_extra={"expected": _SPAN_FORM}),
]
_OFFICE = (TimeSpan(start=dt.time(9), end=dt.time(17)),)


class WorkingHours(_Section):
    """When todos are placed, per weekday."""

    mon: Spans = _OFFICE
    tue: Spans = _OFFICE
    wed: Spans = _OFFICE
    thu: Spans = _OFFICE
    fri: Spans = _OFFICE
    sat: Spans = ()
    sun: Spans = ()

    def week(self) -> tuple[tuple[TimeSpan, ...], ...]:
        """Return seven days, Monday first."""
        return (self.mon, self.tue, self.wed, self.thu, self.fri, self.sat, self.sun)


# Planning

Minutes = Annotated[int, Field(strict=True, ge=1, le=1440)]


def _divisor_of_an_hour(minutes: int) -> int:
    if 60 % minutes:  # minutes of an hour
        raise problem(f"{minutes} minutes do not divide an hour")
    return minutes


class Planning(_Section):
    """How time blocks are made."""

    default_estimate_minutes: Minutes = Field(
        default=30,
        description="Minutes a todo takes that does not say so itself.",
        json_schema_extra={"expected": "a whole number of minutes, 1 to 1440"},
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


# Sources


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _source_path(value: object) -> object:
    if isinstance(value, str) and is_address(value):
        raise problem(f"{value.partition('://')[0]}:// is an address: write url instead of path")
    return _local_path(value)


def _local_path(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not value.strip():
        raise problem("the path is empty")
    if is_address(value):
        raise problem(f"{value.partition('://')[0]}:// is an address, not a path")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise problem(f"{value!r} names the home of an unknown user") from error


def _source_url(value: object) -> object:
    if not isinstance(value, str):
        raise problem("not an address")
    if why := address_problem(value):
        raise problem(why)
    return value


def _password(value: object) -> object:
    """Accept a text, or the command that prints it; the value is never repeated."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, dict) and set(value) == {FETCH}:
        command = value[FETCH]
        if isinstance(command, list) and command and all(isinstance(w, str) for w in command):
            return value
    raise problem("not a password")


_ONLY_REMOTE = frozenset(
    {"type", "username", "password", "collections", "timeout_seconds", "max_megabytes",
     "refresh_minutes", "allow_private_addresses"}
)  # fmt: skip


class SourceSettings(_Section):
    """One calendar, todo list or address book.

    A bare path or address stands for one that has only that.
    """

    name: StrictStr = Field(
        min_length=1,
        description="What it is called in plans; default: the last part of its path, or its host.",
        json_schema_extra={"expected": "a name, unique among sources of its kind"},
    )
    path: Annotated[Path, BeforeValidator(_source_path)] | None = Field(
        default=None,
        description="File or folder.",
        json_schema_extra={"expected": "the path of a file or folder on this machine"},
    )
    url: Annotated[StrictStr, BeforeValidator(_source_url)] | None = Field(
        default=None,
        repr=False,
        description="Address on another machine, instead of a path.",
        json_schema_extra={"expected": "an address: https://, http://, webcal:// or webcals://"},
    )
    type: Literal["ics", "caldav"] | None = Field(
        default=None,
        description="What is at the address; None where it tells by itself.",
        json_schema_extra={"expected": "ics or caldav"},
    )
    username: Annotated[StrictStr, Field(min_length=1)] | None = Field(
        default=None,
        description="Name to log in with.",
        json_schema_extra={"expected": "the name you log in with"},
    )
    password: Annotated[str | dict[str, list[str]], PlainValidator(_password)] | None = Field(
        default=None,
        repr=False,
        description="Password, or the command that prints it.",
        json_schema_extra={"expected": "{fetch: [command, argument]}, or the password as text"},
    )
    collections: Annotated[tuple[StrictStr, ...], BeforeValidator(_as_list)] = Field(
        default=(),
        description="Names of the server's collections to read; empty: all.",
        json_schema_extra={"expected": "a list of names, as the server shows them"},
    )
    timeout_seconds: Annotated[float, Field(strict=True, gt=0, le=300, allow_inf_nan=False)] = (
        Field(
            default=15.0,
            description="Seconds for asking the server, all in all.",
            json_schema_extra={"expected": "a number of seconds above 0, at most 300"},
        )
    )
    max_megabytes: Annotated[float, Field(strict=True, gt=0, le=256, allow_inf_nan=False)] = Field(
        default=50.0,
        description="Megabytes of one answer, above which it is refused.",
        json_schema_extra={"expected": "a number of megabytes above 0, at most 256"},
    )
    refresh_minutes: Annotated[float, Field(strict=True, ge=0, le=10_080)] = Field(
        default=15.0,
        description="Minutes for which a copy is used without asking the server again.",
        json_schema_extra={"expected": "a number of minutes, 0 to 10080"},
    )
    allow_private_addresses: StrictBool = Field(
        default=False,
        description="Whether the host in url may be on a private network, or this machine.",
        json_schema_extra={"expected": "true or false"},
    )
    stale_after_hours: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] | None = (
        Field(
            default=None,
            description="Hours after which its data is said to be old; None: never.",
            json_schema_extra={"expected": "a number of hours above 0"},
        )
    )

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: object) -> object:
        if isinstance(value, (str, Path)):
            value = {"url" if isinstance(value, str) and is_address(value) else "path": value}
        if isinstance(value, dict) and "name" not in value:
            return {"name": entry_name(value) or _UNNAMED, **value}
        return value

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.path is None and self.url is None:
            raise problem("missing", at=("path",))
        if self.path is not None and self.url is not None:
            raise problem("a source has a path or a url, not both", at=("url",))
        if self.path is not None and (only := sorted(self.model_fields_set & _ONLY_REMOTE)):
            raise problem("only a source with a url has this", at=(only[0],))
        return self

    @model_validator(mode="after")
    def _login_fits(self) -> Self:
        if (self.username is None) != (self.password is None):
            missing = "password" if self.password is None else "username"
            raise problem("username and password go together", at=(missing,))
        cleartext = self.url is not None and self.url.lower().startswith("http:")
        if self.password is not None and cleartext and not self.allow_private_addresses:
            raise problem("a password is sent over https only", at=("url",))
        return self

    @model_validator(mode="after")
    def _type_is_known(self) -> Self:
        if self.url is not None and self.kind is None:
            raise problem("the address does not tell what is there", at=("type",))
        if self.collections and self.kind != "caldav":
            raise problem("only type: caldav has collections", at=("collections",))
        return self

    @property
    def kind(self) -> str | None:
        """``ics`` or ``caldav`` for a source with a url; None for files."""
        return self.type or address_type(self.url) if self.url is not None else None

    @model_serializer(mode="wrap")
    def _only_what_applies(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        tree: dict[str, Any] = dump(self)
        if self.path is not None:
            return {key: value for key, value in tree.items() if key not in {"url", *_ONLY_REMOTE}}
        return {k: v for k, v in tree.items() if v is not None or k == "stale_after_hours"}


def entry_name(entry: object) -> str:
    """Return the name of a source as it is written in the settings: a text, or a mapping."""
    if isinstance(entry, (str, Path)):
        entry = {"url" if isinstance(entry, str) and is_address(entry) else "path": entry}
    if not isinstance(entry, dict):
        return ""
    name, path, url = entry.get("name"), entry.get("path"), entry.get("url")
    if isinstance(name, str):
        return name
    if isinstance(path, (str, Path)):
        return source_name(path)
    return host_of(url) if isinstance(url, str) else ""


def source_name(path: str | PurePath) -> str:
    """Return the name a source gets from its path: ``~/cal/home`` and ``home.ics`` are home."""
    pure = PurePath(path)
    return pure.stem if pure.suffix.lower() in _NAMED_SUFFIXES else pure.name


def _files_only(sources: tuple[SourceSettings, ...]) -> tuple[SourceSettings, ...]:
    for index, source in enumerate(sources):
        if source.url is not None:
            raise problem("address books are read from files only", at=(index, "url"))
    return sources


def _unique_names(sources: tuple[SourceSettings, ...]) -> tuple[SourceSettings, ...]:
    seen: set[str] = set()
    for index, source in enumerate(sources):
        if source.name in seen:
            raise problem(f"two sources are named {source.name!r}", at=(index, "name"))
        seen.add(source.name)
    return sources


Sources = Annotated[
    tuple[SourceSettings, ...], BeforeValidator(_as_list), AfterValidator(_unique_names)
]


# The rest

Seconds = Annotated[float, Field(strict=True, gt=0, le=86_400, allow_inf_nan=False)]
_SECONDS_FORM = "a number of seconds above 0, at most 86400"


class Executor(_Section):
    """How agents are run."""

    max_workers: Annotated[int, Field(strict=True, ge=1, le=64)] = Field(
        default=4,
        description="Threads: how many agents may work at once.",
        json_schema_extra={"expected": "a whole number, 1 to 64"},
    )
    task_timeout_seconds: Seconds = Field(
        default=30.0,
        description="Seconds until an agent's answer is given up.",
        json_schema_extra={"expected": _SECONDS_FORM},
    )
    plan_timeout_seconds: Seconds = Field(
        default=60.0,
        description="Seconds until the whole answer is given with what is there.",
        json_schema_extra={"expected": _SECONDS_FORM},
    )
    retries: Annotated[int, Field(strict=True, ge=0, le=5)] = Field(
        default=1,
        description="Times a failed agent that only reads is asked again.",
        json_schema_extra={"expected": "a whole number, 0 to 5"},
    )
    schedule: Literal["waves", "ready"] = Field(
        default="waves",
        description="Whether an agent waits for its whole wave, or only for its own inputs.",
        json_schema_extra={"expected": "waves or ready"},
    )


def _settings_of_agents(value: object) -> object:
    if not isinstance(value, dict):
        raise problem("not settings of agents")
    for agent, settings in value.items():
        if not isinstance(settings, dict):
            raise problem("not settings of an agent", at=(agent,))
        _check_json(settings, (agent,))
    return value


def _check_json(value: object, at: tuple[str | int, ...]) -> None:
    match value:
        case None | bool() | int() | str():
            return
        case dict():
            for key, item in value.items():
                _check_json(item, (*at, str(key)))
        case list() | tuple():
            for index, item in enumerate(value):
                _check_json(item, (*at, index))
        case _:  # the value may be a secret: it is not repeated
            raise problem("a number with a decimal point is written in quotes here", at=at)


class Agents(_Section):
    """Which agents run, and with what."""

    disabled: tuple[StrictStr, ...] = Field(
        default=(),
        description="Names of installed agents that stay off.",
        json_schema_extra={"expected": "a list of agents' names"},
    )
    settings: Annotated[dict[str, dict[str, Any]], PlainValidator(_settings_of_agents)] = Field(
        default_factory=dict,
        description="Agent name to its own settings; `{fetch: [command, …]}` is a secret.",
        json_schema_extra={"expected": "agent name, then key: value"},
    )

    def of(self, agent: str) -> Mapping[str, Json]:
        """Return one agent's settings, secrets unresolved; empty when it has none."""
        settings: Mapping[str, Json] = self.settings.get(agent, {})
        return settings


class Routing(_Section):
    """How words are understood."""

    tier: Literal["fast", "minilm"] = Field(
        default="fast",
        description="`minilm` also asks a small language model where the fast tier is unsure.",
        json_schema_extra={"expected": "fast or minilm"},
    )


class Storage(_Section):
    """What is kept, where and for how long."""

    data_dir: Annotated[Path, BeforeValidator(_local_path)] | None = Field(
        default=None,
        description="Folder of the database; None: the platform's.",
        json_schema_extra={"expected": "the path of a folder"},
    )
    retain_days: Annotated[int, Field(strict=True, ge=0, le=36_500)] = Field(
        default=90,
        description="Days plans and answers are kept; 0 keeps everything.",
        json_schema_extra={"expected": "a whole number of days, 0 to 36500"},
    )


def _zone_name(value: str) -> str:
    if value != AUTO and not is_zone(value):
        raise problem(f"there is no time zone {value!r}", nearest=nearest_zone(value))
    return value


def _locale_tag(value: str) -> str:
    tag = value.replace("_", "-").partition(".")[0]
    if not _LOCALE.fullmatch(tag):
        raise problem(f"{value!r} is no language tag")
    return tag


def _address(value: str) -> str:
    address = value.strip().removeprefix("mailto:")
    user, at, host = address.partition("@")
    if not (user and at and host) or " " in address:
        raise problem(f"{value!r} is no mail address")
    return address


Address = Annotated[StrictStr, AfterValidator(_address)]


def _day(value: object) -> dt.date:
    try:
        return dt.date.fromisoformat(str(value))
    except ValueError:
        raise problem(f"{value} is no day") from None


Day = Annotated[dt.date, PlainValidator(_day), PlainSerializer(dt.date.isoformat, return_type=str)]


def _known_zone(value: str) -> str:
    if not is_zone(value):
        raise problem(f"there is no time zone {value!r}", nearest=nearest_zone(value))
    return value


class Travel(_Section):
    """Days spent in another zone."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True)

    first_on: Day = Field(
        alias="from",
        description="First day there.",
        json_schema_extra={"expected": "a day, as 2026-04-10"},
    )
    last_on: Day = Field(
        alias="to",
        description="Last day there.",
        json_schema_extra={"expected": "a day, as 2026-04-17"},
    )
    timezone: Annotated[StrictStr, AfterValidator(_known_zone)] = Field(
        description="IANA name.",
        json_schema_extra={"expected": "Area/City, as America/New_York"},
    )

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Travel:
        if self.last_on < self.first_on:
            raise problem("the journey ends before it begins")
        return self


def _one_place_at_a_time(journeys: tuple[Travel, ...]) -> tuple[Travel, ...]:
    by_day = sorted(enumerate(journeys), key=lambda one: one[1].first_on)
    for (_, before), (index, after) in pairwise(by_day):
        if after.first_on <= before.last_on:
            raise problem("it overlaps another journey", at=(index,))
    return journeys


class Config(_Section):
    """All settings, checked. Paths have ``~`` expanded; the loader makes them absolute."""

    version: Annotated[int, Field(strict=True, ge=1, le=CURRENT_VERSION)] = Field(
        default=CURRENT_VERSION,
        description="Form of the file.",
        json_schema_extra={"expected": f"{CURRENT_VERSION}"},
    )
    timezone: Annotated[StrictStr, AfterValidator(_zone_name)] = Field(
        default=AUTO,
        description="IANA name, or `auto`: the machine's.",
        json_schema_extra={"expected": "auto or Area/City, as Europe/Berlin"},
    )
    travel: Annotated[tuple[Travel, ...], AfterValidator(_one_place_at_a_time)] = Field(
        default=(),
        description="Days spent in another zone.",
        json_schema_extra={"expected": "a list of {from, to, timezone}"},
    )
    locale: Annotated[StrictStr, AfterValidator(_locale_tag)] = Field(
        default="en",
        description="BCP 47 tag.",
        json_schema_extra={"expected": "a language tag, as en-GB"},
    )
    me: Annotated[tuple[Address, ...], BeforeValidator(_as_list)] = Field(
        default=(),
        description="The user's own mail addresses.",
        json_schema_extra={"expected": "a list of mail addresses"},
    )
    working_hours: WorkingHours = Field(
        default=WorkingHours(), json_schema_extra={"expected": "a weekday (mon to sun) each"}
    )
    planning: Planning = Field(
        default=Planning(), json_schema_extra={"expected": "settings of their own"}
    )
    calendars: Sources = Field(
        default=(),
        json_schema_extra={
            "expected": "a list of paths and addresses, or of {name, path} and {name, url}"
        },
    )
    todos: Sources = Field(
        default=(),
        json_schema_extra={
            "expected": "a list of paths and addresses, or of {name, path} and {name, url}"
        },
    )
    contacts: Annotated[Sources, AfterValidator(_files_only)] = Field(
        default=(), json_schema_extra={"expected": "a list of paths or of {name, path}"}
    )
    executor: Executor = Field(
        default=Executor(), json_schema_extra={"expected": "settings of their own"}
    )
    agents: Agents = Field(
        default=Agents(), json_schema_extra={"expected": "settings of their own"}
    )
    routing: Routing = Field(
        default=Routing(), json_schema_extra={"expected": "settings of their own"}
    )
    storage: Storage = Field(
        default=Storage(), json_schema_extra={"expected": "settings of their own"}
    )

    def journeys(self) -> tuple[Journey, ...]:
        """Return the days spent in other zones."""
        return tuple(
            Journey(first_on=one.first_on, last_on=one.last_on, timezone=one.timezone)
            for one in self.travel
        )

    def day_preferences(self) -> DayPreferences:
        """Return what the planner takes."""
        return DayPreferences(
            working_hours=self.working_hours.week(),
            default_estimate_minutes=self.planning.default_estimate_minutes,
            grid_minutes=self.planning.grid_minutes,
            fill_with_backlog=self.planning.fill_with_backlog,
        )
