"""`iris setup`: find the user's calendars and lists, ask what is needed, show a first plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iris_harness.bootstrap.day import plan_days
from iris_harness.bootstrap.setting import (
    AdhocPaths,
    DaySetting,
    adhoc_setting,
    check_zone,
    machine_zone,
)
from iris_harness.clock import SystemClock
from iris_harness.contracts.sources import SourceKind
from iris_harness.contracts.unicode import well_formed
from iris_harness.errors import ConfigError, IrisError, UsageError
from iris_harness.files import user_path
from iris_harness.surfaces.cli.output import OutputOptions, print_plans
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.try_source import try_source

if TYPE_CHECKING:
    from iris_harness.config.document import Value
    from iris_harness.config.schema import Config, SourceSettings

_BARE_HOUR = re.compile(r"(?<![\d:])(\d{1,2})(?![\d:])")
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

    Nothing is written before the end. Settings that are there already stay, as the answers that
    are offered, and a copy of the file is kept.
    """
    from iris_harness.config.write import build_user_config, read_user_tree, write_user_config

    file = state.config_file()
    known = _known(state) if file.exists() else None
    if file.exists() and not yes:
        click.confirm(f"{file} exists. Go through it again (a copy is kept)?", abort=True)
    timezone = _ask_zone(known, yes=yes)
    hours = _ask_hours(known, yes=yes)
    chosen = _choose_sources(timezone, known, yes=yes)
    text = build_user_config(
        timezone=timezone,
        working_hours=hours,
        sources={
            "calendars": _named(chosen, SourceKind.CALENDAR),
            "todos": _named(chosen, SourceKind.TODO),
            "contacts": _named(chosen, SourceKind.CONTACTS),
        },
        me=_ask_addresses(known, yes=yes),
        base=_kept_settings(read_user_tree(file), known),
    )
    kept = write_user_config(file, text, replace=file.exists())
    click.echo(f"\nWrote {file}.")
    if kept is not None:
        click.echo(f"The old settings are {kept}.")
    return _first_plan(CliState(config_path=str(file), overrides=state.overrides))


def _kept_settings(tree: dict[str, Value], known: Config | None) -> dict[str, Value]:
    """Leave out sources that cannot be used, or the new settings could not be used either."""
    kinds = () if known else ("calendars", "todos", "contacts")
    return {key: value for key, value in tree.items() if key not in kinds}


def _known(state: CliState) -> Config | None:
    """Return the settings there are; None, said aloud, when they cannot be used."""
    try:
        return state.config
    except ConfigError as error:
        click.echo(f"The settings there are cannot be used: {error}")
        return None


def _ask_zone(known: Config | None, *, yes: bool) -> str:
    offered = known.timezone if known else ("auto" if _machine_zone() else "UTC")
    if yes:
        return offered
    here = _machine_zone() or "unknown"
    while True:
        answer = click.prompt(f"Your time zone (auto: this machine's, {here})", default=offered)
        try:
            return "auto" if answer == "auto" else check_zone(answer)
        except UsageError as error:
            click.echo(f"  {error}")


def _machine_zone() -> str:
    try:
        return machine_zone()
    except IrisError:
        return ""


def _ask_hours(known: Config | None, *, yes: bool) -> Mapping[str, Sequence[str]] | None:
    """Return new hours for Monday to Friday; None leaves the ones there are."""
    from iris_harness.config.spans import parse_spans, span_text

    offered = _DEFAULT_HOURS
    if known is not None:
        offered = ", ".join(map(span_text, known.working_hours.week()[0])) or "none"
    if yes:
        return None
    while True:
        answer = click.prompt("Working hours, Monday to Friday", default=offered)
        if answer == offered:
            return None
        spans = [_full_hours(span) for span in answer.split(",") if span.strip()]
        try:
            parse_spans(spans)
        except ValueError as error:
            click.echo(f"  {error}; write them as 09:00-12:30, 13:30-17:00")
            continue
        return dict.fromkeys(_WORKDAYS, spans)


def _full_hours(span: str) -> str:
    """Return ``9-17`` as ``9:00-17:00``."""
    return _BARE_HOUR.sub(r"\1:00", span.strip())


