"""`iris undo`: take a change back."""

from __future__ import annotations

from typing import Any

import click

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.surfaces.cli.acting import ActingOptions, act, acting_options
from iris_harness.surfaces.cli.state import CliState


@click.command()
@click.argument("number", type=click.IntRange(1), required=False)
@acting_options
@click.pass_obj
def undo(state: CliState, /, number: int | None, **options: Any) -> int:  # noqa: ANN401 - click's keywords
    """Take the last change back, or change NUMBER of `iris history`.

    An undo is a change, too: `iris undo` once more does again what was undone. What somebody
    else has changed since is left as it is.
    """
    acting = ActingOptions.take(options)
    arguments = {} if number is None else {"entry": number}
    return act(acting.setting(state), acting, Action(kind=ActionKind.UNDO, arguments=arguments))
