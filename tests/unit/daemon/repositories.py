"""Small repositories of every kind, made for these tests: repositories.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.tree import build_tree

CI = ".github/workflows/ci.yml"


class Case(NamedTuple):
    """A repository and the right answer."""

    name: str
    command: str | None
    runtime: str
    listing: Sequence[str]
    files: Mapping[str, str]

    @property
    def evidence(self) -> Evidence:
        return make_evidence(self.files, self.listing)


def make_evidence(files: Mapping[str, str], listing: Sequence[str] = ()) -> Evidence:
    return Evidence(tree=build_tree([*files, *listing]), texts=files)


def load_cases() -> list[Case]:
    rows = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    return [Case(**row) for row in rows]


def workflow(*runs: str, job: str = "test", extra: str = "") -> str:
    """Return a workflow of one job whose steps run these scripts."""
    steps = "".join(
        "      - run: |\n" + "".join(f"          {line}\n" for line in run.split("\n"))
        for run in runs
    )
    return f"on: [push]\njobs:\n  {job}:\n    runs-on: ubuntu-latest\n{extra}    steps:\n{steps}"
