"""Versions in failures: what is required, what runs, and the remedy that follows."""

from __future__ import annotations

import json
import re

from iris_harness.daemon.constraints import parse_constraint, parse_version
from iris_harness.daemon.failures.model import Failure, Verdict, environment, switch

_OPERATOR = re.compile(r"(?P<operator>===?|>=|<=|~>|!=|[<>^~=])?\s*v?(?P<version>\d[\w.+*-]*)")
# Key of a context -> the runtime it is about; others are requires_<runtime>.
_KEYS = {"requires_python": "python", "engines_node": "node", "go_directive": "go"}


def version_verdict(tool: str, spec: str) -> Verdict:
    """Return the verdict that `tool` has to be one that `spec` allows."""
    spec = _unwrapped(spec)
    exact = _OPERATOR.fullmatch(spec)
    if exact and exact["operator"] in {None, "=", "==", "==="}:
        version = exact["version"]
        return environment(f"version_required:{tool}=={version}", switch(tool, version))
    compact = re.sub(r"\s+", "", spec)
    shown = re.sub(r"(~>)(?=\d)", r"\1 ", compact)
    return environment(f"version_required:{tool}{compact}", switch(tool, shown))


def _unwrapped(spec: str) -> str:
    """Return the version out of the JSON that some tools print."""
    spec = spec.strip()
    if spec.startswith("{"):
        try:
            found = json.loads(spec)
        except ValueError:
            return spec
        values = [str(value) for value in found.values()] if isinstance(found, dict) else []
        return values[0] if values else spec
    return re.sub(r"(?<=[\d.])x\b", "0", spec).removesuffix(".0") if spec.endswith("x") else spec


def current_version(failure: Failure) -> tuple[str, str] | None:
    """Return the runtime that ran and its version; None where that is not known."""
    found = re.fullmatch(r"([\w.+#-]+) v?(\d[\w.+-]*)", failure.text("current_runtime").strip())
    return (found[1].lower(), found[2]) if found else None


def required_version(failure: Failure, runtime: str) -> str:
    """Return what the repository requires of `runtime`; empty where that is not known."""
    for key, about in _KEYS.items():
        if about == runtime and failure.text(key):
            text = failure.text(key)
            return f">={text}" if key == "go_directive" else text
    return failure.text(f"requires_{runtime}") or failure.text(f"engines_{runtime}")


def is_excluded(failure: Failure) -> tuple[str, str] | None:
    """Return the runtime and its requirement where what ran is excluded by it."""
    current = current_version(failure)
    if current is None:
        return None
    runtime, version = current
    spec = required_version(failure, runtime)
    constraint = parse_constraint(spec) if spec else None
    if constraint is None or constraint.allows(parse_version(version)):
        return None
    return runtime, spec
