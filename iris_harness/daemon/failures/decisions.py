"""What a matched line means where a name, the context or the other lines have to be asked.

Every function takes a `Match` and returns the verdict, or None where the line means nothing after
all. `DECISIONS` names them as rules.toml does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from iris_harness.daemon.failures.model import (
    Failure,
    FailureClass,
    Verdict,
    add_package,
    code,
    environment,
    install,
    network,
    raise_limit,
    switch,
    wrong_command,
)
from iris_harness.daemon.failures.output import Line, Output
from iris_harness.daemon.failures.rules import Names, begins_with, listed
from iris_harness.daemon.failures.versions import (
    current_version,
    required_version,
    version_verdict,
)

_RESERVED_HOST = re.compile(
    r"(?:.*\.)?(?:localhost|invalid|test|example\.(?:com|org|net))|127\..*|::1"
)
_NODE_SCRIPT = re.compile(r"> .*@\S+ \S+|> \S+|\$ .*|yarn run v.*|.*(?:npm|yarn|pnpm|bun) .*")
_WORKSPACE = re.compile(
    r"^(?:/(?:workspaces?|app|repo|code|src|work|build|home/\w+/[\w.-]+|tmp/[\w.-]+|github/workspace)/)"
)


class Match(NamedTuple):
    """A line that matched a rule."""

    groups: Mapping[str, str]
    """The named groups that took part."""
    line: Line
    output: Output
    failure: Failure
    names: Names

    @property
    def name(self) -> str:
        """The first of the groups that name something; empty without one."""
        order = ("name", "host", "other", "third", "fourth", "fifth", "sixth", "seventh")
        return next((self.groups[key] for key in order if key in self.groups), "")

    def lines_around(self, before: int, after: int) -> tuple[str, ...]:
        """Return the texts of the lines around the match."""
        return tuple(
            line.text
            for line in self.output.lines
            if -before <= line.number - self.line.number <= after
        )


def executable(match: Match) -> Verdict | None:
    """A program that is not there: a runtime, a part of the project or of the system."""
    name = match.name
    if name.startswith(("./", "../", "/")) or "/" in name:
        return script_file(match)
    bare = re.sub(r"^(python|pip|ruby|php|lua|ghc|clang|gcc|g\+\+|erl)-?[\d.]+$", r"\1", name)
    if name in match.names["unwinnable"]:
        remedy: dict[str, str | None] = {"action": "report_unwinnable"}
        return environment(f"missing_executable:{name}", remedy)
    if _is_dependency(match, name):
        return environment(f"{_dependency_kind(match, name)}:{name}", install())
    runtime = match.names["runtime_of"].get(name) or match.names["runtime_of"].get(bare)
    if runtime and not (name == "python3" and _asked_by_node(match)):
        remedy = add_package(name) if name == "perl" else switch(str(runtime))
        return environment(f"missing_executable:{name}", remedy)
    package = match.names["package_of"].get(bare, name)
    return environment(f"missing_executable:{name}", add_package(str(package)))


def _is_dependency(match: Match, name: str) -> bool:
    declared = {
        _distribution_key(found.rpartition("/")[2])
        for found in match.failure.names("declared_deps")
    }
    if _distribution_key(name) in declared or name in listed(match.names, "project_tools"):
        return True
    known = name in match.names["runtime_of"] or name in listed(match.names, "system")
    return not known and _ran_by_script(match)


def _dependency_kind(match: Match, name: str) -> str:
    """A tool that a script calls is a dependency; one that the command itself names, a program."""
    declared = {found.rpartition("/")[2] for found in match.failure.names("declared_deps")}
    named = name in match.failure.command.split()
    return "missing_dependency" if name in declared or not named else "missing_executable"


def _ran_by_script(match: Match) -> bool:
    first = match.failure.command.split(" ", 1)[0]
    header = any(_NODE_SCRIPT.fullmatch(text) for text in match.lines_around(6, 0)[:-1])
    return first in {"npm", "yarn", "pnpm", "bun", "npx", "composer"} or header


def _asked_by_node(match: Match) -> bool:
    return any("gyp" in text for text in match.lines_around(3, 3))


def build_program(match: Match) -> Verdict | None:
    """The generator of CMake that is not there."""
    program = {"Ninja": "ninja", "Unix Makefiles": "make"}.get(match.name, match.name)
    package = match.names["package_of"].get(program, program)
    return environment(f"missing_executable:{program}", add_package(str(package)))


def script_or_executable(match: Match) -> Verdict | None:
    """What a package manager found neither among the scripts nor among the installed programs."""
    words = match.failure.command.split()
    name = match.name
    asked = name in words or name == "test" or ":" in name
    if name in listed(match.names, "project_tools") or name in {
        found.rpartition("/")[2] for found in match.failure.names("declared_deps")
    }:
        return environment(f"missing_dependency:{name}", install())
    if asked:
        return wrong_command(f"missing_script:{name}")
    return environment(f"missing_dependency:{name}", install())


def cargo_subcommand(match: Match) -> Verdict | None:
    """A subcommand of cargo that is a program of its own."""
    return environment(f"missing_executable:cargo-{match.name}", install())


def not_executable(match: Match) -> Verdict | None:
    """A script without its mode bit: its interpreter can run it."""
    name = match.name
    if "/" not in name:
        return None
    if not name.endswith((".sh", ".py", "w", ".rb", ".pl")) and match.failure.exit_code not in {
        126,
        2,
        1,
    }:
        return None
    interpreter = {".py": "python3", ".rb": "ruby", ".pl": "perl"}.get(name[-3:], "sh")
    command = match.failure.command
    hint = (
        command.replace(name, f"{interpreter} {name}", 1)
        if name in command
        else f"{interpreter} {name}"
    )
    remedy: dict[str, str | None] = {"action": "run_through_interpreter", "hint": hint}
    return environment(f"not_executable:{name}", remedy)


def bad_format(match: Match) -> Verdict | None:
    """A program of another machine, or a script whose interpreter is not there."""
    name = match.name
    interpreter = re.search(r"(?:\S*/)?([\w.+-]+): bad interpreter", match.line.text)
    if interpreter and interpreter[1] != "No":
        runtime = match.names["runtime_of"].get(re.sub(r"[\d.]+$", "", interpreter[1]))
        remedy = switch(str(runtime)) if runtime else add_package(interpreter[1])
        return environment(f"missing_executable:{interpreter[1]}", remedy)
    if "required file not found" in match.line.text:
        return environment(f"missing_interpreter:{name}", install())
    return environment(f"platform_mismatch:{name}", install())


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


def python_module(match: Match) -> Verdict | None:
    """A module: of a newer or older Python, of the project, or of a distribution."""
    name = match.name
    top = name.partition(".")[0]
    since = match.names["python_stdlib_since"].get(name) or match.names["python_stdlib_since"].get(
        top
    )
    until = match.names["python_stdlib_until"].get(top)
    own = match.failure.names("own_modules")
    if any(name == found or name.startswith(f"{found}.") for found in own):
        return code(f"import_own_module:{name}")
    if since:
        return version_verdict("python", match.failure.text("requires_python") or f">={since}")
    if until:
        return version_verdict("python", f"<{until}")
    return _python_dependency(match, name, top)


def _python_dependency(match: Match, name: str, top: str) -> Verdict | None:
    declared = {_distribution_key(found) for found in match.failure.names("declared_deps")}
    distribution = match.names["python_distribution"].get(top, top)
    keys = {_distribution_key(str(distribution)), _distribution_key(top)}
    if keys & declared or any(found.endswith(f"-{_distribution_key(top)}") for found in declared):
        return environment(f"missing_dependency:{top}", install())
    known = (
        top in listed(match.names, "python_third_party")
        or top in match.names["python_distribution"]
    )
    if declared and not known:
        return code(f"undeclared_dependency:{top}")
    if (
        declared
        and top not in {"pytest", "setuptools", "pkg_resources"}
        and match.failure.names("own_modules")
    ):
        return code(f"undeclared_dependency:{top}")
    if known and "." not in name:
        return environment(f"missing_dependency:{top}", install())
    return code(f"import_own_module:{name}") if "." in name or not known else None


def _distribution_key(name: str) -> str:
    bare = re.split(r"[\[<>=!~; ]", name.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", bare).lower()


def python_name(match: Match) -> Verdict | None:
    """A name that a newer Python has in a module of its own."""
    since = match.names["python_names_since"].get(f"{match.groups['module']}.{match.name}")
    if not since:
        return code(f"undefined:{match.name}")
    return version_verdict("python", match.failure.text("requires_python") or f">={since}")


def python_distribution(match: Match) -> Verdict | None:
    """A distribution whose metadata is not there: not installed, be it the project itself."""
    return environment(f"missing_dependency:{match.name}", install())


def pytest_arguments(match: Match) -> Verdict | None:
    """Options of a plugin that is not installed."""
    for option in match.name.split():
        plugin = begins_with(match.names["pytest_options"], option)
        if plugin:
            return environment(f"missing_dependency:{plugin}", install())
    return wrong_command("usage")


def node_module(match: Match) -> Verdict | None:
    """A specifier: a path is the project's own, a bare one a package."""
    name = match.name
    if name.startswith((".", "@/", "~/", "#", "$", "src/")) or name == "":
        return code(f"import_own_module:{name}")
    if name.startswith("/"):
        return _node_path(match, name)
    if name.startswith("node:"):
        return version_verdict("node", match.failure.text("engines_node") or ">=18")
    return _node_package(match, "/".join(name.split("/")[: 2 if name.startswith("@") else 1]))


