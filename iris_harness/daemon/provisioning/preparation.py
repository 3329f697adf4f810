"""What has to be done once before the tests of a checkout can run, and again when it changes. Pure.

Everything is kept in the job's home folder where the ecosystem allows it, so that the checkout holds
nothing that the work did not put there.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from iris_harness.contracts.canonical import digest
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.inspection import Report
from iris_harness.daemon.parts import Part
from iris_harness.daemon.provisioning.toolchains import Toolchain
from iris_harness.daemon.targets import in_folder, load_json, load_toml, table

_EXTRAS = ("test", "tests", "testing", "dev", "develop", "development", "all")
"""What projects call the dependencies of their tests, the most fitting first."""
_PYTHON_TOOLS = (
    "uv",
    "poetry",
    "pdm",
    "pipenv",
    "tox",
    "nox",
    "hatch",
    "pytest",
    "coverage",
    "pixi",
)
_WATCHED = {
    name: re.compile(rf"(?:.*/)?(?:{pattern})")
    for name, pattern in {
        "python": r"(?:uv|poetry|pdm|pixi|Pipfile)\.lock|pylock[\w.-]*\.toml|pyproject\.toml|setup\.(?:py|cfg)|Pipfile"
        r"|(?:[\w-]*requirements[\w./-]*|requirements/.*|constraints[\w-]*)\.(?:txt|in)|tox\.ini|noxfile\.py",
        "node": r"package\.json|[\w.-]*lock\.(?:json|yaml)|npm-shrinkwrap\.json|yarn\.lock|pnpm-workspace\.yaml",
        "bun": r"package\.json|bun\.lockb?|bunfig\.toml",
        "rust": r"Cargo\.(?:toml|lock)",
        "go": r"go\.(?:mod|sum|work)",
        "java": r"pom\.xml|[\w.-]*\.gradle(?:\.kts)?|[\w.-]*\.lockfile|libs\.versions\.toml|build\.sbt|[\w.-]*\.edn",
    }.items()
}
_ANY_LOCK = re.compile(
    r"(?:.*/)?(?:[\w.-]*\.lock|[\w.-]*lock\.(?:json|yaml|toml)|Gemfile|composer\.json|mix\.exs|[\w.-]*\.(?:cs|fs)proj"
    r"|[\w.-]*\.(?:gemspec|cabal|opam|nimble)|pubspec\.yaml|shard\.yml|Package\.swift|deno\.jsonc?|Project\.toml)"
)
"""Of ecosystems whose lists of dependencies are named by no other."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """How the dependencies of one part are installed."""

    name: str
    """The part's, as in ``node in web``."""
    steps: tuple[str, ...]
    """Lines for a shell at the root of the checkout, in order; with the network."""
    is_needed: bool = True
    """False where the tests may run without it."""
    watched: tuple[str, ...] = ()
    """The files whose change makes the steps due again."""

    def fingerprint(self, path: Sequence[str], contents: Mapping[str, bytes]) -> str:
        """Return what tells one preparation from another.

        Args:
            path: the folders of programs.
            contents: of the watched files; one that is missing is not there.
        """
        files = {path: hashlib.sha256(data).hexdigest() for path, data in contents.items()}
        return digest({"steps": self.steps, "path": tuple(path), "files": files})


@dataclass(frozen=True, kw_only=True, slots=True)
class Preparation:
    """How dependencies are installed, and what every later run is started with."""

    stages: tuple[Stage, ...]
    """One for each part, in order."""
    path: tuple[str, ...]
    """Folders of programs, before the system's."""
    environment: Mapping[str, str] = field(default_factory=dict)
    offline: Mapping[str, str] = field(default_factory=dict)
    """Variables of the runs without a network: they tell tools not to look for it."""

    def with_step(self, old: str, new: str) -> Preparation | None:
        """Return this with another line in place of one; None where it has no such line."""
        if not any(old in stage.steps for stage in self.stages):
            return None
        stages = (
            replace(stage, steps=tuple(new if step == old else step for step in stage.steps))
            for stage in self.stages
        )
        return replace(self, stages=tuple(stages))


def plan_preparation(
    evidence: Evidence, report: Report, toolchains: Mapping[str, Toolchain], home: str
) -> Preparation:
    """Return how a checkout is prepared.

    Args:
        evidence: of the repository.
        report: what was decided about it.
        toolchains: what its parts run on, by their family; a part without one is left out.
        home: the job's home folder, as its runs see it.
    """
    command = report.test.chosen.command if report.test.chosen else ""
    sites = [
        _Site(evidence, part, toolchains[part.runtime.name], home, command)
        for part in report.parts
        if part.runtime.name in toolchains
    ]
    # What is only known by running the tests is looked for when all else is there.
    sites.sort(key=lambda site: site.toolchain.name == "java")
    made = [_ECOSYSTEMS.get(site.toolchain.name, _any)(site) for site in sites]
    return Preparation(
        stages=tuple(_stage(site, one.steps) for site, one in zip(sites, made, strict=True)),
        path=_folders([one.path for one in made], toolchains.values()),
        environment=_union(
            *(site.toolchain.environment for site in sites), *(one.environment for one in made)
        ),
        offline=_union(*(one.offline for one in made)),
    )


