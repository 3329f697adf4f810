"""`iris plan`: plan a day and show it, or bring a kept plan back."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iris_harness.bootstrap.day import (
    get_stored_plan,
    keep_plans,
    plan_days,
    plan_record,
)
from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.contracts.day import DailyPlan, PlannedDay
from iris_harness.errors import ActionError, IrisError, StorageError, UsageError, WriteError
from iris_harness.surfaces.cli.inputs import days_between, parse_day, week_of
from iris_harness.surfaces.cli.memory import remembered_days
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.output import (
    EXIT_OK,
    OutputOptions,
    exit_code,
    output_options,
    print_plans,
    print_record,
)
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.views import ViewOption, show_view, view_options

if TYPE_CHECKING:
    from iris_harness.storage.records import StoredPlan


@click.command()
@click.option(
    "--date", "--from", "date", metavar="DAY", help="YYYY-MM-DD, today, tomorrow, friday or +3."
)
@click.option("--to", "last", metavar="DAY", help="Plan every day up to this one.")
@click.option("--week", is_flag=True, help="Plan the whole week, Monday to Sunday.")
@click.option("--full", is_flag=True, help="Every list in whole, on every day of a range.")
@setting_options
@output_options
@view_options
@click.option("--replay", metavar="ID", help="Print a kept plan again, byte for byte.")
@click.option("--recompute", metavar="ID", help="Rebuild a kept plan and show what differs.")
@click.option(
    "--verify",
    is_flag=False,
    flag_value="",
    metavar="[ID|FILE]",
    help="Prove the plan that is printed, a kept one, or a file of --json.",
)
@click.option(
    "--tell",
    is_flag=False,
    flag_value="",
    metavar="[MODEL]",
    help="Tell the day in the words of a language model, each of them checked.",
)
@click.option("--svg", metavar="FILE", help="Write the plan as a picture, too.")
@click.pass_context
def plan(ctx: click.Context, /, **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Plan a day from your calendars and lists.

    Without options it plans today from the configured sources. With paths (--calendar, --todo)
    it needs no configuration at all.
    """
    state: CliState = ctx.obj
    output = OutputOptions.take(options)
    view = ViewOption.take(options)
    replay, recompute = options.pop("replay"), options.pop("recompute")
    if options["verify"]:
        from iris_harness.surfaces.cli.verify import verify_named

        return verify_named(options["verify"], state.data_folders())
    if replay is not None:
        return _replay(_kept(state, replay), output, view, verify=options["verify"] is not None)
    if recompute is not None:
        return _recompute(_kept(state, recompute), output)
    return _plan(state, output, view, options)


def _plan(
    state: CliState, output: OutputOptions, view: ViewOption | None, options: dict[str, Any]
) -> int:
    last, week = options.pop("last"), options.pop("week")
    full, picture, verify = (options.pop(name) for name in ("full", "svg", "verify"))
    if last and week:
        raise UsageError("--week and --to both say where it ends", hint="leave one of them out")
    tell = options.pop("tell")
    if tell is not None and (week or last or view or output.as_json or output.speech):
        raise UsageError("--tell tells one day, in a form of its own")
    setting = resolve_setting(state, SettingOptions(**options))
    days = week_of(setting.default_day()) if week else _days(setting, last)
    planned = plan_days(setting, days, remembered_days(setting, days))
    records = [plan_record(day, setting) for day in planned]
    _keep(setting, records)
    plans = [day.plan for day in planned]
    if picture:
        _write_picture(plans, Path(picture))
    _say_what_is_odd(setting)
    ranged = len(days) > 1 or last is not None
    if tell is not None:
        code = _tell(state, setting, plans[0], tell)
    elif view is not None:
        show_view(plans, view, locale=setting.locale, full=full)
        code = exit_code(plans)
    elif not ranged and not full and print_record(records[0], output):
        code = exit_code(plans)
    else:
        code = print_plans(plans, output, locale=setting.locale, ranged=ranged, full=full)
    if view is None and tell is None and not (output.as_json or output.speech):
        _print_moves(planned, setting.locale)
    _write_blocks(setting, planned)
    if verify is None:
        return code
    from iris_harness.surfaces.cli.verify import verify_days

    return verify_days(planned, code)


