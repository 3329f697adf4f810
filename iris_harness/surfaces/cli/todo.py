"""`iris todo`: the todo lists, looked at and changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import click

from iris_harness.bootstrap.actions.listing import TodoListing, TodoRow
from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.curator.clean import clean
from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.acting import ActingOptions, act, acting_options, time_options
from iris_harness.surfaces.cli.inputs import parse_minutes, parse_priority
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting
from iris_harness.surfaces.cli.output import EXIT_DEGRADED, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.times import typed_due
from iris_harness.surfaces.listing import listing_json, nothing_listed

_NEVER = "none"


@click.group(invoke_without_command=True)
@click.pass_context
def todo(ctx: click.Context, /) -> int:
    """List your todos; add one, tick one off, move or delete it.

    Without a command it lists them. Every change is noted first, and `iris undo` takes it back.
    ITEM is a title, the beginning or words of one, or its number in `iris todo list`.
    """
    return EXIT_OK if ctx.invoked_subcommand else ctx.invoke(list_)


@todo.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--due", metavar="WHEN", help="tomorrow, friday, 2026-03-04, friday 17:00 …")
@click.option("--priority", metavar="1-9", help="1 is the highest; or A to I, high, medium, low.")
@click.option("--estimate", metavar="LENGTH", help="How long it takes: 45m, 1h30, 2h.")
@click.option("--list", "list_name", metavar="NAME", help="Which list; else your first.")
@acting_options
@click.pass_obj
def add(state: CliState, /, words: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Add a todo.

    As in: iris todo add "prepare slides" --due tomorrow --estimate 45m
    """
    acting = ActingOptions.take(options)
    setting = acting.setting(state)
    arguments: dict[str, Json] = {"summary": " ".join(words), "list": options["list_name"]}
    if options["due"] is not None:
        arguments["due"] = typed_due(options["due"], setting).isoformat()
    if options["priority"] is not None:
        arguments["priority"] = parse_priority(options["priority"])
    if options["estimate"] is not None:
        arguments["estimate_minutes"] = parse_minutes(options["estimate"])
    return act(setting, acting, Action(kind=ActionKind.TODO_ADD, arguments=arguments))


