"""Every place where a repository says which version of a runtime it needs."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from iris_harness.daemon.ci import CiFiles
from iris_harness.daemon.constraints import (
    Constraint,
    at_least,
    find_channel,
    parse_constraint,
    parse_version,
)
from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.targets import in_folder, load_json, load_toml, table
from iris_harness.daemon.yaml_nodes import Node, Value, at, items, pairs, parse_yaml, text_of


class Strength(enum.StrEnum):
    """What kind of statement it is."""

    PIN = "pin"
    """One version, for those who work on it."""
    FLOOR = "floor"
    """The least, or a range, that it promises to run on."""
    COMPATIBLE = "compatible"
    """A version that is tested."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionSource:
    """One statement."""

    strength: Strength
    text: str
    """As it was written."""
    constraint: Constraint | None
    """What it allows; None where it cannot be read."""
    source: Source


def find_version_sources(ci: CiFiles, runtime: str, folder: str = "") -> tuple[VersionSource, ...]:
    """Return what the repository says of `runtime`, the strongest and nearest first."""
    evidence = ci.evidence
    reader = _READERS.get(runtime)
    found = list(reader(evidence, folder)) if reader else []
    if folder and reader and not found:
        found = list(reader(evidence, ""))
    found = [*_version_managers(evidence, runtime, folder), *found, *_from_ci(ci, runtime)]
    order = list(Strength)
    return tuple(sorted(found, key=lambda item: order.index(item.strength)))


def _say(strength: Strength, text: str, source: Source, **options: bool) -> VersionSource:
    clean = re.sub(r"\s+", " ", text).strip().strip("\"'")
    if strength is Strength.FLOOR and re.fullmatch(r"v?\d[\w.+-]*", clean):
        constraint: Constraint | None = at_least(clean)
    else:
        constraint = parse_constraint(clean, **options)
    return VersionSource(strength=strength, text=clean, constraint=constraint, source=source)


def _version_file(evidence: Evidence, *paths: str) -> Iterator[VersionSource]:
    for path in paths:
        lines = [
            line.strip()
            for line in evidence.text(path).split("\n")
            if line.strip() and not line.startswith("#")
        ]
        alias = _node_alias(lines[0]) if lines else ""
        if alias:
            yield _say(Strength.PIN, alias, evidence.at(path, 1))
        elif lines and re.search(r"\d", lines[0]):
            number = re.search(r"\d[\w.+-]*", lines[0])
            if number:
                yield _say(Strength.PIN, number[0], evidence.at(path, 1))


_NODE_ALIASES = {
    "argon": 4, "boron": 6, "carbon": 8, "dubnium": 10, "erbium": 12, "fermium": 14, "gallium": 16,
    "hydrogen": 18, "iron": 20, "jod": 22, "krypton": 24,
}  # fmt: skip


def _node_alias(text: str) -> str:
    """Return the major version that a name of nvm stands for, with the name; empty for others."""
    major = _NODE_ALIASES.get(text.lower().removeprefix("lts/"))
    return f"{major} ({text})" if major else ""


_TOOL_NAMES = {
    "node": ("nodejs", "node"),
    "go": ("golang", "go"),
    "dotnet": ("dotnet-core", "dotnet"),
    "java": ("java",),
    "r": ("R", "r"),
}


_NO_VERSION = ("ref:", "path:", "branch:", "tag:", "system", "latest", "sub-")


def _version_managers(evidence: Evidence, runtime: str, folder: str) -> Iterator[VersionSource]:
    """Asdf's .tool-versions and mise's tools, of the folder and the root."""
    names = _TOOL_NAMES.get(runtime, (runtime,))
    for place in dict.fromkeys((folder, "")):
        path = in_folder(place, ".tool-versions")
        for number, line in enumerate(evidence.text(path).split("\n"), start=1):
            words = line.split()
            if len(words) > 1 and words[0] in names:
                yield from _managed(words[1], evidence.at(path, number))
        for file in ("mise.toml", ".mise.toml", ".config/mise.toml"):
            path = in_folder(place, file)
            tools = table(load_toml(evidence, path), "tools")
            for name in names:
                yield from _managed(_first_version(tools.get(name)), evidence.where(path, name))


