"""`iris repo`: what a repository's own evidence decides, useful without any job."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iris_harness.contracts.canonical import Json
from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting
from iris_harness.surfaces.cli.output import EXIT_DEGRADED, EXIT_ERROR, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.daemon.failures.model import Verdict
    from iris_harness.daemon.hints import HintAnswer
    from iris_harness.daemon.inspection import Report
    from iris_harness.daemon.parts import Part
    from iris_harness.daemon.runner import Baseline
    from iris_harness.daemon.runtime import Runtime
    from iris_harness.daemon.test_command import TestCommand
    from iris_harness.daemon.tree import Tree

_MAX_LINE = 64 * 1024 * 1024
_LAST_LINES = 20


@click.group()
def repo() -> None:
    """Ask a repository what it is: its tests, its files, its failures.

    Nothing of the repository is changed, and only `test` runs anything of it: in a sandbox, on a
    copy.
    """


@repo.command()
@click.argument("place", metavar="PATH", type=click.Path())
@click.option("--test-command", "own", default="", help="Your own test command, if you have one.")
@click.option("--markers", type=click.Path(), help="Beside a listing: the folder with its files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def inspect(*, place: str, own: str, markers: str | None, as_json: bool) -> int:
    """Say how to test the repository at PATH, on what, and which line says so.

    PATH is a checkout, a file with one path on each line, or a folder with files.txt and the
    files that matter under markers/.
    """
    from iris_harness.daemon.gather import read_evidence
    from iris_harness.daemon.inspection import inspect_repository

    evidence = read_evidence(Path(place), Path(markers) if markers else None)
    report = inspect_repository(evidence, own)
    if as_json:
        from iris_harness.daemon.report_json import report_to_json

        print_json(report_to_json(report))
    else:
        click.echo("\n".join(_report_lines(report)))
    return EXIT_OK


@repo.command()
@click.argument("place", metavar="PLACE")
@click.option("--ref", help="Branch, tag or commit; by default the one it starts with.")
@click.option("--test-command", "own", default="", help="Your own test command, if you have one.")
@click.option(
    "--sandbox", type=click.Choice(["auto", "bubblewrap", "podman", "docker", "none"]),
    default="auto", show_default=True, help="none runs everything with all that you may do.",
)  # fmt: skip
@click.option(
    "--seconds", default=600, show_default=True, type=click.IntRange(1, 86_400),
    help="When the tests are ended.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def test(  # noqa: PLR0913 - click's keywords
    state: CliState, /, *, place: str, ref: str | None, own: str, sandbox: str, seconds: int,
    as_json: bool,
) -> int:  # fmt: skip
    """Run the tests of the repository at PLACE, a folder or an address, and say what came of it.

    What is committed is copied, its dependencies are installed with the network, and its tests run
    without one, in a sandbox that sees nothing else of yours. Exit code 0 when they pass, 1 when
    they fail, 3 when they cannot run here.
    """
    from iris_harness.bootstrap.repositories import open_workplace, repository_url
    from iris_harness.clock import SystemClock
    from iris_harness.daemon.sandbox import Limits

    folder = resolve_setting(state, SettingOptions()).data_folder
    installers = state.settings.jobs.install_runtimes
    limits = Limits(seconds=seconds)
    workplace = open_workplace(folder, sandbox, SystemClock(), installers, limits)
    with workplace.trial(repository_url(place), ref, own) as (project, commit):
        baseline = project.baseline()
    if as_json:
        print_json(_baseline_json(baseline, commit))
    else:
        click.echo("\n".join(_baseline_lines(baseline, commit)))
    return {"green": EXIT_OK, "red": EXIT_ERROR}.get(baseline.standing.value, EXIT_DEGRADED)


@repo.command()
@click.argument("place", metavar="PATH", type=click.Path())
@click.argument("hints", metavar="[HINT]...", nargs=-1)
@click.option("--intent", type=click.Choice(["edit", "create"]), help="What is meant to be done.")
@click.option("--searched", is_flag=True, help="A search was made and found nothing.")
@click.option("--jsonl", is_flag=True, help="Read one object a line, print one a line.")
def resolve(
    *, place: str, hints: tuple[str, ...], intent: str | None, searched: bool, jsonl: bool
) -> int:
    """Find the file that each HINT means among the tracked files of PATH.

    PATH is a checkout or a file with one path on each line. With --jsonl, objects like
    {"hint": "src/app.py", "intent": "edit", "discovery": null} are read from standard input; a
    "tree", a list of paths, takes the place of PATH's files. "discovery" is null until a search
    was made: before that, nothing is created.
    """
    from iris_harness.daemon.gather import read_tree

    tree = read_tree(Path(place))
    if jsonl:
        return _answer_lines(lambda asked: _answer_hint(asked, tree))
    if not hints:
        raise UsageError("no hint was given", hint="name a file, or use --jsonl")
    for hint in hints:
        discovery: list[Json] | None = [] if searched else None
        answer = _resolve({"hint": hint, "intent": intent, "discovery": discovery}, tree)
        click.echo(_hint_line(hint, answer))
    return EXIT_OK


@repo.command()
@click.option("--jsonl", is_flag=True, help="Read one object a line, print one a line.")
@click.option("--command", "ran", default="", help="The command that failed.")
@click.option("--exit-code", default=1, help="How it ended.")
def classify(*, jsonl: bool, ran: str, exit_code: int) -> int:
    """Say whether the code or the environment failed, and what to do.

    Reads the output of a test command from standard input; with --jsonl objects like
    {"command": "npm test", "exit_code": 127, "output": "…", "context": {}, "attempt": 1}.
    """
    from iris_harness.daemon.failures.classify import load_classifier, parse_failure

    classifier = load_classifier()
    if jsonl:
        return _answer_lines(lambda asked: _verdict_json(classifier.classify(parse_failure(asked))))
    output = sys.stdin.buffer.read(_MAX_LINE).decode("utf-8", "replace")
    asked = {"command": ran, "exit_code": exit_code, "output": output}
    verdict = classifier.classify(parse_failure(asked))
    click.echo(_verdict_text(verdict))
    return EXIT_OK


def _answer_lines(answer: Callable[[Mapping[str, Any]], dict[str, Json]]) -> int:
    """Answer each object of standard input with one on standard output.

    A line that is no object is answered with an ``error`` and makes the exit code 1.
    """
    code = EXIT_OK
    for line in _lines():
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError):
            asked = None
        if isinstance(asked, dict):
            given = answer(asked)
        else:
            given, code = {"error": "not a JSON object"}, EXIT_ERROR
        click.echo(json.dumps(given, ensure_ascii=False))
    return code


def _lines() -> Iterator[str]:
    while line := sys.stdin.buffer.readline(_MAX_LINE):
        text = line.decode("utf-8", "replace").strip()
        if text:
            yield text


def _answer_hint(asked: Mapping[str, Any], tree: Tree) -> dict[str, Json]:
    answer = _resolve(asked, tree)
    return {
        "outcome": answer.outcome.value,
        "kind": answer.kind.value,
        "path": answer.path,
        "candidates": list(answer.candidates),
        "why": answer.why,
    }


def _resolve(asked: Mapping[str, Any], tree: Tree) -> HintAnswer:
    from iris_harness.daemon.hints import Intent, resolve_hint
    from iris_harness.daemon.tree import build_tree

    hint, intent = asked.get("hint"), asked.get("intent")
    given = asked.get("tree")
    return resolve_hint(
        hint if isinstance(hint, str) else "",
        build_tree(_texts(given)) if isinstance(given, list) else tree,
        intent=Intent(intent) if intent in {"edit", "create"} else None,
        discovery=_texts(found) if isinstance(found := asked.get("discovery"), list) else None,
    )


def _texts(values: Sequence[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def _hint_line(hint: str, answer: HintAnswer) -> str:
    shown = answer.path or ", ".join(answer.candidates)
    return f"{hint}: {answer.outcome.value}{f' {shown}' if shown else ''} ({answer.why})"


def _baseline_json(baseline: Baseline, commit: str) -> dict[str, Json]:
    outcome = baseline.outcome
    return {
        "standing": baseline.standing.value,
        "commit": commit,
        "command": baseline.command or None,
        "toolchain": baseline.toolchain or None,
        "why": baseline.why,
        "can_do": baseline.can_do,
        "notes": list(baseline.notes),
        "failure": _verdict_json(baseline.verdict) if baseline.verdict else None,
        "exit_code": outcome.exit_code if outcome else None,
        "confined": outcome.confined if outcome else None,
        "output": outcome.output if outcome else "",
    }


_STANDINGS = {
    "green": "the tests pass",
    "red": "the tests run, and fail",
    "unverifiable": "there is nothing to run",
    "impossible": "the tests cannot run here",
}


def _baseline_lines(baseline: Baseline, commit: str) -> Iterator[str]:
    outcome = baseline.outcome
    yield f"{'result':<14}{_STANDINGS[baseline.standing.value]}"
    if baseline.why != _STANDINGS[baseline.standing.value]:
        yield f"{'because':<14}{baseline.why}"
    if baseline.can_do:
        yield f"{'what helps':<14}{baseline.can_do}"
    if baseline.command:
        yield f"{'tests':<14}{baseline.command}"
    if baseline.toolchain:
        yield f"{'ran on':<14}{baseline.toolchain}"
    yield f"{'commit':<14}{commit[:12]}"
    for note in baseline.notes:
        yield f"{'note':<14}{note}"
    if outcome is None:
        return
    if not outcome.confined:
        yield f"{'note':<14}there was no sandbox: it ran with all that you may do"
    if not outcome.succeeded:
        yield "its last lines:"
        yield from (f"  {line}" for line in outcome.output.rstrip().splitlines()[-_LAST_LINES:])


def _verdict_json(verdict: Verdict) -> dict[str, Json]:
    return {
        "class": verdict.failure.value,
        "is_environment": verdict.is_environment,
        "detail": verdict.detail,
        "remedy": dict(verdict.remedy),
        "evidence": {"line": verdict.evidence.line, "text": verdict.evidence.text},
    }


def _verdict_text(verdict: Verdict) -> str:
    lines = [f"{verdict.failure.value}: {verdict.detail}".rstrip(": ")]
    if verdict.evidence.text:
        lines.append(f"  because line {verdict.evidence.line} says: {verdict.evidence.text}")
    remedy = {key: value for key, value in verdict.remedy.items() if value}
    if remedy:
        action = remedy.pop("action", "").replace("_", " ")
        lines.append(f"  next: {' '.join((action, *remedy.values()))}")
    return "\n".join(lines)


def _report_lines(report: Report) -> Iterator[str]:
    yield f"{'repository':<14}{', '.join(report.ecosystems)}"
    yield from _test_lines(report.test)
    yield from _runtime_lines(report.runtime)
    if report.manager:
        yield f"{'install':<14}{report.manager.install}"
        yield f"{'':<14}{report.manager.source} says so"
    for part in report.parts:
        if part.runtime.name != report.runtime.name or part.folder:
            yield from _part_lines(part)
    if report.devcontainer:
        found = report.devcontainer
        yield f"{'devcontainer':<14}{found.source.file} ({found.image or found.kind})"
    wanted = (*report.needs.also_requires, *report.needs.services, *report.needs.needs)
    if wanted:
        yield f"{'also needs':<14}{', '.join(wanted)}"
    for other in report.alternates:
        place = other.folder or "the root"
        yield f"{'changes to':<14}{other.ecosystem} in {place}: {other.command}"


def _part_lines(part: Part) -> Iterator[str]:
    version = f" {part.runtime.version}" if part.runtime.version else ""
    install = f": {part.manager.install}" if part.manager else ""
    needed = "" if part.is_needed else ", if it is there"
    yield f"{'and':<14}{part.runtime.name}{version} in {part.folder or 'the root'}{needed}{install}"
    if part.source:
        yield f"{'':<14}{part.source}: {part.source.quote}".rstrip(": ")


def _test_lines(test: TestCommand) -> Iterator[str]:
    chosen = test.chosen
    if chosen is None:
        yield f"{'tests':<14}none: {test.why}"
        return
    yield f"{'tests':<14}{chosen.command}"
    more = "; the CI does more" if test.partial else ""
    yield f"{'':<14}{test.why} (confidence: {test.confidence}{more})"
    for source in chosen.sources:
        yield f"{'':<14}{source}{f': {source.quote}' if source.quote else ''}"
    for candidate in test.alternatives[:3]:
        yield f"{'or':<14}{candidate.command} ({candidate.sources[0]})"


def _runtime_lines(runtime: Runtime) -> Iterator[str]:
    version = f" {runtime.version}" if runtime.version else ""
    yield f"{'runtime':<14}{runtime.name}{version} ({runtime.why})"
    if runtime.constraint and runtime.source:
        yield f"{'':<14}{runtime.source}: {runtime.constraint}"
    for conflict in runtime.conflicts:
        yield f"{'':<14}not satisfied: {conflict}"
