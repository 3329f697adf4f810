"""`iris reminders`: what is set, looked at and changed."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import click

from iris_harness.bootstrap.reminders import StoredReminders
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.reminders import PendingReminder, ReminderKind
from iris_harness.contracts.repeats import Repeat, parse_repeat, repeat_words
from iris_harness.curator.clean import clean
from iris_harness.curator.strings import find_language
from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.acting import ActingOptions, act, acting_options, time_options
from iris_harness.surfaces.cli.inputs import parse_minutes
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting
from iris_harness.surfaces.cli.output import EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.times import typed_moment


@click.group(invoke_without_command=True)
@click.pass_context
def reminders(ctx: click.Context, /) -> int:
    """List your reminders and timers; set one, cancel one.

    Without a command it lists them. They are said by `iris serve` or `iris briefing watch`, by the
    channels of `reminders.channels`. Every change is noted first, and `iris undo` takes it back.
    """
    return EXIT_OK if ctx.invoked_subcommand else ctx.invoke(list_)


@reminders.command()
@click.argument("words", nargs=-1)
@click.option("--at", "when", metavar="WHEN", help="17:00, tomorrow 9:00, friday …")
@click.option("--in", "length", metavar="LENGTH", help="From now: 20m, 1h30, 2h.")
@click.option("--every", metavar="HOW OFTEN", help="day, friday, '2 weeks', 31st …")
@click.option("--timer", is_flag=True, help="A timer; needs --in.")
@acting_options
@click.pass_obj
def add(state: CliState, /, words: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Set a reminder.

    As in: iris reminders add call Ada --at 17:00
    """
    acting = ActingOptions.take(options)
    setting = acting.setting(state)
    arguments: dict[str, Json] = {"summary": " ".join(words) or None, **_when(options, setting)}
    return act(setting, acting, Action(kind=ActionKind.REMINDER_ADD, arguments=arguments))


def _when(options: dict[str, Any], setting: DaySetting) -> dict[str, Json]:
    when, length, every = options["when"], options["length"], options["every"]
    if options["timer"] or length is not None:
        if length is None or when is not None or every is not None:
            raise UsageError("a timer has a length, and nothing else", hint="as in --in 10m")
        minutes = parse_minutes(length)
        if options["timer"]:
            return {"timer_seconds": minutes * 60}
        return {"at": _later(setting, minutes)}
    moment: dict[str, Json] = {}
    if when is not None:
        moment.update(typed_moment(when, setting))
    if every is None:
        return moment
    repeat = _how_often(every)
    if repeat.time is not None:
        moment.setdefault("time", f"{repeat.time:%H:%M}")
    return {**moment, "rule": repeat.rule}


def _how_often(text: str) -> Repeat:
    """Read "daily" and "on mondays", and without its "every" what has one: "2 weeks", "31st"."""
    try:
        return parse_repeat(f"every {text}")
    except UsageError:
        return parse_repeat(text)


def _later(setting: DaySetting, minutes: int) -> str:
    return (setting.clock.now() + dt.timedelta(minutes=minutes)).isoformat()


@reminders.command()
@click.argument("item", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All of them.")
@acting_options
@click.pass_obj
def cancel(state: CliState, /, item: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Cancel a reminder or timer.

    ITEM is words of it, or its number in `iris reminders`.
    """
    acting = ActingOptions.take(options)
    arguments: dict[str, Json] = {"item": " ".join(item), "all": options["everything"]}
    action = Action(kind=ActionKind.REMINDER_CANCEL, arguments=arguments)
    return act(acting.setting(state), acting, action)


@reminders.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@time_options
@click.pass_obj
def list_(state: CliState, /, **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """List what is set, by when it comes, with the numbers that `cancel` accepts."""
    setting = resolve_setting(
        state, SettingOptions(timezone=options["timezone"], now=options["now"])
    )
    stored = StoredReminders(setting.data_folder)
    pending = stored.pending()
    if options["as_json"]:
        print_json([_json(number, one) for number, one in enumerate(pending, 1)])
        return EXIT_OK
    for number, one in enumerate(pending, 1):
        click.echo(f"{number:>{len(str(len(pending)))}}  {_line(one, setting)}")
    if not pending:
        click.echo("No reminder is set.")
    elif not stored.is_anybody_there():
        click.echo(find_language(setting.locale).say("ring.nobody"), err=True)
    return EXIT_OK


def _line(one: PendingReminder, setting: DaySetting) -> str:
    language, reminder = find_language(setting.locale), one.reminder
    at = one.next_at.astimezone(ZoneInfo(setting.timezone))
    when = language.day_and_time(at, setting.local_now().date())
    again = f", {repeat_words(reminder.rule)}" if reminder.rule else ""
    kind = "timer of " if reminder.kind is ReminderKind.TIMER else ""
    title = clean(reminder.title) or language.say("untitled")
    return f"{when}{again}: {kind}{title}"


def _json(number: int, one: PendingReminder) -> Json:
    return {"number": number, **one.reminder.to_json(), "next_at": one.next_at.isoformat()}