def _node_package(match: Match, package: str) -> Verdict:
    declared = match.failure.names("declared_deps")
    if package in declared:
        return environment(f"missing_dependency:{package}", install())
    if package in match.failure.names("own_modules"):
        return code(f"import_own_module:{match.name}")
    if declared or match.failure.context.get("node_modules_present") is True:
        return code(f"undeclared_dependency:{package}")
    return environment(f"missing_dependency:{package}", install())


def _node_path(match: Match, name: str) -> Verdict | None:
    """An absolute path: what the command named, a build that was not made, or an own file."""
    relative = _WORKSPACE.sub("", name)
    if "node_modules/" in name:
        package = name.rpartition("node_modules/")[2].split("/bin/")[0]
        return environment(f"missing_dependency:{package}", install())
    if relative in match.failure.command.split():
        return wrong_command(f"file_not_found:{relative}")
    return code(f"import_own_module:{relative}")


def node_types(match: Match) -> Verdict | None:
    """Type definitions are a dependency."""
    return environment(f"missing_dependency:@types/{match.name}", install())


def jest_part(match: Match) -> Verdict | None:
    """A preset or an environment of Jest that is a package."""
    name = match.name
    return environment(f"missing_dependency:{name}", install()) if name and name[0] != "." else None


def ruby_file(match: Match) -> Verdict | None:
    """A file that Ruby was told to load: a gem's, or the project's own."""
    name = match.name
    relative = _WORKSPACE.sub("", name)
    own = match.failure.names("own_modules")
    if relative != name or name.startswith((".", "lib/", "spec/", "test/", "app/", "config/")):
        return code(f"import_own_module:{relative.removesuffix('.rb')}")
    if any(name == found or name.startswith(f"{found}/") for found in own):
        return code(f"import_own_module:{name}")
    top = name.partition("/")[0]
    declared = {_distribution_key(found) for found in match.failure.names("declared_deps")}
    forms = {_distribution_key(name.replace("/", "-")), _distribution_key(top)}
    if (
        forms & declared
        or name in listed(match.names, "ruby_gems")
        or top in listed(match.names, "ruby_gems")
    ):
        return environment(f"missing_dependency:{top}", install())
    if declared:
        return code(f"undeclared_dependency:{top}")
    return code(f"import_own_module:{name}")


