"""`iris sources`: what is read, how it went, and what else could be."""

from __future__ import annotations

from typing import Any

import click

from iris_harness.contracts.day import DaySnapshot
from iris_harness.contracts.sources import SourceKind, SourceState, SourceStatus
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.output import EXIT_DEGRADED, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState


@click.group(invoke_without_command=True)
@click.pass_context
def sources(ctx: click.Context, /) -> int:
    """Check your calendars and lists; find new ones."""
    return EXIT_OK if ctx.invoked_subcommand else ctx.invoke(check)


@sources.command()
@setting_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def check(state: CliState, /, as_json: bool, **options: Any) -> int:  # noqa: ANN401, FBT001 - click's keywords
    """Read every source now and say how it went."""
    from iris_harness.bootstrap.day import read_days

    setting = resolve_setting(state, SettingOptions(**options), always_ask=True)
    (snapshot,) = read_days(setting, (setting.default_day(),))
    if as_json:
        print_json([_status_json(status) for status in snapshot.sources])
    elif not snapshot.sources:
        click.echo("No sources yet. `iris setup` finds them, `iris plan --demo` shows an example.")
    else:
        for status in snapshot.sources:
            click.echo(_status_line(status, snapshot))
        for warning in snapshot.warnings:
            click.echo(f"  {warning}")
    failed = any(status.state is SourceState.FAILED for status in snapshot.sources)
    return EXIT_DEGRADED if failed else EXIT_OK


@sources.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def discover(as_json: bool) -> None:  # noqa: FBT001 - click's keywords
    """Find calendars, lists and address books that other programs use. Nothing is changed."""
    from iris_harness.config.environment import home, variables
    from iris_harness.sources.discover import find_sources

    found = find_sources(home(), variables())
    if as_json:
        print_json(
            [
                {
                    "kind": source.kind.value,
                    "name": source.name,
                    "path": str(source.path),
                    "program": source.program,
                    "found_in": source.found_in,
                    "exists": source.exists,
                }
                for source in found.sources
            ]
        )
        return
    for source in found.sources:
        missing = "" if source.exists else ", which does not exist"
        click.echo(f"{source.kind.value:<9} {source.name:<16} {source.path}{missing}")
        click.echo(f"{'':<26} {source.program}, {source.found_in}")
    for warning in found.warnings:
        click.echo(f"iris: {warning}", err=True)
    if not found.sources:
        click.echo(
            "Found none of khal, khard, vdirsyncer, todoman, todo.txt, Evolution, ~/.calendars"
            " or ~/.contacts."
        )


@sources.command()
@click.argument("name")
@click.argument("place", metavar="ADDRESS_OR_PATH")
@click.option("--todo", is_flag=True, help="It is a todo list, not a calendar.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["ics", "caldav"]),
    help="What is at the address, where it does not tell by itself.",
)
@click.option("--username", metavar="NAME", help="The name to log in with.")
@click.option(
    "--password-command",
    metavar="COMMAND",
    help="A command that prints the password, as in 'pass show cloud'.",
)
@click.option(
    "--collection",
    "collections",
    metavar="NAME",
    multiple=True,
    help="Read only this calendar or list of the server.",
)
@click.option(
    "--allow-private-addresses",
    "private",
    is_flag=True,
    help="The server is on a private network, or on this machine.",
)
@click.pass_obj
def add(state: CliState, /, **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Try a calendar or todo list, then add it to the settings as NAME.

    ADDRESS_OR_PATH is an address (https://…/basic.ics, webcal://…, a CalDAV server) or a file or
    folder. The password itself is never written down: name a command that prints it.
    """
    from iris_harness.surfaces.cli.add_source import NewSource, add_source

    return add_source(state, NewSource(**options))


def _status_json(status: SourceStatus) -> dict[str, Any]:
    return {
        "name": status.name,
        "kind": status.kind.value,
        "state": status.state.value,
        "age_seconds": status.age_seconds,
        "detail": status.detail,
    }


def _status_line(status: SourceStatus, snapshot: DaySnapshot) -> str:
    said = status.detail or (_holds(status, snapshot) if status.was_read else "")
    return f"{status.kind.value:<9} {status.name:<20} {status.state.value:<7} {said}".rstrip()


def _holds(status: SourceStatus, snapshot: DaySnapshot) -> str:
    if status.kind is SourceKind.CALENDAR:
        count = sum(event.calendar == status.name for event in snapshot.events)
        return f"{count} event{'' if count == 1 else 's'} today"
    if status.kind is SourceKind.TODO:
        count = sum(todo.list_name == status.name for todo in snapshot.todos)
        return f"{count} open todo{'' if count == 1 else 's'}"
    return ""
