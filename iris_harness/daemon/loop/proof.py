"""What a run of the tests proves, beside what they were before. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from iris_harness.contracts.canonical import Json
from iris_harness.daemon.failures.output import read_output
from iris_harness.daemon.runner import Baseline, Standing

_TAIL = 6_000
# The name of a failing test as runners print it, each once; Jest's has the sign U+203A in it.
_NAMES = re.compile(
    r"^(?:FAILED (?P<pytest>\S+::\S+)|(?:FAIL|ERROR): (?P<unittest>\w+ \([\w.]+\))|--- FAIL: (?P<go>\S+)"
    r"|test (?P<rust>\S+) \.\.\. FAILED|\s*not ok \d+ -? ?(?P<tap>.+)|\s*[✕✗✖✘] (?P<jest>.+?)(?: \(\d+(?:\.\d+)? ?m?s\))?"
    r"|\s+● (?P<jest_long>.+ \u203a .+)|\s*\d+\) (?P<rspec>[A-Z]\S+(?:#| ).+)|\[  FAILED  \] (?P<gtest>\S+))\s*$",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """One run of the tests."""

    standing: Standing
    passed: int
    """Tests that were counted as passed; 0 where no summary is known."""
    failed: int
    failing: tuple[str, ...]
    """Names of failing tests, sorted; empty where the runner's form is not known."""
    why: str
    can_do: str
    output: str
    """Its end."""
    toolchain: str
    confined: bool

    @property
    def is_green(self) -> bool:
        """Whether every test passed."""
        return self.standing is Standing.GREEN


def proof_of(baseline: Baseline) -> Proof:
    """Return what a run proves."""
    output = baseline.outcome.output if baseline.outcome else ""
    read = read_output(output)
    names = {next(filter(None, found.groups())) for found in _NAMES.finditer(output)}
    return Proof(
        standing=baseline.standing,
        passed=read.passed,
        failed=read.failed,
        failing=tuple(sorted(names)),
        why=baseline.why,
        can_do=baseline.can_do,
        output=output[-_TAIL:],
        toolchain=baseline.toolchain,
        confined=baseline.outcome.confined if baseline.outcome else True,
    )


def find_doubts(before: Proof, after: Proof) -> tuple[str, ...]:
    """Return why a run does not prove the work done; empty when it does.

    Where tests failed before, those that fail no more than before are no doubt, if their names are
    known, and fewer do.
    """
    if after.is_green:
        return _doubts_of_green(before, after)
    if after.standing is not Standing.RED:
        return (f"the tests could not run: {after.why}",)
    if before.is_green or not before.failing or not after.failing:
        return ("tests fail",)
    fresh = sorted(set(after.failing) - set(before.failing))
    if fresh:
        return (f"tests fail that passed before: {', '.join(fresh[:10])}",)
    if len(after.failing) < len(before.failing) and after.passed >= before.passed:
        return ()
    return ("the same tests fail as before",)


def _doubts_of_green(before: Proof, after: Proof) -> tuple[str, ...]:
    # Some runners count failing tests among all that ran, so that the two cannot be added.
    least = max(before.passed, before.failed)
    if least and not after.passed:
        return ("no test ran",)
    if after.passed < least:
        return (f"{after.passed} tests ran, and before there were {least}",)
    return ()


def proof_to_json(proof: Proof) -> Json:
    """Return the proof as it is kept in a journal."""
    return {
        "standing": proof.standing.value,
        "passed": proof.passed,
        "failed": proof.failed,
        "failing": list(proof.failing),
        "why": proof.why,
        "can_do": proof.can_do,
        "output": proof.output,
        "toolchain": proof.toolchain,
        "confined": proof.confined,
    }


def proof_from_json(value: Json) -> Proof:
    """Return the proof that a journal holds."""
    assert isinstance(value, dict)  # noqa: S101 - written by `proof_to_json`, and its digest holds
    found = dict(value)
    failing = found.pop("failing")
    assert isinstance(failing, Sequence)  # noqa: S101 - as above
    standing = Standing(str(found.pop("standing")))
    return Proof(standing=standing, failing=tuple(map(str, failing)), **found)  # type: ignore[arg-type]