def julia_package(match: Match) -> Verdict | None:
    """Julia says which packages the project declares."""
    if "required but" in match.line.text:
        return environment(f"missing_dependency:{match.name}", install())
    return declared(match)


def declared(match: Match) -> Verdict | None:
    """A package: declared, or unknown to the manifest, or the project's own."""
    name = match.name
    if name in match.failure.names("own_modules"):
        return code(f"import_own_module:{name}")
    found = {
        _distribution_key(item.rpartition("/")[2]) for item in match.failure.names("declared_deps")
    }
    if found and _distribution_key(name) not in found:
        return code(f"undeclared_dependency:{name}")
    return environment(f"missing_dependency:{name}", install())


def opam_library(match: Match) -> Verdict | None:
    """A library of dune: the project's own have a name in its dune files."""
    if match.name in match.failure.names("own_modules"):
        return code(f"import_own_module:{match.name}")
    return environment(f"missing_dependency:{match.name}", install())


def quoted_names(match: Match) -> Verdict | None:
    """The first of several names in quotes."""
    name = re.split(r"[^\w.]", re.sub(r"^\W+", "", match.name), maxsplit=1)[0]
    return environment(f"missing_dependency:{name}", install())


def perl_module(match: Match) -> Verdict | None:
    """A module of Perl, by its path."""
    name = match.name.replace("/", "::")
    own = match.failure.names("own_modules")
    if any(name == found or name.startswith(f"{found}::") for found in own):
        return code(f"import_own_module:{name}")
    declared_deps = match.failure.names("declared_deps")
    if declared_deps and name not in declared_deps:
        return code(f"undeclared_dependency:{name}")
    known = name.startswith(
        ("Test::", "Module::Build", "Moo", "Moose", "DBI", "LWP", "JSON", "Try::")
    )
    asks_to_install = "you may need to install" in match.line.text
    if declared_deps or known or asks_to_install:
        return environment(f"missing_dependency:{name}", install())
    return code(f"import_own_module:{name}")


