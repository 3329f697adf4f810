"""`iris doctor`: what is wrong with this installation, and what to do about it."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iris_harness.errors import ConfigError, IrisError
from iris_harness.storage.health import Problem, check_database, check_permissions
from iris_harness.surfaces.cli.output import EXIT_ERROR, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.config.schema import Config

_OLDEST_SQLITE = (3, 35, 0)  # RETURNING and generated columns


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def doctor(state: CliState, /, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """Find what is wrong with this installation and say the fix. Changes nothing."""
    problems = list(_problems(state))
    facts = dict(_facts(state))
    if as_json:
        print_json(
            {
                "facts": dict(facts),
                "problems": [
                    {"title": p.title, "detail": p.detail, "fix": p.fix} for p in problems
                ],
            }
        )
    else:
        for name, value in facts.items():
            click.echo(f"{name:<22} {value}".replace("\n", f"\n{'':<23}"))
        for problem in problems:
            click.echo(f"\n{problem.title}: {problem.detail}")
            if problem.fix:
                click.echo(f"  fix: {problem.fix}")
        click.echo(f"\n{_verdict(len(problems))}")
    return EXIT_ERROR if problems else EXIT_OK


def _verdict(count: int) -> str:
    if count == 0:
        return "Everything is in order."
    return "1 problem found." if count == 1 else f"{count} problems found."


def _facts(state: CliState) -> Iterator[tuple[str, str]]:
    from importlib import metadata

    yield "iris", metadata.version("iris-harness")
    yield "python", f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    yield "sqlite", sqlite3.sqlite_version
    yield "settings", _existing(state.config_file())
    try:
        yield "data", _existing(state.data_folder())
        yield "zone", _zone(state.timezone())
        yield "sources", _sources(state.config)
    except IrisError:
        return  # said among the problems
    yield "cache", _cache()
    yield "leaves this machine", _leaving(state)


def _cache() -> str:
    from iris_harness.config.paths import cache_dir
    from iris_harness.sources.index.health import describe_index

    facts = describe_index(cache_dir())
    if not facts.state:
        return f"{facts.file} (not there yet)"
    size = f"{facts.size / 1e6:.1f} MB"
    return f"{facts.file} ({size}, {facts.state}; it may be deleted at any time)"


def _leaving(state: CliState) -> str:
    from iris_harness.bootstrap.jobs import where_jobs_go
    from iris_harness.bootstrap.models import what_models_are_told
    from iris_harness.bootstrap.remote import what_leaves
    from iris_harness.surfaces.briefing.health import what_is_sent

    settings = state.settings
    lines = (
        *what_leaves(settings),
        *what_models_are_told(settings),
        *what_is_sent(settings),
        *where_jobs_go(settings.jobs),
    )
    return "\n".join(lines) or "nothing: every source is a file on this machine"


def _sources(config: Config) -> str:
    counts = [
        f"{len(found)} {noun}{'' if len(found) == 1 else 's'}"
        for noun, found in (("calendar", config.calendars), ("todo list", config.todos))
        if found
    ]
    return ", ".join(counts) or "none yet; `iris setup` finds them"


def _zone(timezone: str) -> str:
    from iris_harness.config.zone import other_machine_zone

    other = other_machine_zone(timezone)
    return f"{timezone} (this machine is set to {other})" if other else timezone


def _existing(path: Path) -> str:
    return str(path) if path.exists() else f"{path} (not there yet)"


def _problems(state: CliState) -> Iterator[Problem]:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        fix = "use a Python built with a newer SQLite"
        yield Problem(title="old SQLite", detail=sqlite3.sqlite_version, fix=fix)
    mistakes = _mistakes(state)
    yield from mistakes
    if not mistakes:
        yield from _configured_problems(state)


def _mistakes(state: CliState) -> list[Problem]:
    from iris_harness.config.loader import check_config

    return [
        Problem(title="settings", detail=str(error), fix=_config_fix(error))
        for error in check_config(state.config_path, overrides=state.overrides)
    ]


def _config_fix(error: ConfigError) -> str:
    place = f"{error.file}, line {error.line}" if error.line else error.file
    return f"correct {place}" if place else ""


def _configured_problems(state: CliState) -> Iterator[Problem]:
    from iris_harness.bootstrap.models import check_models
    from iris_harness.bootstrap.remote import check_remote
    from iris_harness.config.checks import check_config_file, check_sources, check_zone
    from iris_harness.config.paths import cache_dir
    from iris_harness.surfaces.briefing.health import check_briefing

    loaded = state.loaded
    yield from check_config_file(loaded.file, loaded.config)
    yield from check_zone(loaded.config)
    yield from check_sources(loaded.config)
    yield from check_remote(state.settings)
    yield from check_models(state.settings)
    yield from check_permissions(state.data_folder())
    yield from check_permissions(cache_dir())
    yield from check_database(state.data_folder())
    yield from check_briefing(state.settings, state.data_folder())
    yield from _broken_agents(state)


def _broken_agents(state: CliState) -> Iterator[Problem]:
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.bootstrap.setting import configured_setting
    from iris_harness.registry import AgentState

    try:
        with Iris(configured_setting(state.settings)) as iris:
            listings = iris.registry.listings
    except IrisError as error:
        yield Problem(title="cannot start", detail=error.message, fix=error.hint)
        return
    for listing in listings:
        if listing.state is AgentState.BROKEN:
            yield Problem(
                title=f"agent {listing.name}",
                detail=listing.problem,
                fix=f"repair or uninstall it, or disable it: agents.disabled: [{listing.name}]",
            )