@todo.command()
@click.argument("item", nargs=-1, required=True)
@click.option("--list", "list_name", metavar="NAME", help="Look on this list only.")
@acting_options
@click.pass_obj
def done(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Tick a todo off.

    One that comes again gets its next date.
    """
    return _on_item(state, ActionKind.TODO_DONE, item, options)


@todo.command()
@click.argument("item", nargs=-1, required=True)
@click.option("--list", "list_name", metavar="NAME", help="Look on this list only.")
@acting_options
@click.pass_obj
def delete(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Take a todo off its list without doing it."""
    return _on_item(state, ActionKind.TODO_DELETE, item, options)


def _on_item(
    state: CliState,
    kind: ActionKind,
    item: tuple[str, ...],
    options: dict[str, Any],
    **more: Json,
) -> int:
    acting = ActingOptions.take(options)
    arguments: dict[str, Json] = {"item": " ".join(item), "list": options["list_name"], **more}
    return act(acting.setting(state), acting, Action(kind=kind, arguments=arguments))


@todo.command()
@click.argument("item", nargs=-1, required=True)
@click.option("--due", metavar="WHEN", help="When it is due now; `none` takes the date off.")
@click.option("--list", "to_list", metavar="NAME", help="The list it goes to.")
@acting_options
@click.pass_obj
def move(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Give a todo another date or list.

    To another list go its title, dates, priority and length.
    """
    acting = ActingOptions.take(options)
    setting = acting.setting(state)
    due, to_list = options["due"], options["to_list"]
    if due is None and to_list is None:
        raise UsageError("say where to move it", hint="--due WHEN, --list NAME, or both")
    arguments: dict[str, Json] = {"item": " ".join(item), "to_list": to_list}
    if due is not None:
        is_never = due.strip().lower() == _NEVER
        arguments["due"] = None if is_never else typed_due(due, setting).isoformat()
    return act(setting, acting, Action(kind=ActionKind.TODO_MOVE, arguments=arguments))


@todo.command()
@click.argument("item", nargs=-1, required=True)
@click.option("--to", "title", metavar="TITLE", required=True, help="What it is called then.")
@click.option("--list", "list_name", metavar="NAME", help="Look on this list only.")
@acting_options
@click.pass_obj
def rename(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Give a todo another title."""
    return _on_item(state, ActionKind.TODO_RENAME, item, options, title=options["title"])


@todo.command(name="set")
@click.argument("item", nargs=-1, required=True)
@click.option("--priority", metavar="1-9", help="1 is the highest; `none` takes it off.")
@click.option("--estimate", metavar="LENGTH", help="How long it takes: 45m, 1h30; or `none`.")
@click.option("--list", "list_name", metavar="NAME", help="Look on this list only.")
@acting_options
@click.pass_obj
def set_(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Give a todo another priority or length."""
    given: dict[str, Json] = {}
    if options["priority"] is not None:
        given["priority"] = _maybe(options["priority"], parse_priority)
    if options["estimate"] is not None:
        given["estimate_minutes"] = _maybe(options["estimate"], parse_minutes)
    if not given:
        raise UsageError("say what to set", hint="--priority 1, --estimate 45m, or both")
    return _on_item(state, ActionKind.TODO_SET, item, options, **given)


def _maybe(text: str, read: Callable[[str], int]) -> int | None:
    """Return what a text says; None for the word that takes a field off."""
    return None if text.strip().lower() == _NEVER else read(text)


@todo.command(name="list")
@click.option("--all", "everything", is_flag=True, help="Those too that may not start yet.")
@click.option("--due", metavar="WHEN", help="Only what is due by then: today, friday …")
@click.option("--list", "list_name", metavar="NAME", help="Only this list.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@time_options
@click.pass_obj
def list_(state: CliState, /, **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """List your open todos.

    They come by rank, with the numbers that the other commands accept.
    """
    setting = resolve_setting(
        state, SettingOptions(timezone=options["timezone"], now=options["now"])
    )
    runner = ActionRunner(setting)
    listing = runner.list_todos(runner.now())
    until = typed_due(options["due"], setting) if options["due"] is not None else None
    rows = [
        row
        for row in listing.rows
        if _is_shown(row, options["everything"] or until is not None, options["list_name"])
        and (until is None or _is_due_by(row, until, setting))
    ]
    if options["as_json"]:
        print_json(listing_json(rows, listing))
    else:
        _print_rows(rows, listing)
    failed = any(not status.was_read for status in listing.sources)
    return EXIT_DEGRADED if failed else EXIT_OK


def _is_shown(row: TodoRow, waiting: bool, list_name: str | None) -> bool:  # noqa: FBT001 - a filter of two parts
    if list_name is not None and row.todo.source.source.casefold() != list_name.casefold():
        return False
    return waiting or not row.is_waiting


def _is_due_by(row: TodoRow, until: dt.date | dt.datetime, setting: DaySetting) -> bool:
    due = row.todo.due
    if due is None:
        return False
    if isinstance(due, dt.datetime) and isinstance(until, dt.datetime):
        return due <= until
    return _day(due, setting) <= _day(until, setting)


def _day(moment: dt.date | dt.datetime, setting: DaySetting) -> dt.date:
    if isinstance(moment, dt.datetime):
        return moment.astimezone(setting.local_now().tzinfo).date()
    return moment


def _print_rows(rows: list[TodoRow], listing: TodoListing) -> None:
    width = max((len(str(row.number)) for row in rows), default=1)
    several = len(listing.sources) > 1
    for row in rows:
        place = f" [{clean(row.todo.source.source)}]" if several else ""
        click.echo(f"{row.number:>{width}}  {clean(row.todo.summary)}: {row.reason}{place}")
    if not rows:
        click.echo(nothing_listed(listing))
    hidden = sum(row.is_waiting for row in listing.rows)
    if hidden and not any(row.is_waiting for row in rows):
        verb = "todo may" if hidden == 1 else "todos may"
        click.echo(f"{hidden} more {verb} not start yet; --all shows them.")
    for status in listing.sources:
        if not status.was_read:
            click.echo(f"iris: {status.name} was not read: {status.detail}", err=True)
    for warning in listing.warnings:
        click.echo(f"iris: {clean(warning)}", err=True)