def lua_module(match: Match) -> Verdict | None:
    """A rock, or a module of the project."""
    name = match.name
    top = name.partition(".")[0]
    declared_deps = match.failure.names("declared_deps")
    known = {
        "busted",
        "luassert",
        "penlight",
        "pl",
        "lfs",
        "cjson",
        "socket",
        "luaunit",
        "say",
        "lpeg",
    }
    if top in known or top in declared_deps:
        return environment(f"missing_dependency:{top}", install())
    return code(f"import_own_module:{name}")


def php_file(match: Match) -> Verdict | None:
    """A file that PHP was told to run: a program of a dependency, or the command's own mistake."""
    name = match.name
    if "vendor/" in name:
        tool = name.rpartition("/")[2]
        return environment(f"missing_dependency:{tool}", install())
    return wrong_command(f"file_not_found:{name}")


def go_package(match: Match) -> Verdict | None:
    """An import that Go looked for in its own library."""
    name = match.name
    module = match.failure.text("module_path")
    if module and (name == module or name.startswith(f"{module}/")):
        return code(f"import_own_module:{name.removeprefix(module).lstrip('/')}")
    since = match.names["go_std_since"].get(name)
    if since:
        directive = match.failure.text("go_directive")
        return version_verdict("go", f">={directive or since}")
    return code(f"import_own_module:{name}")


def go_module(match: Match) -> Verdict | None:
    """An import that no requirement of go.mod provides."""
    name = match.name
    module = match.failure.text("module_path")
    if module and name.startswith(f"{module}/"):
        return code(f"import_own_module:{name.removeprefix(module).lstrip('/')}")
    declared_deps = match.failure.names("declared_deps")
    if any(name == found or name.startswith(f"{found}/") for found in declared_deps):
        return environment(f"missing_dependency:{name}", install())
    return code(f"undeclared_dependency:{name}")


