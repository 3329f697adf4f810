"""What the classifier of failures is told of a repository: which names are its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iris_harness.contracts.canonical import Json
from iris_harness.daemon.evidence import Evidence, is_fixture
from iris_harness.daemon.inspection import Report
from iris_harness.daemon.provisioning.toolchains import Toolchain
from iris_harness.daemon.targets import load_json, load_toml, table
from iris_harness.daemon.version_sources import Strength

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
_HEADER = re.compile(r".*\.(?:h|hh|hpp|hxx)")
_GO_REQUIRED = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w./-]+)\s+v\d", re.MULTILINE)
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)
_STATED = {"python": "requires_python", "node": "engines_node", "go": "go_directive"}
_SOURCE_ROOTS = ("", "src/", "lib/", "python/")


def failure_context(evidence: Evidence, report: Report, toolchain: Toolchain) -> dict[str, Json]:
    """Return the context of a `Failure`: own and declared names, and the runtime it ran on."""
    context: dict[str, Json] = {
        "own_modules": _sorted(_own_modules(evidence)),
        "own_headers": _sorted(path for path in evidence.tree.files if _HEADER.fullmatch(path)),
        "declared_deps": _sorted(_declared(evidence)),
        "gitmodules": _sorted(_SUBMODULE.findall(evidence.text(".gitmodules"))),
        "current_runtime": str(toolchain),
    }
    for part in reversed(report.parts):
        name, said = part.runtime.name, part.runtime.statements
        floor = next((one.text for one in said if one.strength is Strength.FLOOR), None)
        if floor is not None:
            context[_STATED.get(name, f"requires_{name}")] = floor
    module = re.search(r"^module\s+(\S+)", evidence.text("go.mod"), re.MULTILINE)
    if module:
        context["module_path"] = module[1]
    return context


def _sorted(names: Iterator[str] | list[str]) -> list[Json]:
    return [*sorted(set(names))]


def _own_modules(evidence: Evidence) -> Iterator[str]:
    for path in evidence.tree.files:
        if not path.endswith((".py", ".rb", ".pm", ".lua")):
            continue
        for root in _SOURCE_ROOTS:
            if path.startswith(root):
                top = path[len(root) :].partition("/")[0]
                yield top.rpartition(".")[0] or top
    for path in evidence.read("package.json"):
        name = load_json(evidence, path).get("name")
        if isinstance(name, str) and not is_fixture(path):
            yield name


def _declared(evidence: Evidence) -> Iterator[str]:
    for path in evidence.read("package.json"):
        package = load_json(evidence, path)
        for kind in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
            yield from table(package, kind)
    yield from _python_declared(evidence)
    for path in evidence.read("Cargo.toml"):
        cargo = load_toml(evidence, path)
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from table(cargo, kind)
    yield from _GO_REQUIRED.findall(evidence.text("go.mod"))


def _python_declared(evidence: Evidence) -> Iterator[str]:
    for path in evidence.read("pyproject.toml"):
        project = load_toml(evidence, path)
        extras = table(project, "project", "optional-dependencies").values()
        groups = table(project, "dependency-groups").values()
        for listed in (table(project, "project").get("dependencies"), *extras, *groups):
            if isinstance(listed, list):
                yield from _requirements(item for item in listed if isinstance(item, str))
        yield from table(project, "tool", "poetry", "dependencies")
    for path in evidence.read(".txt"):
        if "requirements" in path:
            yield from _requirements(iter(evidence.text(path).splitlines()))


def _requirements(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if (found := _REQUIREMENT.match(line)) is not None:
            yield found[1]
