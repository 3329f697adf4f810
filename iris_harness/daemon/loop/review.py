"""Looks at what was changed before it counts as done: nothing is proved by weaker proof. Pure.

Signs, not a judgement of the code: tests that are gone or skipped, assertions that became fewer or
hollow, settings of tests, lint or CI that changed without being asked for, secrets.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from iris_harness.daemon.loop.review_signs import (
    ASSERTION,
    EXIT,
    HOLLOW,
    OFF,
    OFF_IN_TESTS,
    SECRET,
    SETTINGS,
    TEST,
    TEST_FILE,
)

_RUNNERS = ("jest", "vitest", "mocha", "ava", "nyc", "c8", "tap", "eslintConfig", "xo")
_TOOLS = (
    "pytest", "coverage", "tox", "nox", "ruff", "mypy", "pyright", "basedpyright", "pylint", "flake8",
    "black", "isort", "poe", "hatch", "taskipy", "pdm",
)  # fmt: skip
_STARTER = re.compile(
    r"(?:.*/)?(?:scripts?|tools?|ci|hack|bin)/.*|.*\.(?:sh|bash|bat|ps1)|(?:.*/)?[^/]*(?:test|check|verify|run)[^/]*"
)
_RUN = re.compile(r"^(?:pre|post)?(?:test|lint|check|verify|ci)\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One file, before and after."""

    path: str
    before: str | None
    """None: it is new."""
    after: str | None
    """None: it is gone, or no text."""
    leaves: bool = False
    """It is a link out of the repository, or another repository in it: nothing that can be reviewed."""


def find_complaints(
    changes: Sequence[Change], targets: Sequence[str], command: str = ""
) -> tuple[str, ...]:
    """Return what is wrong with a set of changes, a sentence each; empty when nothing is.

    Args:
        changes: every file that differs, by path.
        targets: the files and folders that the task is about: their settings may change.
        command: the test command; a script of the repository that it runs is a setting as well.
    """
    if not changes:
        return ("nothing was changed",)
    started = {word.strip("'\"").removeprefix("./") for word in re.split(r"[\s;&|()]+", command)}
    found = (
        line
        for change in changes
        for line in _of_file(change, _is_asked(change.path, targets), started)
    )
    return (*found, *_of_tests(changes))


def _is_asked(path: str, targets: Sequence[str]) -> bool:
    return any(path == one or (one.endswith("/") and path.startswith(one)) for one in targets)


def _of_file(
    change: Change,
    is_asked: bool,  # noqa: FBT001 - as `_is_asked` gives it
    started: Collection[str],
) -> Iterator[str]:
    path, after = change.path, change.after or ""
    before = change.before or ""
    if change.leaves:
        yield f"{path} leads out of the repository, or is a repository of its own"
    starts = path in started and _STARTER.fullmatch(path) and not TEST_FILE.fullmatch(path)
    if not is_asked and (SETTINGS.fullmatch(path) or starts or _changed_tables(change)):
        yield f"{path} decides how the work is tested or checked, and the task is not about it"
    if path.rpartition("/")[2] == "package.json" and _changed_scripts(change, is_asked):
        yield f"{path} changes how the tests are started"
    if found := _new(SECRET, before, after):
        yield f"{path} holds what looks like a secret: {found[:8]}…"
    yield from _of_test(change)
    if found := _new(OFF, before, after):
        yield f"{path} turns a check off: {found}"


def _of_test(change: Change) -> Iterator[str]:
    path, before, after = change.path, change.before or "", change.after or ""
    if not TEST_FILE.fullmatch(path):
        return
    if change.before is not None and change.after is None:
        yield f"{path} is a test, and gone"
    if found := _new(EXIT, before, after):
        yield f"{path} ends the tests by itself: {found}"
    if found := _new(OFF_IN_TESTS, before, after):
        yield f"{path} turns a test off: {' '.join(found.split())}"


def _changed_tables(change: Change) -> bool:
    """Return whether a pyproject.toml says something else to a tool that tests or checks."""
    if change.path.rpartition("/")[2] != "pyproject.toml":
        return False
    before, after = (_tools(text) for text in (change.before, change.after))
    return any(before.get(name) != after.get(name) for name in _TOOLS)


def _tools(text: str | None) -> Mapping[str, object]:
    try:
        found = tomllib.loads(text or "").get("tool", {})
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _changed_scripts(change: Change, is_asked: bool) -> bool:  # noqa: FBT001 - as `_is_asked` gives it
    """Return whether a package.json starts, or sets up, tests otherwise.

    A script that is new is no matter, unless its name makes it run before or after another.
    """
    before, after = (_package(text) for text in (change.before, change.after))
    old, new = (_scripts(found) for found in (before, after))
    if any(name in new and new[name] != old.get(name) for name in new if _RUN.match(name)):
        return True
    if any(new.get(name) != old[name] for name in old if _RUN.match(name) or not is_asked):
        return True
    hooks = [name for name in new if name not in old and name.startswith(("pre", "post"))]
    return bool(hooks) or any(before.get(key) != after.get(key) for key in _RUNNERS)


def _package(text: str | None) -> Mapping[str, object]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _scripts(package: Mapping[str, object]) -> Mapping[str, object]:
    found = package.get("scripts")
    return found if isinstance(found, dict) else {}


def _of_tests(changes: Sequence[Change]) -> Iterator[str]:
    """Yield what became fewer in all test files together: tests may move between them."""
    tests = [change for change in changes if TEST_FILE.fullmatch(change.path)]
    for name, count in (("tests", _tests), ("assertions", _assertions)):
        before = sum(count(change.before or "") for change in tests)
        after = sum(count(change.after or "") for change in tests)
        if after < before:
            yield f"there are {before - after} {name} fewer than before"


def _tests(text: str) -> int:
    return len(TEST.findall(text))


def _assertions(text: str) -> int:
    """Return how many assertions there are that something can break."""
    lines = (line for line in text.splitlines() if not HOLLOW.search(line))
    return sum(len(ASSERTION.findall(line)) for line in lines)


def _new(pattern: re.Pattern[str], before: str, after: str) -> str:
    """Return the first match that there are more of after than before; empty without one."""
    known = [found[0] for found in pattern.finditer(before)]
    for found in pattern.finditer(after):
        if found[0] in known:
            known.remove(found[0])
        else:
            return found[0]
    return ""
