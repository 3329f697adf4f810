"""`iris ask`: one question."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from iris_harness.errors import UnconfirmedError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.output import (
    EXIT_DEGRADED,
    EXIT_ERROR,
    EXIT_OK,
    OutputOptions,
    output_options,
    print_json,
    print_reply,
    reply_to_json,
)
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.bootstrap.assistant import Iris, Turn


@click.command()
@click.argument("words", nargs=-1, required=True)
@setting_options
@output_options
@click.option("--trace", is_flag=True, help="Show how the question was understood and answered.")
@click.option("--yes", is_flag=True, help="Say yes to a change that would be asked about.")
@click.pass_obj
def ask(
    state: CliState,
    /,
    words: tuple[str, ...],
    trace: bool,  # noqa: FBT001 - click's keywords
    yes: bool,  # noqa: FBT001
    **options: Any,  # noqa: ANN401
) -> int:
    """Ask a question in your own words: iris ask "plan my day".

    It may be a change, too: iris ask "add 'buy milk' to my list".
    """
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.surfaces.cli.turns import run_turn

    output = OutputOptions.take(options)
    setting = resolve_setting(state, SettingOptions(**options))
    with Iris(setting) as iris:
        turn = run_turn(iris, " ".join(words))
        if turn.waiting and yes:
            turn = replace(turn, reply=iris.confirm(turn.waiting), waiting=())
        code = _print(turn, output, setting.locale, trace=trace)
        if turn.waiting and not output.as_json:
            return _confirmed(iris, turn, output)
    return code or _unchanged(turn)


def _print(turn: Turn, output: OutputOptions, locale: str, *, trace: bool) -> int:
    if not trace:
        return print_reply(turn.reply, output, locale=locale)
    if output.as_json:
        print_json({**reply_to_json(turn.reply), "trace": turn.trace.to_json()})
        return EXIT_DEGRADED if turn.reply.degraded else EXIT_OK
    code = print_reply(turn.reply, output, locale=locale)
    click.echo("\n".join(["", *turn.trace.lines()]))
    return code


def _confirmed(iris: Iris, turn: Turn, output: OutputOptions) -> int:
    """Take the user's yes or no to what was just asked, and act on it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UnconfirmedError("nothing was changed: nobody could be asked", hint="add --yes")
    if not click.confirm("Yes?", prompt_suffix=" "):
        click.echo("All right, nothing was changed.")
        return EXIT_OK
    reply = iris.confirm(turn.waiting)
    return print_reply(reply, output, locale=iris.setting.locale) or _unchanged(
        replace(turn, reply=reply)
    )


def _unchanged(turn: Turn) -> int:
    """Return 1 where something was to be changed and is not."""
    from iris_harness.contracts.reports import ActionState

    not_done = {ActionState.REFUSED, ActionState.ASKED}
    return EXIT_ERROR if any(a.state in not_done for a in turn.reply.actions) else EXIT_OK
