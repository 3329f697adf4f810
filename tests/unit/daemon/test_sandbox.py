"""A repository's code reaches nothing but its checkout, and nothing of it is left when it ends."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from iris_harness.clock import SystemClock
from iris_harness.daemon.sandbox import (
    Command,
    Ended,
    Limits,
    Outcome,
    Places,
    Sandbox,
    open_sandbox,
)
from iris_harness.daemon.sandbox.container import find_missing
from iris_harness.daemon.sandbox.values import MEBIBYTE
from iris_harness.errors import SandboxError
from tests.container_engine import own_engine
from tests.support import SOAK

FREE = Limits(free_bytes=0, seconds=60)
CONFINED = ["bubblewrap", *(["podman"] if SOAK else [])]
"""An engine needs up to twenty seconds for a container on some machines: `make soak` tries it."""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("checkout", "home", "user", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "user" / "secret").write_text("a password", encoding="utf-8")
    (tmp_path / "other" / "file").write_text("another job's", encoding="utf-8")
    return Places(checkout=tmp_path / "checkout", home=tmp_path / "home")


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A container engine of the tests' own, whatever else the machine has."""
    with own_engine(tmp_path_factory.mktemp("engine")):
        yield


@pytest.fixture(params=CONFINED)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return opened(request.param, request)


def opened(kind: str, request: pytest.FixtureRequest) -> Sandbox:
    if kind == "podman":
        request.getfixturevalue("engine")
        if missing := find_missing("podman"):
            pytest.skip(missing)
    return open_sandbox(kind, SystemClock())


@pytest.fixture
def nothing() -> Sandbox:
    return open_sandbox("none", SystemClock())


def run(sandbox: Sandbox, places: Places, script: str, limits: Limits = FREE) -> Outcome:
    return sandbox.run(Command(argv=("sh", "-c", script), places=places, limits=limits))


def test_a_command_works_on_the_checkout_and_its_exit_code_and_output_come_back(
    sandbox: Sandbox, places: Places
) -> None:
    outcome = run(sandbox, places, "echo made > file; echo said; echo wrong >&2; exit 3")
    assert (outcome.ended, outcome.exit_code) == (Ended.EXITED, 3)
    assert outcome.output == "said\nwrong\n"
    assert (places.checkout / "file").read_text(encoding="utf-8") == "made\n"
    assert outcome.confined
    assert not outcome.succeeded


def test_a_command_starts_in_the_folder_it_is_given(sandbox: Sandbox, places: Places) -> None:
    (places.checkout / "web" / "app").mkdir(parents=True)
    command = Command(argv=("pwd",), places=places, folder="web/app", limits=FREE)
    assert sandbox.run(command).output == "/workspace/web/app\n"


def test_what_is_left_at_home_is_there_in_the_next_run(sandbox: Sandbox, places: Places) -> None:
    run(sandbox, places, "mkdir -p ~/.cache && echo kept > ~/.cache/file")
    assert run(sandbox, places, "cat ~/.cache/file").output == "kept\n"


def test_the_users_files_and_other_checkouts_are_not_there(
    sandbox: Sandbox, places: Places, tmp_path: Path
) -> None:
    script = f"cat {tmp_path}/user/secret {tmp_path}/other/file; ls {tmp_path} /root; ls -A /home"
    outcome = run(sandbox, places, script)
    assert "password" not in outcome.output
    assert "another job's" not in outcome.output
    assert outcome.output.splitlines()[-1] == "iris"


def test_a_link_out_of_the_checkout_leads_nowhere(
    sandbox: Sandbox, places: Places, tmp_path: Path
) -> None:
    (places.checkout / "link").symlink_to(tmp_path / "user" / "secret")
    outcome = run(sandbox, places, "cat link; echo x > link")
    assert outcome.exit_code != 0
    assert (tmp_path / "user" / "secret").read_text(encoding="utf-8") == "a password"


def test_nothing_but_checkout_and_home_can_be_written(sandbox: Sandbox, places: Places) -> None:
    script = (
        "for d in / /etc /usr /usr/bin /proc /var /home; do touch $d/x 2>/dev/null && echo $d; done"
    )
    assert run(sandbox, places, script).output == ""


def test_the_users_environment_is_not_seen(
    sandbox: Sandbox, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "a-secret-key")
    outcome = run(sandbox, places, "env; cat /proc/*/environ")
    assert "a-secret-key" not in outcome.output
    assert "CI=true" in outcome.output


def test_other_processes_are_not_seen(sandbox: Sandbox, places: Places) -> None:
    outcome = run(sandbox, places, "ls -d /proc/[0-9]* | wc -l; cat /proc/*/cmdline")
    assert int(outcome.output.splitlines()[0]) < 10
    assert "pytest" not in outcome.output


@pytest.fixture
def port() -> Iterator[int]:
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


CONNECT = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {}), 5)' && echo in"


def test_the_network_is_not_there(sandbox: Sandbox, places: Places, port: int) -> None:
    outcome = run(sandbox, places, CONNECT.format(port))
    assert outcome.exit_code != 0
    assert "refused" in outcome.output.lower() or "unreachable" in outcome.output.lower()


def test_the_network_is_there_while_dependencies_are_installed(
    sandbox: Sandbox, places: Places, port: int
) -> None:
    command = Command(
        argv=("sh", "-c", CONNECT.format(port)), places=places, network=True, limits=FREE
    )
    assert sandbox.run(command).output == "in\n"


def test_no_namespace_of_its_own_gives_a_run_more(sandbox: Sandbox, places: Places) -> None:
    outcome = run(
        sandbox, places, "unshare --user --map-root-user mount -t tmpfs none /usr && echo in"
    )
    assert "in\n" not in outcome.output


