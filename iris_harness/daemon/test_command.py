"""The test command of a repository, with the file and line that say so; never a guess.

The first of these that gives one: the user's own; what the CI runs (a local script, a reusable
workflow and a named target are followed); a task runner's target that runs tests and ends; the
ecosystem's default with the lockfile's package manager; none, and why.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from iris_harness.daemon.assess import Assessment, Assessor, with_tools
from iris_harness.daemon.ci import CiFiles, Step, ci_steps, fill_matrix
from iris_harness.daemon.command_words import clean_words
from iris_harness.daemon.defaults import compose, default_command
from iris_harness.daemon.ecosystems import Ecosystem
from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.launchers import unwrap
from iris_harness.daemon.packages import find_node_manager
from iris_harness.daemon.shell import Command, join_words, split_script
from iris_harness.daemon.targets import (
    JUSTFILES,
    MISE_FILES,
    TASKFILES,
    in_folder,
    load_json,
    table,
)

_MAX_ALTERNATIVES = 8
_LEAST_POINTS = -14


class Rule(enum.StrEnum):
    """Which rule gave the command."""

    USER = "user"
    CI = "ci"
    TARGET = "target"
    DEFAULT = "default"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A command that runs the repository's tests."""

    command: str
    """One line for a shell at the root of the checkout."""
    rule: Rule
    runtime: str
    """What it runs on; empty where nothing says."""
    sources: tuple[Source, ...]
    """The line that names it first, then what was followed."""
    direct: str = ""
    """What runs the tests at the bottom of all targets, as in ``pytest -q``; empty: not known."""
    points: int = 0
    """How good a choice it is among those of its rule."""
    folder: str = ""
    """The folder it is about; empty for the whole repository."""
    needs: frozenset[str] = frozenset()
    step: Step | None = None
    """The step of the CI it was read from."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCommand:
    """The decision."""

    __test__ = False  # its name is not that of a test class

    chosen: Candidate | None
    """None: there is no test command."""
    alternatives: tuple[Candidate, ...]
    """Others that would do, best first."""
    confidence: str
    """high (the user or the CI says so), medium (a target), low (a default), none."""
    partial: bool
    """The CI does more than this command."""
    why: str
    """The reason, in one clause."""


def find_test_command(
    ci: CiFiles, ecosystems: Sequence[Ecosystem], assessor: Assessor, own: str = ""
) -> TestCommand:
    """Return the test command. Pure, never raises.

    Args:
        ci: the CI files, with the evidence.
        ecosystems: its ecosystems, the first for the repository as a whole.
        assessor: of the same evidence.
        own: what the user configured; empty where nothing.
    """
    if own.strip():
        chosen = _users(own.strip(), assessor)
        return TestCommand(
            chosen=chosen, alternatives=(), confidence="high", partial=False, why="you said so"
        )
    evidence = ci.evidence
    found = _distinct(sorted(_from_ci(ci, assessor), key=lambda c: -c.points))
    good = [c for c in found if c.points > _LEAST_POINTS * 1000]
    rest = _distinct(
        [*_from_targets(evidence, ecosystems, assessor), *_from_defaults(evidence, ecosystems)]
    )
    choice = [*good, *rest]
    if not choice:
        return TestCommand(
            chosen=None,
            alternatives=(),
            confidence="none",
            partial=False,
            why=_why_none(ecosystems),
        )
    chosen, *others = choice
    chosen = _widened(chosen, rest)
    return TestCommand(
        chosen=chosen,
        alternatives=tuple(c for c in _distinct(choice)[1:] if c.command != chosen.command)[
            :_MAX_ALTERNATIVES
        ],
        confidence={Rule.CI: "high", Rule.TARGET: "medium"}.get(chosen.rule, "low"),
        partial=_is_partial(chosen, others),
        why=_WHY[chosen.rule],
    )


def _widened(chosen: Candidate, rest: Sequence[Candidate]) -> Candidate:
    """Return the plain command where the CI's best only runs a flavour of it."""
    if chosen.rule is not Rule.CI or chosen.points >= 0:
        return chosen
    plain = next(
        (
            c
            for c in rest
            if chosen.command.startswith(f"{c.command} ") and c.folder == chosen.folder
        ),
        None,
    )
    return replace(chosen, command=plain.command) if plain else chosen


