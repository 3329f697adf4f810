"""The package manager of each ecosystem, by its lockfile, and how it installs."""

from __future__ import annotations

from typing import NamedTuple

from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.targets import in_folder, load_json, load_toml, table


class PackageManager(NamedTuple):
    """What installs the dependencies."""

    name: str
    install: str
    """The command; empty where it needs none of its own."""
    run: str
    """What precedes a tool of the project: ``uv run``, ``npx``; empty for none."""
    source: Source


_NODE_LOCKS = (
    ("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"),
    ("package-lock.json", "npm"), ("npm-shrinkwrap.json", "npm"),
)  # fmt: skip
_NODE_INSTALL = {
    "pnpm": "pnpm install --frozen-lockfile", "yarn": "yarn install --frozen-lockfile",
    "bun": "bun install --frozen-lockfile", "npm": "npm ci",
}  # fmt: skip
_NODE_RUN = {"pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx", "npm": "npx"}


def find_node_manager(evidence: Evidence, folder: str = "") -> PackageManager | None:
    """Return what installs the package.json of a folder: `packageManager`, then the lockfile."""
    package = in_folder(folder, "package.json")
    if not evidence.has(package):
        return None
    pinned = str(load_json(evidence, package).get("packageManager", "")).partition("@")[0]
    locks = [
        (in_folder(place, lock), name)
        for place in dict.fromkeys((folder, ""))
        for lock, name in _NODE_LOCKS
    ]
    locked = next(
        ((path, name) for path, name in locks if evidence.has(path) and pinned in {"", name}), None
    )
    name = (
        pinned
        if pinned in _NODE_RUN
        else locked[1]
        if locked
        else _workspace_manager(evidence, folder)
    )
    install = _NODE_INSTALL[name] if locked else f"{name} install"
    if name == "yarn" and locked and _is_berry(evidence, package):
        install = "yarn install --immutable"
    source = (
        evidence.where(package, '"packageManager"')
        if pinned in _NODE_RUN
        else Source(file=locked[0] if locked else package)
    )
    return PackageManager(name, install, _NODE_RUN[name], source)


def _workspace_manager(evidence: Evidence, folder: str) -> str:
    return (
        "pnpm"
        if evidence.first(in_folder(folder, "pnpm-workspace.yaml"), "pnpm-workspace.yaml")
        else "npm"
    )


def _is_berry(evidence: Evidence, package: str) -> bool:
    pinned = str(load_json(evidence, package).get("packageManager", ""))
    return evidence.has(".yarnrc.yml") or pinned.startswith(("yarn@2", "yarn@3", "yarn@4"))


def find_python_manager(evidence: Evidence, folder: str = "") -> PackageManager | None:
    """Return what installs the Python project of a folder."""
    project = in_folder(folder, "pyproject.toml")
    tool = table(load_toml(evidence, project), "tool")
    for lock, name, install, run in (
        ("uv.lock", "uv", "uv sync", "uv run"),
        ("poetry.lock", "poetry", "poetry install", "poetry run"),
        ("pdm.lock", "pdm", "pdm install", "pdm run"),
        ("Pipfile", "pipenv", "pipenv install --dev", "pipenv run"),
        ("pixi.lock", "pixi", "pixi install", "pixi run"),
    ):
        if evidence.has(in_folder(folder, lock)):
            return PackageManager(name, install, run, Source(file=in_folder(folder, lock)))
    backend = str(table(load_toml(evidence, project), "build-system").get("build-backend", ""))
    for name in ("poetry", "uv", "pdm"):
        used = name in tool and (name != "poetry" or "dependencies" in table(tool, name))
        if used and (
            name != "uv"
            or "sources" in tool[name]
            or "dev-dependencies" in tool[name]
            or "workspace" in tool[name]
        ):
            return PackageManager(
                name,
                {"uv": "uv sync"}.get(name, f"{name} install"),
                f"{name} run",
                evidence.where(project, f"[tool.{name}"),
            )
    del backend
    return _pip(evidence, folder, project)