def haskell_module(match: Match) -> Verdict | None:
    """A module in a package that is hidden or not there, or one of the project."""
    around = " ".join(match.lines_around(0, 5))
    own = match.failure.names("own_modules")
    if any(match.name == found or match.name.startswith(f"{found}.") for found in own):
        return code(f"import_own_module:{match.name}")
    if "hidden package" in around:
        return code(f"undeclared_dependency:{match.name}")
    known = match.name.startswith(
        ("Test.Hspec", "Test.QuickCheck", "Test.Tasty", "Data.Text", "Data.Aeson")
    )
    if known and not own:
        return environment(f"missing_dependency:{match.name}", install())
    return code(f"import_own_module:{match.name}")


def crystal_file(match: Match) -> Verdict | None:
    """A shard, or a file of the project."""
    name = match.name
    if name.startswith(".") or name in match.failure.names("own_modules"):
        return code(f"import_own_module:{name}")
    if match.failure.names("declared_deps"):
        return declared(match)
    return environment(f"missing_dependency:{name.partition('/')[0]}", install())


def nim_file(match: Match) -> Verdict | None:
    """A package of nimble, or a module of the project."""
    name = match.name
    if name in match.failure.names("declared_deps"):
        return environment(f"missing_dependency:{name}", install())
    return code(f"import_own_module:{name}")


def submodule(match: Match) -> Verdict | None:
    """A folder that CMake was to add: a submodule that was not checked out, or an own one."""
    folder = next(
        (text.strip() for text in reversed(match.lines_around(3, -1)) if text.startswith("    ")),
        "",
    )
    modules = match.failure.names("gitmodules")
    relative = _WORKSPACE.sub("", folder)
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


def dns(match: Match) -> Verdict | None:
    """A host whose address nobody knew."""
    host = re.sub(r"^https?://", "", match.groups.get("host", "")).rstrip(".:")
    if match.output.failing and _RESERVED_HOST.fullmatch(host):
        return None
    port = re.search(rf"{re.escape(host)}[\" ]*:(\d+)", match.line.text)
    service = match.names["ports"].get(port[1]) if port else None
    if service:
        return _service(match, str(service), port[1] if port else "")
    return network(f"dns:{host}" if host else "dns")


def pip_retry(match: Match) -> Verdict | None:
    """Pip says which index it asked on another line, or not at all."""
    host = next(
        (
            found[1]
            for line in match.output.lines
            if (found := re.search(r"https?://(?:[^@/\s]+@)?([\w.-]+)|host='([\w.-]+)'", line.text))
            and found[1]
        ),
        "",
    )
    if "ProxyError" in match.line.text:
        return network("proxy")
    return network(f"dns:{host}" if host else "dns")


def tls(match: Match) -> Verdict | None:
    """A certificate that is not trusted."""
    if match.output.failing:
        return None
    own = "self-signed" in match.line.text.lower() or "self_signed" in match.line.text.lower()
    return network("tls:self-signed" if own or "self signed" in match.line.text.lower() else "tls")


def proxy(match: Match) -> Verdict | None:
    """A proxy that wants credentials, or refuses."""
    number = next((match.groups[k] for k in ("code", "other", "third") if k in match.groups), "407")
    return network(f"proxy:{number}")


def unreachable(match: Match) -> Verdict | None:
    """A host that was not reached; one that is this machine is a service, not the network."""
    host = match.groups.get("host", "")
    local = _RESERVED_HOST.fullmatch(host) or "." not in host or re.fullmatch(r"[\d.]+", host)
    if match.output.failing or local:
        return None
    return network(f"unreachable:{host}")


def disk(match: Match) -> Verdict | None:
    """No space left."""
    return None if match.output.failing else _limit("disk_full", "disk")


def memory(match: Match) -> Verdict | None:
    """Killed for its memory, or a heap that is full; a test's own words say nothing."""
    return None if match.output.failing else _limit("out_of_memory", "memory")


def open_files(match: Match) -> Verdict | None:
    """The limit of open files."""
    return None if match.output.failing else _limit("too_many_open_files", "nofile")


def _limit(detail: str, limit: str) -> Verdict:
    return Verdict(failure=FailureClass.RESOURCE, detail=detail, remedy=raise_limit(limit))


