"""Every setting: its type, its default, its bounds and its unit.

``config.yaml`` at the project's root says the same for people; a test holds the two together.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
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

from iris_harness.config.addresses import address_problem, address_type, host_of, is_address
from iris_harness.config.briefing import BUILT_IN, Address, Briefings, Channels, Reminders
from iris_harness.config.jobs import Jobs
from iris_harness.config.models import Models
from iris_harness.config.planning import Planning
from iris_harness.config.secret import Secret
from iris_harness.config.sections import Section, problem
from iris_harness.config.serving import Server, Voice
from iris_harness.config.shapes import all_named, as_list
from iris_harness.config.spans import WorkingHours
from iris_harness.config.zone import AUTO, is_zone, nearest_zone
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.zones import Journey

CURRENT_VERSION = 1
_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_NAMED_SUFFIXES = {".ics", ".txt", ".vcf"}
_UNNAMED = "unnamed"  # of a path without a last part; without a path the entry is refused anyway


# Sources


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


_ONLY_REMOTE = frozenset(
    {"type", "username", "password", "collections", "timeout_seconds", "max_megabytes",
     "refresh_minutes", "allow_private_addresses"}
)  # fmt: skip


class SourceSettings(Section):
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
    password: Secret | None = Field(
        default=None,
        repr=False,
        description="Password, or the command that prints it.",
        json_schema_extra={"expected": "{fetch: [command, argument]}, or the password as text"},
    )
    collections: Annotated[tuple[StrictStr, ...], BeforeValidator(as_list)] = Field(
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
    write: StrictBool | None = Field(
        default=None,
        description="Whether Iris may change it; None: files yes, servers no.",
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

    @model_validator(mode="after")
    def _can_be_written(self) -> Self:
        if self.write and self.kind == "ics":
            raise problem("an .ics file at an address can only be read", at=("write",))
        return self

    @property
    def may_write(self) -> bool:
        """Whether Iris may change it: files unless they are closed, servers where it is allowed."""
        return self.path is not None if self.write is None else self.write

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
        if source.write:
            raise problem("address books are only read", at=(index, "write"))
    return sources


Sources = Annotated[
    tuple[SourceSettings, ...], BeforeValidator(as_list), AfterValidator(all_named("sources"))
]


# The rest

Seconds = Annotated[float, Field(strict=True, gt=0, le=86_400, allow_inf_nan=False)]
_SECONDS_FORM = "a number of seconds above 0, at most 86400"


class Executor(Section):
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


class Agents(Section):
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


class Routing(Section):
    """How words are understood."""

    tier: Literal["fast", "minilm"] = Field(
        default="fast",
        description="`minilm` also asks a small language model where the fast tier is unsure.",
        json_schema_extra={"expected": "fast or minilm"},
    )


class Storage(Section):
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


class Travel(Section):
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


class Config(Section):
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
    me: Annotated[tuple[Address, ...], BeforeValidator(as_list)] = Field(
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
    briefing: Briefings = Field(
        default=(), json_schema_extra={"expected": "a list of {name, when, say, channels}"}
    )
    reminders: Reminders = Field(
        default=Reminders(), json_schema_extra={"expected": "settings of their own"}
    )
    channels: Channels = Field(
        default=(), json_schema_extra={"expected": "a list of {name, type} and what the type needs"}
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
    server: Server = Field(
        default=Server(), json_schema_extra={"expected": "settings of their own"}
    )
    voice: Voice = Field(default=Voice(), json_schema_extra={"expected": "settings of their own"})
    models: Models = Field(
        default=Models(), json_schema_extra={"expected": "settings of their own"}
    )
    storage: Storage = Field(
        default=Storage(), json_schema_extra={"expected": "settings of their own"}
    )
    jobs: Jobs = Field(default=Jobs(), json_schema_extra={"expected": "settings of their own"})

    @model_validator(mode="after")
    def _blocks_have_a_calendar(self) -> Self:
        wanted = self.planning.write_blocks_to
        names = {source.name: source for source in self.calendars}
        at = ("planning", "write_blocks_to")
        if wanted is None:
            return self
        if wanted not in names:
            near = difflib.get_close_matches(wanted, names, 1)
            said = f"no calendar is named {wanted!r}"
            raise problem(said, nearest=near[0] if near else None, at=at)
        if not names[wanted].may_write:
            raise problem(f"the calendar {wanted!r} may not be written (write: true)", at=at)
        return self

    @model_validator(mode="after")
    def _channels_are_known(self) -> Self:
        known = {*BUILT_IN, *(channel.name for channel in self.channels)}
        used: dict[tuple[str | int, ...], tuple[str, ...]] = {
            ("briefing", index): one.channels for index, one in enumerate(self.briefing)
        }
        for at, names in {("reminders",): self.reminders.channels, **used}.items():
            for index, name in enumerate(names):
                if name not in known:
                    near = difflib.get_close_matches(name, sorted(known), 1)
                    said = f"no channel is named {name!r}"
                    place = (*at, "channels", index)
                    raise problem(said, nearest=near[0] if near else None, at=place)
        return self

    @model_validator(mode="after")
    def _mail_goes_to_me(self) -> Self:
        for index, channel in enumerate(self.channels):
            if channel.type != "smtp":
                continue
            if not self.me:
                raise problem("mail is sent to your own address only: name it in me", at=("me",))
            if channel.to is not None and channel.to not in self.me:
                at = ("channels", index, "to")
                raise problem("mail is sent to one of your own addresses (me) only", at=at)
        return self

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
            buffer_before_minutes=self.planning.buffer_before_minutes,
            buffer_after_minutes=self.planning.buffer_after_minutes,
            breaks=self.planning.wishes(),
            energy_windows=self.planning.energy_windows(),
            travel=self.planning.ways(),
            travel_back=self.planning.travel_back,
            chunk_minutes=self.planning.split_minutes,
        )