def _stage(site: _Site, steps: tuple[str, ...]) -> Stage:
    return Stage(
        name=str(site.part), steps=steps, is_needed=site.part.is_needed,
        watched=tuple(sorted(_watched(site.evidence, site.part))),
    )  # fmt: skip


def _folders(own: Sequence[tuple[str, ...]], toolchains: Iterable[Toolchain]) -> tuple[str, ...]:
    """Return the folders of programs: a part of the system hides no toolchain of another part."""
    by_place = sorted(toolchains, key=lambda found: not found.prefix)
    folders = (*(folder for path in own for folder in path), *(one.folder for one in by_place))
    return tuple(dict.fromkeys(folders))


def _union(*variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for found in variables for name, value in found.items()}


_COMPILED = re.compile(
    r".*\.(?:rs|c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|f90)|(?:.*/)?(?:build\.rs|CMakeLists\.txt|meson\.build)"
)


def _watched(evidence: Evidence, part: Part) -> Iterator[str]:
    """Yield the files that decide what a part installs; its sources too where that compiles them."""
    own = _WATCHED.get(part.runtime.name, _ANY_LOCK)
    place = f"{part.folder}/" if part.folder else ""
    for path in evidence.tree.files:
        is_compiled = part.compiled_with and _COMPILED.fullmatch(path)
        if path.startswith(place) and (own.fullmatch(path) or is_compiled):
            yield path


@dataclass(frozen=True, slots=True)
class _Site:
    evidence: Evidence
    part: Part
    toolchain: Toolchain
    home: str
    command: str
    """Of the tests as a whole."""

    @property
    def folder(self) -> str:
        """Where the part's dependencies are installed."""
        return self.part.folder

    @property
    def install(self) -> str:
        """The install command of the package manager, where it belongs; empty without one."""
        manager = self.part.manager
        return self.placed(manager.install) if manager and manager.install else ""

    def placed(self, command: str) -> str:
        """Return a command that runs in the folder of the project."""
        return f"cd {shlex.quote(self.folder)} && {command}" if self.folder else command

    def names(self, *tools: str) -> tuple[str, ...]:
        """Return which of some programs the commands of the project begin a word with."""
        said = " ".join((self.command, *self.part.commands, self.install))
        return tuple(tool for tool in tools if re.search(rf"(?<![\w./-]){tool}(?![\w-])", said))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Made:
    """What one ecosystem adds to a preparation."""

    steps: tuple[str, ...]
    path: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    offline: Mapping[str, str] = field(default_factory=dict)


_TOOL_ONLY = frozenset({"uv", "poetry", "pdm", "pipenv", "pixi"})


def _any(site: _Site) -> _Made:
    return _Made(steps=tuple(filter(None, (site.install,))))


def _python(site: _Site) -> _Made:
    venv = f"{site.home}/venv"
    manager = site.part.manager
    is_pip = manager is not None and manager.name == "pip"
    tools = " ".join(tool for tool in site.names(*_PYTHON_TOOLS) if not _declares(site, tool))
    bare = "" if tools or site.install else " --without-pip"
    steps = (
        f"{shlex.quote(site.toolchain.program)} -m venv{bare} {shlex.quote(venv)}",
        *((site.part.installs or (site.placed(_pip_install(site)),)) if is_pip else ()),
        *((f"python -m pip install {tools}",) if tools else ()),
        *((site.install,) if site.install and not is_pip else ()),
        *_environments(site),
    )
    return _Made(
        steps=steps,
        path=(f"{site.home}/.local/bin", f"{venv}/bin"),
        environment={
            "VIRTUAL_ENV": venv, "UV_PROJECT_ENVIRONMENT": venv, "POETRY_VIRTUALENVS_CREATE": "false",
            "PDM_IGNORE_SAVED_PYTHON": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1",
            "PYTHONDONTWRITEBYTECODE": "1", "PIPENV_VERBOSITY": "-1",
        },
        offline={
            "UV_OFFLINE": "1", "UV_NO_SYNC": "1", "PIP_NO_INDEX": "1",
            **({"PIP_FIND_LINKS": _wheels(site)} if _drivers(site) else {}),
        },
    )  # fmt: skip


def _drivers(site: _Site) -> tuple[str, ...]:
    """Return the commands of tox and nox, which make environments of their own."""
    return tuple(command for command in site.part.commands if re.match(r"(?:tox4?|nox)\b", command))


