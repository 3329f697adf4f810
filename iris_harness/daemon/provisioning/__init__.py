"""Makes a checkout runnable: the runtime that its evidence asks for, and its dependencies."""

from __future__ import annotations

from iris_harness.daemon.provisioning.installers import Provisioner, load_installers
from iris_harness.daemon.provisioning.machine import Machine, find_toolchains, processors
from iris_harness.daemon.provisioning.preparation import Preparation, plan_preparation
from iris_harness.daemon.provisioning.toolchains import Choice, Toolchain, choose_toolchain

__all__ = [
    "Choice",
    "Machine",
    "Preparation",
    "Provisioner",
    "Toolchain",
    "choose_toolchain",
    "find_toolchains",
    "load_installers",
    "plan_preparation",
    "processors",
]
