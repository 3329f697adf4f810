"""Scores the decisions on repositories against the corpus, by the rules its README states."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from iris_harness.daemon.hints import HintAnswer, Intent, Outcome, resolve_hint
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
