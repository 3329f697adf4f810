"""Looks at what was changed before it counts as done: nothing is proved by weaker proof. Pure.

Signs, not a judgement of the code: tests that are gone or skipped, assertions that became fewer,
settings of tests, lint or CI that changed without being asked for, secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_TEST_FILE = re.compile(
    r"(?:.*/)?(?:tests?|specs?|__tests__|testing)/.*|(?:.*/)?(?:test_[^/]*|[^/]*_test|[^/]*[._-](?:test|spec)|[^/]*Tests?)\.\w+"
    r"|(?:.*/)?conftest\.py"
)
_SETTINGS = re.compile(
    r"\.github/.*|\.gitlab-ci\.yml|\.circleci/.*|\.travis\.yml|azure-pipelines\.ya?ml|Jenkinsfile|bitbucket-pipelines\.yml"
    r"|(?:.*/)?(?:tox\.ini|pytest\.ini|\.coveragerc|noxfile\.py|conftest\.py|setup\.cfg|ruff\.toml|\.ruff\.toml|mypy\.ini|\.flake8"
    r"|\.eslintrc[\w.]*|eslint\.config\.\w+|\.?(?:jest|vitest|karma|playwright|cypress)\.config\.\w+|\.mocharc[\w.]*"
    r"|tsconfig[\w.]*\.json|\.golangci\.ya?ml|clippy\.toml|phpunit[\w.]*\.xml(?:\.dist)?|\.rspec|\.pre-commit-config\.yaml|Makefile|justfile)"
)
_TEST = re.compile(
    r"^\s*(?:async\s+)?(?:def\s+test\w*|func\s+Test\w*|(?:it|test|specify)(?:\.each\b.*)?\s*\(|#\[(?:\w+::)?test\]|@(?:Test|ParameterizedTest)\b"
    r"|test\s+[\"']|TEST(?:_F|_P)?\s*\(|(?:public\s+)?function\s+test\w*)",
    re.MULTILINE,
)
_ASSERTION = re.compile(
    r"\b(?:assert\w*!?|self\.assert\w+|expect\s*\(|should\b|t\.(?:Error|Fatal)f?|require\.\w+|EXPECT_\w+|ASSERT_\w+)"
)
_SKIP = re.compile(
    r"@pytest\.mark\.(?:skip|xfail)|pytest\.skip\(|unittest\.(?:skip|expectedFailure)|@skip\b|\b(?:it|test|describe|context)\.(?:skip|todo|only)\b"
    r"|\bx(?:it|describe|test)\s*\(|\bf(?:it|describe)\s*\(|#\[ignore|\bt\.Skip\w*\(|@(?:Disabled|Ignore)\b|\bskip\s*\(|pending\s*\(|markTestSkipped"
    r"|# *(?:type: ignore|noqa|pragma: no cover)|eslint-disable|@ts-(?:ignore|nocheck|expect-error)|//nolint"
)
_EXIT = re.compile(
    r"\b(?:os\._exit|sys\.exit|process\.exit|os\.Exit|std::process::exit)\s*\(\s*0?\s*\)"
)
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bxox[abprs]-[\w-]{10,}|\bsk-[A-Za-z0-9_-]{32,}"
    r"|\bAIza[\w-]{30,}|\bglpat-[\w-]{20,}|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One file, before and after."""

    path: str
    before: str | None
    """None: it is new."""
    after: str | None
    """None: it is gone, or no text."""


def find_complaints(changes: Sequence[Change], targets: Sequence[str]) -> tuple[str, ...]:
    """Return what is wrong with a set of changes, a sentence each; empty when nothing is.

    Args:
        changes: every file that differs, by path.
        targets: the files that the task is about: their settings may change.
    """
    if not changes:
        return ("nothing was changed",)
    asked = set(targets)
    found = (line for change in changes for line in _of_file(change, asked))
    return (*found, *_of_tests(changes))


def _of_file(change: Change, asked: set[str]) -> Iterator[str]:
    path, after = change.path, change.after or ""
    before = change.before or ""
    if _SETTINGS.fullmatch(path) and path not in asked:
        yield f"{path} decides how the work is tested or checked, and the task is not about it"
    if path == "package.json" or path.endswith("/package.json"):
        yield from _of_scripts(change)
    if found := _new(_SECRET, before, after):
        yield f"{path} holds what looks like a secret: {found[:8]}…"
    if _TEST_FILE.fullmatch(path):
        if change.before is not None and change.after is None:
            yield f"{path} is a test, and gone"
        if found := _new(_EXIT, before, after):
            yield f"{path} ends the tests by itself: {found}"
    if found := _new(_SKIP, before, after):
        yield f"{path} turns a check off: {found}"


def _of_scripts(change: Change) -> Iterator[str]:
    script = re.compile(r'"(?:pre|post)?(?:test|lint|check)[\w:-]*"\s*:\s*"[^"\n]*"')
    if script.findall(change.before or "") != script.findall(change.after or ""):
        yield f"{change.path} changes how the tests are started"


def _of_tests(changes: Sequence[Change]) -> Iterator[str]:
    """Yield what became fewer in all test files together: tests may move between them."""
    tests = [change for change in changes if _TEST_FILE.fullmatch(change.path)]
    counts: Mapping[str, re.Pattern[str]] = {"tests": _TEST, "assertions": _ASSERTION}
    for name, pattern in counts.items():
        before = sum(len(pattern.findall(change.before or "")) for change in tests)
        after = sum(len(pattern.findall(change.after or "")) for change in tests)
        if after < before:
            yield f"there are {before - after} {name} fewer than before"


def _new(pattern: re.Pattern[str], before: str, after: str) -> str:
    """Return the first match that there are more of after than before; empty without one."""
    known = [found[0] for found in pattern.finditer(before)]
    for found in pattern.finditer(after):
        if found[0] in known:
            known.remove(found[0])
        else:
            return found[0]
    return ""
