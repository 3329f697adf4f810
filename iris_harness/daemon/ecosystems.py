"""Which ecosystems a repository belongs to, and what tests of them it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from iris_harness.daemon.evidence import Evidence, is_fixture
from iris_harness.daemon.targets import load_json, load_toml, table
from iris_harness.daemon.tree import Tree, folder_of, name_of


class Ecosystem(NamedTuple):
    """One manifest of one ecosystem."""

    name: str
    folder: str
    """Where it lies; empty for the root."""
    marker: str
    """The file that says so."""


# Manifest -> ecosystem, in the order in which they speak for the repository as a whole.
_MANIFESTS = (
    ("deno.json", "deno"), ("deno.jsonc", "deno"), ("Cargo.toml", "rust"), ("go.mod", "go"),
    ("go.work", "go"), ("pyproject.toml", "python"), ("setup.py", "python"), ("setup.cfg", "python"),
    ("tox.ini", "python"), ("manage.py", "python"), ("Pipfile", "python"), ("requirements.txt", "python"),
    ("Gemfile", "ruby"), ("composer.json", "php"), ("pom.xml", "java"), ("build.sbt", "scala"),
    ("build.sc", "scala"), ("build.mill", "scala"), ("build.gradle.kts", "java"), ("build.gradle", "java"),
    ("settings.gradle.kts", "java"), ("settings.gradle", "java"), ("project.clj", "clojure"),
    ("deps.edn", "clojure"), ("build.xml", "java"), ("mix.exs", "elixir"), ("rebar.config", "erlang"),
    ("gleam.toml", "gleam"), ("cabal.project", "haskell"), ("stack.yaml", "haskell"),
    ("dune-project", "ocaml"), ("pubspec.yaml", "dart"), ("Package.swift", "swift"),
    ("build.zig", "zig"), ("shard.yml", "crystal"), ("Project.toml", "julia"), ("DESCRIPTION", "r"),
    ("Makefile.PL", "perl"), ("Build.PL", "perl"), ("cpanfile", "perl"), ("dist.ini", "perl"),
    (".busted", "lua"), ("elm.json", "elm"), ("lakefile.lean", "lean"), ("lakefile.toml", "lean"),
    ("foundry.toml", "solidity"), ("global.json", "dotnet"), ("meson.build", "c"), ("CMakeLists.txt", "c"),
    ("configure.ac", "c"), ("configure.in", "c"), ("package.json", "node"),
)  # fmt: skip
_ENDINGS = ((".gemspec", "ruby"), (".sln", "dotnet"), (".slnx", "dotnet"), (".csproj", "dotnet"),
            (".fsproj", "dotnet"), (".cabal", "haskell"), (".nimble", "nim"), (".opam", "ocaml"),
            (".rockspec", "lua"))  # fmt: skip
_MAX_DEPTH = 3
_CODE_LANGUAGES = {
    "py": "python", "rs": "rust", "go": "go", "rb": "ruby", "php": "php", "java": "java", "kt": "java",
    "scala": "scala", "cs": "dotnet", "fs": "dotnet", "c": "c", "h": "c", "cc": "c", "cpp": "c", "cxx": "c",
    "ex": "elixir", "exs": "elixir", "erl": "erlang", "hs": "haskell", "ml": "ocaml", "dart": "dart",
    "swift": "swift", "zig": "zig", "cr": "crystal", "nim": "nim", "jl": "julia", "r": "r", "lua": "lua",
    "pm": "perl", "pl": "perl", "js": "node", "ts": "node", "tsx": "node", "jsx": "node", "mjs": "node",
    "cjs": "node", "mts": "node", "vue": "node", "sh": "shell", "bash": "shell", "bats": "shell", "clj": "clojure",
}  # fmt: skip


def find_ecosystems(evidence: Evidence) -> tuple[Ecosystem, ...]:
    """Return the manifests that count: those of the root, then those nearest to it.

    Of several at one depth, the ecosystem that most files are of comes first. Fixtures, examples
    and copies do not count.
    """
    counts = code_counts(evidence.tree)
    found: dict[tuple[str, str], Ecosystem] = {}
    for order, ecosystem in _manifests(evidence):
        key = (ecosystem.name, ecosystem.folder)
        if key not in found:
            found[key] = ecosystem
        del order
    ranked = sorted(found.values(), key=lambda e: _rank(e, counts))
    ranked = [e for e in ranked if not _is_incidental(evidence, e, counts)] or ranked
    return tuple(ranked) or _without_manifest(evidence, counts)


def code_counts(tree: Tree) -> dict[str, int]:
    """Return how many files are of each ecosystem, by their extensions."""
    counts: dict[str, int] = {}
    for extension, count in tree.extensions.items():
        found = _CODE_LANGUAGES.get(extension.lower())
        if found:
            counts[found] = counts.get(found, 0) + count
    return counts


def _manifests(evidence: Evidence) -> Iterable[tuple[int, Ecosystem]]:
    for order, (name, ecosystem) in enumerate(_MANIFESTS):
        for path in evidence.named(name):
            if (
                path.count("/") <= _MAX_DEPTH
                and not is_fixture(path)
                and _is_manifest(evidence, path, ecosystem)
            ):
                yield order, Ecosystem(_refined(evidence, ecosystem, path), folder_of(path), path)
    for path in evidence.texts:
        for ending, ecosystem in _ENDINGS:
            if path.endswith(ending) and path.count("/") <= _MAX_DEPTH and not is_fixture(path):
                yield len(_MANIFESTS), Ecosystem(ecosystem, folder_of(path), path)


def _is_manifest(evidence: Evidence, path: str, ecosystem: str) -> bool:
    text = evidence.text(path)
    if ecosystem == "r":
        return "Package:" in text or "Type: Package" in text
    if ecosystem == "julia":
        return "uuid" in text or "[deps]" in text
    if name_of(path) == "pyproject.toml":  # often only the settings of a linter
        tables = load_toml(evidence, path)
        return bool(
            {"project", "build-system"} & set(tables)
            or {"poetry", "pytest", "pdm", "tox", "hatch"} & set(table(tables, "tool"))
        )
    return True


def _refined(evidence: Evidence, ecosystem: str, path: str) -> str:
    if ecosystem == "dart" and re.search(
        r"sdk:\s*flutter|^\s*flutter:", evidence.text(path), re.MULTILINE
    ):
        return "flutter"
    if ecosystem == "node" and evidence.first(
        *(f"{folder_of(path)}/{n}".lstrip("/") for n in ("bun.lock", "bun.lockb"))
    ):
        return "bun"
    return ecosystem


def _rank(ecosystem: Ecosystem, counts: dict[str, int]) -> tuple[int, int, str, str]:
    family = {"flutter": "dart", "bun": "node", "deno": "node"}.get(ecosystem.name, ecosystem.name)
    return (
        ecosystem.folder.count("/") + bool(ecosystem.folder),
        -counts.get(family, 0),
        ecosystem.name,
        ecosystem.folder,
    )


def _is_incidental(evidence: Evidence, ecosystem: Ecosystem, counts: dict[str, int]) -> bool:
    """Return whether a manifest only serves tools: a package.json for a formatter, say."""
    if ecosystem.name != "node" or ecosystem.folder:
        return False
    package = load_json(evidence, ecosystem.marker)
    scripts = table(package, "scripts")
    others = sum(count for name, count in counts.items() if name not in {"node", "shell"})
    return "test" not in scripts and others > counts.get("node", 0)


def _without_manifest(evidence: Evidence, counts: dict[str, int]) -> tuple[Ecosystem, ...]:
    """Return the ecosystem of the code itself, where no manifest stands at all."""
    if not counts:
        return ()
    best = min(counts, key=lambda name: (-counts[name], name))
    marker = evidence.first("Makefile", "makefile", "GNUmakefile") or next(
        path
        for path in evidence.tree.paths
        if _CODE_LANGUAGES.get(path[path.rfind(".") + 1 :].lower()) == best
    )
    return (Ecosystem(best, "", marker),)


_TEST_FILES = {
    "go": r".*_test\.go", "python": r"(?:.*/)?(?:test_\w+|\w+_tests?|tests?)\.py", "ruby": r"(?:.*/)?(?:spec/.*_spec|test/.*)\.rb",
    "php": r"(?:.*/)?(?:tests?|spec)s?/.*\.php|.*Test\.php", "java": r".*src/(?:\w*[tT]est\w*)/.*\.(?:java|kt|groovy|scala)|.*Tests?\.(?:java|kt)",
    "scala": r".*src/test/.*|.*(?:Spec|Test|Suite)\.scala|.*/test/src/.*", "clojure": r"(?:.*/)?test/.*\.cljc?",
    "dotnet": r".*[tT]ests?.*\.(?:cs|fs|csproj|fsproj)", "elixir": r"(?:.*/)?test/.*_test\.exs", "erlang": r"(?:.*/)?test/.*\.erl|.*_tests\.erl",
    "haskell": r"(?:.*/)?(?:tests?|spec|test-\w+)/.*\.hs|.*(?:Spec|Test)\.hs", "ocaml": r"(?:.*/)?(?:tests?|t)/.*", "dart": r"(?:.*/)?test/.*_test\.dart",
    "flutter": r"(?:.*/)?test/.*_test\.dart", "swift": r"(?:.*/)?Tests/.*\.swift", "crystal": r"(?:.*/)?spec/.*\.cr", "nim": r"(?:.*/)?tests/.*\.nim",
    "julia": r"(?:.*/)?test/runtests\.jl", "r": r"(?:.*/)?tests/.*", "perl": r"(?:.*/)?x?t/.*\.t", "lua": r"(?:.*/)?(?:spec|tests?)/.*\.lua",
    "shell": r".*\.bats|(?:.*/)?(?:tests?|spec)/.*\.sh", "node": r"(?:.*/)?(?:__tests__|tests?|spec)/.*|.*[._-](?:test|spec)s?\.[cm]?[jt]sx?|(?:.*/)?test\.[cm]?[jt]s",
    "gleam": r"(?:.*/)?test/.*\.gleam", "elm": r"(?:.*/)?tests/.*\.elm", "lean": r".*[Tt]est.*\.lean", "solidity": r"(?:.*/)?test/.*\.sol",
}  # fmt: skip


# What a project of tests refers to, whatever it is called.
_DOTNET_TESTS = re.compile(
    r"Microsoft\.NET\.Test\.Sdk|\"(?:xunit|NUnit|MSTest|TUnit)[\w.]*\"|MSTest\.Sdk"
)


def has_tests(evidence: Evidence, ecosystem: str, folder: str = "") -> bool:
    """Return whether a tracked file below `folder` is a test of the ecosystem.

    Always for those whose tests stand in the code itself.
    """
    name = {"bun": "node", "deno": "node"}.get(ecosystem, ecosystem)
    pattern = _TEST_FILES.get(name)
    if pattern is None:
        return True
    if name == "dotnet" and any(
        _DOTNET_TESTS.search(evidence.text(path)) for path in evidence.read("proj")
    ):
        return True
    compiled = re.compile(pattern)
    start = len(folder) + 1 if folder else 0
    return any(compiled.fullmatch(path, start) for path in evidence.tree.below(folder))