_WHY = {
    Rule.CI: "the repository's CI runs it",
    Rule.TARGET: "a target of the repository runs its tests and ends",
    Rule.DEFAULT: "this is how such repositories run their tests",
}


def _users(own: str, assessor: Assessor) -> Candidate:
    commands = split_script(own)
    found = next((a for c in commands if (a := assessor.assess(c)).runtime), Assessment())
    return Candidate(
        command=own, rule=Rule.USER, runtime=found.runtime, sources=(), direct=found.direct
    )


def _why_none(ecosystems: Sequence[Ecosystem]) -> str:
    if not ecosystems:
        return "no manifest, CI file or target names a test command"
    names = ", ".join(dict.fromkeys(e.name for e in ecosystems[:3]))
    return f"neither CI nor a target runs tests, and no test of {names} was found"


def _is_partial(chosen: Candidate, others: Sequence[Candidate]) -> bool:
    """Return whether the CI also runs tests of another kind or folder."""
    same = [c for c in others if c.rule is Rule.CI and c.points > chosen.points - 4000]
    return chosen.rule is Rule.CI and any(
        c.runtime not in {chosen.runtime, ""} or c.folder != chosen.folder for c in same
    )


def _distinct(found: Sequence[Candidate]) -> list[Candidate]:
    kept: dict[str, Candidate] = {}
    for candidate in found:
        kept.setdefault(candidate.command, candidate)
    return list(kept.values())


# --- what the CI runs ------------------------------------------------------------------------


def _from_ci(ci: CiFiles, assessor: Assessor) -> Iterator[Candidate]:
    for order, step in enumerate(ci_steps(ci)):
        for command in _commands_of(step):
            candidate = _of_step(ci.evidence, assessor, step, command)
            if candidate:
                yield replace(candidate, points=candidate.points * 1000 - min(order, 999))


def _commands_of(step: Step) -> tuple[Command, ...]:
    if step.uses:
        return tuple(
            Command(tuple(words.split()) if " -e " not in words else _quoted(words), 0)
            for words in _of_action(step)
        )
    return split_script(step.script)


def _quoted(text: str) -> tuple[str, ...]:
    program, _, code = text.partition(" -e ")
    return (*program.split(), "-e", code)


# What well-known actions run, by the end of their names; an option stands in braces.
_ACTIONS = (
    (("/julia-runtest",), "julia --project -e using Pkg; Pkg.test()"),
    (("/check-r-package", "/r-package-check"), "R CMD check ."),
    (("actions-rs/cargo", "/actions-rust-cross"), "cargo {command} {args}"),
    (("/gradle-build-action", "/setup-gradle", "/gradle-command-action"), "./gradlew {arguments}"),
    (("/lean-action",), "lake test"),
    (("/setup-xvfb", "/xvfb-action", "/action-xvfb"), "{run}"),
    (("/retry",), "{command}"),
    (("/actions-yarn",), "yarn {cmd}"),
    (("/busted-action", "/busted"), "busted"),
    (("/pytest-action", "/run-tests-python"), "pytest {options}"),
    (("/dotnet-test",), "dotnet test"),
    (("/bats-action",), "bats {tests}"),
)


def _of_action(step: Step) -> Iterator[str]:
    """Yield what a well-known action runs."""
    for names, command in _ACTIONS:
        if step.uses.lower().endswith(names):
            yield re.sub(r"\{(\w+)\}", lambda option: step.options.get(option[1], ""), command)


