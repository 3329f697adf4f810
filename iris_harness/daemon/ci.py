"""What a repository's CI runs: the commands of every service's files, with where they stand.

GitHub, Forgejo, GitLab, CircleCI, Travis, Azure, AppVeyor, Cirrus, Bitbucket, Woodpecker and
Drone. A job's reusable workflow and a step's local action are followed one level.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.yaml_nodes import (
    Node,
    Value,
    at,
    items,
    pairs,
    parse_yaml,
    text_of,
    texts_of,
)

_WORKFLOW = re.compile(r"\.(?:github|forgejo|gitea)/workflows/[^/]+\.ya?ml")
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_SIMPLE = re.compile(r"(?:'(?P<literal>[^']*)'|(?P<scope>matrix|env|inputs)\.(?P<name>[\w-]+))")
_MAX_STEPS = 2000


class Step(NamedTuple):
    """One script that the CI runs, or one action it uses."""

    file: str
    line: int
    """1-based line where the script begins."""
    script: str
    """Shell commands; expressions that are not known stand as they were."""
    uses: str = ""
    """The action, without its version; the script is empty then."""
    options: Mapping[str, str] = {}
    """What the action is given."""
    folder: str = ""
    names: tuple[str, ...] = ()
    """Names of the workflow's file, the job and the step, from the outside in."""
    system: str = ""
    """What it runs on; empty where it does not say."""
    condition: str = ""
    events: tuple[str, ...] = ()
    """What starts the workflow; empty where the service always does."""
    shell: str = ""
    environment: Mapping[str, str] = {}
    services: tuple[str, ...] = ()
    """Images of the services beside the job."""
    matrix: Mapping[str, str] = {}
    """One value of each axis of the job's matrix; the script names them as they were written."""
    image: str = ""
    """The container image that the job runs in; empty where it names none."""
    foreign: bool = False
    """Another repository was checked out before it."""


class _Scope(NamedTuple):
    """What the expressions of a job may name."""

    matrix: Mapping[str, str]
    env: Mapping[str, str]
    inputs: Mapping[str, str]


class CiFiles(NamedTuple):
    """The CI files of a repository, parsed once."""

    evidence: Evidence
    nodes: Mapping[str, Node]
    """By path, in the order of the paths."""


def read_ci(evidence: Evidence) -> CiFiles:
    """Return the CI files that are YAML. Pure, bounded."""
    nodes: dict[str, Node] = {}
    for path in sorted(evidence.texts):
        known = _WORKFLOW.fullmatch(path) or (
            path.count("/") <= 1 and path.rpartition("/")[2] in _OTHERS
        )
        node = parse_yaml(evidence.text(path)) if known else None
        if node is not None:
            nodes[path] = node
    return CiFiles(evidence, nodes)


def ci_steps(ci: CiFiles) -> tuple[Step, ...]:
    """Return every step of every CI file, in the order of the files and in them. Bounded."""
    steps: list[Step] = []
    for path, node in ci.nodes.items():
        if _WORKFLOW.fullmatch(path):
            steps += _workflow(ci, path, follow=True)
        else:
            steps += _OTHERS[path.rpartition("/")[2]](path, node)
        if len(steps) > _MAX_STEPS:
            break
    return tuple(steps[:_MAX_STEPS])


def _workflow(
    ci: CiFiles, path: str, *, follow: bool, inputs: Mapping[str, str] | None = None
) -> Iterator[Step]:
    evidence, root = ci.evidence, ci.nodes.get(path)
    events = at(root, "on") or at(root, "true")
    names = tuple(texts_of(events)) or tuple(key for key, _ in pairs(events))
    given = dict(inputs or {})
    for key, value in pairs(at(events, "workflow_call", "inputs")):
        given.setdefault(key, text_of(at(value, "default")))
    for job_id, job in pairs(at(root, "jobs")):
        called = text_of(at(job, "uses"))
        if called.startswith("./") and follow:
            passed = {key: text_of(value) for key, value in pairs(at(job, "with"))}
            for step in _workflow(ci, called[2:], follow=False, inputs=passed):
                yield step._replace(names=(path, job_id, *step.names[1:]), events=names)
            continue
        yield from _job(evidence, path, root, (job_id, job, names, given))


