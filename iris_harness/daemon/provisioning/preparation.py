"""What has to be done once before the tests of a checkout can run, and again when it changes. Pure.

Everything is kept in the job's home folder where the ecosystem allows it, so that the checkout holds
nothing that the work did not put there.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from iris_harness.contracts.canonical import digest
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.inspection import Report
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
_LOCKS = re.compile(
    r"(?:.*/)?(?:[\w.-]*\.lock|[\w.-]*lock\.(?:json|yaml|toml)|bun\.lockb|go\.(?:mod|sum)|Cargo\.toml|package\.json"
    r"|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w./-]*\.txt|Gemfile|composer\.json|pom\.xml"
    r"|[\w.-]*\.gradle(?:\.kts)?|mix\.exs|[\w.-]*\.csproj|Pipfile)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Preparation:
    """How dependencies are installed, and what every later run is started with."""

    steps: tuple[str, ...]
    """Lines for a shell at the root of the checkout, in order; with the network."""
    path: tuple[str, ...]
    """Folders of programs, before the system's."""
    environment: Mapping[str, str] = field(default_factory=dict)
    offline: Mapping[str, str] = field(default_factory=dict)
    """Variables of the runs without a network: they tell tools not to look for it."""
    watched: tuple[str, ...] = ()
    """The files whose change makes the steps due again."""

    def fingerprint(self, contents: Mapping[str, bytes]) -> str:
        """Return what tells one preparation from another.

        Args:
            contents: of the watched files; one that is missing is not there.
        """
        files = {path: hashlib.sha256(data).hexdigest() for path, data in contents.items()}
        return digest({"steps": self.steps, "path": self.path, "files": files})


def plan_preparation(
    evidence: Evidence, report: Report, toolchain: Toolchain, home: str
) -> Preparation:
    """Return how a checkout is prepared.

    Args:
        evidence: of the repository.
        report: what was decided about it.
        toolchain: what its tests run on.
        home: the job's home folder, as its runs see it.
    """
    command = report.test.chosen.command if report.test.chosen else ""
    folder = report.test.chosen.folder if report.test.chosen else ""
    direct = report.test.chosen.direct if report.test.chosen else ""
    site = _Site(evidence, report, toolchain, home, command, folder, direct)
    made = _ECOSYSTEMS.get(toolchain.name, _any)(site)
    watched = tuple(sorted(path for path in evidence.tree.files if _LOCKS.fullmatch(path)))
    return Preparation(
        steps=made.steps,
        path=(*made.path, toolchain.folder),
        environment={**toolchain.environment, **made.environment},
        offline=made.offline,
        watched=watched,
    )


@dataclass(frozen=True, slots=True)
class _Site:
    evidence: Evidence
    report: Report
    toolchain: Toolchain
    home: str
    command: str
    folder: str
    direct: str
    """What the command comes to, at the bottom of all targets."""

    @property
    def install(self) -> str:
        """The install command of the package manager, where it belongs; empty without one."""
        manager = self.report.manager
        return self.placed(manager.install) if manager and manager.install else ""

    def placed(self, command: str) -> str:
        """Return a command that runs in the folder of the project."""
        return f"cd {shlex.quote(self.folder)} && {command}" if self.folder else command

    def names(self, *tools: str) -> tuple[str, ...]:
        """Return which of some programs the commands of the project begin a word with."""
        said = f"{self.command} {self.direct} {self.install}"
        return tuple(tool for tool in tools if re.search(rf"(?<![\w./-]){tool}(?![\w-])", said))


_TOOL_ONLY = frozenset({"uv", "poetry", "pdm", "pipenv", "pixi"})


def _any(site: _Site) -> Preparation:
    return Preparation(steps=tuple(filter(None, (site.install,))), path=())


