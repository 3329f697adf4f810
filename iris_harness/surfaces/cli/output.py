"""How an answer is printed: for a terminal, as plain text, or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.sources import SourceState
from iris_harness.curator.runs import FULL_DAYS
from iris_harness.curator.strings import find_language

if TYPE_CHECKING:
    from iris_harness.contracts.reply import Reply
    from iris_harness.contracts.reports import ActionReport
    from iris_harness.storage.records import StoredPlan

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_DEGRADED = 3
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


class OutputOptions(NamedTuple):
    """The form the user asked for; without one, the terminal decides."""

    as_json: bool = False
    plain: bool = False
    speech: bool = False

    @classmethod
    def take(cls, options: dict[str, Any]) -> OutputOptions:
        """Take these options out of a command's keywords."""
        return cls(**{name: options.pop(name) for name in ("as_json", "plain", "speech")})

    @property
    def rich(self) -> bool:
        """Whether to lay the answer out for a terminal; a dumb one shows no escape sequences."""
        if self.plain or not sys.stdout.isatty():
            return False
        from iris_harness.config.environment import is_dumb

        return not is_dumb()


def output_options(command: CommandT) -> CommandT:
    """Add the options of `OutputOptions` to a command; it receives them as keywords."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print JSON (schema: docs/schema)."),
    click.option("--plain", is_flag=True, help="Plain text even on a terminal."),
    click.option("--speech", is_flag=True, help="What a voice would say."),
)


def print_json(value: Json) -> None:
    """Print `value` as indented JSON with keys in their own order, UTF-8."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_plans(
    plans: Sequence[DailyPlan],
    output: OutputOptions,
    *,
    locale: str = "en",
    ranged: bool = False,
    full: bool = False,
) -> int:
    """Print one plan, or a range of plans, in the user's language and return the exit code.

    More than two days are printed in brief, unless `full` asks for every list in whole.
    """
    language = find_language(locale)
    brief = len(plans) > FULL_DAYS and not full
    if output.as_json:
        from iris_harness.planner.public_json import plan_to_json, range_to_json

        print_json(range_to_json(plans) if ranged else plan_to_json(plans[0]))
    elif output.speech:
        from iris_harness.curator.speech import days_speech

        click.echo(days_speech(plans, language))
    elif output.rich:
        from iris_harness.config.environment import read_terminal
        from iris_harness.surfaces.terminal import print_days

        color = read_terminal(sys.stdout).color
        print_days(plans, color=color, language=language, brief=brief, full=full)
    else:
        from iris_harness.curator.text import days_text

        click.echo(days_text(plans, language, brief=brief, full=full).rstrip("\n"))
    return exit_code(plans)


def print_record(record: StoredPlan, output: OutputOptions) -> bool:
    """Print one plan in the very form that is kept of it; return False for other forms."""
    if output.as_json:
        click.echo(record.public_json)
    elif output.speech or output.rich:
        return False
    else:
        click.echo(record.text)
    return True


def exit_code(plans: Sequence[DailyPlan]) -> int:
    """Return the exit code of an answer with `plans`: whether a source could not be read."""
    return EXIT_DEGRADED if any(map(_is_degraded, plans)) else EXIT_OK


def print_reply(reply: Reply, output: OutputOptions, *, locale: str = "en") -> int:
    """Print a reply and return the exit code."""
    if output.as_json:
        print_json(reply_to_json(reply))
    elif output.speech:
        click.echo(reply.speech)
    elif output.rich:
        from iris_harness.config.environment import read_terminal
        from iris_harness.surfaces.terminal import print_reply as print_rich

        color = read_terminal(sys.stdout).color
        print_rich(reply, color=color, language=find_language(locale))
    else:
        click.echo(reply.text.rstrip("\n"))
    return EXIT_DEGRADED if reply.degraded else EXIT_OK


def reply_to_json(reply: Reply) -> dict[str, Json]:
    """Return a reply as `iris ask --json` prints it (docs/schema/reply.schema.json)."""
    from iris_harness.contracts.reply import DayBlock
    from iris_harness.planner.public_json import plan_to_json

    return {
        "text": reply.text,
        "speech": reply.speech,
        "plans": [plan_to_json(b.plan) for b in reply.blocks if isinstance(b, DayBlock)],
        "citations": [str(source) for source in reply.citations],
        "warnings": list(reply.warnings),
        "plan_id": reply.plan_id,
        "trace_id": reply.trace_id,
        "degraded": reply.degraded,
        "actions": [report_to_json(report) for report in reply.actions],
        "choices": list(reply.choices),
    }


def report_to_json(report: ActionReport) -> dict[str, Json]:
    """Return what became of an action as ``--json`` prints it (docs/schema/action.schema.json)."""
    return {
        "kind": report.kind,
        "state": report.state.value,
        "text": report.text,
        "entry": report.entry,
        "target": report.target,
        "undoable": report.undoable,
        "candidates": list(report.candidates),
        "notes": list(report.notes),
    }


def _is_degraded(plan: DailyPlan) -> bool:
    return any(source.state is SourceState.FAILED for source in plan.sources)
