"""What is wrong with the settings beyond their form (`iris doctor`)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from iris_harness.config.credentials import has_literal_secret
from iris_harness.config.paths import friendly
from iris_harness.config.schema import Config
from iris_harness.config.zone import AUTO, system_zone
from iris_harness.errors import ConfigError
from iris_harness.files import is_folder
from iris_harness.storage.health import Problem

_ITEMS = {".ics", ".vcf"}


def check_sources(config: Config) -> tuple[Problem, ...]:
    """Return what cannot be read of the sources in files, in configured order."""
    named = [("calendar", source) for source in config.calendars]
    named += [("todo list", source) for source in config.todos]
    named += [("address book", source) for source in config.contacts]
    return tuple(
        problem
        for kind, source in named
        if source.path is not None
        for problem in _unreadable(f"{kind} {source.name}", source.path)
    )


def _unreadable(what: str, path: Path) -> Iterator[Problem]:
    why = "" if _is_open(path) else "is closed to you"
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises below a closed folder
        why = "does not exist"
    if why:
        yield Problem(
            title=f"{what} cannot be read",
            detail=f"{path} {why}",
            fix="correct its path, or remove it from the settings",
        )
        return
    closed = [part for part in _parts(path) if not _is_open(part) and not _is_missing(part)]
    if closed:
        more = f" (and {len(closed) - 1} more)" if len(closed) > 1 else ""
        yield Problem(
            title=f"{what} cannot be read in full",
            detail=f"{closed[0]} is closed to you{more}",
            fix=f"chmod -R u+rX '{path}'",
        )


def _parts(folder: Path) -> Iterator[Path]:
    """Yield the items of a folder, the folders in it, and their items."""
    for entry in _entries(folder):
        if is_folder(entry):
            yield entry
            yield from (item for item in _entries(entry) if item.suffix.lower() in _ITEMS)
        elif entry.suffix.lower() in _ITEMS:
            yield entry


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        return []  # no folder, or a closed one


def _is_missing(path: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:  # a link that leads nowhere
        return True
    except OSError:
        return False
    return False


def _is_open(path: Path) -> bool:
    wanted = os.R_OK | os.X_OK if is_folder(path) else os.R_OK
    return os.access(path, wanted, effective_ids=os.access in os.supports_effective_ids)


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
    sources = (*config.calendars, *config.todos)
    return (
        has_literal_secret(config.agents.settings)
        or any(source.kind == "ics" or isinstance(source.password, str) for source in sources)
        or any(isinstance(one, str) for c in config.channels for one in (c.password, *c.urls))
        or any(isinstance(model.api_key, str) for model in config.models.available)
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
