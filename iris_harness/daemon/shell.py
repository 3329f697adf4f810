"""Shell scripts as CI files hold them, split into their simple commands. Nothing is run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

_MAX_CHARACTERS = 100_000
# What a shell or a CI puts in place: one word, whatever is in it.
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}|\$\([^()\n]*\)|`[^`\n]*`", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_KEYWORDS = frozenset(
    "if then else elif fi for while until do done case esac in select function { } ! [[ ]] [".split()  # noqa: SIM905 - words
)
_OPERATORS = {"&&", "||", ";", "|", "|&", "&", "(", ")"}
_REDIRECTION = re.compile(r"(?:\d*|&)(?:>>?|<)(?:&\d|&-)?\S*")


class Command(NamedTuple):
    """One simple command of a script."""

    words: tuple[str, ...]
    """Without assignments and redirections; expressions of the CI stand as ``${{…}}``."""
    line: int
    """0-based line in the script."""
    folder: str = ""
    """Where it runs by a ``cd`` before it, relative to the start; empty at the start."""
    environment: tuple[tuple[str, str], ...] = ()
    """Assignments before it."""
    conditional: bool = False
    """It stands in a branch or a loop."""

    @property
    def text(self) -> str:
        """The command as a shell would read it again."""
        return join_words(self.words)


def join_words(words: tuple[str, ...] | list[str]) -> str:
    """Return words as one line; quotes only where a shell needs them."""
    return " ".join(word if _is_plain(word) else shlex.quote(word) for word in words)


def _is_plain(word: str) -> bool:
    return (bool(word) and not re.search(r"[\s\"'`\\|&;<>()$*?\[\]#~!{}]", word)) or word in {
        "./...",
        "...",
    }


def split_script(text: str) -> tuple[Command, ...]:
    """Return the simple commands of a script, in order. Bounded, never raises."""
    commands: list[Command] = []
    folder, depth = "", 0
    for number, line in _logical_lines(text[:_MAX_CHARACTERS]):
        for words in _simple(line):
            depth = max(0, depth + _opened(words))
            bare = _without_keywords(words)
            environment, rest = _assignments(bare)
            if not rest:
                continue
            if rest[0] in {"cd", "pushd"} and len(rest) > 1:
                folder = _joined(folder, rest[1])
            elif rest[0] == "popd":
                folder = ""
            else:
                commands.append(Command(tuple(rest), number, folder, environment, depth > 0))
    return tuple(commands)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their continuations joined, without comments and here-documents."""
    end: str | None = None
    held, start = "", 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
        if end is not None:
            end = None if line.strip() == end else end
            continue
        if not held:
            start = number
        if line.rstrip().endswith("\\") or (held and line.rstrip().endswith(("&&", "||", "|"))):
            held += line.rstrip().removesuffix("\\") + " "
            continue
        whole, held = held + line, ""
        heredoc = _HEREDOC.search(whole)
        if heredoc:
            end = heredoc[2]
            whole = whole[: heredoc.start()]
        yield start, whole
    if held:
        yield start, held


def _simple(line: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a line; what follows a pipe is left out."""
    guarded, kept = _guarded(line)
    lexer = shlex.shlex(guarded, posix=True, punctuation_chars="&|;()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] = []
    piped = False
    try:
        tokens = list(lexer)
    except ValueError:  # an open quote: a string over several lines
        tokens = guarded.replace('"', " ").replace("'", " ").split()
    for token in tokens:
        if token in _OPERATORS or set(token) <= set("&|;()"):
            if words and not piped:
                yield words
            words = []
            piped = token in {"|", "|&"}
        elif not _REDIRECTION.fullmatch(token):
            words.append(_restored(token, kept))
    if words and not piped:
        yield words


def _guarded(line: str) -> tuple[str, list[str]]:
    """Return the line with each CI expression as one word, and the expressions."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\x01{len(kept) - 1}\x02"

    return _EXPRESSION.sub(keep, line), kept


def _restored(token: str, kept: list[str]) -> str:
    return re.sub("\x01(\\d+)\x02", lambda match: kept[int(match[1])], token)


def _opened(words: list[str]) -> int:
    opens = sum(word in {"if", "for", "while", "until", "case", "select"} for word in words[:1])
    closes = sum(word in {"fi", "done", "esac"} for word in words[:1])
    return opens - closes


def _without_keywords(words: list[str]) -> list[str]:
    if words[0] in {"for", "case", "select", "function", "[[", "["}:
        return []
    index = 0
    while index < len(words) and words[index] in _KEYWORDS:
        index += 1
    return words[index:]


def _assignments(words: list[str]) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    found = []
    index = 0
    while index < len(words) and _ASSIGNMENT.fullmatch(words[index]):
        name, _, value = words[index].partition("=")
        found.append((name, value))
        index += 1
    return tuple(found), words[index:]


def _joined(folder: str, step: str) -> str:
    step = step.strip("\"'").removeprefix("./")
    if step.startswith(("/", "$", "~")) or step in {"-", ""}:
        return ""
    parts = [part for part in f"{folder}/{step}".split("/") if part not in {"", "."}]
    kept: list[str] = []
    for part in parts:
        if part != "..":
            kept.append(part)
        elif kept:
            kept.pop()
    return "/".join(kept)
