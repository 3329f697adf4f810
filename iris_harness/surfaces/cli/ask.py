"""`iris ask`: one question."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
from iris_harness.surfaces.progress import ProgressLine

if TYPE_CHECKING:
    from iris_harness.contracts.reply import Reply
    from iris_harness.surfaces.answer import Answer, Assistant
    from iris_harness.surfaces.local.client import RunningIris


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

    It may be a change, too: iris ask "add 'buy milk' to my list". Where `iris serve` runs with the
    same settings, it answers; that is quicker, and the answer is the same.
    """
    output = OutputOptions.take(options)
    with _assistant(state, SettingOptions(**options)) as (assistant, locale):
        answer = _asked(assistant, " ".join(words))
        if answer.is_waiting and yes:
            answer = replace(answer, reply=assistant.confirm(), is_waiting=False)
        code = _print(answer, output, locale, trace=trace)
        if answer.is_waiting and not output.as_json:
            return _confirmed(assistant, output, locale)
    return code or _unchanged(answer.reply)


@contextmanager
def _assistant(state: CliState, options: SettingOptions) -> Iterator[tuple[Assistant, str]]:
    """Yield who answers, and the user's locale: the Iris that runs already, else one of our own."""
    running = _running(state) if options == SettingOptions() else None
    if running is not None:
        with running:
            yield running, state.settings.locale
        return
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.surfaces.cli.alone import Alone

    with Iris(resolve_setting(state, options)) as iris:
        yield Alone(iris), iris.setting.locale


def _running(state: CliState) -> RunningIris | None:
    from iris_harness.surfaces.local.place import identity, socket_file

    file = socket_file(state.data_folder())
    if file is None or not file.exists():
        return None
    from iris_harness.surfaces.local.client import find_running

    return find_running(file, identity(state.settings, state.timezone()))


def _asked(assistant: Assistant, words: str) -> Answer:
    progress = ProgressLine(sys.stderr)
    try:
        return assistant.ask(words, progress)
    finally:
        progress.clear()


def _print(answer: Answer, output: OutputOptions, locale: str, *, trace: bool) -> int:
    if not trace:
        return print_reply(answer.reply, output, locale=locale)
    if output.as_json:
        print_json({**reply_to_json(answer.reply), "trace": answer.trace})
        return EXIT_DEGRADED if answer.reply.degraded else EXIT_OK
    code = print_reply(answer.reply, output, locale=locale)
    click.echo("\n".join(["", *answer.trace_lines]))
    return code


def _confirmed(assistant: Assistant, output: OutputOptions, locale: str) -> int:
    """Take the user's yes or no to what was just asked, and act on it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UnconfirmedError("nothing was changed: nobody could be asked", hint="add --yes")
    if not click.confirm("Yes?", prompt_suffix=" "):
        click.echo("All right, nothing was changed.")
        return EXIT_OK
    reply = assistant.confirm()
    return print_reply(reply, output, locale=locale) or _unchanged(reply)


def _unchanged(reply: Reply) -> int:
    """Return 1 where something was to be changed and is not."""
    from iris_harness.contracts.reports import ActionState

    not_done = {ActionState.REFUSED, ActionState.ASKED}
    return EXIT_ERROR if any(a.state in not_done for a in reply.actions) else EXIT_OK
