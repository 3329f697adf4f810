"""The rows of one job, made before any lock is taken; only the moment is filled in later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.jobs.kept import LONGEST_REASON, kept_json, kept_text
from iris_harness.jobs.manifest import (
    build_manifest,
    build_specs,
    manifest_text,
    spec_text,
    text_id,
)
from iris_harness.jobs.reach import in_order
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.values import PlanOutcome, PlanRequest, SubmitOptions, WorkerSpec


class JobRecords(NamedTuple):
    """Everything that is written of a job, as rows of the tables of the same names.

    Left out is what every job begins with, and in `workers` what they share with the job. Of
    several rows there is the JSON text, "" of none.
    """

    job_id: str
    manifest_id: str
    manifest_text: str
    job: Mapping[str, Any]
    workers: str
    """Each after all it depends on."""
    edges: str
    worker_needs: str


def build_records(
    request: PlanRequest,
    outcome: PlanOutcome,
    options: SubmitOptions,
    needs: Sequence[str],
    job_id: str,
) -> JobRecords:
    """Return the rows of a job whose plan was checked; `needs` is what a daemon must offer."""
    manifest = build_manifest(request, outcome.plan)
    text = manifest_text(manifest)
    specs = {spec.id: spec for spec in build_specs(manifest, job_id)}
    order = in_order({spec.id: spec.depends_on for spec in specs.values()})
    return JobRecords(
        job_id=job_id,
        manifest_id=text_id(text),
        manifest_text=text,
        job={
            "id": job_id,
            "owner": request.owner,
            "priority": options.priority,
            "manifest_id": text_id(text),
            "request": canonical_bytes(request).decode(),
            "planner": outcome.planner,
            "notes": kept_json([kept_text(note, LONGEST_REASON) for note in outcome.notes]),
            "needs": json.dumps(needs),
        },
        workers=_text(_worker(specs[one], position) for position, one in enumerate(order, start=1)),
        edges=_text(_edges(specs.values())),
        worker_needs=_text({"worker_id": one, "need": need} for one in order for need in needs),
    )


def _text(rows: Iterable[Mapping[str, Any]]) -> str:
    listed = list(rows)
    return json.dumps(listed, ensure_ascii=False) if listed else ""


def _worker(spec: WorkerSpec, position: int) -> dict[str, Any]:
    return {
        "id": spec.id,
        "position": position,
        "spec": spec_text(spec),
        "state": (WorkerState.BLOCKED if spec.depends_on else WorkerState.READY).value,
        "waiting_for": len(spec.depends_on),
    }


def _edges(specs: Iterable[WorkerSpec]) -> Iterator[dict[str, str]]:
    for spec in specs:
        for dependency in spec.depends_on:
            yield {"worker_id": spec.id, "depends_on": dependency}
