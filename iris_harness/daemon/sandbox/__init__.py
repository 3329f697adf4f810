"""Where a repository's own code runs: apart from the user's files, the network and other runs.

What a repository says it runs is untrusted: its tests, its build and what it installs. Each command
runs through a `Sandbox`, with its limits, and comes back as an `Outcome`. Without a sandbox that
works nothing is run, unless the user's configuration says `sandbox: none` in so many words; then
every outcome says so.
"""

from __future__ import annotations

from iris_harness.daemon.sandbox.engine import ENGINES, Engines
from iris_harness.daemon.sandbox.imaged import WithImages
from iris_harness.daemon.sandbox.launching import HOME
from iris_harness.daemon.sandbox.opening import open_sandbox
from iris_harness.daemon.sandbox.turns import Turns
from iris_harness.daemon.sandbox.values import (
    Command,
    Ended,
    Image,
    Limits,
    Outcome,
    Places,
    Sandbox,
)

__all__ = [
    "ENGINES",
    "HOME",
    "Command",
    "Ended",
    "Engines",
    "Image",
    "Limits",
    "Outcome",
    "Places",
    "Sandbox",
    "Turns",
    "WithImages",
    "open_sandbox",
]
