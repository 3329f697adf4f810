"""Options that several commands share, and the setting they describe."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from iris_harness.bootstrap.setting import (
    AdhocPaths,
    DaySetting,
    adhoc_setting,
    check_zone,
    configured_setting,
    demo_setting,
)
from iris_harness.clock import FixedClock
from iris_harness.errors import UsageError
from iris_harness.files import user_path
from iris_harness.surfaces.cli.inputs import parse_day, parse_now, says_its_day
from iris_harness.surfaces.cli.state import CliState

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class SettingOptions(NamedTuple):
    """Which sources, which zone, which "now" - as typed."""

    demo: bool = False
    calendars: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    finances: tuple[str, ...] = ()
    me: tuple[str, ...] = ()
    timezone: str | None = None
    now: str | None = None
    date: str | None = None

    @property
    def paths(self) -> AdhocPaths:
        """The sources named by flags."""
        return AdhocPaths(
            calendars=_paths(self.calendars),
            todos=_paths(self.todos),
            contacts=_paths(self.contacts),
            emails=_paths(self.emails),
            finances=_paths(self.finances),
            me=self.me,
        )


def _paths(texts: tuple[str, ...]) -> tuple[Path, ...]:
    if "" in texts:
        raise UsageError("a path is empty", hint="name a file or a folder")
    if any("://" in text for text in texts):
        raise UsageError("an address is no path", hint="`iris sources add NAME ADDRESS` adds it")
    return tuple(user_path(text) for text in texts)


def setting_options(command: CommandT) -> CommandT:
    """Add the options of `SettingOptions` to a command; it receives them as keywords."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--demo", is_flag=True, help="Use the bundled example day; no setup needed."),
    click.option(
        "--calendar",
        "calendars",
        metavar="PATH",
        multiple=True,
        help="An .ics file or a vdir folder.",
    ),
    click.option(
        "--todo",
        "todos",
        metavar="PATH",
        multiple=True,
        help="A todo.txt, an .ics file with todos, or a vdir folder.",
    ),
    click.option(
        "--contacts",
        metavar="PATH",
        multiple=True,
        help="A .vcf file or a folder of them: birthdays and anniversaries.",
    ),
    click.option(
        "--email",
        "emails",
        metavar="PATH",
        multiple=True,
        help="A mailbox. This version reads none, and a plan says so.",
    ),
    click.option(
        "--finance",
        "finances",
        metavar="PATH",
        multiple=True,
        help="A ledger. This version reads none, and a plan says so.",
    ),
    click.option(
        "--me",
        metavar="ADDRESS",
        multiple=True,
        help="Your own mail address, to know which invitations you declined.",
    ),
    click.option("--timezone", metavar="ZONE", help="Your zone, such as Europe/Berlin."),
    click.option(
        "--now", metavar="TIME", help="Use this moment instead of the clock: ISO or HH:MM."
    ),
)


def resolve_setting(
    state: CliState, options: SettingOptions, *, always_ask: bool = False
) -> DaySetting:
    """Return what the options describe: the demo, the paths given, or the configuration.

    `always_ask` asks remote sources however young their copies are.

    Raises:
        UsageError: options that exclude each other, or a zone, day or time that means nothing.
        ConfigError: the configuration cannot be used.
    """
    timezone = check_zone(options.timezone) if options.timezone else None
    if options.demo and options.paths:
        raise UsageError("--demo brings its own calendars", hint="leave out --demo or the paths")
    if options.demo:
        setting = demo_setting(timezone=timezone)
    elif options.paths:
        setting = adhoc_setting(options.paths, timezone=timezone)
    else:
        setting = configured_setting(state.settings, timezone=timezone, always_ask=always_ask)
    return at_the_time_given(setting, options)


def at_the_time_given(setting: DaySetting, options: SettingOptions) -> DaySetting:
    """Return `setting` with the clock and the day that ``--now`` and ``--date`` ask for."""
    today = setting.default_day()
    if options.now is not None and says_its_day(options.now):
        today = _local_day(parse_now(options.now, today, setting.timezone), setting)
    day = today if options.date is None else parse_day(options.date, today)
    if options.now is None:
        return replace(setting, today=day) if options.date else setting
    moment = parse_now(options.now, day, setting.timezone)
    local_day = _local_day(moment, setting)
    return replace(setting, clock=FixedClock(moment), today=day if options.date else local_day)


def _local_day(moment: dt.datetime, setting: DaySetting) -> dt.date:
    return moment.astimezone(setting.local_now().tzinfo).date()