def _environments(site: _Site) -> Iterator[str]:
    """Yield what makes the environments of tox and nox while there is a network.

    Both build the project in them anew at every run, from wheels that are kept for it.
    """
    drivers = _drivers(site)
    if not drivers:
        return
    system = table(
        load_toml(site.evidence, in_folder(site.folder, "pyproject.toml")), "build-system"
    )
    requires = [one for one in system.get("requires", ["setuptools"]) if isinstance(one, str)]
    wheels = shlex.join((*requires, "wheel"))
    yield f"python -m pip wheel --quiet --wheel-dir {_wheels(site)} {wheels}"
    for command in drivers:
        options, separator, rest = command.partition(" -- ")
        name, _, others = options.partition(" ")
        if name == "nox":
            yield _REUSE.format(home=site.home)
            yield site.placed(f"nox --install-only {others}{separator}{rest}".rstrip())
        else:
            yield site.placed(f"{options} --notest{separator}{rest}")


_REUSE = (
    "mkdir -p {home}/.local/bin && printf '%s\\n' '#!/bin/sh' 'exec {home}/venv/bin/nox -r \"$@\"'"
    " > {home}/.local/bin/nox && chmod +x {home}/.local/bin/nox"
)
"""nox makes its environments anew unless it is told not to; no variable and no setting tells it."""


def _wheels(site: _Site) -> str:
    return f"{site.home}/wheels"


def _declares(site: _Site, tool: str) -> bool:
    """Return whether a package manager that runs tools by itself brings this one."""
    manager = site.part.manager
    return manager is not None and manager.name in _TOOL_ONLY and tool not in _TOOL_ONLY


def _pip_install(site: _Site) -> str:
    """Return the install command with the dependencies of the tests, where the project names them."""
    manager = site.part.manager
    install = manager.install if manager else ""
    if not install.endswith("-e ."):
        return install
    project = load_toml(site.evidence, in_folder(site.folder, "pyproject.toml"))
    extras = table(project, "project", "optional-dependencies")
    extra = next((name for name in _EXTRAS if name in extras), "")
    groups = table(project, "dependency-groups")
    group = next((name for name in _EXTRAS if name in groups), "")
    wanted = f"'.[{extra}]'" if extra else "."
    # Groups are known to pip since 25.1.
    first = "python -m pip install -U 'pip>=25.1' && " if group else ""
    return f"{first}python -m pip install -e {wanted}{f' --group {group}' if group else ''}"


def _node(site: _Site) -> _Made:
    local = f"{site.home}/.local"
    manager = site.part.manager
    name = manager.name if manager else "npm"
    package_json = in_folder(site.folder, "package.json")
    pinned = str(load_json(site.evidence, package_json).get("packageManager", ""))
    package = pinned.partition("+")[0] if pinned.startswith(f"{name}@") else name
    fetch = (
        f"command -v {name} || npm install --global --prefix {shlex.quote(local)} {shlex.quote(package)}",
    )
    return _Made(
        steps=(*(fetch if name in {"pnpm", "yarn", "bun"} else ()), *filter(None, (site.install,))),
        path=(f"{local}/bin",),
        environment={
            "HUSKY": "0", "NPM_CONFIG_FUND": "false", "NPM_CONFIG_AUDIT": "false",
            "NPM_CONFIG_UPDATE_NOTIFIER": "false", "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
            "PUPPETEER_SKIP_DOWNLOAD": "1", "NEXT_TELEMETRY_DISABLED": "1",
        },
        offline={"NPM_CONFIG_OFFLINE": "true"},
    )  # fmt: skip


def _rust(site: _Site) -> _Made:
    locked = " --locked" if site.evidence.has(in_folder(site.folder, "Cargo.lock")) else ""
    return _Made(
        steps=(site.placed(f"cargo fetch{locked}"),) if site.part.manager else (),
        offline={"CARGO_NET_OFFLINE": "true"},
    )


def _go(site: _Site) -> _Made:
    return _Made(
        steps=tuple(filter(None, (site.install,))),
        environment={"GOTOOLCHAIN": "local", "GOFLAGS": "-modcacherw"},
        offline={"GOPROXY": "off", "GOFLAGS": "-modcacherw -mod=mod", "GONOSUMDB": "*"},
    )


def _java(site: _Site) -> _Made:
    # What a build needs is known only once it has run: plugins choose their own dependencies.
    warm = f"{site.command} || true" if site.command else ""
    return _Made(steps=tuple(filter(None, (warm,))), offline={"MAVEN_ARGS": "--offline"})


_ECOSYSTEMS: Mapping[str, Callable[[_Site], _Made]] = {
    "python": _python,
    "node": _node,
    "rust": _rust,
    "go": _go,
    "java": _java,
}


def watched_contents(
    stage: Stage, read: Callable[[str], bytes | None]
) -> Iterator[tuple[str, bytes]]:
    """Yield the watched files that are there, with their content."""
    for path in stage.watched:
        if (data := read(path)) is not None:
            yield path, data
