"""Whether a command runs tests and ends, on what, and what it needs: read, never run."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import NamedTuple

from iris_harness.daemon.evidence import Evidence, Source
from iris_harness.daemon.failures.rules import load_names
from iris_harness.daemon.launchers import Launched, unwrap
from iris_harness.daemon.shell import Command, split_script
from iris_harness.daemon.targets import (
    Target,
    find_composer,
    find_deno,
    find_just,
    find_make,
    find_mise,
    find_nox,
    find_pyproject,
    find_script,
    find_task,
    find_tox,
    in_folder,
    load_json,
    load_toml,
    table,
)

_MAX_DEPTH = 4
_MAX_COMMANDS = 400


class Runner(NamedTuple):
    """One entry of runners.toml."""

    match: re.Pattern[str]
    role: str
    runtime: str
    points: int


def load_runners() -> tuple[Runner, ...]:
    """Return the entries of runners.toml in their order."""
    text = resources.files("iris_harness.daemon").joinpath("runners.toml").read_text("utf-8")
    return tuple(
        Runner(re.compile(e["match"]), e["role"], e.get("runtime", ""), e.get("points", 0))
        for e in tomllib.loads(text)["runner"]
    )


class Use(NamedTuple):
    """One program of an ecosystem that a command comes to, through targets and scripts."""

    ecosystem: str
    folder: str
    """Where it runs; empty for the root."""
    text: str
    """The command without its launchers."""
    source: Source | None = None
    """Where it is written; None for the command itself."""
    conditional: bool = False
    """It stands in a branch or a loop: it may never run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Assessment:
    """What a command does."""

    tests: bool = False
    """It runs tests, itself or through what it names."""
    runtime: str = ""
    """What the tests run on; empty where nothing says."""
    hazards: frozenset[str] = frozenset()
    """Why it may not be used: watch, docker, mutates, missing, placeholder."""
    sources: tuple[Source, ...] = ()
    """Places of the targets and scripts that were read."""
    direct: str = ""
    """The core that runs the tests, at the bottom of all targets."""
    points: int = 0
    needs: frozenset[str] = field(default_factory=frozenset)
    uses: tuple[Use, ...] = ()
    """All programs of ecosystems that it starts, in their order; of tests and of anything else."""


_NOTHING = Assessment()
_TASK_LAUNCHERS = frozenset({"hatch", "pdm", "pixi", "rye", "poetry", "uv"})

# What never ends, or not by itself.
_WATCH = re.compile(
    r"(?:.* )?(?:--watch(?:All)?(?:=true)?|--watch-files \S+|--looponfail|--watch-all)(?: .*)?|cargo[ -]watch\b.*|nodemon\b.*|watchexec\b.*"
    r"|ptw\b.*|pytest-watch\b.*|guard\b.*|chokidar\b.*|entr\b.*|(?:jest|mocha|ava|tap|tsc|vitest|karma start|bun test|deno test|tsx|tsup)\b.* -w\b.*"
    r"|vitest (?:watch|dev|--ui)\b.*|tsx watch.*|(?:vite|next dev|webpack serve|http-server|serve|live-server)(?: .*)?|lein .*(?:test-refresh|midje :autotest).*"
    r"|mix test\.watch.*|reflex\b.*|watchman-make.*|air|ng serve.*|gow\b.*|bacon\b.*|sbt .*~\S*test.*|.*--auto-?watch\b.*|hivemind|foreman start.*|overmind.*"
)
_DOCKER = re.compile(
    r"(?:\S*/)?(?:docker|docker-compose|podman|podman-compose|kubectl|minikube|kind|vagrant|earthly|act|nerdctl|lando|ddev|sail|\./vendor/bin/sail|dagger|skaffold|tilt|limactl|multipass)\b.*"
)
_MUTATES = re.compile(
    r".*(?:--fix\b|--write\b|--autocorrect\b|--auto-correct\b|--apply\b|--in-place\b|--update-snapshots?\b|-u\b(?=.*jest)|--snapshot-update\b).*"
    r"|rubocop\b.* -[aA]\b.*|standardrb\b.* --fix.*|gofmt\b.* -\w*w.*|goimports\b.* -w.*|black (?!.*--(?:check|diff)).*|isort (?!.*(?:--check|-c\b|--diff)).*"
    r"|ruff format(?!.*--(?:check|diff)).*|cargo fmt(?!.*--check).*|prettier\b.* -w\b.*|mix format(?!.*--check).*|dart format(?!.*--set-exit).*|gofumpt -w.*|clang-format\b.* -i\b.*|php-cs-fixer fix(?!.*--dry-run).*|sed -i.*|npm publish.*|dotnet nuget push.*|gh release.*|twine upload.*|cargo publish.*|gem push.*|git (?:push|commit|tag|reset|checkout|clean|stash)\b.*"
)
_NOT_TESTS = re.compile(
    r"(?:lint|style|format|fmt|docs?|typ(?:e|ing|es|echeck)|mypy|pyright|flake8|ruff|black|pre-?commit|check-manifest|build|release|publish|changelog|benchmark|bench|perf|security|bandit|audit|clean|dev|coverage-report|report|twine|pkg|package|spell\w*|codespell|isort|pylint|readme|manifest|docs?-\S+|build-\S+|\S*-?lint)"
)
# Variables that name a tool, as CI files call them.
_TOOL_VARIABLE = re.compile(
    r"\$\{?(?:\w*_)?(?P<tool>CARGO|CABAL|PYTHON|MAKE|CTEST|CMAKE|GO|MVN|GRADLE|NPM|PYTEST|RAKE|BUNDLE|COMPOSER|PHP|NODE|DOTNET|STACK|MIX|DART|FLUTTER|ZIG|MESON|NINJA|TOX|NOX|BATS)\}?"
)


