"""`iris sources add`: try a source, then add it to the settings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iris_harness.bootstrap.setting import DaySetting, configured_setting
from iris_harness.config.addresses import address_type, is_address
from iris_harness.config.append import append_source
from iris_harness.config.document import Value
from iris_harness.config.loader import read_config
from iris_harness.config.paths import friendly
from iris_harness.config.settings import settings_of
from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.output import EXIT_ERROR, EXIT_OK
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.try_source import try_source

if TYPE_CHECKING:
    from iris_harness.config.schema import Config

_CALENDARS, _TODOS = "calendars", "todos"


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSource:
    """A source as it was typed."""

    name: str
    place: str
    """An address or a path."""
    todo: bool = False
    kind: str | None = None
    username: str | None = None
    password_command: str | None = None
    collections: tuple[str, ...] = ()
    private: bool = False

    @property
    def section(self) -> str:
        """The list of the settings it belongs to."""
        return _TODOS if self.todo else _CALENDARS


def add_source(state: CliState, new: NewSource) -> int:
    """Try the source and add it when it can be read; return the exit code.

    Raises:
        UsageError: what was typed does not describe a source, or its name is taken.
        ConfigError: the settings are wrong, or cannot be added to.
    """
    _check_name(state.config, new)
    for entry in _entries(new):
        setting = _setting_of(entry, new, state.config)
        trial = try_source(setting)
        click.echo(f"{new.name} {trial.words}")
        if trial.works:
            for warning in trial.warnings:
                click.echo(f"  {warning}")
            return _add(state, new, entry)
    click.echo("Nothing was added.", err=True)
    return EXIT_ERROR


def _check_name(config: Config, new: NewSource) -> None:
    taken = config.todos if new.todo else config.calendars
    if new.name in {source.name for source in taken}:
        raise UsageError(f"there is a source named {new.name!r} already", hint="take another name")


def _entries(new: NewSource) -> Iterator[dict[str, Value]]:
    """Yield the forms the source may have, the likeliest first."""
    if not is_address(new.place):
        _check_path_options(new)
        path = Path(new.place).expanduser().absolute()
        yield {"name": new.name, "path": friendly(path)}
        return
    known = new.kind or address_type(new.place)
    for kind in (known,) if known else ("ics", "caldav"):
        yield _remote_entry(new, kind)


def _check_path_options(new: NewSource) -> None:
    if new.kind or new.username or new.password_command or new.collections or new.private:
        raise UsageError("a path has no login and no server", hint="leave these options out")


def _remote_entry(new: NewSource, kind: str) -> dict[str, Value]:
    entry: dict[str, Value] = {"name": new.name, "url": new.place}
    if address_type(new.place) != kind:
        entry["type"] = kind
    if new.username:
        entry["username"] = new.username
    if new.password_command:
        entry["password"] = {"fetch": [*_words(new.password_command)]}
    if new.collections and kind == "caldav":
        entry["collections"] = [*new.collections]
    if new.private:
        entry["allow_private_addresses"] = True
    return entry


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise UsageError("the password command has a quote without an end") from error


def _setting_of(entry: dict[str, Value], new: NewSource, config: Config) -> DaySetting:
    from pydantic import ValidationError

    from iris_harness.bootstrap.setting import configured_ports
    from iris_harness.config.explain import explain_errors
    from iris_harness.config.layers import Merged
    from iris_harness.config.schema import Config as Schema

    try:
        alone = Schema.model_validate({"me": list(config.me), new.section: [entry]})
    except ValidationError as error:
        (first, *_) = explain_errors(error, Merged(tree={}, origins={}))
        raise UsageError(first.message, hint=first.expected) from error
    setting = configured_setting(settings_of(config))
    return replace(setting, sources=configured_ports(settings_of(alone), always_ask=True))


def _add(state: CliState, new: NewSource, entry: dict[str, Value]) -> int:
    file = state.config_file()
    append_source(file, new.section, entry)
    click.echo(f"Added it to {new.section} in {friendly(file)}.")
    if not _is_in_force(state, new):
        click.echo(
            f"iris: {new.section} are also set in the environment or on the command line, "
            "which hides the file's",
            err=True,
        )
    return EXIT_OK


def _is_in_force(state: CliState, new: NewSource) -> bool:
    config = read_config(state.config_path, overrides=state.overrides).config
    return any(s.name == new.name for s in (config.todos if new.todo else config.calendars))
