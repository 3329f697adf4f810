"""`iris backup | restore | export | forget`: what Iris keeps, and your say over it."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from pathlib import Path

import click

from iris_harness.bootstrap.day import open_store
from iris_harness.clock import SystemClock
from iris_harness.errors import UsageError
from iris_harness.files import user_path
from iris_harness.surfaces.cli.inputs import parse_day, within_reach
from iris_harness.surfaces.cli.line_input import chat_history
from iris_harness.surfaces.cli.state import CliState


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def backup(state: CliState, /, file: Path) -> None:
    """Write the database and the settings into one FILE, readable by you alone."""
    from iris_harness.storage.backup import write_backup

    write_backup(state.data_folder(), user_path(file), SystemClock(), state.config_file())
    click.echo(f"Wrote {file}.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--with-config", is_flag=True, help="Bring the settings back, too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def restore(state: CliState, /, file: Path, with_config: bool, yes: bool) -> None:  # noqa: FBT001 - click's keywords
    """Bring the backup in FILE back; what is there now is kept beside it."""
    from iris_harness.storage.backup import restore_backup

    if not yes:
        click.confirm("Replace what Iris keeps now by this backup?", abort=True)
    config_file = state.config_file() if with_config else None
    done = restore_backup(user_path(file), state.data_folder(), SystemClock(), config_file)
    click.echo(f"Restored {done.database}.")
    for kept in done.kept:
        click.echo(f"The old one is {kept}.")


@click.command()
@click.pass_obj
def export(state: CliState, /) -> None:
    """Print everything Iris keeps, one JSON object a line, oldest first."""
    with open_store(state.data_folder()) as store:
        for line in store.export():
            click.echo(line)


@click.command()
@click.option("--all", "everything", is_flag=True, help="Everything.")
@click.option("--before", metavar="DAY", help="What was kept before this day.")
@click.option("--session", metavar="ID", help="One conversation.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(
    state: CliState,
    /,
    everything: bool,  # noqa: FBT001 - click's keywords
    before: str | None,
    session: str | None,
    yes: bool,  # noqa: FBT001
) -> None:
    """Delete plans, questions and the journal for good; your calendars and lists stay as they are.

    What was changed cannot be undone once the journal is forgotten.
    """
    if sum((everything, before is not None, session is not None)) != 1:
        raise UsageError("say what to forget", hint="one of --all, --before DAY, --session ID")
    limit = None if before is None else _midnight(before, state.timezone())
    from iris_harness.bootstrap.remote import remove_copies
    from iris_harness.config.paths import cache_dir
    from iris_harness.config.remembered import forget_settings
    from iris_harness.sources.index.database import remove_index

    if not yes:
        click.confirm("Delete it for good?", abort=True)
    with open_store(state.data_folder()) as store:
        if everything:
            deleted = store.forget_all()
            remove_copies()
            remove_index(cache_dir())
            forget_settings(cache_dir())
            chat_history(state.data_folder()).unlink(missing_ok=True)
        elif limit is not None:
            deleted = store.forget_before(limit)
        else:
            deleted = store.forget_session(session or "")
    click.echo(
        f"Deleted {deleted.plans} plans, {deleted.turns} questions, {deleted.entries} notes of"
        f" changes, {deleted.backups} copies."
    )


def _midnight(text: str, timezone: str) -> dt.datetime:
    zone = zoneinfo.ZoneInfo(timezone)
    today = SystemClock().now().astimezone(zone).date()
    day = within_reach(parse_day(text, today), text)
    return dt.datetime.combine(day, dt.time(), tzinfo=zone)
