"""`iris why`: why something is where it is in a plan, and what would make it fit."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from iris_harness.bootstrap.day import plan_days
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.day import DailyPlan, PlannedDay
from iris_harness.contracts.explain import DayItem, Explanation
from iris_harness.curator.strings import find_language
from iris_harness.errors import IrisError, UsageError
from iris_harness.surfaces.cli.inputs import parse_now
from iris_harness.surfaces.cli.memory import remembered_days
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.output import (
    EXIT_ERROR,
    OutputOptions,
    exit_code,
    output_options,
    print_json,
)
from iris_harness.surfaces.cli.state import CliState

_CLOCK = re.compile(r"\d{1,2}:\d\d")


@click.command()
@click.argument("item", nargs=-1, required=True)
@click.option("--date", metavar="DAY", help="YYYY-MM-DD, today, tomorrow, friday or +3.")
@setting_options
@output_options
@click.pass_context
def why(ctx: click.Context, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Say why ITEM is where it is in the plan, or why it is not in it.

    ITEM is a title or some words of one, of a todo, an event, a break or a way; or a time such as
    15:00, for what is there.
    """
    state: CliState = ctx.obj
    output = OutputOptions.take(options)
    setting = resolve_setting(state, SettingOptions(**options))
    days = (setting.default_day(),)
    (day,) = plan_days(setting, days, remembered_days(setting, days))
    found = _find(day, " ".join(item), setting)
    if len(found) > 1:
        return _ask_back(day, found, output, setting)
    from iris_harness.planner.explain import explain

    _print(explain(day, found[0]), output, setting)
    return exit_code([day.plan])


def _find(day: PlannedDay, name: str, setting: DaySetting) -> tuple[DayItem, ...]:
    """Return what is meant, at least one.

    Raises:
        UsageError: the name is empty.
        IrisError: there is nothing like it.
    """
    from iris_harness.planner.items import find_items

    if not name.strip():
        raise UsageError("the item has no name", hint="give some words of its title")
    found = find_items(day.plan, name)
    if not found and _CLOCK.fullmatch(name.strip()):
        found = _find_at(day.plan, name.strip(), setting)
    if not found:
        raise IrisError(
            f"nothing in the plan of {day.plan.date.isoformat()} is called {name!r}",
            hint="`iris plan --full` lists everything",
        )
    return found


def _find_at(plan: DailyPlan, clock: str, setting: DaySetting) -> tuple[DayItem, ...]:
    """Return what is there at a time of the day, at least one.

    Raises:
        UsageError: it is no time.
        IrisError: there is nothing at that time.
    """
    from iris_harness.planner.items import find_items

    moment = parse_now(clock, plan.date, setting.timezone)
    if found := find_items(plan, "", (moment, moment)):
        return found
    is_free = any(span.start <= moment < span.end for span in plan.free)
    raise IrisError(
        f"nothing is planned at {clock} on {plan.date.isoformat()}"
        + (": that is free time" if is_free else ""),
        hint="`iris plan` shows the day",
    )


def _ask_back(
    day: PlannedDay, found: tuple[DayItem, ...], output: OutputOptions, setting: DaySetting
) -> int:
    from iris_harness.curator.explanation import candidate_sections
    from iris_harness.curator.text import sections_text
    from iris_harness.planner.public_explanation import candidates_to_json

    language = find_language(setting.locale)
    if output.as_json:
        print_json(candidates_to_json(found))
    else:
        click.echo(sections_text(candidate_sections(found, day.plan, language), language))
    return EXIT_ERROR


def _print(told: Explanation, output: OutputOptions, setting: DaySetting) -> None:
    language = find_language(setting.locale)
    if output.as_json:
        from iris_harness.planner.public_explanation import explanation_to_json

        print_json(explanation_to_json(told))
        return
    from iris_harness.curator.explanation import (
        explanation_sections,
        explanation_speech,
        explanation_text,
    )

    if output.speech:
        click.echo(explanation_speech(told, language))
    elif output.rich:
        from iris_harness.config.environment import read_terminal
        from iris_harness.surfaces.terminal import print_sections

        color = read_terminal(sys.stdout).color
        print_sections(explanation_sections(told, language), color=color)
    else:
        click.echo(explanation_text(told, language))
