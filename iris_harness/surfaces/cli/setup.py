"""`iris setup`: find the user's calendars and lists, ask what is needed, show a first plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from iris_harness.bootstrap.day import plan_days
from iris_harness.bootstrap.setting import AdhocPaths, DaySetting, adhoc_setting, check_zone
from iris_harness.clock import SystemClock
from iris_harness.contracts.sources import SourceKind
from iris_harness.errors import IrisError, UsageError
from iris_harness.surfaces.cli.output import OutputOptions, print_plans
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.try_source import try_source

_WORKDAYS = ("mon", "tue", "wed", "thu", "fri")
_DEFAULT_HOURS = "09:00-17:00"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Chosen:
    """A source the user takes."""

    kind: SourceKind
    name: str
    path: Path


@click.command()
@click.option("--yes", is_flag=True, help="Ask nothing: take what is found and can be read.")
@click.pass_obj
def setup(state: CliState, /, yes: bool) -> int:  # noqa: FBT001 - click's keywords
    """Set Iris up: find calendars and lists, ask for zone and hours, show the first plan.

    Nothing is written before the end, and settings that are there already are kept beside the
    new ones.
    """
    from iris_harness.config.write import build_user_config, write_user_config

    file = state.config_file()
    replace = file.exists()
    if replace and not yes:
        click.confirm(f"{file} exists. Replace it (the old one is kept)?", abort=True)
    timezone = _ask_zone(yes=yes)
    hours = _ask_hours(yes=yes)
    chosen = _choose_sources(timezone, yes=yes)
    me = () if yes else _ask_addresses()
    text = build_user_config(
        timezone=timezone,
        working_hours=hours,
        calendars=_named(chosen, SourceKind.CALENDAR),
        todos=_named(chosen, SourceKind.TODO),
        me=me,
    )
    kept = write_user_config(file, text, replace=replace)
    click.echo(f"\nWrote {file}.")
    if kept is not None:
        click.echo(f"The old settings are {kept}.")
    return _first_plan(CliState(config_path=str(file), overrides=state.overrides))


def _ask_zone(*, yes: bool) -> str:
    from iris_harness.config.zone import system_zone

    here = _or_empty(system_zone)
    if yes:
        return "auto" if here else "UTC"
    while True:
        answer = click.prompt("Your time zone (Enter: follow this machine)", default=here or "UTC")
        try:
            return "auto" if answer == here else check_zone(answer)
        except UsageError as error:
            click.echo(f"  {error}")


def _or_empty(find: object) -> str:
    try:
        return str(find()) if callable(find) else ""
    except IrisError:
        return ""


def _ask_hours(*, yes: bool) -> Mapping[str, Sequence[str]] | None:
    from iris_harness.config.schema import parse_spans

    if yes:
        return None
    while True:
        answer = click.prompt("Working hours, Monday to Friday", default=_DEFAULT_HOURS)
        spans = [span.strip() for span in answer.split(",") if span.strip()]
        try:
            parse_spans(spans)
        except ValueError as error:
            click.echo(f"  {error}; write them as 09:00-12:30, 13:30-17:00")
            continue
        return None if answer == _DEFAULT_HOURS else dict.fromkeys(_WORKDAYS, spans)


def _choose_sources(timezone: str, *, yes: bool) -> tuple[_Chosen, ...]:
    from iris_harness.config.environment import home, variables
    from iris_harness.sources.discover import find_sources

    found = find_sources(home(), variables())
    for warning in found.warnings:
        click.echo(f"  {warning}")
    chosen: list[_Chosen] = []
    for source in found.sources:
        offered = _Chosen(kind=source.kind, name=source.name, path=source.path)
        click.echo(f"\n{source.program}: {source.kind.value} {source.name}, {source.path}")
        if _test(offered, timezone) and (yes or click.confirm("  Use it?", default=True)):
            chosen.append(offered)
    if not yes:
        chosen += _ask_paths(timezone, taken={(one.kind, one.name) for one in chosen})
    return tuple(chosen)


def _ask_paths(timezone: str, taken: set[tuple[SourceKind, str]]) -> list[_Chosen]:
    from iris_harness.config.schema import source_name

    added: list[_Chosen] = []
    for kind, what in (
        (SourceKind.CALENDAR, "calendar (.ics file or vdir folder)"),
        (SourceKind.TODO, "todo list (todo.txt, .ics file or vdir folder)"),
    ):
        while answer := click.prompt(f"\nPath of a further {what}", default="", show_default=False):
            path = Path(answer).expanduser().absolute()
            offered = _Chosen(kind=kind, name=_free_name(kind, source_name(path), taken), path=path)
            if _test(offered, timezone) or click.confirm("  Use it anyway?", default=False):
                taken.add((kind, offered.name))
                added.append(offered)
    return added


def _free_name(kind: SourceKind, name: str, taken: set[tuple[SourceKind, str]]) -> str:
    number, free = 1, name
    while (kind, free) in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _test(source: _Chosen, timezone: str) -> bool:
    """Read the source now and say what it holds; whether it could be read."""
    is_calendar = source.kind is SourceKind.CALENDAR
    paths = (
        AdhocPaths(calendars=(source.path,)) if is_calendar else AdhocPaths(todos=(source.path,))
    )
    zone = None if timezone == "auto" else timezone
    trial = try_source(adhoc_setting(paths, timezone=zone, clock=SystemClock()))
    click.echo(f"  {trial.words}")
    return trial.works


def _ask_addresses() -> tuple[str, ...]:
    answer = click.prompt(
        "\nYour own mail addresses, to know which invitations you declined (Enter: none)",
        default="",
        show_default=False,
    )
    return tuple(part.strip() for part in answer.replace(",", " ").split())


def _named(chosen: Sequence[_Chosen], kind: SourceKind) -> list[tuple[str, Path]]:
    return [(one.name, one.path) for one in chosen if one.kind is kind]


def _first_plan(state: CliState) -> int:
    from iris_harness.bootstrap.setting import configured_setting

    setting: DaySetting = configured_setting(state.config)
    click.echo("\nThis is your day:\n")
    planned = plan_days(setting, (setting.default_day(),))
    code = print_plans([day.plan for day in planned], OutputOptions(), locale=setting.locale)
    click.echo('\nNext: iris ask "what should I focus on", iris chat, iris plan --help')
    return code
