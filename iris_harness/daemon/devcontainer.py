"""The development container a repository describes for itself, at the places where it counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.jsonc import parse_jsonc

_PLACES = (".devcontainer/devcontainer.json", ".devcontainer.json")
_NAMED = re.compile(r"\.devcontainer/[^/]+/devcontainer\.json")
_FAMILIES = (
    (r"javascript-node|typescript-node|\bnode\b", "node"), (r"python|anaconda|miniconda", "python"),
    (r"\bgo(?:lang)?\b", "go"), (r"rust", "rust"), (r"ruby|jekyll", "ruby"), (r"php", "php"),
    (r"java\b|jdk|temurin|kotlin", "java"), (r"dotnet", "dotnet"), (r"elixir", "elixir"),
    (r"\bcpp\b|\bgcc\b|\bclang\b", "cpp"), (r"haskell", "haskell"), (r"swift", "swift"),
    (r"dart|flutter", "dart"), (r"julia", "julia"), (r"rocker|r-ver|rstudio", "r"), (r"deno", "deno"), (r"\bbun\b", "bun"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Devcontainer:
    """A devcontainer.json of the repository as a whole."""

    source: Source
    kind: str
    """image, dockerfile or compose."""
    image: str | None
    """The image it names; None where it is built."""
    features: tuple[str, ...]
    image_alone_enough: bool
    """False where features are put on top of the image."""
    runtime: str
    """The runtime the image is made for; empty where it says none."""
    version: str
    """Of that runtime, by the image's tag; empty where it says none."""


def find_devcontainer(evidence: Evidence) -> Devcontainer | None:
    """Return the devcontainer at the root; None where there is none, or none that can be read."""
    named = sorted(path for path in evidence.texts if _NAMED.fullmatch(path))
    for path in (*_PLACES, *named):
        settings = parse_jsonc(evidence.text(path))
        if isinstance(settings, dict):
            return _devcontainer(evidence, path, settings)
    return None


def _devcontainer(evidence: Evidence, path: str, settings: Mapping[str, Any]) -> Devcontainer:
    image = settings.get("image") if isinstance(settings.get("image"), str) else None
    features = settings.get("features")
    names = tuple(features) if isinstance(features, dict) else ()
    kind = "compose" if "dockerComposeFile" in settings else "image" if image else "dockerfile"
    runtime, version = _runtime(image or "")
    needle = '"image"' if image else '"build"' if "build" in settings else '"docker'
    return Devcontainer(
        source=evidence.where(path, needle), kind=kind, image=image, features=names,
        image_alone_enough=not (image and names), runtime=runtime, version=version,
    )  # fmt: skip


def _runtime(image: str) -> tuple[str, str]:
    name, _, tag = image.rpartition("/")[2].partition(":")
    for pattern, runtime in _FAMILIES:
        if re.search(pattern, name):
            found = re.fullmatch(
                r"(?:dev-)?(?:\d+(?:\.\d+){0,2}-)??v?(\d+(?:\.\d+)*)(?:-[a-z].*)?", tag
            )
            own = re.fullmatch(r"(?:dev-)?\d+(?:\.\d+)*-(\d+(?:\.\d+)*)(?:-.*)?", tag)
            version = own[1] if own and "devcontainers" in image else found[1] if found else ""
            return runtime, version
    return "", ""
