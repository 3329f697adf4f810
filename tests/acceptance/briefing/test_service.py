"""The unit that starts Iris with a session, as systemd itself reads it."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from iris_harness.surfaces.units import quoted
from tests.acceptance.briefing.conftest import Person

_SYSTEMCTL = """\
#!/bin/sh
echo "$@" >> "$HOME/systemctl.log"
case "$3" in is-enabled) echo enabled ;; is-active) echo active ;; esac
"""


@pytest.fixture
def systemd(person: Person) -> Path:
    """A stand-in for systemctl, which needs a session; returns what it was told."""
    folder = person.home / "bin"
    folder.mkdir()
    program = folder / "systemctl"
    program.write_text(_SYSTEMCTL)
    program.chmod(0o755)
    person.path = f"{folder}:{os.defpath}"
    return person.home / "systemctl.log"


def unit(person: Person) -> Path:
    return person.home / ".config" / "systemd" / "user" / "iris.service"


def test_the_unit_names_this_very_iris_and_systemd_finds_nothing_wrong_in_it(
    person: Person,
) -> None:
    printed = person.run("service", "install", "--print").stdout
    assert not unit(person).exists()
    command = next(line for line in printed.splitlines() if line.startswith("ExecStart="))
    words = shlex.split(command.removeprefix("ExecStart="))
    assert Path(words[0]).is_absolute()
    assert words[1:] == ["--config", str(person.config), "serve"]
    done = subprocess.run([*words[:-1], "config", "check"], check=False, capture_output=True)
    assert done.returncode == 0
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    file = person.home / "iris.service"
    file.write_text(printed)
    runtime = person.home / "run"
    runtime.mkdir(mode=0o700)
    checked = subprocess.run(
        [analyze, "verify", "--user", "--man=no", str(file)],
        env={**person.environment, "XDG_RUNTIME_DIR": str(runtime)},
        check=False,
        capture_output=True,
        text=True,
    )
    # Units of other programs are read, too, and may have something wrong in them.
    told = [line for line in checked.stderr.splitlines() if file.name in line]
    assert (checked.returncode, told) == (0, [])


def test_watching_alone_is_a_unit_too(person: Person) -> None:
    printed = person.run("service", "install", "--watch", "--print").stdout
    assert "briefing watch\n" in printed


def test_it_is_installed_asked_about_and_taken_away(person: Person, systemd: Path) -> None:
    assert person.run("service", "status").stdout.startswith("Not installed; ")
    done = person.run("service", "install")
    assert done.returncode == 0, done.stderr
    assert "~/.config/systemd/user/iris.service is written" in done.stdout
    assert stat.S_IMODE(unit(person).stat().st_mode) == 0o600
    status = person.run("service", "status").stdout
    assert status == (
        "~/.config/systemd/user/iris.service: enabled and active\n"
        "Nobody says what is due at this moment.\n"
    )
    assert person.run("service", "uninstall").returncode == 0
    assert not unit(person).exists()
    assert person.run("service", "uninstall").stdout == "Nothing is installed.\n"
    told = systemd.read_text().splitlines()
    changes = [line for line in told if "is-" not in line]
    assert changes == [
        f"--user --no-pager {line}"
        for line in (
            "daemon-reload", "daemon-reload", "enable iris.service", "restart iris.service",
            "disable --now iris.service", "daemon-reload",
        )
    ]  # fmt: skip


def test_a_unit_that_somebody_else_wrote_is_left_alone(person: Person, systemd: Path) -> None:
    unit(person).parent.mkdir(parents=True)
    unit(person).write_text("[Service]\nExecStart=/usr/bin/true\n")
    for command in ("install", "uninstall"):
        done = person.run("service", command)
        assert done.returncode == 1
        assert "is not of Iris' making" in done.stderr
    assert unit(person).read_text().startswith("[Service]")
    assert not systemd.exists()


def test_without_systemd_it_says_what_to_do_instead(person: Person) -> None:
    person.path = str(person.home)
    done = person.run("service", "install")
    assert done.returncode == 1
    assert "by other means" in done.stderr
    assert not unit(person).exists()


def test_where_systemd_has_no_session_nothing_is_written_and_what_is_there_can_go(
    person: Person, systemd: Path
) -> None:
    assert person.run("service", "install").returncode == 0
    wanted = unit(person).parent / "default.target.wants" / "iris.service"
    wanted.parent.mkdir()
    wanted.symlink_to(unit(person))
    program = systemd.parent / "bin" / "systemctl"
    program.write_text("#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n")
    gone = person.run("service", "uninstall")
    assert gone.returncode == 1
    assert "log in" in gone.stderr
    assert not unit(person).exists()
    assert not wanted.is_symlink()
    assert person.run("service", "uninstall").stdout == "Nothing is installed.\n"
    assert person.run("service", "install").returncode == 1
    assert not unit(person).exists()


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("/opt/iris/bin/iris", "/opt/iris/bin/iris"),
        ("/home/a b/iris", '"/home/a b/iris"'),
        ("50% $HOME", '"50%% $$HOME"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("", '""'),
    ],
)
def test_words_of_a_command_line_are_written_as_systemd_reads_them(word: str, written: str) -> None:
    assert quoted(word) == written
