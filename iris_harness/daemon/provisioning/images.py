"""Which container image runs a repository whose runtime is not here: its own evidence decides. Pure.

Nobody names an image: no request, no setting, no option. A repository that says in which image it is
worked on, or tested, is believed; else it is the official image of its ecosystem at its version.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from iris_harness.daemon.constraints import find_channel, parse_version
from iris_harness.daemon.evidence import Source
from iris_harness.daemon.inspection import Report
from iris_harness.daemon.runtime import Runtime

_HOST = re.compile(
    r"(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|localhost|[A-Za-z0-9-]+(?=:))(?::\d{1,5})?"
)
_NAME = re.compile(
    r"(?P<path>[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?P<digest>@sha256:[0-9a-f]{64})?"
)
"""The grammar of references of the OCI distribution specification, without its rarer digests."""
_MOST = 255


@dataclass(frozen=True, kw_only=True, slots=True)
class ImageChoice:
    """An image that may run the tests."""

    reference: str
    """Whole, with its registry."""
    why: str
    """One clause: what decided, with its line where there is one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Official:
    """The image of an ecosystem."""

    image: str
    latest: str
    numbers: int
    most: int
    brings: frozenset[str]
    environment: Mapping[str, str]


@cache
def load_official() -> Mapping[str, Official]:
    """Return what is known of each ecosystem's image."""
    text = files(__package__).joinpath("images.toml").read_text(encoding="utf-8")
    return {name: _official(table) for name, table in tomllib.loads(text).items()}


def _official(table: Mapping[str, Any]) -> Official:
    return Official(
        image=table["image"], latest=table["latest"], numbers=table.get("numbers", 1),
        most=table["most"], brings=frozenset(table.get("brings", ())),
        environment=table.get("environment", {}),
    )  # fmt: skip


def find_images(report: Report) -> tuple[ImageChoice, ...]:
    """Return the images that may run the tests, the best first; empty where nothing says any.

    That of the devcontainer, where nothing is put on top of it; that of the CI's job that tests; the
    official one, where it brings all that the tests need.
    """
    found = {one.reference: one for one in reversed(list(_choices(report)))}
    return tuple(reversed(found.values()))


def _choices(report: Report) -> Iterator[ImageChoice]:
    container, chosen = report.devcontainer, report.test.chosen
    if container and container.image and container.image_alone_enough:
        yield from _named(container.image, container.source, "the devcontainer's")
    if chosen and chosen.step and chosen.step.image:
        source = Source(file=chosen.step.file, line=chosen.step.line)
        yield from _named(chosen.step.image, source, "that of the CI's job")
    needed = {part.runtime.name for part in report.parts if part.is_needed} - {"shell"}
    for part in report.parts:
        official = load_official().get(part.runtime.name)
        if (
            official
            and _has_releases_only(part.runtime)
            and needed <= {part.runtime.name} | official.brings
        ):
            yield ImageChoice(
                reference=official.image.format(version=_tag(official, part.runtime)),
                why=f"the official one of {part.runtime.name}",
            )


def _has_releases_only(runtime: Runtime) -> bool:
    """Return whether a release will do: no official image holds anything else."""
    return find_channel(runtime.version or "") in {"", "stable"}


def _named(text: str, source: Source, whose: str) -> Iterator[ImageChoice]:
    reference = whole_reference(text)
    if reference is not None:
        yield ImageChoice(reference=reference, why=f"{whose}, {source} says so")


def whole_reference(text: str) -> str | None:
    """Return a reference with its registry and its tag; None where it is none, or not a plain one.

    What an engine would read as a place on this machine, or as an option, is none.
    """
    first, slash, rest = text.strip().partition("/")
    host = first if slash and _HOST.fullmatch(first) else ""
    found = _NAME.fullmatch(rest if host else text.strip()) if len(text) <= _MOST else None
    if found is None:
        return None
    path = found["path"] if host or "/" in found["path"] else f"library/{found['path']}"
    end = found["digest"] or f":{found['tag'] or 'latest'}"
    return f"{host or 'docker.io'}/{path}{end}"


def _tag(official: Official, runtime: Runtime) -> str:
    """Return the version of an image: of what the repository states as many numbers as it has tags."""
    numbers = parse_version(runtime.version or "")[: official.most]
    if len(numbers) < official.numbers:
        return official.latest
    return ".".join(map(str, numbers))
