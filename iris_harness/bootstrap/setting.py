"""What a running Iris is made of, resolved once: sources, preferences, zone, clock.

Three ways lead to a `DaySetting`: the bundled demonstration, paths given on the command line,
and the user's configuration. Only the last one loads the configuration room, which is why
``iris plan --demo`` starts quickly.
"""

from __future__ import annotations

import datetime as dt
import enum
import zoneinfo
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from iris_harness.bootstrap.job_news import JobsOfDay
from iris_harness.clock import FixedClock, SystemClock
from iris_harness.config.paths import cache_dir, data_dir
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.ports import (
    CalendarPort,
    ContactsPort,
    SourcePorts,
    TodoPort,
)
from iris_harness.contracts.zones import UserZones
from iris_harness.errors import UsageError

if TYPE_CHECKING:
    from iris_harness.bootstrap.models import ModelOpener
    from iris_harness.bootstrap.remote import RemotePorts
    from iris_harness.config.settings import Bounds, JobsSettings, Settings, Source
    from iris_harness.contracts.changes import Writers
    from iris_harness.contracts.routing import Tier
    from iris_harness.executor import ExecutorSettings
    from iris_harness.sources.index.opening import IndexOpener


class Origin(enum.StrEnum):
    """Where a plan's inputs were named."""

    CONFIGURED = "configured"
    ADHOC = "adhoc"
    DEMO = "demo"


@dataclass(frozen=True, kw_only=True, slots=True)
class DaySetting:
    """Everything a day is planned from, before anything is read."""

    sources: SourcePorts
    preferences: DayPreferences
    zones: UserZones
    """The user's own zone and the journeys that override it; all known to exist."""
    clock: Clock
    origin: Origin
    data_folder: Path
    """Where plans and turns are kept."""
    retain_days: int = 0
    """How long they are kept; 0 means until the user forgets them."""
    executor: ExecutorSettings | None = None
    """Bounds of the executor; None means its defaults."""
    disabled_agents: tuple[str, ...] = ()
    routing_tier: Tier | None = None
    """The slowest tier of the router that may be asked; None leaves it to the router."""
    agent_settings: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """By agent; secrets are fetched when an agent is loaded."""
    locale: str = "en"
    reminder_time: dt.time = dt.time(9)
    """When a reminder is said that names only a day; wall clock."""
    today: dt.date | None = None
    """The day meant when none is named; None means the clock's day in `timezone`."""
    writes_blocks: bool = False
    """Whether the blocks of plans are written into a calendar of their own."""
    jobs: JobsSettings | None = None
    """Where jobs are kept; None: none can be submitted."""
    models: ModelOpener | None = None
    """Opens language models; closed with the `Iris` made from it. None: there are none."""
    open_writers: Callable[[], Writers] | None = None
    """Opens what writes the sources, when something is to be changed; None: nothing can be."""

    @property
    def timezone(self) -> str:
        """The zone the user is in at the clock's "now"."""
        return self.zones.at(self.clock.now())

    def default_day(self) -> dt.date:
        """Return the day that is planned when none is named."""
        return self.today or self.local_now().date()

    def local_now(self) -> dt.datetime:
        """Return the clock's "now" in the user's zone."""
        return self.clock.now().astimezone(zoneinfo.ZoneInfo(self.timezone))


@dataclass(frozen=True, kw_only=True, slots=True)
class AdhocPaths:
    """Sources named on the command line, in the order given."""

    calendars: Sequence[Path] = ()
    todos: Sequence[Path] = ()
    contacts: Sequence[Path] = ()
    emails: Sequence[Path] = ()
    finances: Sequence[Path] = ()
    me: Sequence[str] = ()

    def __bool__(self) -> bool:
        return any((self.calendars, self.todos, self.contacts, self.emails, self.finances))


def check_zone(name: str) -> str:
    """Return `name` if it is a known IANA zone.

    Raises:
        UsageError: it is not; the hint names the nearest one.
    """
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        from iris_harness.config.zone import nearest_zone

        near = nearest_zone(name)
        hint = f"did you mean {near!r}?" if near else "use a name such as Europe/Berlin"
        raise UsageError(f"there is no time zone {name!r}", hint=hint) from error
    return name


def demo_setting(
    *, clock: Clock | None = None, timezone: str | None = None, today: dt.date | None = None
) -> DaySetting:
    """Return the bundled demonstration, on its own fixed day unless told otherwise."""
    from iris_harness.sources import demo

    return DaySetting(
        sources=demo.demo_ports(),
        preferences=demo.DEMO_PREFERENCES,
        zones=UserZones(home=timezone or demo.DEMO_TIMEZONE),
        clock=clock or FixedClock(demo.DEMO_NOW),
        origin=Origin.DEMO,
        data_folder=data_dir(),
        today=today or demo.DEMO_DATE,
    )


def adhoc_setting(
    paths: AdhocPaths, *, clock: Clock | None = None, timezone: str | None = None
) -> DaySetting:
    """Return a setting of the paths given; no configuration is read.

    `timezone` None means the machine's zone.
    """
    from iris_harness.sources.opening import adhoc_ports

    return DaySetting(
        sources=adhoc_ports(
            calendars=paths.calendars,
            todos=paths.todos,
            contacts=paths.contacts,
            emails=paths.emails,
            finances=paths.finances,
            me=paths.me,
        ),
        preferences=DayPreferences(),
        zones=UserZones(home=timezone or machine_zone()),
        clock=clock or SystemClock(),
        origin=Origin.ADHOC,
        data_folder=data_dir(),
    )


