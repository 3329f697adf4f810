"""A daemon that runs workers of jobs on this machine, from the settings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from iris_harness.bootstrap.jobs import open_jobs
from iris_harness.bootstrap.models import ModelOpener, find_model, model_price
from iris_harness.bootstrap.repositories import open_workplace
from iris_harness.clock import SystemClock
from iris_harness.config.credentials import resolve_key
from iris_harness.config.environment import variables
from iris_harness.config.settings import JobsSettings, Settings
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import ChatModel
from iris_harness.errors import ConfigError, IrisError

if TYPE_CHECKING:
    from iris_harness.daemon.loop import Budget, EditorCommand
    from iris_harness.daemon.service import DaemonService
    from iris_harness.jobs.leasing import WorkQueue
    from iris_harness.jobs.remote import RemoteQueue
    from iris_harness.llm.metering import Price


@dataclass(frozen=True, kw_only=True, slots=True)
class DaemonOptions:
    """What the command line says of a daemon."""

    name: str = ""
    """Empty: this machine's."""
    sandbox: str = "auto"
    labels: tuple[str, ...] = ()
    server: str = ""
    """Address of the jobs server whose workers it runs; empty: what the settings say."""


@contextlib.contextmanager
def open_daemon(
    settings: Settings, folder: Path, options: DaemonOptions
) -> Iterator[DaemonService]:
    """Assemble a daemon and the queue it takes from; both are closed after.

    Raises:
        ConfigError: nothing is set up that could edit, so every worker would fail; or the server's
            address or token cannot be used.
        IrisError: an extra is not installed.
        SandboxError: there is no sandbox, and none is not wanted.
        StorageError: the jobs' database cannot be opened, or their server not be reached.
        TokenRefusedError: the server does not know the token.
    """
    if editor_command(settings.jobs) is None:
        _need_model(settings)
    clock = SystemClock()
    with (
        _queue(settings.jobs, folder, options, clock) as (queue, name),
        ModelOpener(settings, clock, variables()) as models,
    ):
        from iris_harness.daemon.service import DaemonService
        from iris_harness.jobs.host import this_host
        from iris_harness.jobs.leasing import Daemon

        def open_model(name: str) -> ChatModel:
            return models.open(name or settings.jobs.worker_model)

        def price_of(name: str) -> Price | None:
            return model_price(find_model(settings, name or settings.jobs.worker_model))

        host = this_host()
        offers = {f"host:{host}", *(f"label:{label}" for label in options.labels)}
        workplace = open_workplace(folder, options.sandbox, clock, settings.jobs.install_runtimes)
        offers.add(f"sandbox:{workplace.sandbox.name}")
        yield DaemonService(
            queue=queue,
            daemon=Daemon(name=name or host, offers=frozenset(offers)),
            workplace=workplace,
            open_model=open_model,
            price_of=price_of,
            clock=clock,
            budget=worker_budget(settings.jobs),
            editor=editor_command(settings.jobs),
        )


@contextlib.contextmanager
def _queue(
    settings: JobsSettings, folder: Path, options: DaemonOptions, clock: Clock
) -> Iterator[tuple[WorkQueue, str]]:
    """Open the queue that a daemon takes from; give it with the daemon's name, empty for any."""
    if url := options.server or settings.server_url:
        queue = _remote_queue(url, settings, clock)
        yield queue, queue.name
        return
    with open_jobs(settings, folder) as opened:
        from iris_harness.jobs.leases import Queue

        yield Queue(opened.database, clock, opened.limits), options.name


def _remote_queue(url: str, settings: JobsSettings, clock: Clock) -> RemoteQueue:
    try:
        from iris_harness.jobs.remote import RemoteQueue, checked_server
    except ImportError as error:
        raise IrisError(
            f"a server of jobs is asked with {error.name}, which is not installed",
            hint="pip install 'iris-harness[daemon,llm-remote]'",
        ) from error
    checked_server(url)  # before a command is run for the token
    given = settings.server_token
    return RemoteQueue(url, resolve_key(given.get("text", given), "jobs.server.token"), clock)


def _need_model(settings: Settings) -> None:
    """Refuse to take workers that nothing here could edit for.

    Raises:
        ConfigError: there is no model, or none of the name that is set.
    """
    if not settings.models:
        expected = "a model (docs/howto/models.md), or a program of your own in jobs.editor"
        raise ConfigError("nothing is set up that could edit", key="models", expected=expected)
    find_model(settings, settings.jobs.worker_model)


def worker_budget(settings: JobsSettings) -> Budget:
    """Return what one worker may spend, by the settings."""
    from iris_harness.daemon.loop import Budget

    return Budget(
        attempts=settings.budget_attempts,
        tokens=settings.budget_tokens,
        seconds=settings.budget_minutes * 60,
        money=None if settings.budget_money is None else Decimal(settings.budget_money),
    )


def editor_command(settings: JobsSettings) -> EditorCommand | None:
    """Return the program that edits in place of the models, by the settings."""
    from iris_harness.daemon.loop import EditorCommand

    if not settings.editor_command:
        return None
    readable = tuple(map(Path, settings.editor_readable))
    return EditorCommand(words=settings.editor_command, readable=readable)
