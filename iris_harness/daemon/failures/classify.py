"""Whose fault a failed test command is: the environment's only when a line proves it.

In this order: a later attempt is not inspected; what never ended is a timeout, or a watcher; then
the first line, in the order they were printed, that a rule of rules.toml knows. Where a test ran
and failed, only what no test prints by itself counts, and never what it compared. Otherwise the
failure is the code's: when in doubt, code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from iris_harness.daemon.failures.code_details import code_detail
from iris_harness.daemon.failures.decisions import DECISIONS
from iris_harness.daemon.failures.match import Match
from iris_harness.daemon.failures.model import (
    Evidence,
    Failure,
    FailureClass,
    Verdict,
    code,
    raise_limit,
    wrong_command,
)
from iris_harness.daemon.failures.output import Line, Output, read_output
from iris_harness.daemon.failures.outside import service_verdict
from iris_harness.daemon.failures.rules import Names, Rule, load_names, load_rules
from iris_harness.daemon.failures.versions import is_excluded, version_verdict

_TIMED_OUT = 124  # timeout(1)
_KILLED = {137, -9}
_CRASHED = {139, -11, 134, -6, 136, -8, 132, -4, 135, -7}
_EVIDENCE_LENGTH = 300

# What tools put before the line of another one.
_WRAPPER = re.compile(
    r"(?:npm (?:error|ERR!)|ERR!|\[(?:ERROR|error)\]|error|ERROR:?|Error:|fatal:|E {2,}|=> => #|#\d+ [\d.]+"
    r"|[\w.-]+ +\||= note:|\d+: +|Caused by:|>) +"
)
_WARNING = re.compile(
    r"(?:npm (?:warn|WARN)|warning |warn |\[WARNING\]|\[WARN\]|W: |(?:.*: )?warning: ).*",
    re.IGNORECASE,
)
_WARNINGS_THAT_COUNT = re.compile(
    r".*(?:after connection broken by|spurious network error|ENOSPC|No space left|Ignoring https?://\S+: ).*"
)
# Where a test failed, a line of the environment begins as an exception or as one of Go's log lines.
_RAISED = re.compile(
    r"E {2,}\S|\s*(?:Uncaught )?[\w.:\\]*(?:Error|Exception|Refused|Bad|Lost)\b.*|\s+\w+_test\.go:\d+: .*|panic: .*|\s*\[\S+:ERROR:.*"
    r"|\s+connect ECONNREFUSED \S+:\d+$|\s*\*\* \(.*"
)
# The word, not a part of a path or of a package's name.
_ASSERTS = re.compile(r"(?<![\w/.@:'\"-])assert\w*(?![\w/;'\"-])", re.IGNORECASE)
_WATCHING = re.compile(
    r".*(?:[Ww]aiting for file changes|[Ww]atching for (?:file )?changes|press h to show help|Watch Usage|Press `?[awq]`? to"
    r"|\[nodemon\]|\[Running[: ]|\[Finished running|[Ww]atch mode|Found \d+ errors?\. Watching|to rerun tests|File change detected|DEV  v\d"
    r"|You can now view .* in the browser|Local: +https?://localhost|Starting compilation in watch mode|[Dd]evelopment server (?:is )?(?:running|listening)).*"
)
_SYNTAX = re.compile(
    r"\s*(?:SyntaxError|IndentationError|TypeError: unsupported operand type\(s\) for \||AttributeError: module '|ImportError|ModuleNotFoundError|E +(?:SyntaxError|ImportError|TypeError: ')).*"
)


@dataclass(frozen=True, slots=True)
class FailureClassifier:
    """Knows what tools print. Thread-safe; `load_classifier` makes one."""

    rules: tuple[Rule, ...]
    names: Names

    def classify(self, failure: Failure) -> Verdict:
        """Return whose failure it is, and the one thing to do. Pure, bounded, never raises."""
        if failure.attempt > 1:
            remedy: dict[str, str | None] = {"action": "let_model_work"}
            return Verdict(
                failure=FailureClass.UNINSPECTED, detail="not_first_failure", remedy=remedy
            )
        output = read_output(failure.output)
        found = self._first(failure, output)
        if failure.exit_code == 0:
            empty = found is not None and found.detail == "no_tests_ran"
            return (
                found
                if found is not None and empty
                else Verdict(failure=FailureClass.NONE, detail="")
            )
        if failure.exit_code == _TIMED_OUT and (
            found is None or found.failure is FailureClass.COMMAND
        ):
            return _timeout(failure, output)
        return (
            found
            or _by_exit_code(failure, output)
            or _by_version(failure, output)
            or _code(failure, output)
        )

    def _first(self, failure: Failure, output: Output) -> Verdict | None:
        """Return what the first line says that a rule knows; a weak one only after all others."""
        folded = failure.output.lower()
        rules = [rule for rule in self.rules if rule.has in folded]
        if output.failing:
            rules = [rule for rule in rules if rule.tests]
        weak: Verdict | None = None
        seen: set[str] = set()
        for line in output.lines:
            if not line.text or line.text in seen or _is_silent(line, output):
                continue
            seen.add(line.text)
            for rule in rules:
                if rule.weak and weak is not None:
                    continue
                verdict = self._decide(rule, line, output, failure)
                if verdict is None:
                    continue
                if not rule.weak:
                    return verdict
                weak = verdict
        return weak

    def _decide(self, rule: Rule, line: Line, output: Output, failure: Failure) -> Verdict | None:
        match = next(filter(None, map(rule.line.fullmatch, _readings(line.text, rule))), None)
        if match is None:
            return None
        groups = {key: value for key, value in match.groupdict().items() if value is not None}
        verdict = _verdict(rule, Match(groups, line, output, failure, self.names))
        evidence = Evidence(line=line.number, text=line.text.strip()[:_EVIDENCE_LENGTH])
        return replace(verdict, evidence=evidence) if verdict else None


def load_classifier() -> FailureClassifier:
    """Return a classifier with the rules and names that come with Iris."""
    return FailureClassifier(rules=load_rules(), names=load_names())


def parse_failure(value: Mapping[str, Any]) -> Failure:
    """Return the failure that a JSON object describes; what is missing or mistyped is its default."""
    context = value.get("context")
    return Failure(
        command=_text(value.get("command")),
        exit_code=_number(value.get("exit_code"), 1),
        output=_text(value.get("output")),
        context=context if isinstance(context, dict) else {},
        attempt=_number(value.get("attempt"), 1),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _is_silent(line: Line, output: Output) -> bool:
    """Return whether a line proves nothing: a warning, or what a failing test compared."""
    if _WARNING.fullmatch(line.text) and not _WARNINGS_THAT_COUNT.fullmatch(line.text):
        return True
    if line.data and not line.text.startswith(("E  ", "> ")):
        return output.failing or bool(_ASSERTS.search(line.text))
    if line.data and output.failing:
        return True
    return output.failing and not _RAISED.match(line.text)


def _readings(text: str, rule: Rule) -> Iterator[str]:
    """Yield the line, and without what wrappers put before it."""
    if rule.indented:
        text = text.strip()
    yield text
    for _ in range(2):
        wrapper = _WRAPPER.match(text)
        if not wrapper:
            return
        text = text[wrapper.end() :]
        yield text


def _verdict(rule: Rule, match: Match) -> Verdict | None:
    if rule.decide:
        return DECISIONS[rule.decide](match)
    if rule.service:
        port = match.groups.get("port") or match.groups.get("other") or rule.port
        up = match.failure.names("services_up")
        running = any(
            item.partition(":")[0] == rule.service or item.endswith(f":{port}") for item in up
        )
        return None if running else service_verdict(rule.service, port)
    if rule.version_spec:
        tool = (
            rule.version_spec.format(**match.groups)
            if "{" in rule.version_spec
            else rule.version_spec
        )
        return version_verdict(tool, match.groups["spec"]) if "spec" in match.groups else None
    if rule.version:
        return _stated_version(rule.version, match)
    return Verdict(
        failure=FailureClass(rule.failure),
        detail=rule.detail.replace("{name}", match.name).rstrip(":"),
        remedy=_remedy(rule.remedy, match),
    )


def _stated_version(version: str, match: Match) -> Verdict | None:
    if "version" not in match.groups:
        return None
    tool = version.rstrip("<>=")
    return version_verdict(tool, f"{version[len(tool) :]}{match.groups['version'].rstrip('.')}")


def _remedy(template: Mapping[str, str], match: Match) -> dict[str, str | None]:
    remedy: dict[str, str | None] = {
        key: value.replace("{name}", match.name) for key, value in template.items()
    }
    optional = {"switch_runtime": "version", "choose_other_command": "hint"}
    missing = optional.get(template.get("action", ""))
    if missing:
        remedy.setdefault(missing, None)
    return remedy


def _timeout(failure: Failure, output: Output) -> Verdict:
    watching = next((line for line in output.lines if _WATCHING.fullmatch(line.text)), None)
    if watching and not output.failed:
        evidence = Evidence(line=watching.number, text=watching.text.strip()[:_EVIDENCE_LENGTH])
        return replace(wrong_command("watch_mode", _finite(failure, output)), evidence=evidence)
    if output.failed:
        return code("assertion")
    evidence = Evidence(line=0, text=f"exit code {failure.exit_code}")
    return Verdict(
        failure=FailureClass.TIMEOUT,
        detail="wall_clock",
        remedy=raise_limit("time"),
        evidence=evidence,
    )


def _finite(failure: Failure, output: Output) -> str | None:
    """Return the command that runs the same tests once; None where it is not known."""
    text = f"{failure.command}\n" + "\n".join(line.text for line in output.lines)
    for word, command in (
        ("vitest", "npx vitest run"),
        ("DEV  v", "npx vitest run"),
        ("jest", "npx jest --watchAll=false"),
        ("Watch Usage", "npx jest --watchAll=false"),
        ("cargo watch", "cargo test"),
        ("[Finished running", "cargo test"),
        ("tsc", "npx tsc --noEmit"),
        ("ava", "npx ava"),
        ("mocha", "npx mocha"),
    ):
        if word in text:
            return command
    return None


def _by_exit_code(failure: Failure, output: Output) -> Verdict | None:
    if failure.exit_code not in _KILLED or output.failing:
        return None
    evidence = Evidence(line=0, text=f"exit code {failure.exit_code}")
    return Verdict(
        failure=FailureClass.RESOURCE,
        detail="out_of_memory",
        remedy=raise_limit("memory"),
        evidence=evidence,
    )


def _by_version(failure: Failure, output: Output) -> Verdict | None:
    """Return the verdict that the wrong version ran: nothing could be loaded, and it is excluded."""
    excluded = is_excluded(failure)
    if excluded is None or output.ran:
        return None
    for line in output.lines:
        if _SYNTAX.fullmatch(line.text):
            evidence = Evidence(line=line.number, text=line.text.strip()[:_EVIDENCE_LENGTH])
            return replace(version_verdict(*excluded), evidence=evidence)
    return None


def _code(failure: Failure, output: Output) -> Verdict:
    if failure.exit_code in _CRASHED:
        return code("crash")
    return code(code_detail(failure, output))
