"""What is wrong with the settings beyond their form (`iris doctor`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from iris_harness.config.credentials import has_literal_secret
from iris_harness.config.paths import friendly
from iris_harness.config.schema import Config
from iris_harness.config.zone import AUTO, system_zone
from iris_harness.errors import ConfigError
from iris_harness.storage.health import Problem


def check_sources(config: Config) -> tuple[Problem, ...]:
    """Return the calendars and todo lists whose path cannot be read, in configured order."""
    named = [("calendar", source) for source in config.calendars]
    named += [("todo list", source) for source in config.todos]
    named += [("address book", source) for source in config.contacts]
    return tuple(
        Problem(
            title=f"{kind} {source.name} cannot be read",
            detail=f"{source.path} {why}",
            fix="correct its path, or remove it from the settings",
        )
        for kind, source in named
        if source.path is not None and (why := _unreadable(source.path))
    )


def _unreadable(path: Path) -> str:
    if not path.exists():
        return "does not exist"
    return "" if os.access(path, os.R_OK) else "is closed to you"


def check_config_file(file: Path | None, config: Config) -> tuple[Problem, ...]:
    """Return what lets other users change the settings, or read a secret in them."""
    if file is None or os.name == "nt":
        return ()
    mode = stat.S_IMODE(file.stat().st_mode)
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        what = "others on this machine can change it"
    elif mode & (stat.S_IRGRP | stat.S_IROTH) and _holds_a_secret(config):
        what = "others on this machine can read the secret in it"
    else:
        return ()
    detail = f"{friendly(file)} has the mode {mode:04o}: {what}"
    fix = f"chmod 600 '{file}'"
    return (Problem(title="settings open to other users", detail=detail, fix=fix),)


def _holds_a_secret(config: Config) -> bool:
    # The address of an .ics file is often all that protects it.
    return has_literal_secret(config.agents.settings) or any(
        source.kind == "ics" or isinstance(source.password, str)
        for source in (*config.calendars, *config.todos)
    )


def check_zone(config: Config, environ: Mapping[str, str] | None = None) -> tuple[Problem, ...]:
    """Return whether ``timezone: auto`` finds no zone on this machine."""
    if config.timezone != AUTO:
        return ()
    try:
        system_zone(environ)
    except ConfigError as error:
        fix = "set timezone: Area/City in the settings"
        return (Problem(title="unknown time zone", detail=error.message, fix=fix),)
    return ()
