"""A report as `iris repo inspect --json` prints it. Keys may be added, never renamed or removed."""

from __future__ import annotations

from iris_harness.contracts.canonical import Json
from iris_harness.daemon.devcontainer import Devcontainer
from iris_harness.daemon.evidence import Source
from iris_harness.daemon.inspection import Alternate, Report
from iris_harness.daemon.parts import Part
from iris_harness.daemon.runtime import Runtime
from iris_harness.daemon.test_command import Candidate, TestCommand


def report_to_json(report: Report) -> dict[str, Json]:
    """Return the report as JSON values."""
    chosen = report.test.chosen
    return {
        "ecosystems": list(report.ecosystems),
        "primary": report.ecosystems[0],
        "test_command": chosen.command if chosen else None,
        "test": _test(report.test),
        "alternatives": [_candidate(candidate) for candidate in report.test.alternatives],
        "runtime": _runtime(report.runtime),
        "package_manager": report.manager.name if report.manager else None,
        "install": report.manager.install if report.manager else None,
        "devcontainer": report.devcontainer.source.file if report.devcontainer else None,
        "devcontainer_detail": _devcontainer(report.devcontainer),
        "services": list(report.needs.services),
        "also_requires": list(report.needs.also_requires),
        "needs": list(report.needs.needs),
        "parts": [_part(part) for part in report.parts],
        "alternates": {found.ecosystem: _alternate(found) for found in report.alternates},
    }


def _test(test: TestCommand) -> dict[str, Json]:
    chosen = test.chosen
    return {
        "rule": chosen.rule.value if chosen else "none",
        "confidence": test.confidence,
        "partial": test.partial,
        "cwd": chosen.folder if chosen else "",
        "why": test.why,
        "evidence": [_source(source) for source in chosen.sources] if chosen else [],
    }


def _candidate(candidate: Candidate) -> dict[str, Json]:
    return {
        "command": candidate.command,
        "rule": candidate.rule.value,
        "runtime": candidate.runtime,
        "evidence": [_source(source) for source in candidate.sources],
    }


def _part(part: Part) -> dict[str, Json]:
    return {
        "ecosystem": part.runtime.name,
        "cwd": part.folder,
        "version": part.runtime.version,
        "version_constraint": part.runtime.constraint,
        "package_manager": part.manager.name if part.manager else None,
        "install": list(part.installs) or ([part.manager.install] if part.manager else []),
        "commands": list(part.commands),
        "needed": part.is_needed,
        "evidence": [_source(part.source)] if part.source else [],
    }


def _source(source: Source) -> dict[str, Json]:
    return {"file": source.file, "line": source.line, "quote": source.quote}


def _runtime(runtime: Runtime) -> dict[str, Json]:
    return {
        "name": runtime.name,
        "version": runtime.version,
        "version_constraint": runtime.constraint,
        "source_file": runtime.source.file if runtime.source else None,
        "source_line": runtime.source.line if runtime.source else None,
        "statements": [
            {
                "kind": statement.strength.value,
                "text": statement.text,
                "file": statement.source.file,
                "line": statement.source.line,
            }
            for statement in runtime.statements
        ],
        "conflicts": list(runtime.conflicts),
        "why": runtime.why,
    }


def _devcontainer(found: Devcontainer | None) -> Json:
    if found is None:
        return None
    return {
        "path": found.source.file,
        "kind": found.kind,
        "image": found.image,
        "features": list(found.features),
        "image_alone_enough": found.image_alone_enough,
    }


def _alternate(found: Alternate) -> dict[str, Json]:
    return {
        "test_command": found.command,
        "cwd": found.folder,
        "runtime": _runtime(found.runtime),
        "package_manager": found.manager.name if found.manager else None,
    }
