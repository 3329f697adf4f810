"""`iris ask`: one question."""

from __future__ import annotations

from typing import Any

import click

from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.output import (
    EXIT_DEGRADED,
    EXIT_OK,
    OutputOptions,
    output_options,
    print_json,
    print_reply,
    reply_to_json,
)
from iris_harness.surfaces.cli.state import CliState


@click.command()
@click.argument("words", nargs=-1, required=True)
@setting_options
@output_options
@click.option("--trace", is_flag=True, help="Show how the question was understood and answered.")
@click.pass_obj
def ask(state: CliState, /, words: tuple[str, ...], trace: bool, **options: Any) -> int:  # noqa: ANN401, FBT001 - click's keywords
    """Ask a question in your own words: iris ask "plan my day"."""
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.surfaces.cli.turns import run_turn

    output = OutputOptions.take(options)
    setting = resolve_setting(state, SettingOptions(**options))
    with Iris(setting) as iris:
        turn = run_turn(iris, " ".join(words))
    if not trace:
        return print_reply(turn.reply, output, locale=setting.locale)
    if output.as_json:
        print_json({**reply_to_json(turn.reply), "trace": turn.trace.to_json()})
        return EXIT_DEGRADED if turn.reply.degraded else EXIT_OK
    code = print_reply(turn.reply, output, locale=setting.locale)
    click.echo("\n".join(["", *turn.trace.lines()]))
    return code
