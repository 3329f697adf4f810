"""The values of the classifier."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class FailureClass(enum.StrEnum):
    """Whose failure it is."""

    ENVIRONMENT = "environment"
    NETWORK = "network"
    SERVICE = "service"
    RESOURCE = "resource"
    SECRET = "secret"  # noqa: S105 - a kind of failure
    COMMAND = "command"
    TIMEOUT = "timeout"
    CODE = "code"
    UNINSPECTED = "uninspected"
    """Not the first failure: the worker's own edits have run since."""
    NONE = "none"
    """Nothing failed."""


_NOT_ENVIRONMENT = {FailureClass.CODE, FailureClass.UNINSPECTED, FailureClass.NONE}


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """The line that decided."""

    line: int
    """1-based line of the output; 0 for the exit code or the attempt."""
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What a failure is."""

    failure: FailureClass
    detail: str
    """What exactly, as ``kind`` or ``kind:name``."""
    remedy: Mapping[str, str | None] = field(default_factory=dict)
    """The one thing to do: `action`, and what it needs."""
    evidence: Evidence = field(default_factory=lambda: Evidence(line=0, text=""))

    @property
    def is_environment(self) -> bool:
        """Whether the code under test has no part in it."""
        return self.failure not in _NOT_ENVIRONMENT


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A test command that was run."""

    command: str
    exit_code: int
    output: str
    """Standard output and error, as they came."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the repository and of the place it ran in; every key may be missing.

    ``own_modules``, ``own_headers``, ``declared_deps``, ``gitmodules``, ``services_up``: lists of
    names. ``current_runtime`` ("python 3.9.18"), ``requires_python``, ``engines_node``,
    ``go_directive`` and other ``requires_<runtime>``: texts. ``module_path``: of go.mod.
    ``node_modules_present``: whether dependencies are installed.
    """
    attempt: int = 1
    """1 before any edit."""

    def names(self, key: str) -> tuple[str, ...]:
        """Return the names under `key` of the context; empty where there are none."""
        value = self.context.get(key)
        return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()

    def text(self, key: str) -> str:
        """Return the text under `key` of the context; empty where there is none."""
        value = self.context.get(key)
        return value if isinstance(value, str) else ""


def install() -> dict[str, str | None]:
    """Return the remedy that installs what the project declares."""
    return {"action": "install_dependencies"}


def switch(runtime: str, version: str | None = None) -> dict[str, str | None]:
    """Return the remedy that runs it again with another runtime, or another version of it."""
    return {"action": "switch_runtime", "runtime": runtime, "version": version}


def add_package(name: str) -> dict[str, str | None]:
    """Return the remedy that installs a package of the system."""
    return {"action": "add_system_package", "hint": name}


def other_command(hint: str | None = None) -> dict[str, str | None]:
    """Return the remedy that runs another command."""
    return {"action": "choose_other_command", "hint": hint}


def raise_limit(limit: str) -> dict[str, str | None]:
    """Return the remedy that gives more of what ran out."""
    return {"action": "raise_limit_or_report", "limit": limit}


def code(detail: str) -> Verdict:
    """Return the verdict that the code is what failed."""
    return Verdict(failure=FailureClass.CODE, detail=detail, remedy={"action": "let_model_work"})


def environment(detail: str, remedy: Mapping[str, str | None]) -> Verdict:
    """Return the verdict that something of the environment is missing or wrong."""
    return Verdict(failure=FailureClass.ENVIRONMENT, detail=detail, remedy=remedy)


def network(detail: str) -> Verdict:
    """Return the verdict that it needs a network, which it does not have."""
    remedy = {"action": "report_needs_network"}
    return Verdict(failure=FailureClass.NETWORK, detail=detail, remedy=remedy)


def wrong_command(detail: str, hint: str | None = None) -> Verdict:
    """Return the verdict that the command itself is not the right one."""
    remedy = other_command(hint)
    return Verdict(failure=FailureClass.COMMAND, detail=detail, remedy=remedy)
