"""`iris daemon`: run workers of jobs on this machine."""

from __future__ import annotations

import logging
import signal
import threading
from types import FrameType

import click

from iris_harness.surfaces.cli.output import EXIT_OK
from iris_harness.surfaces.cli.state import CliState

_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


@click.group()
def daemon() -> None:
    """Run workers of jobs on this machine: in copies of their repositories, in a sandbox."""


@daemon.command()
@click.option("--once", is_flag=True, help="End when nothing is left to run.")
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1, 64),
    help="How many are run at once.",
)  # fmt: skip
@click.option(
    "--server", metavar="URL", default="",
    help="Take workers from an `iris jobs serve` instead of a database. Its token is "
    "$IRIS_JOBS_TOKEN, or what jobs.server.token in your settings says.",
)  # fmt: skip
@click.option(
    "--name", default="",
    help="What it is called: by default as this machine, and with a server as its token says.",
)  # fmt: skip
@click.option(
    "--label", "labels", multiple=True, help="What it offers to `iris jobs submit --needs`."
)
@click.option(
    "--sandbox", type=click.Choice(["auto", "bubblewrap", "podman", "docker", "none"]),
    default="auto", show_default=True,
    help="none runs what repositories bring with all that you may do.",
)  # fmt: skip
@click.pass_obj
def run(  # noqa: PLR0913 - click's keywords
    state: CliState, /, *, once: bool, workers: int, server: str, name: str,
    labels: tuple[str, ...], sandbox: str,
) -> int:  # fmt: skip
    """Take workers from the queue and run them, until it is told to stop.

    SIGINT and SIGTERM hand the running workers back; they go on where they were, here or elsewhere.
    """
    from iris_harness.bootstrap.daemon import DaemonOptions, open_daemon

    logging.basicConfig(level=logging.INFO, format=_FORMAT)
    stop = threading.Event()
    options = DaemonOptions(name=name, sandbox=sandbox, labels=labels, server=server)
    with open_daemon(state.settings, state.data_folder(), options) as service:

        def end(_number: int, _frame: FrameType | None) -> None:
            stop.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end)
        click.echo(f"{service.daemon.name} runs workers in {service.workplace.sandbox.name}")
        service.run(stop, once=once, workers=workers)
    return EXIT_OK
