"""`iris event`: events put into a calendar, moved and taken out."""

from __future__ import annotations

import datetime as dt
from typing import Any

import click

from iris_harness.bootstrap.setting import DaySetting
from iris_harness.bootstrap.when import read_scope
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.intended import event_span, new_start
from iris_harness.surfaces.cli.acting import ActingOptions, act, acting_options
from iris_harness.surfaces.cli.inputs import parse_minutes
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.times import typed_day


@click.group()
def event() -> None:
    """Put an event into your calendar, move or delete one.

    Every change is noted first, and `iris undo` takes it back. ITEM is a title, or the beginning
    or words of one; of a series one day is changed, which --on names.
    """


@event.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--at", "when", metavar="WHEN", required=True, help="tomorrow 15:00, friday 9-11, friday …"
)
@click.option("--for", "length", metavar="LENGTH", help="How long: 45m, 1h30; else an hour.")
@click.option("--calendar", metavar="NAME", help="Which calendar; else your first.")
@click.option("--location", metavar="PLACE", help="Where it is.")
@acting_options
@click.pass_obj
def add(state: CliState, /, words: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Add an event.

    As in: iris event add "Dentist" --at "tomorrow 15:00" --for 45m

    A day without a time is an event of the whole day.
    """
    acting = ActingOptions.take(options)
    setting = acting.setting(state)
    scope = read_scope(options["when"], setting)
    start, end = event_span(scope, _length(options["length"]))
    arguments: dict[str, Json] = {
        "summary": " ".join(words),
        "start": start.isoformat(),
        "end": end.isoformat(),
        "calendar": options["calendar"],
        "location": options["location"],
    }
    return act(setting, acting, Action(kind=ActionKind.EVENT_ADD, arguments=arguments))


def _length(text: str | None) -> dt.timedelta | None:
    return None if text is None else dt.timedelta(minutes=parse_minutes(text))


@event.command()
@click.argument("item", nargs=-1, required=True)
@click.option(
    "--to",
    "when",
    metavar="WHEN",
    required=True,
    help="friday 10:00; a day alone keeps its time, a time alone its day.",
)
@click.option("--on", metavar="DAY", help="The day it is on now; needed for a series.")
@acting_options
@click.pass_obj
def move(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Move an event; it keeps its length.

    As in: iris event move dentist --to "friday 10:00"
    """
    acting = ActingOptions.take(options)
    setting = acting.setting(state)
    scope = read_scope(options["when"], setting)
    arguments = {**_item(item, options["on"], setting), **new_start(scope)}
    return act(setting, acting, Action(kind=ActionKind.EVENT_MOVE, arguments=arguments))


@event.command()
@click.argument("item", nargs=-1, required=True)
@click.option("--on", metavar="DAY", help="The day it is on; needed for a series.")
@acting_options
@click.pass_obj
def delete(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Take an event out of its calendar; of a series one day."""
    acting = ActingOptions.take(options)
    setting = acting.setting(state)
    arguments = _item(item, options["on"], setting)
    return act(setting, acting, Action(kind=ActionKind.EVENT_DELETE, arguments=arguments))


def _item(item: tuple[str, ...], on: str | None, setting: DaySetting) -> dict[str, Json]:
    day = None if on is None else typed_day(on, setting).isoformat()
    return {"item": " ".join(item), "on": day}
