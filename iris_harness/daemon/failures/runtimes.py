"""Runtimes and tools of another version than is needed."""

from __future__ import annotations

import re

from iris_harness.daemon.failures.match import Match
from iris_harness.daemon.failures.model import (
    Verdict,
    environment,
    switch,
)
from iris_harness.daemon.failures.versions import version_verdict


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