def _choose_sources(timezone: str, known: Config | None, *, yes: bool) -> tuple[_Chosen, ...]:
    from iris_harness.config.environment import home, variables
    from iris_harness.sources.discover import find_sources

    found = find_sources(home(), variables())
    for warning in found.warnings:
        click.echo(f"  {warning}")
    chosen = _configured(known)
    for one in chosen:
        click.echo(f"\nin your settings: {one.kind.value} {one.name}, {one.path}")
        _test(one, timezone)
    remote = _remote_names(known)
    for source in found.sources:
        if _overlaps(source.kind, source.path, chosen):
            continue
        taken = remote | {(one.kind, one.name) for one in chosen}
        name = _free_name(source.kind, source.name, taken)
        offered = _Chosen(kind=source.kind, name=name, path=source.path)
        click.echo(f"\n{source.program}: {source.kind.value} {name}, {source.path}")
        if _test(offered, timezone) and (yes or click.confirm("  Use it?", default=True)):
            chosen.append(offered)
    if not yes:
        chosen += _ask_paths(timezone, taken=remote | {(one.kind, one.name) for one in chosen})
    return tuple(chosen)


def _configured(known: Config | None) -> list[_Chosen]:
    return [
        _Chosen(kind=kind, name=source.name, path=source.path)
        for kind, source in _known_sources(known)
        if source.path is not None
    ]


def _remote_names(known: Config | None) -> set[tuple[SourceKind, str]]:
    """Return the sources on other machines: they stay as they are, and are not asked here."""
    return {(kind, source.name) for kind, source in _known_sources(known) if source.path is None}


def _known_sources(known: Config | None) -> Iterator[tuple[SourceKind, SourceSettings]]:
    if known is not None:
        yield from ((SourceKind.CALENDAR, source) for source in known.calendars)
        yield from ((SourceKind.TODO, source) for source in known.todos)
        yield from ((SourceKind.CONTACTS, source) for source in known.contacts)


def _overlaps(kind: SourceKind, path: Path, chosen: Sequence[_Chosen]) -> bool:
    """Return whether a chosen source of this kind is `path`, or lies above or below it."""
    others = [one.path.resolve() for one in chosen if one.kind is kind]
    here = path.resolve()
    return any(here.is_relative_to(other) or other.is_relative_to(here) for other in others)


def _ask_paths(timezone: str, taken: set[tuple[SourceKind, str]]) -> list[_Chosen]:
    from iris_harness.config.schema import source_name

    added: list[_Chosen] = []
    for kind, what in (
        (SourceKind.CALENDAR, "calendar (.ics file or vdir folder)"),
        (SourceKind.TODO, "todo list (todo.txt, .ics file or vdir folder)"),
        (SourceKind.CONTACTS, "address book (.vcf file or vdir folder)"),
    ):
        while answer := click.prompt(f"\nPath of a further {what}", default="", show_default=False):
            path = user_path(answer).absolute()
            offered = _Chosen(kind=kind, name=_free_name(kind, source_name(path), taken), path=path)
            if _test(offered, timezone) or _insists(path):
                taken.add((kind, offered.name))
                added.append(offered)
    return added


def _insists(path: Path) -> bool:
    writable = str(path) == well_formed(str(path))
    return writable and click.confirm("  It cannot be read now. Use it anyway?", default=False)


def _free_name(kind: SourceKind, name: str, taken: set[tuple[SourceKind, str]]) -> str:
    number, free = 1, name
    while (kind, free) in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _test(source: _Chosen, timezone: str) -> bool:
    """Read the source now and say what it holds; whether it could be read."""
    if str(source.path) != well_formed(str(source.path)):
        click.echo("  its name is no valid text, so settings cannot name it: rename it")
        return False
    zone = None if timezone == "auto" else timezone
    trial = try_source(adhoc_setting(_alone(source), timezone=zone, clock=SystemClock()))
    click.echo(f"  {trial.words}")
    return trial.works


def _alone(source: _Chosen) -> AdhocPaths:
    match source.kind:
        case SourceKind.CALENDAR:
            return AdhocPaths(calendars=(source.path,))
        case SourceKind.CONTACTS:
            return AdhocPaths(contacts=(source.path,))
        case _:
            return AdhocPaths(todos=(source.path,))


def _ask_addresses(known: Config | None, *, yes: bool) -> tuple[str, ...]:
    offered = known.me if known else ()
    if yes:
        return offered
    answer = click.prompt(
        "\nYour own mail addresses, to know which invitations you declined",
        default=" ".join(offered),
        show_default=bool(offered),
    )
    return tuple(part.strip() for part in answer.replace(",", " ").split())


def _named(chosen: Sequence[_Chosen], kind: SourceKind) -> list[tuple[str, Path]]:
    return [(one.name, one.path) for one in chosen if one.kind is kind]


def _first_plan(state: CliState) -> int:
    from iris_harness.bootstrap.setting import configured_setting

    setting: DaySetting = configured_setting(state.settings)
    click.echo("\nThis is your day:\n")
    planned = plan_days(setting, (setting.default_day(),))
    code = print_plans([day.plan for day in planned], OutputOptions(), locale=setting.locale)
    click.echo('\nNext: iris ask "what should I focus on", iris chat, iris plan --help')
    return code
