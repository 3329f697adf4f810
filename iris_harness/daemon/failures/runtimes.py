"""Runtimes and tools of another version than is needed."""

from __future__ import annotations

import re

from iris_harness.daemon.constraints import parse_version
from iris_harness.daemon.failures.match import Match
from iris_harness.daemon.failures.model import (
    Verdict,
    environment,
    switch,
    wrong_command,
)
from iris_harness.daemon.failures.versions import (
    current_version,
    is_excluded,
    required_version,
    version_verdict,
)


def pnpm_engine(match: Match) -> Verdict | None:
    """The version stands two lines further on."""
    for text in match.lines_around(0, 4):
        found = re.fullmatch(r"\s*Expected version: (.+)", text)
        if found:
            return version_verdict("node", found[1].strip())
    return environment("version_required:node", switch("node"))


def python_env(match: Match) -> Verdict | None:
    """An environment of tox or nox for a Python that is not there."""
    if "major" not in match.groups:
        return None
    version = f"{match.groups['major']}.{match.groups['minor']}"
    return version_verdict("python", f"=={version}")


def class_file(match: Match) -> Verdict | None:
    """Class files of version 52 are Java 8's, 61 Java 17's, and so on."""
    return version_verdict("java", f">={int(match.groups['major']) - 44}")


def class_file_too_new(match: Match) -> Verdict | None:
    """The build tool does not know the Java it runs on."""
    return version_verdict("java", f"<{int(match.groups['major']) - 44}")


def cargo_feature(match: Match) -> Verdict | None:
    """An edition that a later Rust made stable."""
    feature = match.groups.get("feature") or match.groups.get("edition") or ""
    since = {"edition2021": "1.56", "edition2024": "1.85"}.get(feature)
    return (
        version_verdict("rust", f">={since}")
        if since
        else environment("version_required:rust", switch("rust"))
    )


def dart_sdk(match: Match) -> Verdict | None:
    """A package that needs another SDK of Dart or Flutter."""
    spec = match.groups.get("spec", "").strip()
    flutter = match.groups.get("tool") == "Flutter" or "flutter" in match.failure.command
    tool = "flutter" if flutter else "dart"
    return (
        version_verdict(tool, spec)
        if spec
        else environment(f"version_required:{tool}", switch(tool))
    )


def cabal_program(match: Match) -> Verdict | None:
    """A compiler of another version than Cabal asks for."""
    tool = "haskell" if match.name == "ghc" else match.name
    return version_verdict(tool, match.groups["spec"])


def libc(match: Match) -> Verdict | None:
    """A binary that was built for a newer system."""
    library = {"GLIBC": "glibc", "GLIBCXX": "libstdc++", "CXXABI": "libstdc++"}[
        match.groups["library"]
    ]
    runtime = "node" if ".node" in match.line.text else None
    remedy = switch(runtime) if runtime else switch(_runtime_of_command(match))
    return environment(f"version_required:{library}>={match.groups['version']}", remedy)


def _runtime_of_command(match: Match) -> str:
    word = match.failure.command.split(" ", 1)[0].rpartition("/")[2]
    default = {"pytest": "python", "tox": "python", "nox": "python", "make": "c"}.get(word, word)
    return str(match.names["runtime_of"].get(word, default))


def node_option(match: Match) -> Verdict | None:
    """An option that a later Node.js knows, or nobody does."""
    since = match.names["node_options_since"].get(match.name)
    if since is None:
        return wrong_command("usage") if match.name in match.failure.command else None
    return _node_since(match, str(since))


def node_global(match: Match) -> Verdict | None:
    """A global that a later Node.js has: only where it is known that an older one ran."""
    name = match.name
    table = match.names["node_globals_since"]
    since = table.get(name) or table.get(name.rpartition(".")[2] if "." in name else "")
    current = current_version(match.failure)
    if since is None or current is None or current[0] != "node":
        return None
    if parse_version(current[1]) >= parse_version(str(since)):
        return None
    return _node_since(match, str(since))


def _node_since(match: Match, since: str) -> Verdict:
    return version_verdict("node", match.failure.text("engines_node") or f">={since}")


def python_attribute(match: Match) -> Verdict | None:
    """A name that Python's own module has no longer, or not yet; else the code's."""
    name = f"{match.groups['module']}.{match.name}"
    since = match.names["python_names_since"].get(name)
    until = match.names["python_names_until"].get(name)
    required = required_version(match.failure, "python")
    if required and current_version(match.failure) and is_excluded(match.failure) is None:
        return None
    if since:
        return version_verdict("python", required or f">={since}")
    return version_verdict("python", f"<{until}") if until else None


def asdf_version(match: Match) -> Verdict | None:
    """The version that .tool-versions names."""
    tool = {"nodejs": "node", "golang": "go"}.get(match.groups["tool"], match.groups["tool"])
    return version_verdict(tool, f"=={match.groups['version']}")


def go_directive(match: Match) -> Verdict | None:
    """A directive of go.mod that a later Go knows."""
    since = match.names["go_directives_since"][match.name]
    return version_verdict("go", required_version(match.failure, "go") or f">={since}")


def java_source(match: Match) -> Verdict | None:
    """A source level that this compiler no longer knows."""
    until = match.names["java_sources_until"].get(match.groups["old"])
    return version_verdict("java", f"<{until}") if until else None
