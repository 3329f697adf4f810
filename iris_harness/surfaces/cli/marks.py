"""`iris pin | unpin | skip | unskip`: your say in the plan of a day."""

from __future__ import annotations

from typing import Any

import click

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.surfaces.cli.acting import ActingOptions, act, acting_options
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.times import typed_clock, typed_day

_ITEM = click.argument("item", nargs=-1, required=True)
_DATE = click.option("--date", metavar="DAY", help="Of which day; else today's.")


@click.command()
@_ITEM
@click.option("--at", metavar="TIME", help="When, as 15:00; else where the plan has it.")
@_DATE
@acting_options
@click.pass_obj
def pin(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Keep a todo where the plan of the day has it, or at a time you say.

    `iris plan` then places everything else around it.
    """
    return _mark(state, ActionKind.PIN, item, options)


@click.command()
@_ITEM
@_DATE
@acting_options
@click.pass_obj
def unpin(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Let a pinned todo move again."""
    return _mark(state, ActionKind.UNPIN, item, options)


@click.command()
@_ITEM
@_DATE
@acting_options
@click.pass_obj
def skip(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Leave a todo out of the plan of the day; it stays open."""
    return _mark(state, ActionKind.SKIP, item, options)


@click.command()
@_ITEM
@_DATE
@acting_options
@click.pass_obj
def unskip(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Take a todo that was left out into the plan of the day again."""
    return _mark(state, ActionKind.UNSKIP, item, options)


def _mark(state: CliState, kind: ActionKind, item: tuple[str, ...], options: dict[str, Any]) -> int:
    acting = ActingOptions.take(options)
    setting = acting.setting(state)
    date, at = options["date"], options.get("at")
    day = setting.default_day() if date is None else typed_day(date, setting)
    arguments: dict[str, Json] = {"item": " ".join(item), "day": day.isoformat()}
    if at is not None:
        arguments["start"] = f"{typed_clock(at, setting):%H:%M}"
    return act(setting, acting, Action(kind=kind, arguments=arguments))
