"""The runtimes inside a container image: asked there, since nobody here can say. Pure."""

from __future__ import annotations

from iris_harness.daemon.parts import Part
from iris_harness.daemon.provisioning.images import load_official
from iris_harness.daemon.provisioning.machine import find_number
from iris_harness.daemon.provisioning.toolchains import Toolchain, find_unmet, load_kinds


def question(name: str) -> str:
    """Return the line for a shell that prints where the program of a family is, then its version."""
    kind = load_kinds()[name]
    program = kind.program.rstrip("*")
    version = f" && {program} {' '.join(kind.version)}" if kind.version else ""
    return f"command -v {program}{version}"


def parse_answer(name: str, said: str, home: str) -> Toolchain | None:
    """Return the toolchain of a family in an image; None where its program is not there.

    Args:
        name: the family.
        said: what the question's line printed.
        home: the job's home folder, as its runs see it.
    """
    program, _, rest = said.strip().partition("\n")
    if not program.startswith("/"):
        return None
    official = load_official().get(name)
    variables = official.environment if official else {}
    return Toolchain(
        name=name, version=find_number(rest), program=program, folder="", prefix="",
        environment={key: value.format(home=home) for key, value in variables.items()},
    )  # fmt: skip


def refusal(part: Part, found: Toolchain | None) -> str:
    """Return why a toolchain of an image will not do for a part; empty where it will."""
    if found is None:
        return f"it has no {part.runtime.name}"
    unmet = find_unmet(found, part.runtime)
    return f"it has {found}, and {unmet}" if unmet else ""
