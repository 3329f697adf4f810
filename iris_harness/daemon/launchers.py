"""Words that only launch another command: time limits, environments, package runners."""

from __future__ import annotations

import re
from typing import NamedTuple

# Words before the command that change nothing about which tests run: left out of the answer.
_WRAPPERS = {
    "sudo", "time", "command", "exec", "env", "nice", "nohup", "stdbuf", "timeout", "gtimeout",
    "xvfb-run", "dbus-run-session", "unbuffer", "travis_wait", "travis_retry", "cross-env",
    "cross-env-shell", "wine", "catchsegv", "faketime", "setarch", "ionice", "chronic", "@",
    "retry", "tee", "eatmydata", "builtin", "eval", "then", "caffeinate", "firejail",
}  # fmt: skip

# Launchers that bring a tool of the project; kept in the answer. Their own options may precede
# the command.
_LAUNCHERS = tuple(
    (re.compile(pattern), runtime)
    for pattern, runtime in (
        (r"(?:uv|poetry|pipenv|pdm|rye|pixi|hatch|conda|mamba|micromamba|hatch -e \S+) run", "python"),
        (r"hatch env run", "python"),
        (r"(?:uvx|pipx run|uv tool run|coverage run|coverage3 run|kernprof|pipenv-shell|tox run-parallel -q --)", "python"),
        (r"python(?:[23](?:\.\d+)?)?|py|pypy3?|\$\{?PYTHON\}?", "python"),
        (r"npx|pnpm exec|pnpm dlx|pnpx|yarn exec|yarn dlx|yarn run -T|npm exec|dotenv|env-cmd|c8|nyc|wireit|nuc", "node"),
        (r"bunx|bun x|bun --bun", "bun"),
        (r"bundle exec|bundle _\S+_ exec|spring|appraisal", "ruby"),
        (r"opam exec", "ocaml"),
        (r"mise exec|mise x|nix develop|nix-shell|devbox run|guix shell|direnv exec \.|rtx exec|asdf exec|flox activate", ""),
    )
)  # fmt: skip
_SHELL_SCRIPT = (("-c",), ("-ec",), ("-lc",), ("-euc",), ("-xc",))
_NUMBER = re.compile(r"\d+[smhd]?|[\d.]+[smhd]")


class Launched(NamedTuple):
    """A command and what launches it."""

    words: tuple[str, ...]
    """The whole command without wrappers."""
    core: tuple[str, ...]
    """The command that is launched."""
    runtime: str
    """What the launchers need; empty where they need nothing."""

    @property
    def text(self) -> str:
        """The core as one line, for matching."""
        return " ".join(self.core)


def unwrap(words: tuple[str, ...]) -> Launched:
    """Return the command in `words`, and the core that its launchers run."""
    words = _without_wrappers(words)
    core, runtime = words, ""
    for _ in range(4):
        step = _launcher(core)
        if step is None:
            break
        core, found = step
        runtime = runtime or found
    return Launched(words, _installed(core), runtime)


def _installed(core: tuple[str, ...]) -> tuple[str, ...]:
    """Return the core with the name of a program for its place in an environment's folder."""
    if core and re.search(
        r"(?:venv|env|node_modules/\.|\$\{?\w+\}?)/?(?:bin|Scripts)?/[\w.-]+$", core[0]
    ):
        return (core[0].rpartition("/")[2], *core[1:])
    return core


def _without_wrappers(words: tuple[str, ...]) -> tuple[str, ...]:
    while words:
        first = words[0].rpartition("/")[2]
        if first in {"bash", "sh", "zsh"} and words[1:2] in _SHELL_SCRIPT and words[2:]:
            words = tuple(words[2].split())
        elif first in _WRAPPERS:
            words = words[1:]
            while words and (
                words[0].startswith("-") or _NUMBER.fullmatch(words[0]) or _is_assignment(words[0])
            ):
                words = words[1:]
        elif _is_assignment(words[0]):
            words = words[1:]
        else:
            break
    return words


def _is_assignment(word: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_]\w*=.*", word, re.DOTALL))


def _launcher(words: tuple[str, ...]) -> tuple[tuple[str, ...], str] | None:
    """Return what one launcher runs, and its runtime; None where there is none."""
    first = words[0].rpartition("/")[2] if words else ""
    for length in (3, 2, 1):
        head = " ".join((first, *words[1:length]))
        for pattern, runtime in _LAUNCHERS:
            if len(words) > length - 1 and pattern.fullmatch(head):
                rest = _after_options(words[length:], takes_module=runtime == "python")
                return (rest, runtime) if rest else None
    return None


# Options of launchers that take a value in the next word.
_VALUED = {
    "--with", "--python", "-p", "--group", "--extra", "--package", "-w", "--filter", "-e", "-n",
    "--env", "--only-group", "--with-requirements", "--project", "--directory", "-W", "-X",
    "--rcfile", "--source", "--spec", "-f", "--no-group", "-r", "--name",
}  # fmt: skip


def _after_options(words: tuple[str, ...], *, takes_module: bool) -> tuple[str, ...]:
    while words:
        first = words[0]
        if first in {"--", "-c", "--command", "--run", "-m", "--module"}:
            words = words[1:]
            if first in {"-c", "--command", "--run"} and words and not takes_module:
                return tuple(words[0].split()) + words[1:]
            if first in {"-m", "--module"}:
                return words
        elif first.startswith("-"):
            words = words[2:] if first in _VALUED and len(words) > 1 else words[1:]
        elif first.startswith(("${{", "+")):
            words = words[1:]
        else:
            break
    return words