def _pip(evidence: Evidence, folder: str, project: str) -> PackageManager | None:
    for name in (
        "requirements.txt",
        "requirements-dev.txt",
        "requirements/test.txt",
        "requirements/dev.txt",
    ):
        path = in_folder(folder, name)
        if evidence.has(path):
            return PackageManager("pip", f"python -m pip install -r {name}", "", Source(file=path))
    found = evidence.first(project, in_folder(folder, "setup.py"), in_folder(folder, "setup.cfg"))
    return (
        PackageManager("pip", "python -m pip install -e .", "", Source(file=found))
        if found
        else None
    )


_OTHERS = {
    "rust": ("Cargo.toml", "cargo", "cargo fetch"),
    "go": ("go.mod", "go", "go mod download"),
    "ruby": ("Gemfile", "bundler", "bundle install"),
    "php": ("composer.json", "composer", "composer install"),
    "elixir": ("mix.exs", "mix", "mix deps.get"),
    "erlang": ("rebar.config", "rebar3", "rebar3 get-deps"),
    "gleam": ("gleam.toml", "gleam", "gleam deps download"),
    "dart": ("pubspec.yaml", "pub", "dart pub get"),
    "flutter": ("pubspec.yaml", "pub", "flutter pub get"),
    "swift": ("Package.swift", "swiftpm", "swift package resolve"),
    "crystal": ("shard.yml", "shards", "shards install"),
    "julia": ("Project.toml", "pkg", "julia --project -e 'using Pkg; Pkg.instantiate()'"),
    "ocaml": ("dune-project", "opam", "opam install . --deps-only --with-test"),
    "perl": ("cpanfile", "cpanm", "cpanm --installdeps ."),
    "dotnet": ("", "nuget", "dotnet restore"),
    "haskell": ("", "cabal", "cabal build --only-dependencies --enable-tests"),
    "deno": ("deno.json", "deno", "deno install"),
}


def find_manager(evidence: Evidence, ecosystem: str, folder: str = "") -> PackageManager | None:
    """Return the package manager of an ecosystem in a folder; None where it has none."""
    if ecosystem in {"node", "bun"}:
        return find_node_manager(evidence, folder)
    if ecosystem == "python":
        return find_python_manager(evidence, folder)
    known = _OTHERS.get(ecosystem)
    if known is None:
        return None
    marker, name, install = known
    path = in_folder(folder, marker) if marker else ""
    if marker and not evidence.has(path):
        return None
    return PackageManager(name, install, "", Source(file=path or "."))


_MANIFESTS = {
    "node": ("package.json",),
    "bun": ("package.json",),
    "python": ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini"),
    "java": ("pom.xml", "build.gradle.kts", "build.gradle", "build.sbt"),
    "go": ("go.mod", "go.work"),
    "deno": ("deno.json", "deno.jsonc"),
}
_LOCKS = {
    "node": tuple(lock for lock, _ in _NODE_LOCKS),
    "bun": tuple(lock for lock, _ in _NODE_LOCKS),
    "python": ("uv.lock", "pdm.lock"),
    "rust": ("Cargo.lock",),
}
"""Of package managers that install several packages at once, by one lockfile above them."""


def find_place(evidence: Evidence, ecosystem: str, folder: str) -> str | None:
    """Return the folder where the dependencies of what runs in a folder are installed.

    That of the nearest manifest at or above it, or the one further up whose lockfile holds for it
    as well. None where there is no manifest at all.
    """
    known = _OTHERS.get(ecosystem)
    names = _MANIFESTS.get(ecosystem, (known[0],) if known and known[0] else ())
    holding = [place for place in _upwards(folder) if _has_any(evidence, place, names)]
    locks = _LOCKS.get(ecosystem, ())
    locked = next((place for place in holding if _has_any(evidence, place, locks)), None)
    nearest = next(iter(holding), None)
    return locked if locked is not None and _is_shared(evidence, ecosystem, locked) else nearest


def _upwards(folder: str) -> list[str]:
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]


def _has_any(evidence: Evidence, folder: str, names: tuple[str, ...]) -> bool:
    return evidence.first(*(in_folder(folder, name) for name in names)) is not None


def _is_shared(evidence: Evidence, ecosystem: str, folder: str) -> bool:
    """Return whether the manifest of a folder speaks for packages below it."""
    if ecosystem not in {"node", "bun"}:
        return True
    package = load_json(evidence, in_folder(folder, "package.json"))
    return "workspaces" in package or evidence.has(in_folder(folder, "pnpm-workspace.yaml"))
