"""`iris chat` on a real pseudo-terminal, and with lines piped in."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import RunIris

PATIENCE_SECONDS = 20.0


class Terminal:
    """A program on a pseudo-terminal: what it shows, and keys to press."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._screen, theirs = pty.openpty()
        # What runs in the background of a script ignores Ctrl-C, and what it starts does too.
        heeding = ("env", "--default-signal=INT")
        self.program = subprocess.Popen(
            [*heeding, *command], stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
            close_fds=True,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def press(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def wait_for(self, text: str) -> str:
        """Read until `text` is shown after what was waited for before."""
        give_up = time.perf_counter() + PATIENCE_SECONDS
        while text not in self.shown:
            left = give_up - time.perf_counter()
            ready, _, _ = select.select([self._screen], [], [], max(left, 0))
            if not ready:
                pytest.fail(f"{text!r} was not shown; the screen has {self.shown!r}")
            self.shown += os.read(self._screen, 65536).decode(errors="replace")
        before, _, self.shown = self.shown.partition(text)
        return before

    def interrupt(self) -> None:
        """Press Ctrl-C once the screen is quiet, as a person does.

        Python's line editor does not hear an interrupt that comes just while it handles a key.
        """
        while select.select([self._screen], [], [], 0.5)[0]:
            self.shown += os.read(self._screen, 65536).decode(errors="replace")
        os.killpg(self.program.pid, signal.SIGINT)

    def close(self) -> None:
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait()
        os.close(self._screen)


ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"}


def chat_command() -> list[str]:
    return [sys.executable, "-m", "iris_harness", "chat", "--demo"]


@pytest.fixture
def chat(home: Path) -> Iterator[Terminal]:
    terminal = Terminal(chat_command(), {**ENVIRONMENT, "HOME": str(home)})
    yield terminal
    terminal.close()


def test_a_conversation_answers_and_ends_with_control_d(chat: Terminal) -> None:
    chat.wait_for("> ")
    chat.press("what time is it\n")
    chat.wait_for("8:00")
    chat.wait_for("> ")
    chat.press("\x04")
    assert chat.program.wait(PATIENCE_SECONDS) == 0


def test_an_earlier_line_comes_back_with_the_up_key(chat: Terminal) -> None:
    chat.wait_for("> ")
    chat.press("what time is it\n")
    chat.wait_for("8:00")
    chat.wait_for("> ")
    chat.press("\x1b[A\n")
    chat.wait_for("8:00")


def test_control_c_while_typing_clears_the_line_and_stays(chat: Terminal) -> None:
    chat.wait_for("> ")
    chat.press("plan my")
    chat.wait_for("plan my")
    chat.interrupt()
    chat.wait_for("> ")
    chat.press("what time is it\n")
    chat.wait_for("8:00")


def test_the_history_is_private(chat: Terminal, home: Path) -> None:
    chat.wait_for("> ")
    chat.press("what time is it\n")
    chat.wait_for("8:00")
    chat.wait_for("> ")
    chat.press("/quit\n")
    chat.program.wait(PATIENCE_SECONDS)
    (history,) = home.rglob("chat_history")
    assert "what time is it" in history.read_text()
    assert history.stat().st_mode & 0o777 == 0o600


def test_piped_lines_are_answered_one_after_another(iris: RunIris) -> None:
    result = iris("chat", "--demo", stdin="what time is it\nplan my day\n")
    assert result.returncode == 0
    assert "8:00" in result.stdout
    assert "Timeline" in result.stdout
    assert "> " not in result.stdout


def test_an_unknown_command_is_explained(iris: RunIris) -> None:
    result = iris("chat", "--demo", stdin="/dance\n/help\n")
    assert "/dance" in result.stdout
    assert "/quit" in result.stdout


SLEEPER = """\
import time

from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, Intent, Rule, RoutingRule


def sleep(task):
    time.sleep(600)
    return HandlerResult(text="awake")


def agent(ports):
    intent = Intent(
        name="sleep",
        description="sleep",
        examples=("sleep well",),
        rules=(RoutingRule(pattern="sleep well", kind=Rule.EXACT),),
    )
    return Agent(name="sleeper", intents=(intent,), handler=sleep)
"""


def install_agent(folder: Path, name: str, source: str) -> None:
    """Put an agent's package into `folder` as pip would: a module and its metadata."""
    (folder / f"{name}_agent.py").write_text(source)
    metadata = folder / f"{name}_agent-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-agent\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[iris_harness.agents]\n{name} = {name}_agent:agent\n"
    )


def test_control_c_stops_a_running_turn_and_the_conversation_goes_on(
    home: Path, tmp_path: Path
) -> None:
    install_agent(tmp_path, "sleeper", SLEEPER)
    terminal = Terminal(
        chat_command(), {**ENVIRONMENT, "HOME": str(home), "PYTHONPATH": str(tmp_path)}
    )
    try:
        terminal.wait_for("> ")
        terminal.press("sleep well\n")
        terminal.wait_for("… sleeper")
        os.killpg(terminal.program.pid, signal.SIGINT)
        os.killpg(terminal.program.pid, signal.SIGINT)  # impatience must not end the program
        terminal.wait_for("Stopped.")
        terminal.wait_for("> ")
        terminal.press("what time is it\n")
        terminal.wait_for("8:00")
        terminal.wait_for("> ")
        terminal.press("\x04")
        assert terminal.program.wait(PATIENCE_SECONDS) == 0
    finally:
        terminal.close()
