"""`iris agents`: who is installed, and what each can be asked."""

from __future__ import annotations

import click

from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting
from iris_harness.surfaces.cli.output import EXIT_DEGRADED, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState


@click.command()
@click.option("--demo", is_flag=True, help="Without reading the configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def agents(state: CliState, /, demo: bool, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """List the agents, their intents, and what is wrong with those that do not load."""
    from iris_harness.bootstrap.assistant import Iris

    with Iris(resolve_setting(state, SettingOptions(demo=demo))) as iris:
        listings = iris.registry.listings
        asked = {found.agent: found.intents for found in iris.registry.intents()}
    if as_json:
        print_json(
            [
                {
                    "name": listing.name,
                    "package": listing.distribution,
                    "version": listing.version,
                    "state": listing.state.value,
                    "problem": listing.problem,
                    "intents": list(listing.intents),
                }
                for listing in listings
            ]
        )
    else:
        for listing in listings:
            click.echo(f"{listing.name:<12} {listing.state.value:<9} {listing.problem}".rstrip())
            for intent in asked.get(listing.name, ()):
                if intent.description:  # empty for what needs no telling
                    click.echo(f'  I can {intent.description}: "{intent.examples[0]}"')
    broken = any(listing.state.value == "broken" for listing in listings)
    return EXIT_DEGRADED if broken else EXIT_OK