_GOOD = re.compile(
    r"\b(?:unit[-_ ]?)?tests?(?:ing|suite|s)?\b|\bspecs?\b|\bci\b|\bcheck\b|\bbuild[-_ ](?:and[-_ ])?test|\bcontinuous[-_ ]integration\b|\bmain\b|\bphpunit\b|\bpytest\b|\bunit\b|\bverify\b|\bpull[-_ ]?requests?\b|\bgo\b|\brust\b|\bpython\b|\bnode(?:js)?\b|\bmaven\b|\bgradle\b"
)
_ASIDE = re.compile(
    r"lint|format|\bdocs?\b|documentation|release|publish|deploy|bench|fuzz|nightly|e2e|end.?to.?end|integration(?<!continuous.integration)|msrv|miri|\bwasm|emscripten|sanitiz|\basan\b|\btsan\b"
    r"|\bmsan\b|\bcross\b|\bmusl\b|smoke|downstream|third.?party|stale|label|compat|minim|docker|experimental|canary|\bperf|\bsize\b|conformance|typos"
    r"|codeql|audit|security|\bexamples?\b|schedul|alpine|mingw|msys|freebsd|openbsd|netbsd|qemu|legacy|\bold\b|valgrind|mutation|upgrade|pgo|\bwheels?\b|sdist|packag(?:e|ing)\b|\bmac\b"
    r"|macos|windows|\bios\b|android|\bbrowser|playwright|cypress|visual|storybook|regression|flaky|no.?std|\bpypy|free.?thread|graal|native|upstream|prerelease|\bpre\b|\bslow\b|\bgpu\b|cuda|\bdoctest|preview|backport|website|\bsite\b|demo|spell|propert|self.?test|failsafe|pickle|\bmypy\b|pyright|\btyp(?:e|es|ing|ecks?)\b|typecheck|static|phpstan|clippy|\bfmt\b|\bstyle\b|\bbeta\b|\bchrome\b|firefox|safari"
)
_LESS = re.compile(r"coverage|codecov|sonar|extra|\bdev\b|install|link|minimal|optional|features?")
_ASIDE_FILE = re.compile(
    r"release|publish|deploy|nightly|docs?\b|lint|stale|label|codeql|fuzz|bench|docker|wheels?|perf|cron|schedul|third|downstream|coverage|codspeed|scorecard|cifuzz|pages|site"
)


def _of_step(
    evidence: Evidence, assessor: Assessor, step: Step, command: Command
) -> Candidate | None:
    folder = _place(
        evidence, in_folder(step.folder, command.folder) if command.folder else step.folder
    )
    found, words = _assessed(assessor, step, command._replace(folder=folder))
    if not found.tests or found.hazards & {"watch", "docker", "placeholder", "missing"}:
        return None
    text = _command_text(evidence, words, found, folder)
    if text is None:
        return None
    source = evidence.at(step.file, step.line + command.line)
    points = found.points + _points(step, command, found, text)
    lost = (
        command.folder
        and command.folder not in evidence.tree.folders
        and found.runtime not in {"cmake", "ninja", "c"}
    )
    return Candidate(
        command=text, rule=Rule.CI, runtime=found.runtime, folder=folder,
        sources=(source, *found.sources), points=points - 10 * bool(lost) - 20 * step.foreign,
        needs=found.needs, step=step, direct=found.direct,
    )  # fmt: skip


def _assessed(
    assessor: Assessor, step: Step, command: Command
) -> tuple[Assessment, tuple[str, ...]]:
    """Return what a command does and its words: without the matrix, if it tests without it.

    An axis mostly picks a part or a flavour of the suite; where it names the target itself, its
    first value is taken.
    """
    found, words = Assessment(), command.words
    for filled in (False, True):
        words = command.words
        if filled:
            words = tuple(w for word in words for w in fill_matrix(word, step.matrix).split())
        words = clean_words(unwrap(with_tools(words)).words)
        found = assessor.assess(command._replace(words=words)) if words else Assessment()
        if found.tests and not found.hazards & {"missing"}:
            break
    return found, words


def _place(evidence: Evidence, folder: str) -> str:
    """Return the folder where it is one of the repository's; else the root."""
    return folder if folder in evidence.tree.folders else ""


def _command_text(
    evidence: Evidence, words: tuple[str, ...], found: Assessment, folder: str
) -> str | None:
    """Return the line to run from the root; None where it cannot be told."""
    built = found.runtime in {"cmake", "ninja"} or "configure" in found.hazards
    if built:
        whole = compose(evidence, folder)
        return whole and _in(folder if _builds_in(evidence, folder) else "", whole)
    if not words or "$" in words[0]:
        return None
    return _in(folder, join_words(words))


def _builds_in(evidence: Evidence, folder: str) -> bool:
    names = ("meson.build", "CMakeLists.txt", "configure.ac", "configure", "Makefile.PL")
    return (
        bool(folder)
        and evidence.first(*(in_folder(folder, n) for n in names)) is not None
        and evidence.first(*names) is None
    )


def _in(folder: str, command: str) -> str:
    return f"cd {join_words((folder,))} && {command}" if folder else command


def _points(step: Step, command: Command, found: Assessment, text: str) -> int:
    """Return how likely this is the suite as such, and not an aside of it."""
    return _by_names(step.names) + _by_place(step, command) + _shape(text, found, command)


