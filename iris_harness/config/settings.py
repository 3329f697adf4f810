"""The settings as plain values: what a running Iris is made from.

`schema` checks what a user wrote, which takes pydantic; this is what it comes to. Whoever only
plans a day needs no more.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.zones import Journey

if TYPE_CHECKING:
    from iris_harness.config.briefing import ChannelSettings
    from iris_harness.config.jobs import Jobs
    from iris_harness.config.models import ModelSettings
    from iris_harness.config.schema import Config, Executor, SourceSettings
    from iris_harness.config.secret import Secret


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """One calendar, todo list or address book; units and defaults are those of the schema."""

    name: str
    path: Path | None
    """Absolute; None for a source on another machine."""
    url: str | None = field(repr=False)
    kind: str | None
    """``ics`` or ``caldav`` for a source with a url; None for files."""
    username: str | None
    password: Mapping[str, Any] | None = field(repr=False)
    """``{"text": password}`` or ``{"fetch": [command, argument, …]}``; None without a login."""
    collections: tuple[str, ...]
    timeout_seconds: float
    max_megabytes: float
    refresh_minutes: float
    allow_private_addresses: bool
    stale_after_hours: float | None
    may_write: bool
    """Whether Iris may change it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """What bounds the executor."""

    max_workers: int
    task_timeout_seconds: float
    plan_timeout_seconds: float
    retries: int
    schedule: str
    """``waves`` or ``ready``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobsSettings:
    """Where jobs are kept, and what bounds them; units and defaults are those of the schema."""

    database_url: Mapping[str, Any] | None = field(default=None, repr=False)
    """``{"text": address}`` or ``{"fetch": [command, argument, …]}``; None: a file of their own."""
    server_url: str = ""
    """Empty: a daemon takes its workers from the database."""
    server_token: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """As `database_url`, or ``{"env": name}``."""
    owner: str = "local"
    worker_model: str = ""
    planner_model: str = ""
    max_workers: int = 100
    lease_seconds: float = 60.0
    max_deliveries: int = 3
    max_running: int = 0
    max_work_megabytes: int = 16
    budget_attempts: int = 6
    budget_tokens: int = 400_000
    budget_minutes: int = 60
    budget_money: str | None = None
    publish: bool = False
    publish_then: tuple[str, ...] = ()
    install_runtimes: tuple[str, ...] = ()
    editor_command: tuple[str, ...] = ()
    """Empty: models edit."""
    editor_readable: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """One language model; units and defaults are those of the schema. Amounts are texts."""

    name: str
    type: str
    """``openai`` or ``llama_cpp``."""
    base_url: str | None
    model: str | None
    api_key: Mapping[str, Any] | None = field(repr=False)
    """``{"text": key}``, ``{"fetch": [command, …]}`` or ``{"env": NAME}``; None: none is sent."""
    supports: tuple[str, ...]
    retries: int
    path: Path | None
    """Absolute; None for a server."""
    context_tokens: int
    threads: int | None
    timeout_seconds: float
    input_per_million: str | None
    output_per_million: str | None
    currency: str | None
    budget_tokens: int | None
    budget_money: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Briefing:
    """What is said unasked, and when."""

    name: str
    when: str
    """For `contracts.timetable.parse_timetable`; it was checked."""
    say: str
    """What Iris is asked then."""
    channels: tuple[str, ...]
    """Names of channels that exist; at least one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Channel:
    """One way to say something unasked; units and defaults are those of the schema."""

    name: str
    type: str
    path: Path | None = None
    """Absolute."""
    append: bool = True
    voice: str = "en"
    host: str = ""
    port: int = 0
    security: str = "starttls"
    """``starttls``, ``tls`` or ``none``."""
    username: str | None = None
    password: Mapping[str, Any] | None = field(default=None, repr=False)
    """As `Source.password`."""
    sender: str = ""
    to: str = ""
    """One of the user's own addresses."""
    urls: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """Each as `Source.password`: the address of a service tells who may use it."""
    timeout_seconds: float = 20.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """All settings that decide what is read, planned and kept; they were checked."""

    timezone: str
    """IANA name, or ``auto``: the machine's."""
    journeys: tuple[Journey, ...]
    locale: str
    me: tuple[str, ...]
    preferences: DayPreferences
    calendars: tuple[Source, ...]
    todos: tuple[Source, ...]
    contacts: tuple[Source, ...]
    executor: Bounds
    disabled_agents: tuple[str, ...]
    agent_settings: Mapping[str, Any] = field(repr=False)
    """By agent; secrets are not fetched."""
    routing_tier: str
    """``fast`` or ``minilm``."""
    models: tuple[Model, ...]
    default_model: str | None
    """Name of the one that is asked where none is named; None: there is no model."""
    model_agents: tuple[str, ...]
    """Names of the agents that may ask that one."""
    data_dir: Path | None
    """None: the platform's."""
    retain_days: int
    briefings: tuple[Briefing, ...]
    channels: tuple[Channel, ...]
    """The built-in ones too; names are unique."""
    reminder_channels: tuple[str, ...]
    reminder_time: dt.time
    """When a reminder is said that names only a day; wall clock."""
    write_blocks_to: str | None
    """Name of the calendar that the plan's blocks are written to; None: they are not."""
    jobs: JobsSettings