@dataclass(frozen=True, slots=True)
class Assessor:
    """Reads commands against one repository's evidence. `build_assessor` makes one."""

    evidence: Evidence
    runners: tuple[Runner, ...]
    brings: Mapping[str, str]
    """The runtime that brings a program, by the program's name."""

    def assess(self, command: Command, depth: int = 0) -> Assessment:
        """Return what a command does, through targets and scripts up to four levels deep."""
        found = self._assessed(command, depth)
        own = _own_uses(self, command, found)
        followed = tuple(
            use._replace(conditional=use.conditional or command.conditional) for use in found.uses
        )
        if any(use.ecosystem in _NODE_COMPATIBLE for use in own):
            followed = tuple(use for use in followed if use.ecosystem != "node")
        return replace(found, uses=(*own, *followed))

    def _assessed(self, command: Command, depth: int) -> Assessment:
        launched = unwrap(_with_tools(command.words))
        if not launched.core:
            return _NOTHING
        hazards = _hazards(launched)
        if launched.words[0] in _TASK_LAUNCHERS and launched.core != launched.words:
            named = self._python_script(launched, command.folder, depth)
            if named.tests:
                return replace(named, hazards=named.hazards | hazards)
        runner = next((r for r in self.runners if r.match.fullmatch(launched.text)), None)
        if runner is None or runner.role == "none":
            return Assessment(hazards=hazards)
        found = self._by_role(runner, launched, command.folder, depth)
        runtime = (
            found.runtime
            if found.runtime not in {"", "other"}
            else launched.runtime or runner.runtime
        )
        if launched.runtime == "bun" or (launched.core[0] == "bun" and runtime == "node"):
            runtime = "bun"
        return replace(
            found,
            hazards=found.hazards | hazards,
            runtime=runtime,
            points=found.points + runner.points,
        )

    def _python_script(self, launched: Launched, folder: str, depth: int) -> Assessment:
        """Follow a name that a Python launcher looks up among the project's scripts."""
        name = launched.core[0]
        found = self.target(find_pyproject, folder, name, depth) if depth < _MAX_DEPTH else _NOTHING
        if "missing" not in found.hazards:
            return replace(found, runtime=found.runtime or "python")
        named = re.fullmatch(
            r"(?:[\w.-]+:)?(?:unit[-_]?)?(?:tests?|cov)(?:[-:_.]\w+)*|tests?:\w+", name
        )
        return Assessment(tests=bool(named), runtime="python", direct=launched.text)

    def assess_script(self, text: str, folder: str, depth: int) -> Assessment:
        """Return what a whole script does: it tests if any of its commands does."""
        return self._merged(split_script(text), folder, depth)

    def _merged(self, commands: tuple[Command, ...], folder: str, depth: int) -> Assessment:
        whole = _NOTHING
        for command in commands[:_MAX_COMMANDS]:
            place = in_folder(folder, command.folder) if command.folder else folder
            found = self.assess(command._replace(folder=place), depth)
            hazards = found.hazards - {"missing", "placeholder"}
            hazards = hazards - {"mutates"} if command.conditional else hazards
            uses = (*whole.uses, *found.uses)
            if found.tests and not whole.tests:
                whole = replace(found, hazards=whole.hazards | hazards, uses=uses)
            else:
                whole = replace(whole, hazards=whole.hazards | hazards, uses=uses)
        return whole

    def _by_role(self, runner: Runner, launched: Launched, folder: str, depth: int) -> Assessment:
        if runner.role in {"test", "node_test", "python_test"}:
            return Assessment(tests=True, runtime=runner.runtime, direct=launched.text)
        if depth >= _MAX_DEPTH:
            return _NOTHING
        if runner.role == "script":
            return self._script(launched, folder, depth)
        follow = _FOLLOW.get(launched.core[0].rpartition("/")[2], _generic)
        return follow(self, launched, folder, depth)

    def _script(self, launched: Launched, folder: str, depth: int) -> Assessment:
        """Follow a script of the repository."""
        interpreters = {
            "sh",
            "bash",
            "dash",
            "zsh",
            "ksh",
            "python",
            "python3",
            "ruby",
            "perl",
            "pwsh",
            "node",
            "tsx",
            "bun",
        }
        words = launched.core
        interpreter = (
            words[0].rpartition("/")[2] if words[0].rpartition("/")[2] in interpreters else ""
        )
        rest = [w for w in (words[1:] if interpreter else words) if not w.startswith("-")]
        if not rest:
            return _NOTHING
        path = in_folder(folder, rest[0].removeprefix("./")) if rest else ""
        path = path if self.evidence.has(path) else rest[0].removeprefix("./")
        if not self.evidence.has(path):
            return _NOTHING
        source = (Source(file=path, line=1),)
        named = re.search(
            r"(?:^|[/_.-])(?:run[_-]?)?(?:unit[_-]?)?(?:tests?|spec|runtests?)(?:[_.-]?(?:all|unit|suite|runner))?(?:\.\w+)?$",
            path,
        )
        text = self.evidence.text(path)
        shell = (
            (text.startswith("#!") and re.match(r"#!.*\b(?:ba|z|k|da)?sh\b", text))
            or path.endswith((".sh", ".bash", ".ps1"))
            or not text
        )
        runtime = _script_runtime(path, text, interpreter)
        if not shell:
            return Assessment(tests=bool(named), runtime=runtime, sources=source, direct=path)
        found = self.assess_script(text, folder if "cd " not in text else "", depth + 1)
        if not found.tests:
            return Assessment(
                tests=bool(named) and not text,
                runtime=runtime,
                sources=source,
                hazards=found.hazards,
                direct=path,
                uses=self._placed(found.uses, source[0]),
            )
        found = replace(found, uses=self._placed(found.uses, source[0]))
        return replace(found, sources=(*source, *found.sources))

    def target(
        self,
        find: Find,
        folder: str,
        name: str,
        depth: int,
    ) -> Assessment:
        """Follow a named target and what it needs."""
        found = find(self.evidence, folder, name)
        if found is None:
            return Assessment(hazards=frozenset({"missing"}))
        whole = self.assess_script("\n".join(found.body), folder, depth + 1)
        whole = replace(whole, uses=self._placed(whole.uses, found.source))
        for need in found.needs:
            inner = (
                self.target(find, folder, need.split()[0], depth + 1)
                if depth < _MAX_DEPTH and need.split()
                else _NOTHING
            )
            hazards = whole.hazards | (inner.hazards - {"missing"})
            uses = (*inner.uses, *whole.uses)
            if "watch" in need.split()[:1] or (inner.tests and not whole.tests):
                whole = replace(
                    inner if inner.tests else whole,
                    hazards=hazards | ({"watch"} if need.startswith("watch") else set()),
                    uses=uses,
                )
            else:
                whole = replace(whole, hazards=hazards, uses=uses)
        if not whole.tests and _is_placeholder(found.body):
            whole = replace(whole, hazards=whole.hazards | {"placeholder"})
        return replace(whole, sources=(found.source, *whole.sources))

    def _placed(self, uses: tuple[Use, ...], target: Source) -> tuple[Use, ...]:
        """Return uses with the place in a target or script where each is written."""
        return tuple(
            use if use.source else use._replace(source=self._line(target, use)) for use in uses
        )

    def _line(self, target: Source, use: Use) -> Source:
        found = self.evidence.where(target.file, use.text)
        return found if found.line else target


