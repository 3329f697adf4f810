"""Utterances with what they mean, from the collected files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One utterance."""

    text: str
    intent: str
    source: str
    also: tuple[str, ...] = ()
    """Other intents that are right as well."""

    def accepts(self, intent: str) -> bool:
        """Return whether `intent` is a right answer."""
        return intent == self.intent or intent in self.also


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a JSON-lines file, in its order."""
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return [
        Row(
            text=row["text"],
            intent=row["intent"],
            source=row["source"],
            also=tuple(row.get("ok", ())),
        )
        for row in rows
    ]


def without_source(rows: Iterable[Row], source: str) -> list[Row]:
    """Return the rows that come from elsewhere."""
    return [row for row in rows if row.source != source]
