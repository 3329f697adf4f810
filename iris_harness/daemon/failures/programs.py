"""Programs, scripts and targets that are not there, or are the wrong ones."""

from __future__ import annotations

import re

from iris_harness.daemon.failures.match import WORKSPACE, Match, distribution_key
from iris_harness.daemon.failures.model import (
    Verdict,
    add_package,
    code,
    environment,
    install,
    switch,
    wrong_command,
)
from iris_harness.daemon.failures.rules import listed

_NODE_SCRIPT = re.compile(r"> .*@\S+ \S+|> \S+|\$ .*|yarn run v.*|.*(?:npm|yarn|pnpm|bun) .*")


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
        distribution_key(found.rpartition("/")[2]) for found in match.failure.names("declared_deps")
    }
    if distribution_key(name) in declared or name in listed(match.names, "project_tools"):
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
    relative = WORKSPACE.sub("", name)
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


def spawned(match: Match) -> Verdict | None:
    """A program that Python was to start; any other name is a file that is not there."""
    name = match.name
    started = any(
        re.search(r"subprocess|Popen|_execute_child", t) for t in match.lines_around(12, 2)
    )
    return executable(match) if started and _is_known(match, name) else None


def known_program(match: Match) -> Verdict | None:
    """A sentence that a program is missing: it counts for programs that everybody knows."""
    return executable(match) if _is_known(match, match.name) else None


def _is_known(match: Match, name: str) -> bool:
    tables = ("runtime_of", "package_of", "unwinnable")
    return any(name in match.names[table] for table in tables) or name in (
        *listed(match.names, "system"),
        *listed(match.names, "project_tools"),
    )


def none_selected(match: Match) -> Verdict | None:
    """A filter that leaves no test."""
    return None if match.output.ran else wrong_command("no_tests_ran")


def argument_file(match: Match) -> Verdict | None:
    """A file that the command or its configuration names."""
    name = next((value for value in match.groups.values()), "")
    return wrong_command(f"file_not_found:{WORKSPACE.sub('', name)}")


def unknown_option(match: Match) -> Verdict | None:
    """An option of the command that its program does not know; any other is the code's business."""
    option = match.name.lstrip("-")
    given = {word.lstrip("-").partition("=")[0] for word in match.failure.command.split()}
    return wrong_command("usage") if option in given and not match.output.ran else None