def settings_of(config: Config) -> Settings:
    """Return what checked settings come to."""
    return Settings(
        timezone=config.timezone,
        journeys=config.journeys(),
        locale=config.locale,
        me=config.me,
        preferences=config.day_preferences(),
        calendars=tuple(map(_source, config.calendars)),
        todos=tuple(map(_source, config.todos)),
        contacts=tuple(map(_source, config.contacts)),
        executor=_bounds(config.executor),
        disabled_agents=config.agents.disabled,
        agent_settings=config.agents.settings,
        routing_tier=config.routing.tier,
        models=tuple(map(_model, config.models.available)),
        default_model=config.models.default_name,
        model_agents=config.models.agents,
        data_dir=config.storage.data_dir,
        retain_days=config.storage.retain_days,
        briefings=tuple(
            Briefing(name=one.name, when=one.when, say=one.say, channels=one.channels)
            for one in config.briefing
        ),
        channels=_channels(config),
        reminder_channels=config.reminders.channels,
        reminder_time=config.reminders.time,
        write_blocks_to=config.planning.write_blocks_to,
        jobs=_jobs(config.jobs),
    )


def _channels(config: Config) -> tuple[Channel, ...]:
    named = {channel.name: _channel(channel, config.me) for channel in config.channels}
    built_in = {name: Channel(name=name, type=name) for name in ("desktop", "terminal", "web")}
    return tuple({**built_in, **named}.values())


def _channel(channel: ChannelSettings, me: tuple[str, ...]) -> Channel:
    to = channel.to or (me[0] if me else "")
    return Channel(
        name=channel.name,
        type=channel.type,
        path=channel.path,
        append=channel.append,
        voice=channel.voice,
        host=channel.host or "",
        port=channel.port or (465 if channel.security == "tls" else 587),
        security=channel.security,
        username=channel.username,
        password=_secret(channel.password),
        sender=channel.sender or to,
        to=to,
        urls=tuple(secret for url in channel.urls if (secret := _secret(url)) is not None),
        timeout_seconds=channel.timeout_seconds,
    )


def _secret(given: Secret | None) -> Mapping[str, Any] | None:
    return {"text": given} if isinstance(given, str) else given


def _source(source: SourceSettings) -> Source:
    return Source(
        name=source.name,
        path=source.path,
        url=source.url,
        kind=source.kind,
        username=source.username,
        password=_secret(source.password),
        collections=source.collections,
        timeout_seconds=source.timeout_seconds,
        max_megabytes=source.max_megabytes,
        refresh_minutes=source.refresh_minutes,
        allow_private_addresses=source.allow_private_addresses,
        stale_after_hours=source.stale_after_hours,
        may_write=source.may_write,
    )


def _jobs(jobs: Jobs) -> JobsSettings:
    url, token = jobs.database_url, jobs.server.token
    return JobsSettings(
        database_url={"text": url} if isinstance(url, str) else url,
        server_url=jobs.server.url,
        server_token={"text": token} if isinstance(token, str) else token,
        owner=jobs.owner,
        worker_model=jobs.worker_model,
        planner_model=jobs.planner_model,
        max_workers=jobs.max_workers,
        lease_seconds=jobs.lease_seconds,
        max_deliveries=jobs.max_deliveries,
        max_running=jobs.max_running,
        max_work_megabytes=jobs.max_work_megabytes,
        budget_attempts=jobs.budget.attempts,
        budget_tokens=jobs.budget.tokens,
        budget_minutes=jobs.budget.minutes,
        budget_money=_amount(jobs.budget.money),
        publish=jobs.publish.push,
        publish_then=jobs.publish.then,
        install_runtimes=jobs.install_runtimes,
        editor_command=jobs.editor.command if jobs.editor else (),
        editor_readable=jobs.editor.readable if jobs.editor else (),
    )


def _amount(amount: Decimal | None) -> str | None:
    return None if amount is None else str(amount)


def _model(model: ModelSettings) -> Model:
    given, price, budget = model.api_key, model.price, model.budget
    return Model(
        name=model.name,
        type=model.type,
        base_url=model.base_url,
        model=model.model,
        api_key={"text": given} if isinstance(given, str) else given,
        supports=model.supports,
        retries=model.retries,
        path=model.path,
        context_tokens=model.context_tokens,
        threads=model.threads,
        timeout_seconds=model.timeout_seconds,
        input_per_million=str(price.input_per_million) if price else None,
        output_per_million=str(price.output_per_million) if price else None,
        currency=price.currency if price else None,
        budget_tokens=budget.tokens if budget else None,
        budget_money=_amount(budget.money if budget else None),
    )


def _bounds(executor: Executor) -> Bounds:
    return Bounds(
        max_workers=executor.max_workers,
        task_timeout_seconds=executor.task_timeout_seconds,
        plan_timeout_seconds=executor.plan_timeout_seconds,
        retries=executor.retries,
        schedule=executor.schedule,
    )
