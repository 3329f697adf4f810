"""`iris serve feed`: addresses for calendars that show the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.serve_parts import named_address, url_option
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.surfaces.web.feed_keys import FeedKeys


@click.group()
def feed() -> None:
    """Let your phone's calendar show the plan.

    Each device gets an address of its own, which can only look, and can be closed.
    """


@feed.command()
@click.argument("name")
@url_option
@setting_options
@click.pass_obj
def new(state: CliState, /, name: str, url: str | None, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Print a new address to subscribe to, for a device called NAME. It is shown this once."""
    from iris_harness.clock import SystemClock
    from iris_harness.surfaces.web.feed import FEED_PATH

    address = named_address(state, url)
    secret = _feed_keys(state, options).new(name, SystemClock().now())
    click.echo(f"{address}{FEED_PATH}?token={secret}")


@feed.command("list")
@setting_options
@click.pass_obj
def list_(state: CliState, /, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """List the devices that have an address, oldest first."""
    keys = _feed_keys(state, options).list()
    for key in keys:
        click.echo(f"{key.made_at.date().isoformat()}  {key.name}")
    if not keys:
        click.echo("There is none; `iris serve feed new phone` makes one.")


@feed.command()
@click.argument("name")
@setting_options
@click.pass_obj
def revoke(state: CliState, /, name: str, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Close the address of a device at once."""
    _feed_keys(state, options).revoke(name)
    click.echo(f"The address of {name} opens nothing any more.")


def _feed_keys(state: CliState, options: dict[str, Any]) -> FeedKeys:
    from iris_harness.surfaces.web.feed_keys import FeedKeys

    return FeedKeys(resolve_setting(state, SettingOptions(**options)).data_folder)
