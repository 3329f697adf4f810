"""Sources on other machines as their users meet them: add, plan, doctor, without the extra."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.radicale_server import PASSWORD, USER, Radicale, serve_radicale
from tests.remote_servers import Answer, WebServer, serve_web
from tests.support import RunIris
from tests.unit.sources.remote.conftest import calendar_text

SECRET = "secret-word"  # noqa: S105 - part of the address
PRIVATE = "--allow-private-addresses"
NOW = ("--now", "2026-04-16T08:00")


@pytest.fixture
def server() -> Iterator[WebServer]:
    with serve_web(lambda _: Answer(body=calendar_text("standup"))) as server:
        yield server


@pytest.fixture
def settings(home: Path) -> Path:
    file = home / ".config" / "iris" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("# by hand\ntimezone: Europe/Berlin\ntodos: []\n", encoding="utf-8")
    return file


def test_a_calendar_is_tried_added_and_planned_with(
    iris: RunIris, server: WebServer, settings: Path
) -> None:
    added = iris("sources", "add", "work", server.url(), PRIVATE)
    assert added.returncode == 0, added.stderr
    assert "work reads well: " in added.stdout
    assert settings.read_text(encoding="utf-8").startswith("# by hand\ntimezone: Europe/Berlin\n")
    assert settings.stat().st_mode & 0o777 == 0o600

    plan = iris("plan", *NOW, "--json")
    day = json.loads(plan.stdout)
    assert plan.returncode == 0
    assert [event["summary"] for event in day["events"]] == ["standup"]
    assert day["sources"][0]["state"] == "ok"

    doctor = iris("doctor")
    assert "127.0.0.1: asked for the calendar work" in doctor.stdout
    everything = [added, plan, doctor, iris("config", "show"), iris("sources"), iris("export")]
    assert not [r for r in everything if SECRET in r.stdout + r.stderr]


def test_a_server_that_is_gone_leaves_a_plan_from_the_copy_that_says_so(
    iris: RunIris, settings: Path
) -> None:
    with serve_web(lambda _: Answer(body=calendar_text("standup"))) as server:
        assert iris("sources", "add", "work", server.url(), PRIVATE).returncode == 0
    day = json.loads(iris("plan", "--now", "2030-04-16T08:00", "--json").stdout)
    (source,) = day["sources"]
    assert source["state"] == "stale"
    assert source["age_seconds"] > 86_400
    assert "cannot be reached" in source["detail"]
    assert settings.exists()


def test_what_cannot_be_read_is_not_added(iris: RunIris, settings: Path) -> None:
    before = settings.read_text(encoding="utf-8")
    with serve_web(lambda _: Answer(body=b"<html>login</html>")) as server:
        page = iris("sources", "add", "work", server.url(), PRIVATE)
        closed = iris("sources", "add", "work", server.url())
        unknown = iris("sources", "add", "work", server.url("/feed"), PRIVATE)
    assert page.returncode == closed.returncode == unknown.returncode == 1
    assert "it looks like a web page" in page.stdout
    assert "is on a private network" in closed.stdout
    assert unknown.stdout.count("cannot be read") == 2  # tried as .ics, then as CalDAV
    assert settings.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("x", "https://example.org/a.ics", "--username", "me"), "go together"),
        (("x", "ftp://example.org/a.ics"), "ftp: addresses cannot be read"),
        (("x", "https://me:hunter2@example.org/a.ics"), "is not accepted"),
        (("x", "~/cal", "--username", "me"), "a path has no login"),
        (("x", "https://a.example/a.ics", "--password-command", "pass 'x"), "quote without an end"),
    ],
)
def test_what_describes_no_source_is_a_mistake_in_use(
    iris: RunIris, arguments: tuple[str, ...], words: str
) -> None:
    result = iris("sources", "add", *arguments)
    assert result.returncode == 2, result.stdout
    assert words in result.stderr
    assert "hunter2" not in result.stdout + result.stderr


def test_a_name_is_given_once(iris: RunIris, home: Path) -> None:
    (home / "cal").mkdir()
    assert iris("sources", "add", "home", "~/cal").returncode == 0
    again = iris("sources", "add", "home", "~/cal")
    assert again.returncode == 2
    assert "a source named 'home' already" in again.stderr


def test_a_form_that_cannot_be_added_to_says_what_to_paste(iris: RunIris, settings: Path) -> None:
    settings.write_text("calendars: ~/a.ics\n", encoding="utf-8")
    (settings.parents[2] / "cal").mkdir()
    result = iris("sources", "add", "home", "~/cal")
    assert result.returncode == 2
    assert "- {name: home, path: ~/cal}" in result.stderr
    assert settings.read_text(encoding="utf-8") == "calendars: ~/a.ics\n"


@pytest.fixture
def radicale(tmp_path: Path) -> Iterator[Radicale]:
    folder = tmp_path / "radicale"
    folder.mkdir()
    with serve_radicale(folder) as server:
        yield server


def test_a_caldav_server_is_added_with_a_command_for_its_password(
    iris: RunIris, radicale: Radicale, settings: Path, home: Path
) -> None:
    radicale.put(radicale.make("home"), "a.ics", calendar_text("dentist"))
    (home / "password").write_text(f"{PASSWORD}\n", encoding="utf-8")
    command = f"cat '{home / 'password'}'"
    login = ("--username", USER, "--password-command", command, PRIVATE)
    added = iris("sources", "add", "cloud", radicale.url, "--type", "caldav", *login)
    assert added.returncode == 0, added.stdout + added.stderr
    lists = iris("sources", "add", "lists", radicale.url, "--todo", "--type", "caldav", *login)
    assert "reads well: 0 open todos" in lists.stdout
    assert PASSWORD not in settings.read_text(encoding="utf-8")
    day = json.loads(iris("plan", *NOW, "--json").stdout)
    assert [event["summary"] for event in day["events"]] == ["dentist"]
    told = iris("doctor").stdout
    assert f"127.0.0.1: asked for the calendar cloud, with your login {USER}" in told
    assert PASSWORD not in told
    wrong = iris("sources", "add", "b", radicale.url, "--type", "caldav", "--username", USER,
                 "--password-command", "echo wrong", PRIVATE)  # fmt: skip
    assert "refuses the user name or the password" in wrong.stdout
    broken = iris("sources", "add", "b", radicale.url, "--type", "caldav", "--username", USER,
                  "--password-command", "false", PRIVATE)  # fmt: skip
    assert "false ended with exit code 1" in broken.stdout


WITHOUT_EXTRA = """
import sys
for name in ("httpx", "httpcore", "caldav", "lxml", "certifi"):
    sys.modules[name] = None
