"""Plans and manifests as documents that people read and edit."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping

from iris_harness.config.document import parse_document
from iris_harness.contracts.canonical import Json, to_json
from iris_harness.contracts.decoding import from_json
from iris_harness.errors import JobPlanError
from iris_harness.jobs.strict_json import read_strict_json
from iris_harness.jobs.values import Manifest, Plan, PlannedWorker, PlanOutcome

_ABOUT_THE_PLAN = frozenset({"planner", "notes"})  # printed with a plan, no part of it


def parse_plan(text: str, place: str) -> Plan:
    """Return the plan that a document (JSON or YAML) holds; it is not checked yet.

    `place` is what the document is called in messages. What `iris jobs plan --json` prints can be
    read back.

    Raises:
        JobPlanError: it is no document, or holds no plan.
    """
    return plan_from_json(_value(text, place), place)


def plan_from_json(value: object, place: str) -> Plan:
    """Return the plan that plain values hold; it is not checked yet.

    Raises:
        JobPlanError: they hold none.
    """
    if not isinstance(value, dict):
        raise JobPlanError(
            f"{place} holds no plan",
            problem="malformed",
            hint="it has a summary, and workers with id and task each",
        )
    kept = {key: item for key, item in value.items() if key not in _ABOUT_THE_PLAN}
    try:
        return from_json(Plan, {"summary": "", **kept, "workers": _workers(kept)})
    except (TypeError, ValueError) as error:
        raise JobPlanError(f"{place} holds no plan: {error}", problem="malformed") from error


def _value(text: str, place: str) -> object:
    """Return what the document says; JSON as such: YAML lacks its escapes of rare characters."""
    if text.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):  # YAML may begin so, and says what is wrong and where
            return read_strict_json(text)
    document = parse_document(text, place)
    if document.problems:
        raise JobPlanError(str(document.problems[0]), problem="malformed")
    return document.value


def _workers(tree: Mapping[str, object]) -> object:
    workers = tree.get("workers")
    return [_worker(worker) for worker in workers] if isinstance(workers, list) else workers


def _worker(worker: object) -> object:
    """Return a worker whose keys without a value have their defaults, as a person leaves them."""
    if not isinstance(worker, dict):
        return worker
    return {key: value for key, value in worker.items() if value is not None}


def outcome_to_json(outcome: PlanOutcome) -> dict[str, Json]:
    """Return a plan as ``iris jobs plan --json`` prints it. Keys may be added, never renamed."""
    return {
        "summary": outcome.plan.summary,
        "workers": [to_json(worker) for worker in outcome.plan.workers],
        "planner": outcome.planner,
        "notes": list(outcome.notes),
    }


def manifest_to_json(manifest: Manifest) -> Json:
    """Return a manifest with its keys in their own order."""
    return to_json(manifest)


def plan_to_yaml(plan: Plan) -> str:
    """Return a plan as YAML for a person's editor; `parse_plan` reads it back as it is."""
    lines = [f"summary: {_quoted(plan.summary)}", "workers:"]
    for worker in plan.workers:
        lines += _worker_lines(worker)
    return "\n".join(lines) + "\n"


def _worker_lines(worker: PlannedWorker) -> list[str]:
    values: dict[str, Json] = {
        "task": worker.task,
        "file": worker.file,
        "files": list(worker.files),
        "model": worker.model,
        "test_cmd": worker.test_cmd,
        "depends_on": list(worker.depends_on),
    }
    shown = {key: value for key, value in values.items() if value or key == "depends_on"}
    return [f"  - id: {_quoted(worker.id)}"] + [
        f"    {key}: {_quoted(value)}" for key, value in shown.items()
    ]


def _quoted(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)  # JSON is YAML
