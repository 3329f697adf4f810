"""The immutable record of a job: what is to be done, under the digest of its own bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.contracts.decoding import from_json
from iris_harness.errors import ManifestError
from iris_harness.jobs.values import Manifest, Plan, PlannedWorker, PlanRequest, WorkerSpec

DAMAGED_HINT = "the database was changed by hand, or the disk is failing; restore a backup"
_SPEC_FIELDS = tuple(field.name for field in fields(WorkerSpec))


def build_manifest(request: PlanRequest, plan: Plan) -> Manifest:
    """Return the manifest of a checked plan; a worker's own model and test command go first."""
    return Manifest(
        task=request.task,
        repo_url=request.repo_url,
        ref=request.ref,
        summary=plan.summary,
        workers=tuple(_filled_in(worker, request) for worker in plan.workers),
    )


def _filled_in(worker: PlannedWorker, request: PlanRequest) -> PlannedWorker:
    return PlannedWorker(
        id=worker.id,
        task=worker.task,
        file=worker.file or None,  # people leave it empty
        files=worker.files,
        model=worker.model or request.worker_model,
        test_cmd=request.test_cmd if worker.test_cmd is None else worker.test_cmd,
        depends_on=tuple(dict.fromkeys(worker.depends_on)),
    )


def manifest_id(manifest: Manifest) -> str:
    """Return the SHA-256 of the canonical JSON, lower-case hexadecimal."""
    return text_id(manifest_text(manifest))


def text_id(text: str) -> str:
    """Return the id of a manifest from its canonical JSON."""
    return hashlib.sha256(text.encode()).hexdigest()


def manifest_text(manifest: Manifest) -> str:
    """Return the canonical JSON, as it is kept."""
    return canonical_bytes(manifest).decode()


def read_manifest(text: str, expected_id: str) -> Manifest:
    """Return the manifest that is kept as `text` under `expected_id`.

    Raises:
        ManifestError: its digest is another, or it is no manifest.
    """
    try:
        manifest = from_json(Manifest, json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise _damaged(expected_id, "it cannot be read") from error
    if manifest_text(manifest) != text or text_id(text) != expected_id:
        raise _damaged(expected_id, "its content has another digest")
    return manifest


def _damaged(expected_id: str, why: str) -> ManifestError:
    said = f"the manifest {expected_id[:12]} is not what was kept: {why}"
    return ManifestError(said, manifest_id=expected_id, hint=DAMAGED_HINT)


def check_specs(manifest: Manifest, named: str, job_id: str, kept: Iterable[str]) -> None:
    """Do nothing when `kept`, the specs of a job as they are kept, are what its manifest says.

    Raises:
        ManifestError: one was changed, is missing or was added.
    """
    said = {spec.id: spec for spec in build_specs(manifest, job_id)}
    try:
        found = {spec.id: spec for spec in map(read_spec, kept)}
    except (KeyError, TypeError, ValueError, RecursionError):
        found = {}
    if found != said:
        raise ManifestError(
            f"the workers of job {job_id} are not what its manifest {named[:12]} says",
            manifest_id=named,
            hint=DAMAGED_HINT,
        )


def build_specs(manifest: Manifest, job_id: str) -> Iterator[WorkerSpec]:
    """Yield what daemons are told of each worker, in the manifest's order."""
    for worker in manifest.workers:
        yield WorkerSpec(
            id=worker_key(job_id, worker.id),
            task=worker.task,
            job_task=manifest.task,
            file=worker.file,
            files=worker.files,
            model=worker.model,
            test_cmd=worker.test_cmd,
            depends_on=tuple(worker_key(job_id, one) for one in worker.depends_on),
            repo_url=manifest.repo_url,
            ref=manifest.ref,
            job_id=job_id,
        )


def spec_text(spec: WorkerSpec) -> str:
    """Return a spec as it is kept."""
    members = {name: getattr(spec, name) for name in _SPEC_FIELDS}
    return json.dumps(members, ensure_ascii=False)


def read_spec(text: str) -> WorkerSpec:
    """Return the spec that `spec_text` wrote; the database lets nobody else change it."""
    members = json.loads(text)
    members["files"] = tuple(members["files"])
    members["depends_on"] = tuple(members["depends_on"])
    return WorkerSpec(**members)


def worker_key(job_id: str, worker_id: str) -> str:
    """Return the id of a worker among all jobs."""
    return f"{job_id}-{worker_id}"
