"""Named targets of task runners, and the commands of their bodies."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.jsonc import parse_jsonc
from iris_harness.daemon.yaml_nodes import Node, Value, at, items, pairs, parse_yaml, text_of


class Target(NamedTuple):
    """A named target, found."""

    source: Source
    body: tuple[str, ...]
    """Lines of its recipe, each a shell command or several."""
    needs: tuple[str, ...] = ()
    """Targets of the same runner that run before it."""


_MAKEFILES = ("GNUmakefile", "Makefile", "makefile")
_MAKE_RULE = re.compile(
    r"^(?P<names>[^\s:#=][^:#=]*?)\s*::?(?!=)\s*(?P<needs>[^=;#]*?)\s*(?:;(?P<inline>.*))?(?:#.*)?$"
)
_JUST_RECIPE = re.compile(
    r"^@?(?P<name>[\w-]+)(?P<parameters>[^:=]*):(?!=)\s*(?P<needs>[^#]*)(?:#.*)?$"
)
_JUST_ALIAS = re.compile(r"^alias\s+(?P<name>[\w-]+)\s*:=\s*(?P<target>[\w-]+)")
TASKFILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml")
JUSTFILES = ("justfile", "Justfile", ".justfile")
MISE_FILES = ("mise.toml", ".mise.toml", ".config/mise.toml", "mise/config.toml")
DENO_FILES = ("deno.json", "deno.jsonc")


def in_folder(folder: str, name: str) -> str:
    """Return the path of a file in a folder; the root is empty."""
    return f"{folder}/{name}" if folder else name


def load_json(evidence: Evidence, path: str) -> Mapping[str, Any]:
    """Return the object of a JSON file, comments allowed; empty where there is none."""
    found = parse_jsonc(evidence.text(path))
    return found if isinstance(found, dict) else {}


def load_toml(evidence: Evidence, path: str) -> Mapping[str, Any]:
    """Return the tables of a TOML file; empty where there is none, or it is broken."""
    try:
        return tomllib.loads(evidence.text(path))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


def table(tables: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return a table under a path of keys; empty where there is none."""
    found: Any = tables
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def find_script(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a script of the package.json of a folder."""
    path = in_folder(folder, "package.json")
    body = table(load_json(evidence, path), "scripts").get(name)
    if not isinstance(body, str) or not body.strip():
        return None
    hooks = [
        table(load_json(evidence, path), "scripts").get(f"{kind}{name}") for kind in ("pre", "post")
    ]
    lines = [hooks[0], body, hooks[1]]
    return Target(
        evidence.where(path, json.dumps(name) + ":"), tuple(x for x in lines if isinstance(x, str))
    )


def find_make(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a target of the makefile of a folder."""
    path = evidence.first(*(in_folder(folder, file) for file in _MAKEFILES))
    return (
        next((t for names, t in _make_targets(evidence, path) if name in names), None)
        if path
        else None
    )


def make_targets(evidence: Evidence, folder: str) -> dict[str, Target]:
    """Return all targets of the makefile of a folder, in their order."""
    path = evidence.first(*(in_folder(folder, file) for file in _MAKEFILES))
    found: dict[str, Target] = {}
    for names, target in _make_targets(evidence, path) if path else ():
        for name in names:
            old = found.get(name)
            found[name] = target if old is None or not old.body else old
    return found


def _make_targets(evidence: Evidence, path: str) -> Iterator[tuple[Sequence[str], Target]]:
    lines = evidence.text(path).replace("\\\n", " \x00").split("\n")
    known = _make_variables(lines)
    number = 0
    current: tuple[Sequence[str], int, tuple[str, ...]] | None = None
    body: list[str] = []
    for line in lines:
        number += 1 + line.count("\x00")
        if line.startswith("\t"):
            body.append(_make_filled(line.strip().replace("\x00", " "), known).lstrip("@-+ "))
            continue
        rule = _MAKE_RULE.match(line.replace("\x00", " "))
        if not rule or line.startswith((" ", "#", "export ", "include ", "define ")):
            continue
        if current:
            yield current[0], Target(evidence.at(path, current[1]), tuple(body), current[2])
        body = [rule["inline"].strip()] if rule["inline"] else []
        needs = tuple(n for n in rule["needs"].split() if n != "|" and "$" not in n)
        current = (rule["names"].split(), number, needs)
    if current:
        yield current[0], Target(evidence.at(path, current[1]), tuple(body), current[2])


_MAKE_VARIABLE = re.compile(r"(?:export\s+)?(?P<name>[\w-]+)\s*[:?]?:?=\s*(?P<value>[^#\n]*)")
_MAKE_USE = re.compile(r"\$[({]([\w-]+)[)}]")


def _make_variables(lines: Sequence[str]) -> dict[str, str]:
    matches = (
        _MAKE_VARIABLE.fullmatch(line.strip()) for line in lines if not line.startswith("\t")
    )
    return {match["name"]: match["value"].strip() for match in matches if match}


def _make_filled(line: str, known: Mapping[str, str]) -> str:
    """Return a line with the variables the makefile sets; others stand as a shell would write them."""
    for _ in range(3):
        line = _MAKE_USE.sub(lambda use: known.get(use[1], f"${{{use[1]}}}")[:400], line)[:4000]
    return line.replace("$$", "$")


def find_just(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a recipe of the justfile of a folder, through its aliases."""
    path = evidence.first(*(in_folder(folder, file) for file in JUSTFILES))
    if not path:
        return None
    lines = evidence.text(path).split("\n")
    for line in lines:
        alias = _JUST_ALIAS.match(line)
        if alias and alias["name"] == name:
            name = alias["target"]
    for number, line in enumerate(lines, start=1):
        recipe = _JUST_RECIPE.match(line)
        if recipe and recipe["name"] == name:
            body: list[str] = []
            for following in lines[number:]:
                if following.strip() and not following.startswith((" ", "\t")):
                    break
                body.append(following.strip().lstrip("@-"))
            return Target(
                evidence.at(path, number), tuple(filter(None, body)), _just_needs(recipe["needs"])
            )
    return None


def _just_needs(text: str) -> tuple[str, ...]:
    """Return the recipes before it; a call with arguments is one word with them."""
    calls = re.findall(r"\(([^)]*)\)|([\w-]+)", text.replace("&&", " "))
    return tuple(call.strip() or word for call, word in calls)


def find_task(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a task of the Taskfile of a folder."""
    path = evidence.first(*(in_folder(folder, file) for file in TASKFILES))
    tasks = at(parse_yaml(evidence.text(path)), "tasks") if path else None
    for found, body in pairs(tasks):
        aliases = {text_of(alias) for alias in items(at(body, "aliases"))}
        if path and (found == name or name in aliases):
            lines, needs = _task_body(body)
            return Target(evidence.where(path, f"{found}:"), lines, needs)
    return None


def _task_body(body: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    commands = body if isinstance(body, Value | list) else at(body, "cmds") or at(body, "cmd")
    lines: list[str] = []
    needs = [text_of(dep) or text_of(at(dep, "task")) for dep in items(at(body, "deps"))]
    for item in items(commands):
        lines.append(text_of(item) or text_of(at(item, "cmd")))
        needs.append(text_of(at(item, "task")))
    return tuple(filter(None, lines)), tuple(filter(None, needs))


def find_mise(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a task of mise: of its settings, or a file of its own."""
    for file in MISE_FILES:
        path = in_folder(folder, file)
        task = table(load_toml(evidence, path), "tasks").get(name) if evidence.has(path) else None
        if task is not None:
            spec = task if isinstance(task, dict) else {"run": task}
            return Target(
                evidence.where(path, name), _texts(spec.get("run")), _texts(spec.get("depends"))
            )
    for place in ("mise-tasks", ".mise-tasks", ".mise/tasks", ".config/mise/tasks"):
        path = in_folder(folder, f"{place}/{name.replace(':', '/')}")
        if evidence.has(path):
            return Target(Source(file=path), tuple(evidence.text(path).split("\n")))
    return None


def find_composer(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a script of the composer.json of a folder."""
    path = in_folder(folder, "composer.json")
    body = table(load_json(evidence, path), "scripts").get(name)
    lines = _texts(body)
    if not lines:
        return None
    own = tuple(
        line
        for line in lines
        if not line.startswith("@") or line.startswith(("@php ", "@composer "))
    )
    plain = tuple(line.removeprefix("@") for line in own)
    needs = tuple(line[1:].split()[0] for line in lines if line.startswith("@") and line not in own)
    return Target(evidence.where(path, f'"{name}"'), plain, needs)


def find_deno(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a task of the deno.json of a folder."""
    for file in (*DENO_FILES, "package.json"):
        path = in_folder(folder, file)
        key = "scripts" if file == "package.json" else "tasks"
        body = table(load_json(evidence, path), key).get(name)
        command = body.get("command") if isinstance(body, dict) else body
        if isinstance(command, str):
            needs = _texts(body.get("dependencies")) if isinstance(body, dict) else ()
            return Target(evidence.where(path, f'"{name}"'), (command,), needs)
    return None


_PYPROJECT_TASKS = (
    ("tool", "poe", "tasks"),
    ("tool", "pdm", "scripts"),
    ("tool", "taskipy", "tasks"),
    ("tool", "pixi", "tasks"),
    ("tool", "rye", "scripts"),
    ("tool", "pixi", "feature", "test", "tasks"),
    ("tool", "hatch", "envs", "default", "scripts"),
    ("tool", "hatch", "envs", "test", "scripts"),
    ("tool", "hatch", "envs", "tests", "scripts"),
    ("tool", "hatch", "envs", "hatch-test", "scripts"),
)


def find_pyproject(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return a task that pyproject.toml holds for one of Python's task runners."""
    path = in_folder(folder, "pyproject.toml")
    tables = load_toml(evidence, path)
    environment, _, bare = name.rpartition(":")
    places = (*_PYPROJECT_TASKS, ("tool", "hatch", "envs", environment, "scripts"))
    for keys in places:
        for wanted in dict.fromkeys((name, bare)):
            body = table(tables, *keys).get(wanted)
            lines = _texts(body)
            if isinstance(body, dict):
                lines = next(
                    (
                        found
                        for key in ("cmd", "shell", "sequence", "script")
                        if (found := _texts(body.get(key)))
                    ),
                    (),
                )
            if lines:
                return Target(evidence.where(path, wanted), lines)
    return None


_TOX_CONDITION = re.compile(r"^[\w,!.*{}-]+:\s+")
_TOX_VALUE = re.compile(r"\{[^{}]*\}")


def find_tox(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return the commands of an environment of tox.ini, or of what they share by default."""
    path = in_folder(folder, "tox.ini")
    settings = configparser.RawConfigParser(strict=False, interpolation=None)
    try:
        settings.read_string(evidence.text(path))
    except configparser.Error:
        return None
    for section in (f"testenv:{name}", "testenv"):
        if settings.has_option(section, "commands"):
            lines = settings.get(section, "commands").strip().split("\n")
            bare = (_TOX_VALUE.sub("", _TOX_CONDITION.sub("", line)).lstrip("- ") for line in lines)
            return Target(evidence.where(path, f"[{section}]"), tuple(bare))
    return None


_NOX_SESSION = re.compile(r"^def (?P<name>\w+)\(", re.MULTILINE)
_NOX_RUN = re.compile(
    r"\.run(?:_always|_install)?\(\s*(?P<words>(?:f?[\"'][^\"'\n]*[\"']\s*,?\s*)+)"
)
_QUOTED = re.compile(r"[\"']([^\"'\n]*)[\"']")


def find_nox(evidence: Evidence, folder: str, name: str) -> Target | None:
    """Return what a session of noxfile.py runs, as far as it is written out; of all without a name."""
    path = evidence.first(in_folder(folder, "noxfile.py"), "noxfile.py")
    parts = _NOX_SESSION.split(evidence.text(path)) if path else []
    wanted = re.sub(r"\W", "_", name.partition("-")[0])
    lines = [
        " ".join(_QUOTED.findall(run["words"]))
        for found, body in zip(parts[1::2], parts[2::2], strict=True)
        if wanted in {"", found}
        for run in _NOX_RUN.finditer(body)
    ]
    return Target(evidence.where(path, f"def {wanted}"), tuple(lines)) if path and lines else None


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