def _job(
    evidence: Evidence,
    path: str,
    root: Node | None,
    found: tuple[str, Node, tuple[str, ...], Mapping[str, str]],
) -> Iterator[Step]:
    job_id, job, events, inputs = found
    env = {**_texts(at(root, "env")), **_texts(at(job, "env"))}
    scope = _Scope(_matrix(at(job, "strategy", "matrix")), env, inputs)
    folder = text_of(at(job, "defaults", "run", "working-directory")) or text_of(
        at(root, "defaults", "run", "working-directory")
    )
    system = ",".join(texts_of(at(job, "runs-on"))) or text_of(at(job, "runs-on", "labels"))
    name = text_of(at(job, "name"))
    base = Step(
        file=path, line=1, script="", system=_filled(system, scope), events=events,
        names=(path, job_id, _EXPRESSION.sub("", name)), environment=env, condition=text_of(at(job, "if")),
        services=tuple(_filled(text_of(at(value, "image")) or key, scope) for key, value in pairs(at(job, "services"))),
        matrix=scope.matrix, image=_filled(_image(at(job, "container")), scope),
    )  # fmt: skip
    for step in items(at(job, "steps")):
        yield from _step(evidence, step, base, (scope, folder))
        if text_of(at(step, "uses")).startswith("actions/checkout") and at(
            step, "with", "repository"
        ):
            base = base._replace(foreign=True)


def _image(node: Node | None) -> str:
    """Return the image of a job: a name, or a table with one."""
    return text_of(node) or text_of(at(node, "image")) or text_of(at(node, "name"))


def _step(evidence: Evidence, step: Node, base: Step, found: tuple[_Scope, str]) -> Iterator[Step]:
    scope, folder = found
    own = {**scope.env, **_texts(at(step, "env"))}
    scope = scope._replace(env=own)
    place = text_of(at(step, "working-directory")) or folder
    base = base._replace(
        names=(*base.names, text_of(at(step, "name"))), environment={**base.environment, **own},
        condition=" && ".join(filter(None, (base.condition, text_of(at(step, "if"))))),
        shell=text_of(at(step, "shell")), folder=_place(_filled(place, scope)),
    )  # fmt: skip
    script = at(step, "run")
    if isinstance(script, Value):
        shown = _filled(script.text, scope._replace(matrix={}))
        yield base._replace(script=shown, line=script.line)
        return
    uses = at(step, "uses")
    if not isinstance(uses, Value):
        return
    options = {key: _filled(text_of(value), scope) for key, value in pairs(at(step, "with"))}
    if uses.text.startswith("./"):
        yield from _local_action(evidence, uses.text[2:].rstrip("/"), base, options)
        return
    yield base._replace(uses=uses.text.partition("@")[0], options=options, line=uses.line)


def _local_action(
    evidence: Evidence, folder: str, base: Step, options: Mapping[str, str]
) -> Iterator[Step]:
    path = next(
        (p for p in (f"{folder}/action.yml", f"{folder}/action.yaml") if evidence.text(p)), None
    )
    root = parse_yaml(evidence.text(path)) if path else None
    given = {key: text_of(at(value, "default")) for key, value in pairs(at(root, "inputs"))}
    scope = _Scope({}, base.environment, {**given, **options})
    for step in items(at(root, "runs", "steps")):
        script = at(step, "run")
        if isinstance(script, Value) and path:
            yield base._replace(file=path, script=_filled(script.text, scope), line=script.line)


def _matrix(node: Node | None) -> dict[str, str]:
    """Return one value of each axis: the first, and those of the first entry that is included."""
    found: dict[str, str] = {}
    for key, value in pairs(node):
        if key in {"include", "exclude"}:
            continue
        values = list(items(value))
        linux = (v for v in values if re.search(r"ubuntu|linux", text_of(v)))
        first = next(linux, values[0] if values else None)
        if isinstance(first, Value):
            found[key] = first.text
        for inner, item in pairs(first):
            found[f"{key}.{inner}"] = text_of(item)
    included = list(items(at(node, "include")))
    linux = (
        entry for entry in included if any("ubuntu" in text for text in _texts(entry).values())
    )
    chosen = next(linux, included[0] if included else None)
    if not found:
        found.update(_texts(chosen))
    return {key: value for key, value in found.items() if "${{" not in value}


def _texts(node: Node | None) -> dict[str, str]:
    return {key: value.text for key, value in pairs(node) if isinstance(value, Value)}


def _filled(text: str, scope: _Scope) -> str:
    """Return `text` with the expressions whose value is known filled in."""

    def value(match: re.Match[str]) -> str:
        simple = _SIMPLE.fullmatch(match[1])
        if not simple:
            return match[0]
        if simple["literal"] is not None:
            return simple["literal"]
        known: Mapping[str, str] = getattr(
            scope, "env" if simple["scope"] == "env" else simple["scope"]
        )
        return known.get(simple["name"], match[0])

    for _ in range(2):  # a value may be an expression itself
        text = _EXPRESSION.sub(value, text)
    return text


