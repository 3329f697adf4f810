"""`iris service`: start with the user's session, by systemd."""

from __future__ import annotations

from pathlib import Path

import click

from iris_harness.config.environment import home, variables
from iris_harness.config.paths import friendly, named_config
from iris_harness.storage.ticker import find_ticker
from iris_harness.surfaces import units
from iris_harness.surfaces.cli.state import CliState

_LINGER = "It runs while you are logged in; `loginctl enable-linger` lets it run without you."


@click.group()
def service() -> None:
    """Start Iris with your session, so that it answers and says what is due.

    This is for Linux with systemd. Elsewhere, start `iris serve` by what your system has for that.
    """


@service.command()
@click.option("--watch", is_flag=True, help="Only briefings and reminders, without the server.")
@click.option("--print", "only_print", is_flag=True, help="Print the unit and change nothing.")
@click.pass_obj
def install(state: CliState, /, watch: bool, only_print: bool) -> None:  # noqa: FBT001 - click's keywords
    """Write the unit, and start it now and with every session."""
    config = Path(state.config_path) if state.config_path else named_config()
    text = units.unit_text(["briefing", "watch"] if watch else ["serve"], config)
    if only_print:
        click.echo(text, nl=False)
        return
    _ = state.settings  # mistakes in them are said now, not in a log
    units.install(_file(), text)
    click.echo(f"{friendly(_file())} is written, and Iris is started. {_LINGER}")


@service.command()
@click.pass_obj
def status(state: CliState, /) -> None:
    """Say whether Iris is started with your session, and who says what is due."""
    found = units.state(_file())
    if found.is_installed:
        said = " and ".join(word for word in (found.enabled, found.active) if word)
        click.echo(f"{friendly(found.file)}: {said or 'there is no systemd to ask'}")
    else:
        click.echo("Not installed; `iris service install` starts Iris with your session.")
    ticker = find_ticker(state.data_folder())
    who = f"{ticker.place} says" if ticker is not None and ticker.stays else "Nobody says"
    click.echo(f"{who} what is due at this moment.")


@service.command()
def uninstall() -> None:
    """Stop Iris, and start it with your session no more."""
    if units.uninstall(_file()):
        click.echo(f"{friendly(_file())} is gone, and Iris is stopped.")
    else:
        click.echo("Nothing is installed.")


def _file() -> Path:
    named = variables().get("XDG_CONFIG_HOME", "")
    folder = Path(named) if Path(named).is_absolute() else home() / ".config"
    return folder / "systemd" / "user" / units.UNIT