def _by_names(names: Sequence[str]) -> int:
    """Return what the names of the workflow's file, the job and the step speak for."""
    stem = re.sub(r"\.ya?ml$", "", names[0].lower().rpartition("/")[2])
    points = 2 * bool(_GOOD.search(stem.replace("_", "-"))) - 12 * bool(_ASIDE_FILE.search(stem))
    for name in names[1:]:
        plain = name.lower().replace("_", "-")
        points += (
            3 * bool(_GOOD.search(plain))
            - 4 * bool(_ASIDE.search(plain))
            - 2 * bool(_LESS.search(plain))
        )
    return points


_STARTED_BY_CHANGES = frozenset(
    {"push", "pull_request", "pull_request_target", "merge_group", "workflow_call"}
)
_UNLIKE = re.compile(
    r"windows|macos|failure\(\)|always\(\)|schedule|release|nightly|beta|tags/", re.IGNORECASE
)
_SAYS_LITTLE = re.compile(
    r"github\.(?:repository|event)\S*\s*[!=]=\s*\S+|[^&|]*!=\s*['\"]?(?:windows|macos)[^&|]*|&&|\|\||[(){}$ ]",
    re.IGNORECASE,
)


def _by_place(step: Step, command: Command) -> int:
    """Return what speaks against a step by where and when it runs."""
    system = step.system.lower()
    elsewhere = re.search(r"windows|macos", system) and not re.search(r"ubuntu|matrix", system)
    condition = _SAYS_LITTLE.sub("", step.condition)
    points = -5 * bool(elsewhere) - 2 * (step.shell in {"pwsh", "powershell", "cmd"})
    points -= 8 * bool(step.events and not _STARTED_BY_CHANGES & set(step.events))
    return points - 3 * bool(_UNLIKE.search(condition)) - bool(condition) - command.conditional


_SHAPE = (
    (re.compile(r"\b(?:e2e|integration|smoke|acceptance|browser|playwright|cypress|visual|perf|bench\w*|fuzz\w*|conformance|regression|wasm|emscripten|docs?|doctest|size|types?|lint|mutation|examples?|windows|macos|slow|gpu|chrome|firefox|safari|fixtures?|failing|propert(?:y|ies)\w*|pickle|stress|selftest)(?=\b|_)"), -6),
    (re.compile(r"\b(?:coverage|cov|codecov|llvm-cov|tarpaulin|coveralls\S*|c8|nyc)\b"), -2),
    (re.compile(r"--(?:doc|examples?|benches|bench|bins|bin|lib|no-default-features|ignored|update\S*|grep)\b|-run[ =]|-bench[ =]|--target[ =]|(?:phpunit|pest|dotnet).* --(?:filter|group)\b"), -7),
    (re.compile(r"\bcargo .*(?:-p|--package) |\bcargo .*--manifest-path"), -8),
    (re.compile(r"\bcargo .*--features[ =]|\bcargo .*(?:miri|careful|hack)\b|\bcargo \+"), -6),
    (re.compile(r"\bcargo (?:\S+ )*(?:test|nextest run)\b.*--(?:workspace|all)\b|go test (?:-\S+ )*\./\.\.\.|\bmvn\b.*\b(?:verify|test)\b|\b(?:npm|yarn|pnpm|bun)(?: run)? test$|\bpytest$|\brake$|\brspec$|\bphpunit$|(?:nox|tox)\b.* -[se] tests?$"), 3),
    (re.compile(r"-DskipTests|-Dmaven\.test\.skip|-x test\b|-DskipITs -DskipUTs|\bassemble\b"), -40),
    (re.compile(r"\bpytest\b.*\S+\.py\b|\bpytest\b.* -[km] |\bpython\S* -m unittest \S+\.\S+\.\S+|\bgo test\b(?!.*\./\.\.\.)"), -3),
    (re.compile(r"\bmvn\w*\b.*\b(?:install|package)\b|\bgradlew?\b.*\bbuild\b"), -1),
    (re.compile(r"\bmvn\b.*(?: -pl\b|--projects\b| -P\S*|--activate-profiles)"), -6),
)  # fmt: skip


