"""`iris mcp`: be the tools of another assistant on this machine."""

from __future__ import annotations

import logging
from typing import Any

import click

from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.state import CliState


@click.command()
@setting_options
@click.pass_obj
def mcp(state: CliState, /, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Give another assistant on this machine Iris' tools (MCP over standard input and output).

    An assistant that takes MCP servers starts it itself: command `iris`, argument `mcp`. One that
    takes an address reaches the same tools at http://127.0.0.1:7474/mcp while `iris serve` runs,
    with the token that `iris serve token` prints. Changes are shown to you before they are made.
    """
    logging.basicConfig(level=logging.WARNING)  # on the error stream; standard output is taken
    try:
        from iris_harness.surfaces.mcp.stdio import serve_stdio
    except ImportError as error:
        raise UsageError(
            f"this needs the package {error.name}", hint="pip install 'iris-harness[mcp]'"
        ) from error
    from iris_harness.bootstrap.assistant import Iris

    with Iris(resolve_setting(state, SettingOptions(**options))) as iris:
        serve_stdio(iris)