from iris_harness.surfaces.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_the_extra_the_source_says_what_to_install(settings: Path, home: Path) -> None:
    settings.write_text(
        "timezone: UTC\ncalendars: [https://example.org/a.ics]\n"
        "todos: [https://dav.example.org/]\n",
        encoding="utf-8",
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WITHOUT_EXTRA, *arguments],
            env={"HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )

    plan = run("plan", *NOW, "--json")
    assert plan.returncode == 3, plan.stderr
    missing = "needs the extra 'remote': pip install 'iris-harness[remote]'"
    assert {(s["state"], s["detail"]) for s in json.loads(plan.stdout)["sources"]} == {
        ("failed", missing)
    }
    assert run("doctor").stdout.count("pip install 'iris-harness[remote]'") >= 2


def test_a_fresh_copy_is_read_without_loading_what_asks_servers(
    iris: RunIris, server: WebServer, settings: Path, home: Path
) -> None:
    assert iris("sources", "add", "work", server.url(), PRIVATE).returncode == 0
    program = (
        "import sys; from iris_harness.surfaces.cli import main; main(['plan', '--plain']);"
        "print(sorted({'httpx', 'httpcore', 'caldav', 'lxml', 'niquests'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
    assert settings.exists()


def test_forgetting_everything_removes_the_copies(
    iris: RunIris, server: WebServer, settings: Path, home: Path
) -> None:
    iris("sources", "add", "work", server.url(), PRIVATE)
    assert list((home / ".cache").rglob("calendar.ics"))
    assert iris("forget", "--all", "--yes").returncode == 0
    assert not list((home / ".cache").rglob("calendar.ics"))
    assert settings.exists()


def test_setting_up_again_keeps_remote_sources_and_their_login(
    iris: RunIris, settings: Path
) -> None:
    entry = "{name: cloud, url: https://dav.example.org/, username: a, password: {fetch: [pass]}}"
    settings.write_text(f"timezone: UTC\ncalendars:\n- {entry}\n", encoding="utf-8")
    before = iris("config", "show").stdout
    iris("setup", "--yes")
    after = iris("config", "show").stdout
    assert "dav.example.org" in after
    assert [line.split("  #")[0] for line in after.splitlines() if "cloud" in line] == [
        line.split("  #")[0] for line in before.splitlines() if "cloud" in line
    ]


def test_an_address_among_paths_says_where_it_belongs(iris: RunIris) -> None:
    result = iris("plan", "--calendar", "https://example.org/secret-word/a.ics")
    assert result.returncode == 2
    assert "iris sources add" in result.stderr
    assert SECRET not in result.stderr