def _python(site: _Site) -> Preparation:
    venv = f"{site.home}/venv"
    manager = site.report.manager
    is_pip = manager is not None and manager.name == "pip"
    tools = " ".join(tool for tool in site.names(*_PYTHON_TOOLS) if not _declares(site, tool))
    bare = "" if tools or site.install else " --without-pip"
    steps = (
        f"{shlex.quote(site.toolchain.program)} -m venv{bare} {shlex.quote(venv)}",
        *((site.placed(_pip_install(site)),) if is_pip else ()),
        *((f"python -m pip install {tools}",) if tools else ()),
        *((site.install,) if site.install and not is_pip else ()),
    )
    return Preparation(
        steps=steps,
        path=(f"{venv}/bin",),
        environment={
            "VIRTUAL_ENV": venv, "UV_PROJECT_ENVIRONMENT": venv, "POETRY_VIRTUALENVS_CREATE": "false",
            "PDM_IGNORE_SAVED_PYTHON": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1",
            "PYTHONDONTWRITEBYTECODE": "1", "PIPENV_VERBOSITY": "-1",
        },
        offline={"UV_OFFLINE": "1", "UV_NO_SYNC": "1", "PIP_NO_INDEX": "1"},
    )  # fmt: skip


def _declares(site: _Site, tool: str) -> bool:
    """Return whether a package manager that runs tools by itself brings this one."""
    manager = site.report.manager
    return manager is not None and manager.name in _TOOL_ONLY and tool not in _TOOL_ONLY


def _pip_install(site: _Site) -> str:
    """Return the install command with the dependencies of the tests, where the project names them."""
    manager = site.report.manager
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


def _node(site: _Site) -> Preparation:
    local = f"{site.home}/.local"
    manager = site.report.manager
    name = manager.name if manager else "npm"
    pinned = str(load_json(site.evidence, "package.json").get("packageManager", ""))
    package = pinned.partition("+")[0] if pinned.startswith(f"{name}@") else name
    fetch = (
        f"command -v {name} || npm install --global --prefix {shlex.quote(local)} {shlex.quote(package)}",
    )
    return Preparation(
        steps=(*(fetch if name in {"pnpm", "yarn", "bun"} else ()), *filter(None, (site.install,))),
        path=(f"{local}/bin",),
        environment={
            "HUSKY": "0", "NPM_CONFIG_FUND": "false", "NPM_CONFIG_AUDIT": "false",
            "NPM_CONFIG_UPDATE_NOTIFIER": "false", "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
            "PUPPETEER_SKIP_DOWNLOAD": "1", "NEXT_TELEMETRY_DISABLED": "1",
        },
        offline={"NPM_CONFIG_OFFLINE": "true"},
    )  # fmt: skip


def _rust(site: _Site) -> Preparation:
    locked = " --locked" if site.evidence.has(in_folder(site.folder, "Cargo.lock")) else ""
    return Preparation(
        steps=(site.placed(f"cargo fetch{locked}"),),
        path=(),
        offline={"CARGO_NET_OFFLINE": "true"},
    )


def _go(site: _Site) -> Preparation:
    return Preparation(
        steps=tuple(filter(None, (site.install,))),
        path=(),
        environment={"GOTOOLCHAIN": "local", "GOFLAGS": "-modcacherw"},
        offline={"GOPROXY": "off", "GOFLAGS": "-modcacherw -mod=mod", "GONOSUMDB": "*"},
    )


def _java(site: _Site) -> Preparation:
    # What a build needs is known only once it has run: plugins choose their own dependencies.
    warm = f"{site.command} || true" if site.command else ""
    return Preparation(
        steps=tuple(filter(None, (warm,))), path=(), offline={"MAVEN_ARGS": "--offline"}
    )


_ECOSYSTEMS: Mapping[str, Callable[[_Site], Preparation]] = {
    "python": _python,
    "node": _node,
    "rust": _rust,
    "go": _go,
    "java": _java,
}


def watched_contents(
    preparation: Preparation, read: Callable[[str], bytes | None]
) -> Iterator[tuple[str, bytes]]:
    """Yield the watched files that are there, with their content."""
    for path in preparation.watched:
        if (data := read(path)) is not None:
            yield path, data