def build_assessor(evidence: Evidence) -> Assessor:
    """Return the assessor of a repository."""
    return Assessor(evidence, load_runners(), {**load_names()["runtime_of"], **_BRINGS})


_BRINGS = {
    "maturin": "rust", "cc": "c", "gcc": "c", "g++": "c", "c++": "c", "clang": "c", "clang++": "c",
    "cmake": "c", "ctest": "c", "meson": "c", "ninja": "c",
}  # fmt: skip
_NODE_COMPATIBLE = frozenset({"bun", "deno"})
"""What runs the programs of Node's packages by itself."""
_DRIVERS = frozenset({"tox", "tox4", "nox"})
"""What makes environments of its own, whatever it runs in them."""
_PLACE_OPTIONS = ("--prefix", "-C", "--dir", "--cwd", "--directory", "--project")


def _own_uses(assessor: Assessor, command: Command, found: Assessment) -> tuple[Use, ...]:
    """Return what a command itself needs, besides what the targets and scripts it names need."""
    launched = unwrap(_with_tools(command.words))
    if not launched.core:
        return ()
    programs = (word.rpartition("/")[2] for word in (launched.words[0], launched.core[0]))
    drives = launched.core[0].rpartition("/")[2] in _DRIVERS
    names = [launched.runtime, *(assessor.brings.get(_bare(name), "") for name in programs)]
    if drives or not found.uses:
        names.append(found.runtime)

    followed = set() if drives else {use.ecosystem for use in found.uses}
    place = _option(launched.words[1:], *_PLACE_OPTIONS)
    known = place and "$" not in place and not place.startswith("/")
    folder = (
        in_folder(command.folder, place.removeprefix("./").rstrip("/")) if known else command.folder
    )
    return tuple(
        Use(name, folder.removesuffix("/."), launched.text, None, command.conditional)
        for name in dict.fromkeys(names)
        if name not in {"", "other", "shell"} and name not in followed
    )