def fill_matrix(text: str, matrix: Mapping[str, str]) -> str:
    """Return `text` with the axes of a matrix filled in."""
    return _filled(text, _Scope(matrix, {}, {}))


def _place(folder: str) -> str:
    folder = folder.strip().removeprefix("./").strip("/")
    return "" if folder in {"", "."} or "$" in folder or ".." in folder.split("/") else folder


def _gitlab(path: str, root: Node) -> Iterator[Step]:
    for job, body in pairs(root):
        script = at(body, "script")
        if script is None or job.startswith("."):
            continue
        services = tuple(
            text_of(item) or text_of(at(item, "name")) for item in items(at(body, "services"))
        )
        names = (path, job, text_of(at(body, "stage")))
        own = at(body, "image") or at(root, "default", "image") or at(root, "image")
        for step in _lines(path, script, names, services):
            yield step._replace(image=_image(own))


def _circle(path: str, root: Node) -> Iterator[Step]:
    for job, body in pairs(at(root, "jobs")):
        images = tuple(text_of(at(item, "image")) for item in items(at(body, "docker")))
        for step in items(at(body, "steps")):
            run = at(step, "run")
            script = run if isinstance(run, Value) else at(run, "command")
            if isinstance(script, Value):
                names = (path, job, text_of(at(run, "name")))
                yield Step(path, script.line, script.text, names=names, services=images[1:], image=images[0] if images else "",
                           folder=_place(text_of(at(run, "working_directory"))))  # fmt: skip


def _travis(path: str, root: Node) -> Iterator[Step]:
    services = tuple(texts_of(at(root, "services")))
    yield from _lines(path, at(root, "script"), (path, "test", ""), services)
    for job in items(at(root, "jobs", "include") or at(root, "matrix", "include")):
        yield from _lines(path, at(job, "script"), (path, text_of(at(job, "name")), ""), services)


def _azure(path: str, root: Node) -> Iterator[Step]:
    """Yield every script of a file whose jobs may stand at any depth."""
    queue: list[tuple[Node, str]] = [(root, "")]
    for _ in range(_MAX_STEPS):
        if not queue:
            return
        node, job = queue.pop(0)
        for script in (
            at(node, "script"),
            at(node, "bash"),
            at(node, "pwsh"),
            at(node, "powershell"),
        ):
            if isinstance(script, Value):
                names = (path, job, text_of(at(node, "displayName")))
                yield Step(path, script.line, script.text, names=names,
                           folder=_place(text_of(at(node, "workingDirectory"))))  # fmt: skip
        named = text_of(at(node, "job")) or text_of(at(node, "stage")) or job
        for key in ("stages", "jobs", "steps"):
            queue += [(item, named) for item in items(at(node, key))]


def _appveyor(path: str, root: Node) -> Iterator[Step]:
    for script in items(at(root, "test_script")):
        text = (
            script
            if isinstance(script, Value)
            else at(script, "sh") or at(script, "ps") or at(script, "cmd")
        )
        if isinstance(text, Value):
            yield Step(path, text.line, text.text, names=(path, "test", ""), system="windows")


def _tasks(path: str, root: Node) -> Iterator[Step]:
    """Yield the scripts of services whose jobs hold lists of commands under several keys."""
    queue: list[tuple[Node, str, str]] = [(root, "", "")]
    for _ in range(_MAX_STEPS):
        if not queue:
            return
        node, name, image = queue.pop(0)
        if isinstance(node, list):
            queue += [(item, name, image) for item in node]
            continue
        named = text_of(at(node, "name")) or name
        image = _image(at(node, "image")) or text_of(at(node, "container", "image")) or image
        for key, value in pairs(node):
            if key in {"commands", "script", "test_script"} or key.endswith("_script"):
                for step in _lines(path, value, (path, named, key), ()):
                    yield step._replace(image=image)
            elif not isinstance(value, Value):
                queue.append((value, named or key, image))


def _lines(
    path: str, script: Node | None, names: tuple[str, ...], services: tuple[str, ...]
) -> Iterator[Step]:
    for item in items(script):
        if isinstance(item, Value):
            yield Step(path, item.line, item.text, names=names, services=services)


_OTHERS = {
    ".gitlab-ci.yml": _gitlab, ".travis.yml": _travis, "config.yml": _circle,
    "azure-pipelines.yml": _azure, "azure-pipelines.yaml": _azure, "appveyor.yml": _appveyor,
    ".appveyor.yml": _appveyor, ".cirrus.yml": _tasks, ".drone.yml": _tasks, ".woodpecker.yml": _tasks,
    "bitbucket-pipelines.yml": _tasks, ".build.yml": _tasks,
}  # fmt: skip