def docker(match: Match) -> Verdict | None:
    """A container engine that no sandbox has."""
    if "docker" in " ".join(match.failure.names("services_up")):
        return None
    remedy = {"action": "report_unwinnable"}
    return Verdict(failure=FailureClass.SERVICE, detail="not_running:docker", remedy=remedy)


def port_service(match: Match) -> Verdict | None:
    """Nobody listens where a known service would."""
    port = match.groups.get("port", "")
    service = match.names["ports"].get(port)
    return _service(match, str(service), port) if service else None


def _service(match: Match, service: str, port: str) -> Verdict | None:
    up = match.failure.names("services_up")
    if any(found.partition(":")[0] == service or found.endswith(f":{port}") for found in up):
        return None
    return service_verdict(service, port)


def service_verdict(service: str, port: str) -> Verdict:
    """Return the verdict that `service` is not running; `port` may be empty."""
    remedy: dict[str, str | None] = {"action": "start_service_or_report", "service": service}
    detail = f"not_running:{service}:{port}" if port else f"not_running:{service}"
    return Verdict(failure=FailureClass.SERVICE, detail=detail, remedy=remedy)


def display(match: Match) -> Verdict | None:
    """No screen to draw on."""
    if match.output.failing and match.output.passed:
        return None
    remedy: dict[str, str | None] = {"action": "start_virtual_display"}
    return Verdict(failure=FailureClass.SERVICE, detail="no_display", remedy=remedy)


def port_in_use(match: Match) -> Verdict | None:
    """A port somebody else has; where other tests ran, the code may not have let it go."""
    if match.output.passed or match.output.failed:
        return None
    remedy: dict[str, str | None] = {"action": "free_port_or_retry"}
    return Verdict(failure=FailureClass.SERVICE, detail="port_in_use", remedy=remedy)


def environ_key(match: Match) -> Verdict | None:
    """A KeyError is a missing variable only where the environment was read."""
    name = match.name
    around = " ".join(match.lines_around(12, 2))
    if not re.search(
        rf"os\.environ\[['\"]{re.escape(name)}['\"]\]|env\[['\"]{re.escape(name)}", around
    ):
        return None
    return _secret(name)


def ruby_env(match: Match) -> Verdict | None:
    """ENV.fetch without its key."""
    around = " ".join(match.lines_around(6, 6))
    return _secret(match.name) if "ENV" in around or "env" in match.line.text else None


def missing_env(match: Match) -> Verdict | None:
    """Somebody wants a variable; the names that shells and runtimes set are none."""
    name = match.name or match.groups.get("names", "")
    if match.output.passed and "_test.go" not in match.line.text:
        return None
    if name in {"JAVA_HOME", "NODE_ENV", "GO_VERSION"} or name.startswith(
        ("ERR_", "CMAKE_", "E_", "HTTP_", "TEST_")
    ):
        return None
    return _secret(name)


def _secret(name: str) -> Verdict:
    remedy: dict[str, str | None] = {"action": "report_missing_secret", "name": name}
    return Verdict(failure=FailureClass.SECRET, detail=f"missing_env:{name}", remedy=remedy)


def unauthorized(match: Match) -> Verdict | None:
    """A server that wants to know who asks; one on this machine is the code under test."""
    host = match.groups.get("host", "").rstrip(".:")
    if match.output.failing or _RESERVED_HOST.fullmatch(host) or "." not in host:
        return None
    remedy: dict[str, str | None] = {"action": "report_missing_secret", "name": "registry token"}
    return Verdict(failure=FailureClass.SECRET, detail=f"unauthorized:{host}", remedy=remedy)


def git_credentials(match: Match) -> Verdict | None:
    """Git has no key or password for a server."""
    if match.output.failing:
        return None
    host = match.groups.get("host") or match.groups.get("other") or "git"
    remedy: dict[str, str | None] = {"action": "report_missing_secret", "name": "git credentials"}
    return Verdict(failure=FailureClass.SECRET, detail=f"unauthorized:{host}", remedy=remedy)


