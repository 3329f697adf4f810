"""What the CI's job does before it tests: what it installs, and how. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iris_harness.daemon.ci import CiFiles, Step, ci_steps
from iris_harness.daemon.evidence import Source
from iris_harness.daemon.shell import Command, join_words, split_script
from iris_harness.daemon.targets import in_folder

_PROJECT = re.compile(r"\.(?:/[\w./-]*)?(?:\[[\w,.\s-]*\])?")
_BARE_TOOLS = frozenset({"pip", "setuptools", "wheel", "build"})
_LEFT_OUT = frozenset({"--user", "--system", "--break-system-packages"})


def earlier_commands(ci: CiFiles, step: Step | None) -> Iterator[tuple[Command, Source]]:
    """Yield the commands of a step's job before it, in the folder where each runs.

    Args:
        ci: the CI files.
        step: one of them; None yields nothing.
    """
    for earlier in ci_steps(ci) if step else ():
        if step is None or (earlier.file, earlier.names[:2]) != (step.file, step.names[:2]):
            continue
        if earlier.line >= step.line or earlier.uses:
            continue
        for command in split_script(earlier.script):
            folder = in_folder(earlier.folder, command.folder) if command.folder else earlier.folder
            yield (
                command._replace(folder=folder),
                ci.evidence.at(earlier.file, earlier.line + command.line),
            )


def pip_lines(ci: CiFiles, step: Step | None) -> tuple[str, ...]:
    """Return the lines with which a job's pip installs the project or its lists; empty for none.

    What is worked on is installed so that changes of its sources count at once.
    """
    found = [
        (line, words)
        for command, _ in earlier_commands(ci, step)
        if not command.conditional and (words := _pip_words(command.words))
        for line in [_line(command.folder, words)]
    ]
    if not any(_installs_project(words) for _, words in found):
        return ()
    return tuple(dict.fromkeys(line for line, _ in found))


def _pip_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what pip is asked to install; empty where it is not, or where it cannot be told."""
    text = " ".join(words)
    found = re.match(r"(?:sudo )?(?:(?:python|py)[\d.]* -m pip|pip[\d.]*|uv pip) install ", text)
    rest = (
        tuple(word for word in words[found[0].count(" ") :] if word not in _LEFT_OUT)
        if found
        else ()
    )
    operands = {word for word in rest if not word.startswith("-")}
    if not operands - _BARE_TOOLS or any(re.search(r"[$`{]|\.whl$|^dist/", w) for w in rest):
        return ()
    kept: list[str] = []
    for before, word in zip(("", *rest), rest, strict=False):
        is_plain_project = _PROJECT.fullmatch(word) and before not in {
            "-e",
            "--editable",
            "-r",
            "-c",
        }
        kept += ["-e", word] if is_plain_project else [word]
    return tuple(kept)


def _line(folder: str, words: tuple[str, ...]) -> str:
    line = f"python -m pip install {join_words(words)}"
    return f"cd {join_words((folder,))} && {line}" if folder else line


def _installs_project(words: tuple[str, ...]) -> bool:
    return any(word in {"-e", "--editable", "-r", "--requirement", "--group"} for word in words)