def _tell(state: CliState, setting: DaySetting, plan: DailyPlan, name: str) -> int:
    from iris_harness.bootstrap.telling import tell_plan

    telling = tell_plan(state.settings, plan, setting.locale, name)
    click.echo(telling.text)
    if telling.reason:
        click.echo(f"iris: told in Iris' own words: {telling.reason}", err=True)
    return exit_code([plan])


def _print_moves(planned: Sequence[PlannedDay], locale: str) -> None:
    from iris_harness.planner.moves import block_moves

    moves = [move for day in planned for move in block_moves(day)]
    if not moves:
        return
    from iris_harness.curator.moves import move_lines
    from iris_harness.curator.strings import find_language

    click.echo("\n".join(["", *move_lines(moves, find_language(locale))]))


def _write_blocks(setting: DaySetting, planned: Sequence[PlannedDay]) -> None:
    """Write the blocks of today and later into the calendar that is theirs, if there is one."""
    if setting.origin is not Origin.CONFIGURED or not setting.writes_blocks:
        return
    from iris_harness.bootstrap.actions.runner import ActionRunner

    runner = ActionRunner(setting)
    for day in planned:
        if day.plan.date < setting.local_now().date():
            continue
        try:
            prepared = runner.prepare_blocks(day.plan, runner.now())
            if not prepared.is_empty:
                click.echo(f"iris: {runner.perform(prepared).text}", err=True)
        except (ActionError, WriteError, StorageError) as error:
            click.echo(f"iris: the blocks were not written: {error}", err=True)


def _say_what_is_odd(setting: DaySetting) -> None:
    # For a person at the terminal: a program that reads the output need not hear it.
    if setting.origin is not Origin.CONFIGURED or not sys.stderr.isatty():
        return
    from iris_harness.config.zone import other_machine_zone

    if not (setting.sources.calendars or setting.sources.todos):
        click.echo("iris: nothing is set up yet; `iris setup` finds your calendars", err=True)
    if other := other_machine_zone(setting.timezone):
        said = f"iris: planned in {setting.timezone}, though this machine is set to {other}"
        click.echo(said, err=True)


def _days(setting: DaySetting, last: str | None) -> tuple[dt.date, ...]:
    first = setting.default_day()
    return (first,) if last is None else days_between(first, parse_day(last, first))


def _keep(setting: DaySetting, records: Sequence[StoredPlan]) -> None:
    # A plan that cannot be kept is still a plan: say so beside it, and show it.
    try:
        keep_plans(setting, records)
    except StorageError as error:
        click.echo(f"iris: the plan was not kept: {error}", err=True)


def _kept(state: CliState, plan_id: str) -> StoredPlan:
    return get_stored_plan(state.data_folders(), plan_id)


def _replay(
    kept: StoredPlan, output: OutputOptions, view: ViewOption | None, *, verify: bool
) -> int:
    if view is not None:
        from iris_harness.planner.archive import load_planned_day

        show_view([load_planned_day(kept.payload).plan], view)
    else:
        # What was stored is what was shown: nothing is rendered again.
        print_record(kept, output._replace(plain=True, speech=False))
    if not verify:
        return EXIT_OK
    from iris_harness.surfaces.cli.verify import verify_kept

    return verify_kept(kept)


def _recompute(stored: StoredPlan, output: OutputOptions) -> int:
    from iris_harness.planner.archive import load_planned_day
    from iris_harness.planner.build import build_daily_plan
    from iris_harness.planner.diff import diff_plans

    kept = load_planned_day(stored.payload)
    rebuilt = build_daily_plan(kept.snapshot, kept.preferences)
    code = print_plans([rebuilt], output)
    changes = diff_plans(kept.plan, rebuilt)
    said = "\n".join(map(str, changes)) or "No difference: the same inputs gave the same plan."
    click.echo(said, err=output.as_json)
    return code


def _write_picture(plans: Sequence[DailyPlan], path: Path) -> None:
    from iris_harness.contracts.reply import DayBlock, Reply
    from iris_harness.surfaces.terminal import render_svg

    shown = Reply(text="", speech="", blocks=tuple(DayBlock(plan=plan) for plan in plans))
    try:
        path.write_text(render_svg(shown), encoding="utf-8")
    except OSError as error:
        raise IrisError(f"the picture was not written: {error.strerror}: {path}") from error