def api_key(match: Match) -> Verdict | None:
    """A client of a paid service without its key."""
    if match.output.passed:
        return None
    named = re.search(r"\b([A-Z][A-Z0-9]*_(?:API_KEY|TOKEN|SECRET|KEY))\b", match.line.text)
    return _secret(named[1]) if named else None


def make_target(match: Match) -> Verdict | None:
    """A target that is not there; one that another needs is a file."""
    name = match.name
    if "needed" not in match.groups:
        return wrong_command(f"no_rule:{name}")
    return code(f"missing_own_file:{name}")


def make_missing(match: Match) -> Verdict | None:
    """No makefile at all: not configured, or none of that kind."""
    words = [word for word in match.failure.command.split() if not word.startswith("-")]
    return wrong_command(f"no_rule:{words[1] if len(words) > 1 else 'all'}")


def rake_task(match: Match) -> Verdict | None:
    """A task that is not there; the line that only says aborted says nothing."""
    name = match.groups.get("name")
    return wrong_command(f"no_rule:{name}") if name else None


def no_tests(match: Match) -> Verdict | None:
    """Nothing was there to run, and nothing else ran."""
    if match.output.ran or any(
        "error" in t.lower()
        for t in match.lines_around(30, 30)
        if "no_test" not in t and "Error: No test" not in t and "exit" not in t
    ):
        return None
    return wrong_command("no_tests_ran")


def go_no_tests(match: Match) -> Verdict | None:
    """Packages without tests, when there is no other."""
    others = (
        line.text for line in match.output.lines if line.text and not line.text.startswith("?")
    )
    return None if any(others) else wrong_command("no_tests_ran")


def pytest_path(match: Match) -> Verdict | None:
    """A path the command named and nobody has."""
    words = match.failure.command.split()
    rest = " ".join(word for word in words if word != match.name)
    return wrong_command(f"file_not_found:{match.name}", rest or None)


def script_file(match: Match) -> Verdict | None:
    """A file that was to be run: a wrapper, a script of a dependency, or one nobody has."""
    name = match.name
    if "node_modules/" in name:
        tool = name.rpartition("node_modules/")[2].removeprefix(".bin/")
        return environment(f"missing_dependency:{tool}", install())
    if "vendor/" in name or re.search(r"(?:^|/)\.?venv/", name):
        return environment(f"missing_dependency:{name.rpartition('/')[2]}", install())
    relative = _WORKSPACE.sub("", name)
    command = match.failure.command
    if (
        name not in command
        and relative not in command
        and match.failure.exit_code not in {126, 127}
    ):
        return None
    wrapper = {"mvnw": "mvn", "gradlew": "gradle", "sbtx": "sbt"}.get(name.rpartition("/")[2])
    rest = command.replace(name, wrapper, 1) if wrapper else None
    return wrong_command(f"file_not_found:{relative}", rest)


Decide = Callable[[Match], Verdict | None]

DECISIONS: Mapping[str, Decide] = {
    decide.__name__: decide
    for decide in (
        api_key, bad_format, build_program, cabal_program, cargo_feature, cargo_subcommand, class_file,
        class_file_too_new, crystal_file, dart_sdk, declared, disk, display, dns, docker,
        environ_key, errno_permission, executable, git_credentials, go_module, go_no_tests, go_package,
        haskell_module, header, jest_part, julia_package, libc, link_library, lua_module,
        make_missing, make_target, memory, missing_env, nim_file, no_tests, node_module, node_types,
        not_executable, opam_library, open_files, perl_module, php_class_extension, php_file,
        php_function, pip_retry, pnpm_engine, port_in_use, port_service, proxy, pytest_arguments,
        pytest_path, python_distribution, python_env, python_extension, python_module, python_name,
        quoted_names, rake_task, ruby_env, ruby_file, script_file, script_or_executable,
        shared_library, submodule, system_package, tls, unauthorized, unreachable,
    )
}  # fmt: skip

__all__ = ["DECISIONS", "Match", "current_version", "required_version", "service_verdict"]
