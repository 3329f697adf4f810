"""What the commands that change something have in common: options, the question, the answer."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click

from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.refusals import refused
from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.actions import Action
from iris_harness.contracts.reports import ActionReport
from iris_harness.errors import ActionError, IrisError, StorageError, UnconfirmedError, WriteError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting
from iris_harness.surfaces.cli.output import EXIT_ERROR, EXIT_OK, print_json, report_to_json
from iris_harness.surfaces.cli.state import CliState

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class ActingOptions(NamedTuple):
    """How an action is done, as typed."""

    dry_run: bool = False
    yes: bool = False
    as_json: bool = False
    timezone: str | None = None
    now: str | None = None

    @classmethod
    def take(cls, options: dict[str, Any]) -> ActingOptions:
        """Take these options out of a command's keywords."""
        return cls(**{name: options.pop(name) for name in cls._fields})

    def setting(self, state: CliState) -> DaySetting:
        """Return the configured setting at the time given.

        Raises:
            UsageError: a zone or a time that means nothing.
            ConfigError: the configuration cannot be used.
        """
        return resolve_setting(state, SettingOptions(timezone=self.timezone, now=self.now))


def acting_options(command: CommandT) -> CommandT:
    """Add the options of `ActingOptions` to a command; it receives them as keywords."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def time_options(command: CommandT) -> CommandT:
    """Add the options that say when it is; a command receives them as keywords."""
    for option in reversed(_TIME):
        command = option(command)
    return command


_TIME = (
    click.option("--timezone", metavar="ZONE", help="Your zone, such as Europe/Berlin."),
    click.option(
        "--now", metavar="TIME", help="Use this moment instead of the clock: ISO or HH:MM."
    ),
)
_OPTIONS = (
    click.option("--dry-run", is_flag=True, help="Only say what would be done."),
    click.option("--yes", is_flag=True, help="Do not ask."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON (schema: docs/schema)."),
    *_TIME,
)


def act(setting: DaySetting, options: ActingOptions, action: Action) -> int:
    """Make an action ready, ask where that is needed, do it, and print what became of it."""
    runner = ActionRunner(setting)
    return _told(runner, options, action.kind, lambda now: runner.prepare(action, now))


def _told(
    runner: ActionRunner,
    options: ActingOptions,
    kind: str,
    prepare: Callable[[dt.datetime], Prepared],
) -> int:
    try:
        report = _done(runner, options, prepare(runner.now()))
    except (ActionError, WriteError, StorageError) as error:
        return _refuse(kind, error, options)
    print_report(report, runner.hint(report, aloud=False), as_json=options.as_json)
    return EXIT_OK


def _refuse(kind: str, error: IrisError, options: ActingOptions) -> int:
    report = refused(kind, error)
    if options.as_json:
        print_json(report_to_json(report))
    else:
        click.echo(f"iris: {report.text}", err=True)
    return EXIT_ERROR


def _done(runner: ActionRunner, options: ActingOptions, prepared: Prepared) -> ActionReport:
    if options.dry_run:
        return runner.preview(prepared)
    if prepared.needs_yes(1.0) and not options.yes:
        confirm(runner, prepared)
    return runner.perform(prepared)


def confirm(runner: ActionRunner, prepared: Prepared) -> None:
    """Ask the user whether it should be done.

    Raises:
        UnconfirmedError: nobody is there to be asked.
        click.Abort: the answer is no.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UnconfirmedError(
            f"this needs your yes: {prepared.wording.preview}", hint="add --yes to say it"
        )
    click.confirm(runner.question(prepared), abort=True, err=True, prompt_suffix=" ")


def print_report(report: ActionReport, hint: str, *, as_json: bool) -> None:
    """Print what became of an action; what else is to be said goes to the error stream."""
    for note in report.notes:
        click.echo(f"iris: {note}", err=True)
    if as_json:
        print_json(report_to_json(report))
    else:
        click.echo(f"{report.text} {hint}".rstrip())
