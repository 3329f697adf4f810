"""`iris config`: where the settings are, what they are, and whether they are right."""

from __future__ import annotations

import click

from iris_harness.surfaces.cli.output import EXIT_OK, EXIT_USAGE
from iris_harness.surfaces.cli.state import CliState


@click.group()
def config() -> None:
    """Show, check or locate the configuration."""


@config.command()
@click.pass_obj
def path(state: CliState, /) -> None:
    """Print the file your settings are read from, whether or not it exists."""
    click.echo(state.config_file())


@config.command()
@click.pass_obj
def show(state: CliState, /) -> None:
    """Print every setting, where it comes from, with secrets masked."""
    from iris_harness.config.show import render_config

    click.echo(render_config(state.loaded), nl=False)


@config.command()
@click.pass_obj
def check(state: CliState, /) -> int:
    """Say everything that is wrong with the settings."""
    from iris_harness.config.loader import check_config

    problems = check_config(state.config_path, overrides=state.overrides)
    for problem in problems:
        click.echo(f"iris: {problem}", err=True)
    if problems:
        return EXIT_USAGE
    for warning in state.loaded.warnings:
        click.echo(f"iris: {warning}", err=True)
    read = state.loaded.file
    click.echo(f"{read} is fine." if read else f"There is no {state.config_file()}: all defaults.")
    return EXIT_OK
