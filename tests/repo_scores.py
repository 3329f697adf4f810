"""Scores the decisions on repositories against the corpus, by the rules its README states."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from iris_harness.daemon.failures.classify import load_classifier, parse_failure
from iris_harness.daemon.failures.model import Verdict
from iris_harness.daemon.gather import read_evidence
from iris_harness.daemon.hints import HintAnswer, Intent, Outcome, resolve_hint
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.tree import Tree, build_tree, parse_listing

Row = Mapping[str, Any]


@dataclass(frozen=True)
class HintScore:
    """How a list of hints was answered."""

    rows: int
    wrong: tuple[str, ...]
    """One line for each hint that was answered wrongly."""

    @property
    def share(self) -> float:
        """The share answered rightly."""
        return 1 - len(self.wrong) / self.rows


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def score_hints(corpus: Path, name: str = "handed") -> HintScore:
    """Score by outcome and path; an unresolved one also passes with its tolerated path."""
    rows = read_rows(corpus / "hints" / f"{name}.jsonl")
    wrong = []
    for row in rows:
        tree = build_tree(row["tree"]) if "tree" in row else _tree(corpus, row["repo"])
        answer = answer_hint(row, tree)
        if not _hint_is_right(answer, row["expected"]):
            wrong.append(f"{row['id']} {row['category']} {row['hint']!r}: {answer}")
    return HintScore(len(rows), tuple(wrong))


def answer_hint(row: Row, tree: Tree) -> HintAnswer:
    intent = Intent(row["intent"]) if row["intent"] else None
    return resolve_hint(row["hint"], tree, intent=intent, discovery=row["discovery"])


def _hint_is_right(answer: HintAnswer, expected: Row) -> bool:
    if expected["outcome"] == "unresolved" and answer.path is not None:
        return answer.outcome is Outcome.EDIT and answer.path == expected.get("tolerated_path")
    paths = {expected["path"], *expected.get("accept_paths", ())}
    return answer.outcome == expected["outcome"] and answer.path in paths


@cache
def _tree(corpus: Path, repo: str) -> Tree:
    return parse_listing((corpus / "repos" / repo / "files.txt").read_bytes())


@dataclass(frozen=True)
class FailureScore:
    """How a list of failures was classified."""

    recognised: int
    environment: int
    """How many are the environment's."""
    blamed: int
    code: int
    """How many are the code's."""
    details: int
    """How many of the environment's have the right detail."""
    remedies: int
    wrong: tuple[str, ...]
    """One line for each that was put in a wrong class."""
    imprecise: tuple[str, ...]
    """One line for each whose detail or remedy is another."""


def score_failures(corpus: Path, name: str = "handed") -> FailureScore:
    """Score by whether the environment is blamed; details and remedies beside it."""
    classifier = load_classifier()
    rows = read_rows(corpus / "failures" / f"{name}.jsonl")
    answers = [(row, row["expected"], classifier.classify(parse_failure(row))) for row in rows]
    env = [item for item in answers if item[1]["is_environment"]]
    rest = [item for item in answers if not item[1]["is_environment"]]
    right = [item for item in env if item[2].is_environment]
    return FailureScore(
        recognised=len(right),
        environment=len(env),
        blamed=sum(verdict.is_environment for _, _, verdict in rest),
        code=len(rest),
        details=sum(_detail_is_right(verdict, expected) for _, expected, verdict in env),
        remedies=sum(dict(verdict.remedy) == expected["remedy"] for _, expected, verdict in env),
        wrong=tuple(
            f"{row['id']} {verdict}"
            for row, expected, verdict in answers
            if verdict.failure != expected["class"]
        ),
        imprecise=tuple(
            f"{row['id']} {verdict.detail} {dict(verdict.remedy)} for {expected}"
            for row, expected, verdict in answers
            if not _detail_is_right(verdict, expected) or dict(verdict.remedy) != expected["remedy"]
        ),
    )


def _detail_is_right(verdict: Verdict, expected: Row) -> bool:
    return verdict.detail in {expected["detail"], *expected["accept_details"]}


@dataclass(frozen=True)
class RepoScore:
    """How the test commands and runtimes of the collected repositories were found."""

    points: float
    repos: int
    rejected: int
    runtimes: int
    """How many runtime families are right."""
    lines: tuple[str, ...]
    """One for each repository."""

    @property
    def share(self) -> float:
        """The points reached of all there are."""
        return self.points / self.repos


def score_command(command: str | None, expected: Row) -> float:
    """Accepted 1, partial 0.5, none 0, rejected -1; none where there is none counts 1."""
    accepted = expected["test_command_accepted"]
    if command is None:
        return 0.0 if accepted else 1.0
    text = " ".join(command.split())
    if text in accepted or any(
        re.fullmatch(p, text) for p in expected["test_command_accept_regex"]
    ):
        return 1.0
    if text in expected["test_command_partial"]:
        return 0.5
    rejected = text in {row["cmd"] for row in expected["test_command_rejected"]}
    return -1.0 if rejected or not accepted else 0.0


def score_repos(corpus: Path) -> RepoScore:
    """Score test command and runtime family of every repository."""
    points, rejected, runtimes, lines = 0.0, 0, 0, []
    folders = sorted(path for path in (corpus / "repos").iterdir() if path.is_dir())
    for folder in folders:
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        report = inspect_repository(read_evidence(folder))
        chosen = report.test.chosen
        got = score_command(chosen.command if chosen else None, expected)
        points += got
        rejected += got < 0
        same = report.runtime.name == expected["runtime"]["name"]
        runtimes += same
        lines.append(
            f"{got:+.1f} {'ok' if same else '!!'} {folder.name}: {chosen and chosen.command!r}"
            f" ({report.runtime.name} for {expected['runtime']['name']})"
        )
    return RepoScore(points, len(folders), rejected, runtimes, tuple(lines))