@pytest.mark.parametrize("kind", [*CONFINED, "none"])
def test_a_fork_bomb_is_ended_and_nothing_of_it_is_left(
    kind: str, places: Places, request: pytest.FixtureRequest
) -> None:
    limits = Limits(processes=50, free_bytes=0, seconds=60)
    bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n"
    command = Command(argv=("python3", "-c", bomb), places=places, limits=limits)
    outcome = opened(kind, request).run(command)
    assert outcome.ended is Ended.TOO_MANY_PROCESSES
    assert running(bomb) == []


@pytest.mark.parametrize("kind", [*CONFINED, "none"])
def test_what_outlives_its_run_is_ended_with_it(
    kind: str, places: Places, request: pytest.FixtureRequest
) -> None:
    script = "setsid sh -c 'sleep 4321' >/dev/null 2>&1 & sleep 0.1; echo said"
    outcome = run(opened(kind, request), places, script)
    assert (outcome.ended, outcome.output) == (Ended.EXITED, "said\n")
    assert running("4321") == []


@pytest.mark.parametrize("kind", [*CONFINED, "none"])
def test_what_never_ends_is_ended(
    kind: str, places: Places, request: pytest.FixtureRequest
) -> None:
    limits = Limits(seconds=0.3, free_bytes=0)
    outcome = run(opened(kind, request), places, "echo begun; sleep 4322", limits)
    assert (outcome.ended, outcome.exit_code) == (Ended.TIMED_OUT, 124)
    assert outcome.output == "begun\n"
    assert running("4322") == []


@pytest.mark.parametrize("kind", [*CONFINED, "none"])
def test_a_run_that_is_cancelled_ends(
    kind: str, places: Places, request: pytest.FixtureRequest
) -> None:
    command = Command(argv=("sleep", "4323"), places=places, limits=FREE)
    outcome = opened(kind, request).run(command, lambda: True)
    assert outcome.ended is Ended.CANCELLED
    assert running("4323") == []


def test_what_takes_too_much_memory_is_ended(sandbox: Sandbox, places: Places) -> None:
    limits = Limits(memory_bytes=100 * MEBIBYTE, free_bytes=0, seconds=60)
    script = "python3 -c 'x = bytearray(300 << 20); import time; time.sleep(30)'"
    outcome = run(sandbox, places, script, limits)
    assert outcome.ended is Ended.OUT_OF_MEMORY
    assert outcome.peak_memory_bytes > limits.memory_bytes


def test_a_file_does_not_grow_beyond_its_limit(sandbox: Sandbox, places: Places) -> None:
    limits = Limits(file_bytes=MEBIBYTE, free_bytes=0, seconds=60)
    outcome = run(sandbox, places, "head -c 10G /dev/zero > huge", limits)
    assert outcome.exit_code != 0
    assert (places.checkout / "huge").stat().st_size <= MEBIBYTE


def test_temporary_files_do_not_fill_the_memory(sandbox: Sandbox, places: Places) -> None:
    limits = Limits(scratch_bytes=MEBIBYTE, free_bytes=0, seconds=60)
    outcome = run(
        sandbox, places, "for n in 1 2 3; do head -c 1M /dev/zero > /tmp/$n; done", limits
    )
    assert "No space left" in outcome.output


def test_a_run_ends_before_the_disk_is_full(sandbox: Sandbox, places: Places) -> None:
    limits = Limits(free_bytes=1 << 60, seconds=60)
    assert run(sandbox, places, "sleep 4324", limits).ended is Ended.DISK_FULL


def test_endless_output_is_cut_in_its_middle(sandbox: Sandbox, places: Places) -> None:
    limits = Limits(output_bytes=1000, free_bytes=0, seconds=60)
    script = "echo first; yes | head -c 5000000; echo last"
    output = run(sandbox, places, script, limits).output
    assert output.startswith("first\n")
    assert output.endswith("last\n")
    assert "bytes are left out here" in output
    assert len(output) < 1200


def test_a_command_that_closes_its_output_is_still_waited_for(
    sandbox: Sandbox, places: Places
) -> None:
    outcome = run(sandbox, places, "exec >&- 2>&-; sleep 0.2; touch late")
    assert outcome.succeeded
    assert (places.checkout / "late").exists()


def test_a_signal_is_told_as_a_shell_tells_it(sandbox: Sandbox, places: Places) -> None:
    assert run(sandbox, places, "kill -9 $$").exit_code == 137


def test_a_sandbox_that_cannot_be_set_up_runs_nothing(
    sandbox: Sandbox, places: Places, tmp_path: Path
) -> None:
    gone = Places(checkout=places.checkout, home=places.home, readable=(tmp_path / "gone",))
    with pytest.raises(SandboxError, match="cannot be set up"):
        run(sandbox, gone, "touch ran")
    assert not (places.checkout / "ran").exists()


def test_a_toolchain_is_read_at_its_own_path(
    sandbox: Sandbox, places: Places, tmp_path: Path
) -> None:
    program = tmp_path / "tools" / "greet"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    program.chmod(0o755)
    command = Command(
        argv=("greet",),
        places=Places(checkout=places.checkout, home=places.home, readable=(program.parent,)),
        path=(str(program.parent),),
        limits=FREE,
    )
    assert sandbox.run(command).output == "hello\n"


def test_without_a_sandbox_nothing_runs_unless_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nothing: Sandbox, places: Places
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="bubblewrap") as caught:
        open_sandbox("auto", SystemClock())
    assert "--sandbox none" in (caught.value.hint or "")
    monkeypatch.undo()
    assert not run(nothing, places, "true").confined


def running(words: str) -> list[int]:
    """Return the processes, other than this one, whose command holds some words."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and words in " ".join(process.cmdline()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found