def _routing_tier(settings: Settings) -> Tier | None:
    if settings.routing_tier == "fast":
        return None
    from iris_harness.contracts.routing import Tier  # planning a day needs none of it

    return Tier(settings.routing_tier)


def machine_zone() -> str:
    """Return the zone this machine is set to.

    Raises:
        ConfigError: it cannot be told.
    """
    from iris_harness.config.zone import system_zone

    return system_zone()


def configured_setting(
    settings: Settings,
    *,
    clock: Clock | None = None,
    timezone: str | None = None,
    always_ask: bool = False,
) -> DaySetting:
    """Return what the user's settings describe.

    `timezone` overrides its zone; for `always_ask` see `configured_ports`.
    """
    return DaySetting(
        sources=replace(
            configured_ports(settings, always_ask=always_ask),
            jobs=JobsOfDay(settings.jobs, configured_folder(settings)),
        ),
        preferences=settings.preferences,
        zones=configured_zones(settings) if timezone is None else UserZones(home=timezone),
        clock=clock or SystemClock(),
        origin=Origin.CONFIGURED,
        data_folder=configured_folder(settings),
        retain_days=settings.retain_days,
        executor=_executor_settings(settings.executor),
        disabled_agents=settings.disabled_agents,
        routing_tier=_routing_tier(settings),
        agent_settings=settings.agent_settings,
        locale=settings.locale,
        reminder_time=settings.reminder_time,
        writes_blocks=settings.write_blocks_to is not None,
        jobs=settings.jobs,
        models=_models(settings) if settings.model_agents or settings.jobs.planner_model else None,
        open_writers=lambda: _writers(settings),
    )


def _models(settings: Settings) -> ModelOpener:
    from iris_harness.bootstrap.models import ModelOpener
    from iris_harness.config.environment import variables

    return ModelOpener(settings, SystemClock(), variables())


def _writers(settings: Settings) -> Writers:
    from iris_harness.bootstrap.writing import configured_writers

    return configured_writers(settings)


def configured_zones(settings: Settings) -> UserZones:
    """Return the user's zones; ``timezone: auto`` asks the machine.

    Raises:
        ConfigError: the machine's zone is needed and cannot be told.
    """
    from iris_harness.config.zone import resolve_zone

    return UserZones(home=resolve_zone(settings.timezone), journeys=settings.journeys)


def configured_folder(settings: Settings) -> Path:
    """Return the folder of the user's database."""
    return settings.data_dir or data_dir()


def configured_ports(settings: Settings, *, always_ask: bool = False) -> SourcePorts:
    """Open every source the settings name; nothing is read yet.

    `always_ask` asks the servers of remote sources however young their copies are.
    """
    sources = (*settings.calendars, *settings.todos)
    index = _index() if settings.calendars else None
    remote = None
    if any(source.url for source in sources):
        remote = _remote_ports(index or _index(), always_ask=always_ask)
    return SourcePorts(
        calendars=tuple(
            _blocks_calendar(port) if port.name == settings.write_blocks_to else port
            for source in settings.calendars
            for port in (_calendar(source, settings.me, remote, index),)
        ),
        todos=tuple(_todos(source, remote) for source in settings.todos),
        contacts=tuple(_contacts(source) for source in settings.contacts),
    )


def _remote_ports(index: IndexOpener, *, always_ask: bool) -> RemotePorts:
    from iris_harness.bootstrap.remote import RemotePorts

    return RemotePorts(SystemClock(), index, always_ask=always_ask)


def _index() -> IndexOpener:
    from iris_harness.sources.index.opening import IndexOpener

    return IndexOpener(cache_dir(), SystemClock())


def _calendar(
    source: Source,
    me: Collection[str],
    remote: RemotePorts | None,
    index: IndexOpener | None,
) -> CalendarPort:
    if remote is not None and source.path is None:
        return remote.calendar(source, me)
    if source.path is None or index is None:
        raise ValueError("a calendar is in files, or there are remote sources")
    return index.open_calendar(
        source.name, source.path, me=me, stale_after_hours=source.stale_after_hours
    )


def _blocks_calendar(port: CalendarPort) -> CalendarPort:
    from iris_harness.sources.blocks_calendar import BlocksCalendar

    return BlocksCalendar(port)


def _todos(source: Source, remote: RemotePorts | None) -> TodoPort:
    from iris_harness.sources.opening import open_todos

    if remote is not None and source.path is None:
        return remote.todos(source)
    if source.path is None:
        raise ValueError("a todo list is in files, or there are remote sources")
    return open_todos(source.name, source.path, stale_after_hours=source.stale_after_hours)


def _contacts(source: Source) -> ContactsPort:
    from iris_harness.sources.opening import open_contacts

    if source.path is None:
        raise ValueError("the settings let no address book be on another machine")
    return open_contacts(source.name, source.path, stale_after_hours=source.stale_after_hours)


def _executor_settings(bounds: Bounds) -> ExecutorSettings:
    from iris_harness.executor.settings import ExecutorSettings, Schedule

    return ExecutorSettings(
        max_workers=bounds.max_workers,
        task_timeout_seconds=bounds.task_timeout_seconds,
        plan_timeout_seconds=bounds.plan_timeout_seconds,
        retries=bounds.retries,
        schedule=Schedule(bounds.schedule),
    )