def _bare(program: str) -> str:
    """Return the name of a program without its version."""
    return re.sub(r"^(python|pip|ruby|php|lua|ghc|gcc|g\+\+|clang|erl)-?[\d.]+$", r"\1", program)


def _with_tools(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with a variable that names a tool replaced by it."""
    match = _TOOL_VARIABLE.fullmatch(words[0]) if words else None
    if not match:
        return words
    tool = match["tool"].lower()
    return ({"bundle": "bundle", "gradle": "gradle"}.get(tool, tool), *words[1:])


with_tools = _with_tools


def _hazards(launched: Launched) -> frozenset[str]:
    text = launched.text
    whole = " ".join(launched.words)
    found = set()
    if _WATCH.fullmatch(text) and not re.search(r"--watch(?:All)?[= ]false|--no-watch", text):
        found.add("watch")
    if (
        re.fullmatch(r"vitest(?: (?!run\b|related\b|bench\b|list\b|--run\b)\S+)*", text)
        and "--run" not in text
        and "--watch=false" not in text
    ):
        found.add("may_watch")
    if re.fullmatch(r"(?:ng test|karma start)(?: .*)?", text) and not re.search(
        r"--watch[= ]false|--no-watch|--single-run|--browsers", text
    ):
        found.add("may_watch")
    if _DOCKER.fullmatch(whole) or _DOCKER.fullmatch(text):
        found.add("docker")
    if _MUTATES.fullmatch(text):
        found.add("mutates")
    return frozenset(found)


def _is_placeholder(body: tuple[str, ...]) -> bool:
    words = re.findall(r"[\w.-]+", " ".join(body))
    return not words or words[0] in {"echo", "exit", "true", "false", ":"}


def _script_runtime(path: str, text: str, interpreter: str) -> str:
    extension = path.rpartition(".")[2]
    by_extension = {
        "py": "python",
        "rb": "ruby",
        "pl": "perl",
        "js": "node",
        "mjs": "node",
        "ts": "node",
    }
    first = text.split("\n", 1)[0] if text.startswith("#!") else ""
    for name, runtime in (
        ("python", "python"),
        ("ruby", "ruby"),
        ("perl", "perl"),
        ("node", "node"),
    ):
        if name in first or name == interpreter.rstrip("3"):
            return runtime
    return by_extension.get(extension, "")


Find = Callable[[Evidence, str, str], Target | None]
Follow = Callable[[Assessor, Launched, str, int], Assessment]


def _operands(words: tuple[str, ...], valued: frozenset[str] = frozenset()) -> list[str]:
    """Return the words that are no options; the values of some options are left out too."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "--":
            break
        elif word.startswith("-"):
            skip = word in valued
        else:
            found.append(word)
    return found


def _option(words: tuple[str, ...], *names: str) -> str:
    """Return the value of an option; empty without it."""
    for index, word in enumerate(words):
        for name in names:
            if word == name and index + 1 < len(words):
                return words[index + 1]
            if word.startswith(f"{name}="):
                return word.partition("=")[2]
    return ""


_NODE_VALUED = frozenset(
    {
        "--prefix",
        "-w",
        "--workspace",
        "-C",
        "--dir",
        "--filter",
        "-F",
        "--cwd",
        "--loglevel",
        "--reporter",
        "--scope",
    }
)
_NODE_OTHER = frozenset(
    {
        "ci",
        "install",
        "i",
        "add",
        "publish",
        "pack",
        "audit",
        "link",
        "version",
        "config",
        "set",
        "cache",
        "why",
        "info",
        "dedupe",
        "update",
        "up",
        "outdated",
        "init",
        "create",
        "login",
        "whoami",
        "store",
        "rebuild",
        "prune",
        "import",
        "env",
        "deploy",
        "patch",
        "remove",
        "uninstall",
        "view",
        "root",
        "bin",
        "list",
        "ls",
        "plugin",
        "constraints",
        "upgrade",
        "global",
        "help",
        "licenses",
        "setup",
        "start",
        "ping",
    }
)


def _node(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    """npm, yarn, pnpm and bun: a script of package.json, or a program of a dependency."""
    words = launched.core[1:]
    place = _option(words, "--prefix", "-C", "--dir", "--cwd")
    folder = (
        in_folder(folder, place.removeprefix("./").rstrip("/"))
        if place and place != "."
        else folder
    )
    operands = _operands(words, _NODE_VALUED)
    if not operands:
        return _NOTHING
    package = ""
    if operands[0] == "workspace" and len(operands) > 2:  # noqa: PLR2004 - the word, the package, the script
        package, operands = operands[1], operands[2:]
    if operands[0] in {"workspaces", "recursive", "multi"}:
        operands = [word for word in operands[1:] if word != "foreach"]
    if operands and operands[0] in {"run", "run-script", "exec", "t", "tst"}:
        operands = ["test"] if operands[0] in {"t", "tst"} else operands[1:]
    if not operands or (operands[0] in _NODE_OTHER and words and words[0] != "run"):
        return _NOTHING
    name = operands[0]
    if launched.core[0] == "bun" and words and words[0] == "test":
        return Assessment(tests=True, runtime="bun", direct=launched.text)
    return _node_script(assessor, launched, (folder, name, package), depth)


def _node_script(
    assessor: Assessor, launched: Launched, found: tuple[str, str, str], depth: int
) -> Assessment:
    folder, name, package = found
    words = launched.core
    package = package or _option(words, "--filter", "-F", "-w", "--workspace", "--scope")
    many = any(word in {"-r", "--recursive", "-ws", "--workspaces", "workspaces"} for word in words)
    if find_script(assessor.evidence, folder, name) and not (many or package):
        return assessor.target(find_script, folder, name, depth)
    for place in _packages(assessor.evidence, package) if many or package else ():
        if find_script(assessor.evidence, place, name):
            inner = assessor.target(find_script, place, name, depth)
            if inner.tests:
                return inner
    index = words.index(name) if name in words else len(words)
    if name in words and words[0] != "npm":
        inner = assessor.assess(Command(tuple(words[index:]), 0, folder), depth + 1)
        return (
            inner
            if inner.runtime in {"node", "bun"}
            else Assessment(hazards=frozenset({"missing"}))
        )
    return Assessment(hazards=frozenset({"missing"}))


def _packages(evidence: Evidence, wanted: str) -> Iterator[str]:
    """Yield the folders of packages below the root whose name or place fits `wanted`."""
    bare = wanted.strip("'\"{}!./*").removesuffix("...")
    for path in evidence.read("package.json"):
        folder = path.rpartition("/")[0]
        name = str(load_json(evidence, path).get("name", ""))
        if folder and (not bare or bare in {name, folder} or bare in name or bare in folder):
            yield folder


def _make(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    words = launched.core[1:]
    place = _option(words, "-C", "--directory")
    folder = (
        in_folder(folder, place.removeprefix("./").rstrip("/"))
        if place and "$" not in place
        else folder
    )
    operands = [
        w
        for w in _operands(
            words, frozenset({"-C", "-f", "-j", "-o", "-I", "--directory", "--file"})
        )
        if "=" not in w and not w.isdigit()
    ]
    best = _NOTHING
    for name in operands or ["all"]:
        found = assessor.target(find_make, folder, name, depth)
        if (
            "missing" in found.hazards
            and name in {"test", "check", "tests", "installcheck", "distcheck", "runtest"}
            and _is_generated(assessor.evidence, folder)
        ):
            found = Assessment(
                tests=True, runtime="c", direct=launched.text, hazards=frozenset({"configure"})
            )
        uses = (*best.uses, *found.uses)
        if found.tests and not best.tests:
            best = replace(found, hazards=found.hazards | best.hazards, uses=uses)
        elif not best.tests:
            best = replace(
                best, hazards=best.hazards | found.hazards, sources=found.sources, uses=uses
            )
        else:
            best = replace(best, uses=uses)
    named = [
        name
        for name in operands
        if re.fullmatch(
            r"(?:run-?)?(?:unit-?)?(?:tests?|check|spec|unittests?|\S*-tests?|tests?-\S+)", name
        )
    ]
    if (
        named
        and not best.tests
        and "missing" not in best.hazards
        and not best.hazards & {"docker", "watch"}
        and best.sources
    ):
        return replace(best, tests=True, runtime=best.runtime or "", direct=launched.text)
    return best


def _is_generated(evidence: Evidence, folder: str) -> bool:
    names = (
        "configure.ac",
        "configure.in",
        "configure",
        "CMakeLists.txt",
        "Makefile.am",
        "Makefile.PL",
        "Build.PL",
        "Makefile.in",
        "auto/configure",
        "autogen.sh",
    )
    return any(evidence.has(in_folder(folder, name)) or evidence.has(name) for name in names)


def _rake(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    del depth
    operands = _operands(launched.core[1:]) or ["default"]
    path = assessor.evidence.first(
        *(
            in_folder(folder, name)
            for name in ("Rakefile", "rakefile", "Rakefile.rb", "lib/tasks/test.rake")
        )
    )
    text = assessor.evidence.text(path) if path else ""
    source = (assessor.evidence.where(path, "default"),) if path else ()
    for name in operands:
        bare = name.partition("[")[0]
        if re.fullmatch(
            r"(?:\w+:)*(?:tests?|spec|specs|unit|ci|cucumber|features?|minitest|rspec|test_\w+|test:\S+|spec:\S+|all|build|check)",
            bare,
        ):
            return Assessment(tests=True, runtime="ruby", sources=source, direct=launched.text)
        if bare == "default" and re.search(
            r"default\b.*?(?:test|spec|rspec|minitest|ci|features|check)|(?:test|spec)\b",
            text,
            re.DOTALL,
        ):
            return Assessment(tests=True, runtime="ruby", sources=source, direct=launched.text)
    return _NOTHING


def _tox(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    names = [
        part
        for part in re.split(r"[,\s]+", _option(launched.core, "-e", "-f", "-m", "--env"))
        if part and "$" not in part
    ]
    if names and all(
        _NOT_TESTS.fullmatch(name.split("-")[-1]) or _NOT_TESTS.fullmatch(name) for name in names
    ):
        return _NOTHING
    words = [word for word in launched.core[1:] if word in {"devenv", "config", "list", "l", "d"}]
    if words:
        return _NOTHING
    path = assessor.evidence.first(
        *(
            in_folder(folder, name)
            for name in ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg")
        )
    )
    source = (assessor.evidence.where(path, "testenv"),) if path else ()
    uses = _uses_of(assessor, find_tox, folder, names, depth)
    return Assessment(tests=True, runtime="python", sources=source, direct=launched.text, uses=uses)


def _uses_of(
    assessor: Assessor, find: Find, folder: str, names: list[str], depth: int
) -> tuple[Use, ...]:
    """Return the programs that environments start; no name stands for what runs by itself."""
    found = (assessor.target(find, folder, name, depth + 1) for name in names or [""])
    return tuple(use for assessment in found for use in assessment.uses)


def _nox(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    words = launched.core[1:]
    names: list[str] = []
    for index, word in enumerate(words):
        if word in {"-s", "--session", "--sessions", "-e", "-t", "-k"}:
            names += [w for w in words[index + 1 :] if not w.startswith("-")][:4]
        elif word.startswith(("--session=", "--sessions=")):
            names.append(word.partition("=")[2])
    bare = [re.split(r"[-(]?\$|\(", name)[0].rstrip("-") for name in names]
    if names and not any(
        re.search(r"test|unit|pytest|spec|^py$|check|cov", name) or not name for name in bare
    ):
        return _NOTHING
    if any(re.search(r"lint|docs|mypy|type", name) for name in bare) and not any(
        "test" in name for name in bare
    ):
        return _NOTHING
    path = evidence_first(assessor.evidence, folder, "noxfile.py")
    source = (assessor.evidence.where(path, "def test"),) if path else ()
    uses = _uses_of(assessor, find_nox, folder, bare, depth)
    return Assessment(tests=True, runtime="python", sources=source, direct=launched.text, uses=uses)


def evidence_first(evidence: Evidence, folder: str, name: str) -> str | None:
    """Return the file in a folder, or at the root."""
    return evidence.first(in_folder(folder, name), name)


def _composer(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    operands = _operands(launched.core[1:], frozenset({"-d", "--working-dir"}))
    place = _option(launched.core, "-d", "--working-dir").removeprefix("--working-dir=")
    folder = in_folder(folder, place.removeprefix("./")) if place else folder
    if operands and operands[0] in {"run", "run-script"}:
        operands = operands[1:]
    if not operands:
        return _NOTHING
    found = assessor.target(find_composer, folder, operands[0], depth)
    return found if found.runtime else replace(found, runtime="php")


def _deno(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    operands = _operands(launched.core[1:])
    if operands and operands[0] == "test":
        return Assessment(tests=True, runtime="deno", direct=launched.text)
    if len(operands) < 2:  # noqa: PLR2004 - task and its name
        return _NOTHING
    found = assessor.target(find_deno, folder, operands[1], depth)
    return replace(found, runtime="deno") if found.tests else found


def _task_runner(find: Find, skip: frozenset[str] = frozenset()) -> Follow:
    def follow(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
        operands = [
            word
            for word in _operands(launched.core[1:], frozenset({"-d", "--dir", "-C", "--cd"}))
            if word not in skip
        ]
        if not operands:
            operands = ["default"]
        return assessor.target(find, folder, operands[0], depth)

    return follow


def _python_task(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    operands = [word for word in _operands(launched.core[1:]) if word != "run"]
    name = operands[0] if operands else "test"
    found = assessor.target(find_pyproject, folder, name, depth)
    if "missing" in found.hazards:
        tests = bool(re.search(r"test|cov", name))
        return Assessment(tests=tests, runtime="python", direct=launched.text)
    return replace(found, runtime=found.runtime or "python")


def _generic(assessor: Assessor, launched: Launched, folder: str, depth: int) -> Assessment:
    del assessor, folder, depth
    named = re.search(r"\btests?\b", launched.text)
    return Assessment(tests=bool(named), direct=launched.text)


_FOLLOW: Mapping[str, Follow] = {
    "npm": _node, "yarn": _node, "pnpm": _node, "bun": _node, "cnpm": _node,
    "make": _make, "gmake": _make, "mingw32-make": _make, "bmake": _make, "remake": _make, "nmake": _make,
    "rake": _rake, "tox": _tox, "tox4": _tox, "nox": _nox, "composer": _composer, "deno": _deno,
    "just": _task_runner(find_just), "task": _task_runner(find_task), "go-task": _task_runner(find_task),
    "mise": _task_runner(find_mise, frozenset({"run", "r"})),
    "hatch": _python_task, "pdm": _python_task, "poe": _python_task, "pixi": _python_task,
    "poetry": _python_task, "rye": _python_task, "uv": _python_task,
}  # fmt: skip

__all__ = [
    "Assessment",
    "Assessor",
    "build_assessor",
    "load_json",
    "load_toml",
    "table",
    "with_tools",
]
