"""Settings of what is said unasked: briefings, reminders, and the channels that say it."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictStr,
    model_serializer,
    model_validator,
)

from iris_harness.config.secret import Secret
from iris_harness.config.sections import Section, problem
from iris_harness.config.shapes import all_named, one_or_several
from iris_harness.contracts.timetable import parse_time, parse_timetable
from iris_harness.errors import UsageError

BUILT_IN = ("desktop", "terminal", "web")
"""Types that need no settings; a channel of that name is there without being set up."""

ChannelType: TypeAlias = Literal["desktop", "terminal", "web", "file", "speech", "smtp", "apprise"]
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_NAME_FORM = "a short name of small letters, digits and dashes"
_OWN: dict[str, frozenset[str]] = {
    "file": frozenset({"path", "append"}),
    "speech": frozenset({"path", "voice"}),
    "smtp": frozenset(
        {"host", "port", "security", "username", "password", "sender", "to", "timeout_seconds"}
    ),
    "apprise": frozenset({"urls"}),
}
"""What only some types have."""
_NEEDED = {"file": ("path",), "speech": ("path",), "smtp": ("host",), "apprise": ("urls",)}


def _address(value: str) -> str:
    address = value.strip().removeprefix("mailto:")
    user, at, host = address.partition("@")
    if not (user and at and host) or " " in address:
        raise problem(f"{value!r} is no mail address")
    return address


Address = Annotated[StrictStr, AfterValidator(_address)]


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise problem(f"{value!r} is no name")
    return value


Name = Annotated[StrictStr, AfterValidator(_name)]


def _path(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not value.strip() or "://" in value:
        raise problem(f"{value!r} is no path")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise problem(f"{value!r} names the home of an unknown user") from error


def _timetable(value: str) -> str:
    try:
        parse_timetable(value)
    except UsageError as error:
        raise problem(error.message) from error
    return " ".join(value.split())


def _time(value: object) -> dt.time:
    if isinstance(value, dt.time):
        return value
    try:
        return parse_time(str(value))
    except UsageError as error:
        raise problem(error.message) from error


Time = Annotated[
    dt.time,
    PlainValidator(_time),
    PlainSerializer(lambda time: f"{time:%H:%M}", return_type=str),
]
ChannelNames = Annotated[tuple[Name, ...], Field(min_length=1), BeforeValidator(one_or_several)]
_CHANNELS_FORM = "a list of channels' names, as [desktop]"


class BriefingSettings(Section):
    """One briefing. A bare text stands for one that has only its times."""

    name: Name = Field(
        default="briefing",
        description="What it is called; with the day it makes that it is said once.",
        json_schema_extra={"expected": f"{_NAME_FORM}, unique among briefings"},
    )
    when: Annotated[StrictStr, AfterValidator(_timetable)] = Field(
        description="Days and a time of the wall clock.",
        json_schema_extra={"expected": "days and a time, as weekdays 07:00"},
    )
    say: Annotated[StrictStr, Field(min_length=1, max_length=1000)] = Field(
        default="plan my day",
        description="What Iris is asked then, in your words; several requests are fine.",
        json_schema_extra={"expected": "a question, as plan my day"},
    )
    channels: ChannelNames = Field(
        default=("desktop",),
        description="Which channels say it.",
        json_schema_extra={"expected": _CHANNELS_FORM},
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        return {"when": value} if isinstance(value, str) else value


class Reminders(Section):
    """How reminders and timers are said."""

    channels: ChannelNames = Field(
        default=("desktop",),
        description="Which channels say them.",
        json_schema_extra={"expected": _CHANNELS_FORM},
    )
    time: Time = Field(
        default=dt.time(9),
        description="When one is said that names only a day.",
        json_schema_extra={"expected": "a time of the day, as 09:00"},
    )


class ChannelSettings(Section):
    """One way to say something unasked."""

    name: Name = Field(
        description="What briefings call it; default: its type.",
        json_schema_extra={"expected": f"{_NAME_FORM}, unique among channels"},
    )
    type: ChannelType = Field(
        description="How it says things.",
        json_schema_extra={"expected": "desktop, terminal, web, file, speech, smtp or apprise"},
    )
    path: Annotated[Path, BeforeValidator(_path)] | None = Field(
        default=None,
        description="The file that is written.",
        json_schema_extra={"expected": "the path of a file on this machine"},
    )
    append: StrictBool = Field(
        default=True,
        description="Whether the file keeps what was said before.",
        json_schema_extra={"expected": "true or false"},
    )
    voice: Annotated[StrictStr, Field(pattern=r"^[A-Za-z0-9+_-]{1,40}$")] = Field(
        default="en",
        description="The voice of espeak-ng.",
        json_schema_extra={"expected": "a voice that `espeak-ng --voices` lists, as en-gb"},
    )
    host: Annotated[StrictStr, Field(min_length=1, max_length=253)] | None = Field(
        default=None,
        description="The server that takes the mail.",
        json_schema_extra={"expected": "a host, as smtp.example.org"},
    )
    port: Annotated[int, Field(strict=True, ge=1, le=65535)] | None = Field(
        default=None,
        description="Its port; None: 587, or 465 for tls.",
        json_schema_extra={"expected": "a port, 1 to 65535"},
    )
    security: Literal["starttls", "tls", "none"] = Field(
        default="starttls",
        description="How the connection is protected; `none` only on this machine.",
        json_schema_extra={"expected": "starttls, tls or none"},
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
    sender: Address | None = Field(
        default=None,
        description="Address it is sent from; None: the one it is sent to.",
        json_schema_extra={"expected": "a mail address"},
    )
    to: Address | None = Field(
        default=None,
        description="One of your own addresses; None: the first in `me`.",
        json_schema_extra={"expected": "one of the addresses in me"},
    )
    urls: Annotated[tuple[Secret, ...], BeforeValidator(one_or_several)] = Field(
        default=(),
        repr=False,
        description="Where apprise sends it.",
        json_schema_extra={"expected": "a list of apprise's addresses, or {fetch: [command]} each"},
    )
    timeout_seconds: Annotated[float, Field(strict=True, gt=0, le=300, allow_inf_nan=False)] = (
        Field(
            default=20.0,
            description="Seconds until a mail server that does not answer is given up.",
            json_schema_extra={"expected": "a number of seconds above 0, at most 300"},
        )
    )

    @model_validator(mode="before")
    @classmethod
    def _named_after_its_type(cls, value: object) -> object:
        if isinstance(value, dict) and "name" not in value and isinstance(value.get("type"), str):
            return {"name": value["type"], **value}
        return value

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        every = frozenset().union(*_OWN.values())
        foreign = self.model_fields_set & (every - _OWN.get(self.type, frozenset()))
        if foreign:
            raise problem(f"a channel of type {self.type} has no such key", at=(min(foreign),))
        for key in _NEEDED.get(self.type, ()):
            if not getattr(self, key):
                raise problem("missing", at=(key,))
        return self

    @model_serializer(mode="wrap")
    def _only_what_applies(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        tree: dict[str, Any] = dump(self)
        applies = {"name", "type", *_OWN.get(self.type, ())}
        return {key: value for key, value in tree.items() if key in applies and value is not None}

    @model_validator(mode="after")
    def _login_is_protected(self) -> Self:
        if (self.username is None) != (self.password is None):
            missing = "password" if self.password is None else "username"
            raise problem("username and password go together", at=(missing,))
        if self.security == "none" and self.host not in {None, "localhost", "127.0.0.1", "::1"}:
            raise problem("mail leaves this machine encrypted only", at=("security",))
        return self


Channels = Annotated[
    tuple[ChannelSettings, ...],
    BeforeValidator(one_or_several),
    AfterValidator(all_named("channels")),
]
Briefings = Annotated[
    tuple[BriefingSettings, ...],
    BeforeValidator(one_or_several),
    AfterValidator(all_named("briefings")),
]
