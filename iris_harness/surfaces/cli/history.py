"""`iris history`: what was changed, asked and planned."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from typing import NamedTuple

import click

from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.day import open_store
from iris_harness.bootstrap.setting import configured_setting
from iris_harness.contracts.canonical import Json
from iris_harness.curator.clean import clean
from iris_harness.errors import IrisError
from iris_harness.storage.records import EntryState, JournalEntry, PlanSummary, StoredTurn
from iris_harness.surfaces.cli.output import print_json
from iris_harness.surfaces.cli.state import CliState


class _Kept(NamedTuple):
    changes: tuple[JournalEntry, ...]
    turns: tuple[StoredTurn, ...]
    plans: tuple[PlanSummary, ...]


@click.command()
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 1_000_000), help="How many."
)
@click.option("--changes", "only", flag_value="changes", help="Only what was changed.")
@click.option("--questions", "only", flag_value="turns", help="Only what was asked.")
@click.option("--plans", "only", flag_value="plans", help="Only what was planned.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def history(state: CliState, /, limit: int, only: str | None, as_json: bool) -> None:  # noqa: FBT001 - click's keywords
    """List what was changed, asked and planned, newest first.

    A change has a number, which `iris undo NUMBER` takes.
    """
    with open_store(state.data_folder()) as store:
        if store.journal.list_intended():
            _settle(state)
        kept = _Kept(
            changes=store.journal.list(limit=limit) if only in {None, "changes"} else (),
            turns=store.list_turns(limit=limit) if only in {None, "turns"} else (),
            plans=store.list_plans(limit=limit) if only in {None, "plans"} else (),
        )
    if as_json:
        print_json(_json(kept))
        return
    zone = zoneinfo.ZoneInfo(state.timezone())
    lines = sorted(_lines(kept, zone), key=lambda line: line[0], reverse=True)
    for _, text in lines[:limit]:
        click.echo(text)
    if not lines:
        click.echo("Nothing is kept yet.")


def _settle(state: CliState) -> None:
    try:
        for note in ActionRunner(configured_setting(state.settings)).settle():
            click.echo(f"iris: {note}", err=True)
    except IrisError as error:  # history is shown all the same
        click.echo(f"iris: {error}", err=True)


def _lines(kept: _Kept, zone: dt.tzinfo) -> Iterator[tuple[dt.datetime, str]]:
    for entry in kept.changes:
        text = _change_text(entry)
        yield entry.begun_at, f"{_moment(entry.begun_at, zone)}  change {entry.entry_id}  {text}"
    for turn in kept.turns:
        said = clean(turn.utterance)
        yield turn.asked_at, f"{_moment(turn.asked_at, zone)}  asked  {said}"
    for plan in kept.plans:
        text = f"plan of {plan.date} ({plan.origin.value}) {plan.plan_id[:12]}"
        yield plan.made_at, f"{_moment(plan.made_at, zone)}  {text}"


def _change_text(entry: JournalEntry) -> str:
    match entry.state:
        case EntryState.DONE:
            return clean(entry.outcome)
        case EntryState.UNDONE:
            return f"{clean(entry.outcome)} (undone)"
        case EntryState.FAILED:
            return f"{clean(entry.preview)} (not done: {clean(entry.detail)})"
        case EntryState.INTENDED:
            return f"{clean(entry.preview)} (being done)"


def _moment(instant: dt.datetime, zone: dt.tzinfo) -> str:
    return instant.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def _json(kept: _Kept) -> Json:
    return {
        "changes": [
            {
                "id": entry.entry_id,
                "at": entry.begun_at.isoformat(),
                "kind": entry.kind,
                "said": entry.outcome if entry.state is not EntryState.FAILED else entry.preview,
                "target": entry.target,
                "state": entry.state.value,
                "detail": entry.detail,
                "undoable": entry.undoable,
                "undoes": entry.undoes,
            }
            for entry in kept.changes
        ],
        "turns": [
            {
                "trace_id": t.trace_id,
                "session": t.session,
                "asked_at": t.asked_at.isoformat(),
                "said": t.utterance,
            }
            for t in kept.turns
        ],
        "plans": [
            {
                "plan_id": p.plan_id,
                "date": p.date.isoformat(),
                "made_at": p.made_at.isoformat(),
                "origin": p.origin.value,
            }
            for p in kept.plans
        ],
    }
