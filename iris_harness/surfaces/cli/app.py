"""The root command: global options, lazily loaded subcommands, errors as exit codes."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import click

from iris_harness.errors import ConfigError, IrisError, JobPlanError, RequestError, UsageError
from iris_harness.surfaces.cli.output import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.cli.streams import complain, drop_output, prepare_streams

# name -> (module:attribute, one line of help); a command's module is imported when it runs.
_COMMANDS = {
    "ask": ("ask:ask", "Ask a question in your own words."),
    "chat": ("chat:chat", "Talk with Iris, one question after another."),
    "serve": ("serve:serve", "Answer browsers, chat clients and voice assistants."),
    "mcp": ("mcp:mcp", "Let another assistant on this machine use Iris (MCP)."),
    "plan": ("plan:plan", "Plan a day, or a range of days."),
    "why": ("why:why", "Say why something is where it is in a plan, or not in it."),
    "todo": ("todo:todo", "List your todos; add, tick off, move, rename or delete one."),
    "event": ("event:event", "Put an event into your calendar, move or delete one."),
    "pin": ("marks:pin", "Keep a todo where the plan has it, or at a time you say."),
    "unpin": ("marks:unpin", "Let a pinned todo move again."),
    "skip": ("marks:skip", "Leave a todo out of a day's plan."),
    "unskip": ("marks:unskip", "Take a todo that was left out into the plan again."),
    "undo": ("undo:undo", "Take the last change back, or one of `iris history`."),
    "history": ("history:history", "List what was changed, asked and planned."),
    "reminders": ("reminders:reminders", "List your reminders and timers; set one, cancel one."),
    "briefing": ("briefing:briefing", "What Iris says unasked: now, next, so far; try it out."),
    "service": ("service:service", "Start Iris with your session."),
    "agents": ("agents:agents", "List the agents and what each can be asked."),
    "sources": ("sources:sources", "Check your calendars and lists; find new ones."),
    "models": ("models:models", "List the language models you set up; try one."),
    "route": ("route:route", "Show how a question is understood, without answering it."),
    "setup": ("setup:setup", "Set Iris up: find calendars and lists, ask what is needed."),
    "config": ("config:config", "Show, check or locate the configuration."),
    "doctor": ("doctor:doctor", "Find what is wrong with this installation, and the fix."),
    "backup": ("data:backup", "Write everything Iris keeps into one file."),
    "restore": ("data:restore", "Bring a backup back."),
    "export": ("data:export", "Print everything Iris keeps as JSON lines."),
    "forget": ("data:forget", "Delete what Iris keeps."),
    "jobs": ("jobs:jobs", "Give larger work on a repository to workers, and follow it."),
    "daemon": ("daemon:daemon", "Run workers of jobs on this machine."),
    "repo": ("repo:repo", "Ask a repository for its tests, its files, its failures."),
    "completion": ("completion:completion", "Print the shell completion script."),
}


_USAGE = (UsageError, ConfigError, RequestError, JobPlanError)  # what was asked cannot be done


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used; its help imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order a newcomer meets them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command; None when there is none of that name."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name][0].partition(":")
        loaded = importlib.import_module(f"iris_harness.surfaces.cli.{module}")
        return cast("click.Command", getattr(loaded, attribute))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's signature
    if wanted and not ctx.resilient_parsing:
        import importlib.metadata

        click.echo(f"iris {importlib.metadata.version('iris-harness')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--config",
    "config_path",
    metavar="FILE",
    type=click.Path(),
    help="Use this configuration file instead of `iris config path`.",
)
@click.option(
    "--set",
    "overrides",
    metavar="KEY=VALUE",
    multiple=True,
    help="Override one configuration value, as in --set planning.grid_minutes=10.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context, config_path: str | None, overrides: tuple[str, ...]) -> None:
    """Iris plans your day from your own calendars and lists, and shows why.

    Try `iris ask "plan my day" --demo`, then `iris setup`.
    """
    ctx.obj = CliState(config_path=config_path, overrides=overrides)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 ok, 1 error, 2 usage or configuration error, 3 answered but a source or an agent failed.
    """
    prepare_streams()
    try:
        code = cli.main(
            args=None if argv is None else list(argv), prog_name="iris", standalone_mode=False
        )
    except click.exceptions.Abort:
        complain("Stopped; nothing was changed.")
        return EXIT_ERROR
    except KeyboardInterrupt:
        complain("interrupted")
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except IrisError as error:
        complain(f"iris: {error}")
        return EXIT_USAGE if isinstance(error, _USAGE) else EXIT_ERROR
    except Exception as error:  # noqa: BLE001 - the last border: the user gets a line, no traceback
        drop_output()
        complain(_unexpected(error))
        return EXIT_ERROR
    return code if isinstance(code, int) else EXIT_OK


def _unexpected(error: Exception) -> str:
    if isinstance(error, BrokenPipeError):
        return ""  # `iris plan | head`: the reader left
    if isinstance(error, OSError) and error.strerror:  # a full disk, say: nothing is wrong here
        place = f"{error.filename}: " if error.filename else ""
        return f"iris: {place}{error.strerror}"
    import traceback

    said = traceback.format_exception_only(error)[-1].strip()
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.name}, line {last.lineno} of {Path(last.filename).name}"
    return f"iris: this is a mistake in Iris: {said} (in {where})"
