"""What is remembered of the days that are about to be planned."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

import click

from iris_harness.bootstrap.day import recall_days
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.memory import DayMemory
from iris_harness.errors import StorageError


def remembered_days(setting: DaySetting, days: Sequence[dt.date]) -> Mapping[dt.date, DayMemory]:
    """Return by day the plan shown before, with pins and what is left out.

    A change that was interrupted is settled first, and told on the error stream.
    """
    # A plan without its memory is still a plan: say so beside it, and show it.
    try:
        remembered = recall_days(setting, days)
        if remembered.is_interrupted:
            from iris_harness.bootstrap.actions.runner import ActionRunner

            for note in ActionRunner(setting).settle():
                click.echo(f"iris: {note}", err=True)
    except StorageError as error:
        click.echo(f"iris: your pins and the plan shown before are not known: {error}", err=True)
        return {}
    return remembered.days