def _shape(text: str, found: Assessment, command: Command) -> int:
    points = sum(value for pattern, value in _SHAPE if pattern.search(text))
    points -= 20 * bool(re.search(r"\.(?:ps1|cmd|bat)\b", text))
    points -= 2 * bool(re.search(r"\bgradlew?\b.* -[DP]\S+=", text))
    if "mutates" in found.hazards:
        points -= 30
    if "may_watch" in found.hazards:
        points -= 1
    points -= 2 * any("${{" in word for word in command.words)
    points -= 1 * text.startswith("cd ")
    return points


# --- targets and defaults --------------------------------------------------------------------


_TARGETS = (
    "test",
    "tests",
    "check",
    "unit",
    "unittest",
    "test:unit",
    "test-unit",
    "unit-test",
    "test:ci",
    "ci",
    "spec",
)


def _from_targets(
    evidence: Evidence, ecosystems: Sequence[Ecosystem], assessor: Assessor
) -> Iterator[Candidate]:
    folders = dict.fromkeys(("", *(e.folder for e in ecosystems[:6])))
    for folder in folders:
        for launcher, own in _launchers(evidence, folder):
            if folder and own == "node" and _is_workspace(evidence):
                continue  # all members are tested at once, as the ecosystem's default does
            for name in _TARGETS:
                words = (*launcher, name)
                found = assessor.assess(Command(words, 0, folder))
                if found.tests and not found.hazards & {
                    "watch",
                    "docker",
                    "mutates",
                    "placeholder",
                    "missing",
                    "configure",
                }:
                    text = _finite(join_words(words), found, evidence, folder)
                    yield Candidate(
                        command=_in(folder, text), rule=Rule.TARGET, runtime=found.runtime or own,
                        sources=found.sources, folder=folder, needs=found.needs,
                        direct=found.direct,
                    )  # fmt: skip
                    break


def _is_workspace(evidence: Evidence) -> bool:
    """Return whether several members of the root's package.json have tests, to be run at once."""
    is_root = evidence.has("pnpm-workspace.yaml") or "workspaces" in load_json(
        evidence, "package.json"
    )
    tested = (
        path
        for path in evidence.read("/package.json")
        if "test" in table(load_json(evidence, path), "scripts")
    )
    return is_root and len(list(islice(tested, 2))) > 1


def _launchers(evidence: Evidence, folder: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the task runners of a folder, and what each needs where its body does not say."""

    def has(*names: str) -> bool:
        return evidence.first(*(in_folder(folder, name) for name in names)) is not None

    if has("package.json") and not has("deno.json", "deno.jsonc"):
        manager = find_node_manager(evidence, folder)
        name = manager.name if manager else "npm"
        yield ((name, "run") if name == "bun" else (name,)), "node"
    if has("deno.json", "deno.jsonc"):
        yield ("deno", "task"), "deno"
    if has("composer.json"):
        yield ("composer",), "php"
    if has(*JUSTFILES):
        yield ("just",), ""
    if has(*TASKFILES):
        yield ("task",), ""
    if has(*MISE_FILES):
        yield ("mise", "run"), ""
    if has("Makefile", "makefile", "GNUmakefile"):
        yield ("make",), "c"


# Program, and the option that makes it run once.
_ONCE = (
    ("react-scripts test", "--watchAll=false"),
    ("ng test", "--watch=false"),
    ("karma start", "--single-run"),
)


def _finite(text: str, found: Assessment, evidence: Evidence, folder: str) -> str:
    """Return the command that runs once where the target might go on watching."""
    if "may_watch" not in found.hazards:
        return text
    manager = find_node_manager(evidence, folder)
    for program, option in _ONCE:
        if found.direct.startswith(program):
            between = "" if manager and manager.name in {"yarn", "pnpm", "bun"} else " --"
            return f"{text}{between} {option}"
    if "vitest" not in found.direct:
        return text
    run = manager.run if manager else "npx"
    options = " ".join(word for word in found.direct.split()[1:] if word.startswith("-"))
    return f"{run} vitest run {options}".rstrip()


def _from_defaults(evidence: Evidence, ecosystems: Sequence[Ecosystem]) -> Iterator[Candidate]:
    for ecosystem in ecosystems:
        command = default_command(evidence, ecosystem)
        if command:
            yield Candidate(
                command=_in(ecosystem.folder, command), rule=Rule.DEFAULT, runtime=ecosystem.name,
                sources=(Source(file=ecosystem.marker),), folder=ecosystem.folder,
            )  # fmt: skip
