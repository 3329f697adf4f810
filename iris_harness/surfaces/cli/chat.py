"""`iris chat`: one question after another, in one conversation."""

from __future__ import annotations

import secrets
from typing import Any

import click

from iris_harness.bootstrap.assistant import Iris
from iris_harness.surfaces.cli.interrupts import Interrupts
from iris_harness.surfaces.cli.line_input import LineInput, chat_history
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.output import OutputOptions, print_reply
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.turns import run_turn

_GREETING = "Ask me something, such as: plan my day. /help lists what I can do, Ctrl-D leaves."
_HELP = """\
/help    this list
/trace   how the last question was understood and answered
/quit    leave (Ctrl-D does, too)
Ctrl-C   stop the question that is running"""


@click.command()
@setting_options
@click.option("--plain", is_flag=True, help="Plain text even on a terminal.")
@click.pass_obj
def chat(state: CliState, /, plain: bool, **options: Any) -> None:  # noqa: ANN401, FBT001 - click's keywords
    """Talk with Iris; the line editor keeps a history, Ctrl-C stops a question."""
    setting = resolve_setting(state, SettingOptions(**options))
    history = chat_history(setting.data_folder)
    with (
        Iris(setting) as iris,
        Interrupts() as interrupts,
        LineInput(history, interrupts) as lines,
    ):
        _Conversation(iris, interrupts, OutputOptions(plain=plain)).run(lines)


class _Conversation:
    """The loop of one `iris chat`."""

    def __init__(self, iris: Iris, interrupts: Interrupts, output: OutputOptions) -> None:
        self._iris = iris
        self._interrupts = interrupts
        self._output = output
        self._session = secrets.token_hex(8)
        self._trace: tuple[str, ...] = ()

    def run(self, lines: LineInput) -> None:
        if lines.interactive:
            click.echo(_GREETING)
        for line in lines:
            if line.lower() in {"/quit", "/exit", "quit", "exit"}:
                return
            self._answer(line)

    def _answer(self, line: str) -> None:
        if line.startswith("/"):
            click.echo(self._command(line))
            return
        with self._interrupts.turn() as cancel:
            turn = run_turn(self._iris, line, session=self._session, cancel=cancel)
        if cancel.cancelled:
            click.echo("Stopped.")
            return
        self._trace = turn.trace.lines()
        print_reply(turn.reply, self._output, locale=self._iris.setting.locale)

    def _command(self, line: str) -> str:
        if line == "/help":
            capabilities = "\n".join(f"  {text}" for text in self._iris.capabilities)
            return f"{_HELP}\nI can:\n{capabilities}"
        if line == "/trace":
            return "\n".join(self._trace) or "Nothing was asked yet."
        return f"There is no {line}.\n{_HELP}"