def _first_version(value: object) -> str:
    """Return the version of an entry of mise: a text, the first of a list, or that of a table."""
    if isinstance(value, list):
        return _first_version(value[0]) if value else ""
    if isinstance(value, dict):
        return _first_version(value.get("version"))
    return str(value) if isinstance(value, str | int | float) else ""


def _managed(text: str, source: Source) -> Iterator[VersionSource]:
    """Yield what a version manager is told, unless it follows what is newest or lies elsewhere."""
    version = re.search(r"\d[\w.]*", text)
    if find_channel(text) or _node_alias(text):
        yield _say(Strength.PIN, _node_alias(text) or text, source)
    elif version and not text.startswith(_NO_VERSION):
        yield _say(Strength.PIN, version[0], source)


def _python(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    pinned = evidence.first(in_folder(folder, ".python-version"), ".python-version")
    yield from _version_file(evidence, *filter(None, (pinned, in_folder(folder, "runtime.txt"))))
    path = in_folder(folder, "pyproject.toml")
    tables = load_toml(evidence, path)
    for value, needle in (
        (table(tables, "project").get("requires-python"), "requires-python"),
        (table(tables, "tool", "poetry", "dependencies").get("python"), "python ="),
    ):
        if isinstance(value, str):
            yield _say(Strength.FLOOR, value, evidence.where(path, needle))
    for name in ("setup.cfg", "setup.py"):
        path = in_folder(folder, name)
        found = re.search(r"python_requires\s*=\s*['\"]?([<>=!~^\d][^'\"\n]*)", evidence.text(path))
        if found:
            yield _say(Strength.FLOOR, found[1], evidence.where(path, "python_requires"))
    path = in_folder(folder, "Pipfile")
    version = table(load_toml(evidence, path), "requires").get("python_version")
    if isinstance(version, str):
        yield _say(Strength.PIN, version, evidence.where(path, "python_version"))


def _node(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    yield from _version_file(
        evidence,
        *dict.fromkeys(
            (
                in_folder(folder, ".nvmrc"),
                in_folder(folder, ".node-version"),
                ".nvmrc",
                ".node-version",
            )
        ),
    )
    path = in_folder(folder, "package.json")
    package = load_json(evidence, path)
    volta = table(package, "volta").get("node")
    if isinstance(volta, str):
        yield _say(Strength.PIN, volta, evidence.where(path, '"volta"'))
    engine = table(package, "engines").get("node")
    if isinstance(engine, str):
        yield _say(Strength.FLOOR, engine, evidence.where(path, '"node"'))


def _bun(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    yield from _version_file(evidence, in_folder(folder, ".bun-version"))
    path = in_folder(folder, "package.json")
    package = load_json(evidence, path)
    pinned = re.fullmatch(r"bun@([\d.]+).*", str(package.get("packageManager", "")))
    if pinned:
        yield _say(Strength.PIN, pinned[1], evidence.where(path, "packageManager"))
    engine = table(package, "engines").get("bun")
    if isinstance(engine, str):
        yield _say(Strength.FLOOR, engine, evidence.where(path, '"bun"'))


def _go(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    yield from _version_file(evidence, in_folder(folder, ".go-version"))
    for name in ("go.mod", "go.work"):
        path = in_folder(folder, name)
        found = re.search(r"^go\s+(\d[\w.]*)", evidence.text(path), re.MULTILINE)
        if found:
            yield _say(Strength.FLOOR, found[1], evidence.where(path, found[0]))
        # What the authors use; an older one that the line above allows does too.
        chosen = re.search(r"^toolchain\s+go(\d[\w.]*)", evidence.text(path), re.MULTILINE)
        if chosen:
            yield _say(Strength.COMPATIBLE, chosen[1], evidence.where(path, chosen[0]))


def _rust(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    files = ("rust-toolchain.toml", "rust-toolchain")
    path = evidence.first(*(in_folder(place, name) for place in (folder, "") for name in files))
    told = table(load_toml(evidence, path), "toolchain").get("channel") if path else None
    text = told if isinstance(told, str) else evidence.text(path).strip() if path else ""
    # What follows is the machine that it runs on, as in 1.70.0-x86_64-unknown-linux-gnu.
    found = re.match(
        r"(?:\d+(?:\.\d+)*|(?:stable|beta|nightly)(?:-\d{4}-\d{2}-\d{2})?)(?=-|$)", text
    )
    if found and path:
        yield _say(Strength.PIN, found[0], evidence.where(path, text))
    best: VersionSource | None = None
    for path in evidence.read("Cargo.toml"):
        if folder and not path.startswith(f"{folder}/"):
            continue
        tables = load_toml(evidence, path)
        places = (table(tables, "package"), table(tables, "workspace", "package"))
        version = next(
            (v for place in places if isinstance(v := place.get("rust-version"), str)), None
        )
        if isinstance(version, str) and not _is_aside(path):
            said = _say(Strength.FLOOR, version, evidence.where(path, "rust-version"))
            if best is None or parse_version(version) > parse_version(best.text):
                best = said
    if best:
        yield best


def _is_aside(path: str) -> bool:
    return bool(re.match(r"(?:fuzz|bench\w*|examples?|test\w*)/", path))


def _java(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    files = (
        ".java-version",
        ".sdkmanrc",
        ".github/workflows/.java-version",
        ".github/.java-version",
    )
    for path in files:
        start = r"^java=" if path == ".sdkmanrc" else r"^"
        found = re.search(
            rf"{start}(?:[a-z]+[\w]*-)*(?:1\.)?(\d+)[\w.-]*", evidence.text(path), re.MULTILINE
        )
        if found:
            yield _say(Strength.PIN, found[1], evidence.where(path, found[0]))
    for path in dict.fromkeys((in_folder(folder, "pom.xml"), "pom.xml")):
        yield from _pom(evidence, path)
    for path in (*evidence.read("build.gradle.kts"), *evidence.read("build.gradle")):
        found = next((f for p in _GRADLE if (f := re.search(p, evidence.text(path)))), None)
        if found:
            yield _say(Strength.FLOOR, found[1], evidence.where(path, found[0]))
            break


_GRADLE = (
    r"(?:JavaLanguageVersion\.of|jvmToolchain)\(\s*[\"']?(\d+)",
    r"(?:source|target)Compatibility\s*=?\s*(?:JavaVersion\.VERSION_|JavaVersion\.toVersion\()?[\"']?(?:1[._])?(\d+)",
)


def _pom(evidence: Evidence, path: str) -> Iterator[VersionSource]:
    text = evidence.text(path)
    enforced = re.search(
        r"<requireJavaVersion>.*?<version>\s*([^<]+?)\s*</version>", text, re.DOTALL
    )
    if enforced and "$" not in enforced[1]:
        yield _say(Strength.FLOOR, enforced[1], evidence.where(path, enforced[1]))
        return
    toolchain = re.search(
        r"<toolchains>.*?<jdk>.*?<version>\s*(?:1\.)?([\d.,\[\]()]+?)\s*</version>", text, re.DOTALL
    )
    if toolchain:
        yield _say(Strength.FLOOR, toolchain[1], evidence.where(path, toolchain[1]))
    for name in (
        "maven.compiler.release",
        "java.version",
        "maven.compiler.target",
        "maven.compiler.source",
        "release",
    ):
        found = re.search(rf"<{re.escape(name)}>\s*(?:1\.)?(\d+)\s*</", text)
        if found:
            yield _say(Strength.FLOOR, found[1], evidence.where(path, f"<{name}>"))
            return


def _ruby(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    yield from _version_file(evidence, in_folder(folder, ".ruby-version"))
    path = in_folder(folder, "Gemfile")
    found = re.search(r"^\s*ruby\s+['\"]([^'\"]+)['\"]", evidence.text(path), re.MULTILINE)
    if found:
        yield _say(
            Strength.PIN if found[1][0].isdigit() else Strength.FLOOR,
            found[1],
            evidence.where(path, found[0].strip()),
        )
    for path in evidence.read(".gemspec"):
        found = re.search(
            r"required_ruby_version\s*=?\s*\(?(?:Gem::Requirement\.new\()?\[?\s*((?:['\"][^'\"]+['\"][,\s]*)+)",
            evidence.text(path),
        )
        if found:
            yield _say(
                Strength.FLOOR,
                re.sub(r"['\"]", "", found[1]).strip(" ,"),
                evidence.where(path, "required_ruby_version"),
            )
            return


def _php(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    yield from _version_file(evidence, in_folder(folder, ".php-version"))
    path = in_folder(folder, "composer.json")
    package = load_json(evidence, path)
    value = table(package, "require").get("php")
    if isinstance(value, str):
        yield _say(Strength.FLOOR, value, evidence.where(path, '"php"'), tilde_is_pessimistic=True)


def _dotnet(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    path = evidence.first(in_folder(folder, "global.json"), "global.json") or "global.json"
    sdk = table(load_json(evidence, path), "sdk")
    version, roll = sdk.get("version"), str(sdk.get("rollForward", "latestPatch"))
    if isinstance(version, str):
        text = f"{version} rollForward {roll}" if "rollForward" in sdk else version
        constraint = parse_constraint(_rolled(version, roll))
        source = evidence.where(path, '"version"')
        yield VersionSource(strength=Strength.PIN, text=text, constraint=constraint, source=source)
    targets = [
        (parse_version(found), evidence.where(path, f"net{found}"))
        for ending in (".csproj", ".fsproj", "Directory.Build.props")
        for path in evidence.read(ending)
        for found in re.findall(r"\bnet(?:coreapp)?(\d+\.\d+)\b", evidence.text(path))
    ]
    if targets:
        newest, source = max(targets, key=lambda target: target[0])
        yield _say(Strength.FLOOR, ".".join(map(str, newest)), source)


# How many numbers of a .NET SDK stay fixed under each policy of global.json.
_FIXED_NUMBERS = {
    "latestMajor": 0,
    "major": 0,
    "latestMinor": 1,
    "minor": 1,
    "latestFeature": 2,
    "feature": 2,
}


def _rolled(version: str, roll: str) -> str:
    """Return the constraint that a version of global.json and its policy mean."""
    numbers = parse_version(version)
    fixed = _FIXED_NUMBERS.get(roll, 0)
    if not 0 < fixed <= len(numbers):
        return f">={version}"
    end = ".".join(map(str, (*numbers[: fixed - 1], numbers[fixed - 1] + 1)))
    return f">={version} <{end}"


def _by_pattern(
    *rules: tuple[str, str, Strength],
) -> Callable[[Evidence, str], Iterator[VersionSource]]:
    """Return a reader of the first match of a pattern in the files whose path ends so."""

    def read(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
        for ending, pattern, strength in rules:
            paths = [
                p for p in evidence.read(ending) if p.startswith(f"{folder}/" if folder else "")
            ]
            for path in paths:
                found = re.search(pattern, evidence.text(path), re.MULTILINE)
                if found:
                    yield _say(
                        strength, found[1], evidence.where(path, found[0].split("\n")[-1].strip())
                    )
                    break

    return read


def _pubspec(flutter: str) -> Callable[[Evidence, str], Iterator[VersionSource]]:
    def read(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
        fvm = load_json(evidence, ".fvmrc").get("flutter")
        if isinstance(fvm, str) and flutter == "flutter":
            yield _say(Strength.PIN, fvm, Source(file=".fvmrc", line=1))
        path = in_folder(folder, "pubspec.yaml")
        environment = at(parse_yaml(evidence.text(path)), "environment")
        value = text_of(at(environment, flutter))
        if value:
            yield _say(Strength.FLOOR, value, evidence.where(path, f"{flutter}:"))

    return read


def _c(evidence: Evidence, folder: str) -> Iterator[VersionSource]:
    """The build tool is what has a version: the compiler has none that is written down."""
    path = evidence.first(in_folder(folder, "meson.build"), "meson.build")
    found = re.search(r"meson_version\s*:\s*'([^']+)'", evidence.text(path)) if path else None
    if found and path:
        yield _say(Strength.FLOOR, found[1], evidence.where(path, "meson_version"))
        return
    path = evidence.first(in_folder(folder, "CMakeLists.txt"), "CMakeLists.txt")
    found = (
        re.search(
            r"cmake_minimum_required\s*\(\s*VERSION\s+([\d.]+?)(?:\.\.\.|\s|\))",
            evidence.text(path),
            re.IGNORECASE,
        )
        if path
        else None
    )
    if found and path:
        yield _say(Strength.FLOOR, found[1], evidence.where(path, found[0].strip()))


_READERS: Mapping[str, Callable[[Evidence, str], Iterator[VersionSource]]] = {
    "python": _python, "node": _node, "bun": _bun, "go": _go, "rust": _rust, "java": _java, "ruby": _ruby,
    "php": _php, "dotnet": _dotnet, "c": _c, "cpp": _c, "flutter": _pubspec("flutter"), "dart": _pubspec("sdk"),
    "elixir": _by_pattern(("mix.exs", r"elixir:\s*\"([^\"]+)\"", Strength.FLOOR)),
    "erlang": _by_pattern(("rebar.config", r"minimum_otp_vsn,\s*\"([\d.]+)\"", Strength.FLOOR)),
    "gleam": _by_pattern(("gleam.toml", r"^gleam\s*=\s*\"([^\"]+)\"", Strength.FLOOR)),
    "swift": _by_pattern((".swift-version", r"^(\d[\d.]*)", Strength.PIN), ("Package.swift", r"swift-tools-version:\s*([\d.]+)", Strength.FLOOR)),
    "zig": _by_pattern((".zigversion", r"^(\d\S*)", Strength.PIN), (".zig-version", r"^(\d\S*)", Strength.PIN), ("build.zig.zon", r"minimum_zig_version\s*=\s*\"([^\"]+)\"", Strength.FLOOR)),
    "crystal": _by_pattern((".crystal-version", r"^(\d[\d.]*)", Strength.PIN), ("shard.yml", r"^crystal:\s*[\"']?([^\"'\n]+)", Strength.FLOOR)),
    "haskell": _by_pattern((".cabal", r"^tested-with:\s*(?:\n\s*)?(?:,\s*)?([^\n]+(?:\n\s+[^\n:]+$)*)", Strength.COMPATIBLE)),
    "r": _by_pattern(("DESCRIPTION", r"\bR\s*\(([^)]+)\)", Strength.FLOOR)),
    "julia": _by_pattern(("Project.toml", r"^julia\s*=\s*\"([^\"]+)\"", Strength.FLOOR)),
    "nim": _by_pattern((".nimble", r"requires\s*\(?\"nim\s*([<>=]+\s*[\d.]+)", Strength.FLOOR)),
    "ocaml": _by_pattern(("dune-project", r"\(ocaml\s+\(([<>=]+\s*[\d.]+)", Strength.FLOOR), (".opam", r"\"ocaml\"\s*\{([<>=]+\s*\"?[\d.]+)", Strength.FLOOR)),
    "perl": _by_pattern(("Makefile.PL", r"MIN_PERL_VERSION['\"]?\s*=>\s*['\"]?v?([\d.]+)", Strength.FLOOR), ("cpanfile", r"requires ['\"]perl['\"],\s*['\"]([^'\"]+)", Strength.FLOOR)),
    "lua": _by_pattern((".rockspec", r"\"lua\s*([<>=~]+\s*[\d.]+)", Strength.FLOOR)),
}  # fmt: skip

# --- what the CI runs ------------------------------------------------------------------------

_CI_KEYS = {
    "python": r"(?:python|py)(?:[-_]?versions?)?", "node": r"(?:node(?:js)?)(?:[-_]?versions?)?",
    "bun": r"bun(?:[-_]?versions?)?", "deno": r"deno(?:[-_]?versions?)?", "go": r"(?:go|golang)(?:[-_]?versions?)?",
    "rust": r"(?:rust|toolchain|msrv)(?:[-_]?versions?)?", "java": r"(?:java|jdk)(?:[-_]?versions?)?",
    "ruby": r"(?:ruby|rvm)(?:[-_]?versions?)?", "php": r"php(?:[-_]?versions?)?", "dotnet": r"dotnet(?:[-_]?versions?)?",
    "elixir": r"elixir(?:[-_]?versions?)?", "erlang": r"otp(?:[-_]?(?:versions?|release))?", "haskell": r"(?:ghc|compilerVersion|compiler)(?:[-_]?versions?)?",
    "flutter": r"flutter(?:[-_]?versions?)?", "dart": r"(?:dart|sdk)(?:[-_]?versions?)?", "swift": r"swift(?:[-_]?versions?)?",
    "zig": r"zig(?:[-_]?versions?)?", "crystal": r"crystal(?:[-_]?versions?)?", "julia": r"(?:julia|version)(?:[-_]?versions?)?",
    "r": r"r(?:[-_]?versions?)?", "ocaml": r"ocaml(?:[-_]?(?:compiler|versions?))?", "nim": r"nim(?:[-_]?versions?)?",
    "perl": r"perl(?:[-_]?versions?)?", "lua": r"lua(?:[-_]?versions?)?",
}  # fmt: skip
_VERSION = re.compile(r"v?(\d+(?:\.(?:\d+|x))*)[\w.+-]*")
_ASIDE_FILE = re.compile(r"release|publish|deploy|docs?\b|lint|stale|label|codeql|nightly")
_MAX_NODES = 20_000


def _from_ci(ci: CiFiles, runtime: str) -> Iterator[VersionSource]:
    key = _CI_KEYS.get(runtime)
    if key is None:
        return
    wanted = re.compile(key, re.IGNORECASE)
    seen: set[str] = set()
    for path in sorted(ci.nodes, key=lambda p: (bool(_ASIDE_FILE.search(p)), p)):
        for value in _under(ci.nodes[path], wanted):
            found = _VERSION.fullmatch(
                value.text.strip().removeprefix("ruby-").removeprefix("ghc-")
            )
            text = found[1] if found else ""
            if runtime == "java" and text.startswith("1."):
                text = text[2:]
            if runtime == "go" and re.fullmatch(r"\d\d", text):  # the CI writes 1. before it
                text = f"1.{text}"
            if text and text not in seen:
                seen.add(text)
                yield _say(Strength.COMPATIBLE, text, ci.evidence.at(path, value.line))
        if seen and not _ASIDE_FILE.search(path):
            continue


def _under(root: Node, wanted: re.Pattern[str]) -> Iterator[Value]:
    """Yield the scalars under every key that fits, wherever it stands."""
    queue: list[Node] = [root]
    count = 0
    while queue and count < _MAX_NODES:
        node = queue.pop()
        count += 1
        if isinstance(node, list):
            queue += node
        for key, value in pairs(node):
            if wanted.fullmatch(key):
                yield from (item for item in items(value) if isinstance(item, Value))
            if not isinstance(value, Value):
                queue.append(value)
