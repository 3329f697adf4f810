"""Libraries, headers and extensions of the system, and the state of the checkout."""

from __future__ import annotations

import re

from iris_harness.daemon.failures.match import WORKSPACE, Match
from iris_harness.daemon.failures.model import (
    Verdict,
    add_package,
    code,
    environment,
)
from iris_harness.daemon.failures.rules import begins_with


def shared_library(match: Match) -> Verdict | None:
    """A library that a program was linked with."""
    name = match.name
    package = re.sub(r"\.so.*$", "", name)
    if re.search(r"-?\d[\d.]*$", package) and not package[-1].isdigit():
        package = package.rstrip(".")
    known = begins_with(_SHARED_LIBRARIES, name)
    return environment(f"missing_shared_library:{name}", add_package(known or package))


_SHARED_LIBRARIES = {
    "libGL.so": "libgl1", "libEGL.so": "libegl1", "libglib-2.0": "libglib2.0-0", "libSM": "libsm6",
    "libXext": "libxext6", "libXrender": "libxrender1", "libgomp": "libgomp1", "libpq": "libpq5",
    "libnss3": "libnss3", "libatk-1.0": "libatk1.0-0", "libgbm": "libgbm1", "libasound": "libasound2",
    "libssl.so.1.1": "libssl1.1", "libssl.so.3": "libssl3", "libcrypto.so.3": "libssl3",
    "libxml2": "libxml2", "libmagic": "libmagic1", "libsndfile": "libsndfile1", "libcairo.so": "libcairo2",
    "libstdc++": "libstdc++6", "libgcc_s": "libgcc-s1", "libxkbcommon": "libxkbcommon0",
    "libcups": "libcups2", "libdrm": "libdrm2", "libpython3": "libpython3-dev", "libvips": "libvips42",
    "libicu": "libicu-dev", "libz.so": "zlib1g", "libcurl": "libcurl4", "libX11": "libx11-6",
}  # fmt: skip


def header(match: Match) -> Verdict | None:
    """A header: of the system, or of the project itself."""
    name = match.name
    package = begins_with(match.names["headers"], name)
    own = {found.partition("/")[0] for found in match.failure.names("own_headers")}
    if name.partition("/")[0] in own:
        return code(f"missing_own_header:{name}")
    if package:
        return environment(f"missing_header:{name}", add_package(package))
    included = " ".join(match.lines_around(0, 2))
    outside = "/usr/" in match.groups.get("place", "") or f"<{name}>" in included
    third_party = re.match(
        r"(?:third_party|thirdparty|external|extern|vendor|deps|submodules)/", name
    )
    if third_party and match.failure.names("gitmodules"):
        remedy: dict[str, str | None] = {"action": "init_submodules"}
        return environment("git_state:submodules", remedy)
    if outside and f'"{name}"' not in included:
        return environment(
            f"missing_header:{name}", add_package(name.partition("/")[0].removesuffix(".h"))
        )
    return code(f"missing_own_header:{name}")


def link_library(match: Match) -> Verdict | None:
    """A library the linker looks for; one of the project has a target of its own."""
    name = match.name
    package = match.names["libraries"].get(name.lower(), f"lib{name}-dev")
    return environment(f"missing_shared_library:lib{name}", add_package(str(package)))


def system_package(match: Match) -> Verdict | None:
    """What CMake, Meson, autoconf or pkg-config looks for on the system."""
    name = match.name
    package = match.names["libraries"].get(name.lower())
    guess = f"lib{name.lower().removeprefix('lib')}-dev"
    return environment(f"missing_system_package:{name}", add_package(str(package or guess)))


def php_function(match: Match) -> Verdict | None:
    """A function of an extension, or one of the project."""
    extension = begins_with(match.names["php_functions"], match.name)
    if not extension:
        return code(f"undefined:{match.name}")
    return environment(f"missing_extension:{extension}", add_package(f"php-{extension}"))


def php_class_extension(match: Match) -> Verdict | None:
    """A class of an extension, or a driver of PDO."""
    extension = match.names["php_classes"].get(match.name, "pdo")
    return environment(f"missing_extension:{extension}", add_package(f"php-{extension}"))


def python_extension(match: Match) -> Verdict | None:
    """A part of Python's own that was left out when it was built."""
    package = {"tkinter": "python3-tk", "_tkinter": "python3-tk"}.get(match.name, "python3-full")
    return environment(f"missing_extension:{match.name}", add_package(package))


def submodule(match: Match) -> Verdict | None:
    """A folder that CMake was to add: a submodule that was not checked out, or an own one."""
    folder = next(
        (text.strip() for text in reversed(match.lines_around(3, -1)) if text.startswith("    ")),
        "",
    )
    modules = match.failure.names("gitmodules")
    relative = WORKSPACE.sub("", folder)
    vendored = re.match(
        r"(?:third[_-]?party|external|extern|vendor|deps|submodules|lib|libs|modules)/", relative
    )
    if relative in modules or (not modules and vendored):
        return environment("git_state:submodules", {"action": "init_submodules"})
    return code(f"missing_own_file:{relative}/CMakeLists.txt")


def errno_permission(match: Match) -> Verdict | None:
    """A place that may not be written, unless it is what a test is about."""
    if match.output.failing:
        return None
    return environment(f"permission_denied:{match.name}", {"action": "fix_permissions"})


def php_extension(match: Match) -> Verdict | None:
    """An extension by its name."""
    name = match.name.lower().removeprefix("ext-")
    return environment(f"missing_extension:{name}", add_package(f"php-{name}"))


def tool_header(match: Match) -> Verdict | None:
    """A header that a build script looked for; the line says of what."""
    package = begins_with(match.names["headers"], match.name)
    return environment(f"missing_header:{match.name}", add_package(package)) if package else None


def permission_below(match: Match) -> Verdict | None:
    """A file that could not be opened; the reason stands below."""
    if not any("ermission denied" in text for text in match.lines_around(0, 4)):
        return None
    return errno_permission(match)
