"""Assembles where repositories are cloned and run on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iris_harness.contracts.clock import Clock
from iris_harness.errors import UsageError
from iris_harness.files import is_folder, user_path

if TYPE_CHECKING:
    from iris_harness.daemon.sandbox import Limits
    from iris_harness.daemon.workplace import Workplace

_FOLDER = "daemon"


def open_workplace(
    data_folder: Path,
    sandbox: str,
    clock: Clock,
    installers: Sequence[str],
    limits: Limits | None = None,
) -> Workplace:
    """Assemble the place of this machine's clones, worktrees and runs.

    Args:
        data_folder: where Iris keeps its data.
        sandbox: ``auto``, ``bubblewrap`` or ``none``.
        clock: for the limits of runs.
        installers: the names of what may get a runtime that is missing, container engines too.
        limits: of one run of tests; None for the usual ones.

    Raises:
        SandboxError: there is no such sandbox here.
    """
    from iris_harness.daemon.failures.classify import load_classifier
    from iris_harness.daemon.provisioning import Machine, Provisioner, processors
    from iris_harness.daemon.sandbox import (
        ENGINES,
        Engines,
        Limits,
        Turns,
        WithImages,
        open_sandbox,
    )
    from iris_harness.daemon.workplace import Workplace

    machine = Machine.here()
    engines = [name for name in installers if name in ENGINES]
    others = [name for name in installers if name not in ENGINES]
    return Workplace(
        folder=workplace_folder(data_folder),
        sandbox=WithImages(open_sandbox(sandbox, clock), clock),
        classifier=load_classifier(),
        machine=machine,
        clock=clock,
        limits=limits or Limits(),
        provisioner=Provisioner(others, machine.path),
        engines=Engines(engines),
        turns=Turns(processors()),
    )


def workplace_folder(data_folder: Path) -> Path:
    """Return the folder of the clones and worktrees."""
    return data_folder / _FOLDER


def repository_url(place: str) -> str:
    """Return the address to clone from: a folder's as ``file:``, any other as it is.

    Raises:
        UsageError: the folder is no repository.
    """
    folder = user_path(place)
    if not is_folder(folder):
        return place
    if not ((folder / ".git").exists() or (folder / "HEAD").exists()):
        raise UsageError(
            f"{place} is no git repository", hint="`git init` makes one; give the folder with .git"
        )
    return folder.resolve().as_uri()
