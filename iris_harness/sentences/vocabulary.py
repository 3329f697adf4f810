"""The word pieces of uncased BERT: what MiniLM reads, and, the words among them, common English."""

from __future__ import annotations

from importlib import resources


def read_vocabulary(language: str = "en") -> list[str]:
    """Return all word pieces of a language's model; a piece's number is its place."""
    file = resources.files("iris_harness.sentences").joinpath(f"vocabulary_{language}.txt")
    return file.read_text("utf-8").removesuffix("\n").split("\n")
