"""Modules and packages: of the project, declared, or in no manifest."""

from __future__ import annotations

import re

from iris_harness.daemon.failures.match import WORKSPACE, Match, distribution_key
from iris_harness.daemon.failures.model import (
    Verdict,
    code,
    environment,
    install,
    wrong_command,
)
from iris_harness.daemon.failures.rules import begins_with, listed
from iris_harness.daemon.failures.versions import version_verdict


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
    declared = {distribution_key(found) for found in match.failure.names("declared_deps")}
    distribution = match.names["python_distribution"].get(top, top)
    keys = {distribution_key(str(distribution)), distribution_key(top)}
    if keys & declared or any(found.endswith(f"-{distribution_key(top)}") for found in declared):
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


def python_name(match: Match) -> Verdict | None:
    """A name that a newer Python has in a module of its own."""
    name = f"{match.groups['module']}.{match.name}"
    since, until = (match.names[f"python_names_{end}"].get(name) for end in ("since", "until"))
    if until and not match.failure.text("requires_python"):
        return version_verdict("python", f"<{until}")
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
    relative = WORKSPACE.sub("", name)
    if "node_modules/" in name:
        package = name.rpartition("node_modules/")[2].split("/bin/")[0]
        return environment(f"missing_dependency:{package}", install())
    words = (word.removeprefix("./") for word in match.failure.command.split())
    named = next((word for word in words if name == word or name.endswith(f"/{word}")), None)
    if named:
        return wrong_command(f"file_not_found:{named}")
    return code(f"import_own_module:{relative}")


def node_types(match: Match) -> Verdict | None:
    """Type definitions are a dependency."""
    return environment(f"missing_dependency:@types/{match.name}", install())


def eslint_config(match: Match) -> Verdict | None:
    """A shared configuration: its package has a prefix that is left out."""
    name = match.name
    if name[0] in "./@" or name.startswith(("eslint-config-", "eslint:")):
        return node_module(match)
    return environment(f"missing_dependency:eslint-config-{name}", install())


def jest_part(match: Match) -> Verdict | None:
    """A preset or an environment of Jest that is a package."""
    name = match.name
    return environment(f"missing_dependency:{name}", install()) if name and name[0] != "." else None


def ruby_file(match: Match) -> Verdict | None:
    """A file that Ruby was told to load: a gem's, or the project's own."""
    name = match.name
    relative = WORKSPACE.sub("", name)
    own = match.failure.names("own_modules")
    if relative != name or name.startswith((".", "lib/", "spec/", "test/", "app/", "config/")):
        return code(f"import_own_module:{relative.removesuffix('.rb')}")
    if any(name == found or name.startswith(f"{found}/") for found in own):
        return code(f"import_own_module:{name}")
    top = name.partition("/")[0]
    declared = {distribution_key(found) for found in match.failure.names("declared_deps")}
    forms = {distribution_key(name.replace("/", "-")), distribution_key(top)}
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
        distribution_key(item.rpartition("/")[2]) for item in match.failure.names("declared_deps")
    }
    if found and distribution_key(name) not in found:
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
    if "other" in match.groups:
        return wrong_command("lockfile_out_of_sync", "go mod tidy")
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
