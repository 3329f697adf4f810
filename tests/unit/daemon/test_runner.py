"""What prevents tests from running gets one remedy, once; then it is said."""

from __future__ import annotations

import stat
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.failures.classify import load_classifier
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.provisioning import Machine, Provisioner, load_installers
from iris_harness.daemon.provisioning.network import network_variables
from iris_harness.daemon.runner import Project, Standing
from iris_harness.daemon.sandbox import Limits, Places, open_sandbox
from iris_harness.daemon.tree import build_tree

SAID = (
    'error x@1.0.0: The engine "node" is incompatible with this module. '
    'Expected version ">=20". Got "18.1.0"'
)
REFUSAL = f"echo '{SAID}'; exit 1"
PACKAGE = '{"name": "x", "scripts": {"test": "node check"}}'


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    return tmp_path / "tools"


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def node(tools: Path, version: str, script: str) -> None:
    says = f'[ "$1" = --version ] && echo v{version} && exit\n{script}'
    program(tools / version / "bin", "node", says)
    program(tools / version / "bin", "npm", 'echo "npm $*"')


def project(
    tmp_path: Path, tools: Path, texts: dict[str, str], command: str, installers: Sequence[str] = ()
) -> Project:
    for name in ("checkout", "job/home"):
        (tmp_path / name).mkdir(parents=True)
    for name, text in texts.items():
        file = tmp_path / "checkout" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    evidence = Evidence(tree=build_tree(texts), texts=texts)
    path = tuple(str(folder / "bin") for folder in sorted(tools.iterdir()))
    return Project(
        evidence=evidence,
        report=inspect_repository(evidence, command),
        sandbox=open_sandbox("bubblewrap", SystemClock()),
        places=Places(checkout=tmp_path / "checkout", home=tmp_path / "job" / "home"),
        classifier=load_classifier(),
        machine=Machine(path=path, home=str(tmp_path)),
        limits=Limits(seconds=60, free_bytes=0),
        provisioner=Provisioner(installers, path),
    )


def test_a_version_that_a_tool_refuses_is_exchanged_once(tmp_path: Path, tools: Path) -> None:
    node(tools, "18.1.0", REFUSAL)
    node(tools, "20.2.0", "echo ok")
    made = project(tmp_path, tools, {"package.json": PACKAGE}, "node check")
    baseline = made.baseline()
    assert baseline.standing is Standing.GREEN, baseline
    assert baseline.toolchain == "node 20.2.0"
    assert baseline.notes == ("node 18.1.0 would not do, so it ran on node 20.2.0",)


def test_a_version_is_never_exchanged_for_itself(tmp_path: Path, tools: Path) -> None:
    node(tools, "18.1.0", REFUSAL)
    made = project(tmp_path, tools, {"package.json": PACKAGE}, "node check")
    baseline = made.baseline()
    assert baseline.standing is Standing.IMPOSSIBLE
    assert "incompatible" in baseline.why
    assert baseline.can_do.startswith("install the runtime")


def test_dependencies_are_installed_again_only_when_what_names_them_changes(
    tmp_path: Path, tools: Path
) -> None:
    node(tools, "20.2.0", "exit 0")
    program(tools / "20.2.0" / "bin", "npm", "echo once >> ~/installed")
    made = project(tmp_path, tools, {"package.json": PACKAGE}, "node check")
    installed = made.places.home / "installed"
    for _ in range(2):
        assert made.baseline().standing is Standing.GREEN
    assert installed.read_text(encoding="utf-8") == "once\n"
    (made.places.checkout / "package.json").write_text(PACKAGE + "\n", encoding="utf-8")
    assert made.baseline().standing is Standing.GREEN
    assert installed.read_text(encoding="utf-8") == "once\nonce\n"


def test_an_install_that_fails_runs_no_tests(tmp_path: Path, tools: Path) -> None:
    node(tools, "20.2.0", "touch ran")
    program(tools / "20.2.0" / "bin", "npm", "echo 'npm error code E404'; exit 1")
    made = project(tmp_path, tools, {"package.json": PACKAGE}, "node check")
    baseline = made.baseline()
    assert baseline.standing is Standing.IMPOSSIBLE
    assert not (made.places.checkout / "ran").exists()


SUM_JS = "exports.sum = (a, b) => a + b;\n"
CHECK_JS = """
const { test } = require("node:test");
const { sum } = require("./sum.js");
test("sum", () => require("node:assert").equal(sum(1, 2), 3));
"""
CHECK_PY = """
import subprocess, unittest

class Check(unittest.TestCase):
    def test_sum(self):
        said = subprocess.check_output(["node", "-p", "require('./web/sum.js').sum(1, 2)"])
        self.assertEqual(said, b"3\\n")
"""
MIXED = {
    "Makefile": "test:\n\tpython -m unittest test_check.py\n\tcd web && npm test\n",
    "pyproject.toml": '[tool.pytest]\n[project]\nname = "x"\nrequires-python = ">=3.9"\n',
    "requirements.txt": "",
    "test_check.py": CHECK_PY,
    "web/package.json": '{"name": "web", "scripts": {"test": "node --test"}}',
    "web/sum.js": SUM_JS,
    "web/sum.test.js": CHECK_JS,
}


def here(made: Project) -> Project:
    return replace(made, machine=Machine(path=Machine.here().path, home=str(made.places.home)))


def test_tests_in_two_ecosystems_run_when_both_are_prepared(tmp_path: Path, tools: Path) -> None:
    tools.mkdir()
    made = here(project(tmp_path, tools, MIXED, "make test"))
    baseline = made.baseline()
    assert baseline.standing is Standing.GREEN, (baseline, baseline.outcome)
    names = [one.split(" ")[0] for one in baseline.toolchain.split(", ")]
    assert names == ["python", "node"]
    (made.places.checkout / "web/sum.js").write_text(SUM_JS.replace("+", "-"), encoding="utf-8")
    assert made.baseline().standing is Standing.RED


def test_only_the_part_whose_lists_changed_is_installed_again(tmp_path: Path, tools: Path) -> None:
    node(tools, "20.2.0", "exit 0")
    program(tools / "20.2.0" / "bin", "npm", "echo npm >> ~/installed")
    program(
        tools / "go" / "bin",
        "go",
        "[ $1 = version ] && echo go1.24.0 && exit\necho go >> ~/installed",
    )
    files = {
        "Makefile": "test:\n\tgo test ./...\n\tcd web && npm test\n",
        "go.mod": "module example.org/x\n\ngo 1.21\n",
        "web/package.json": PACKAGE,
    }
    made = project(tmp_path, tools, files, "make test")
    assert made.baseline().toolchain == "go 1.24.0, node 20.2.0"
    log = made.places.home / "installed"
    log.unlink()
    (made.places.checkout / "web/package.json").write_text(PACKAGE + "\n", encoding="utf-8")
    assert made.baseline().standing is Standing.GREEN
    # What is installed comes before what the tests run.
    assert log.read_text(encoding="utf-8").split() == ["npm", "go", "npm"]


def test_a_part_that_is_missing_is_named_with_the_line_that_needs_it(
    tmp_path: Path, tools: Path
) -> None:
    tools.mkdir()
    made = project(tmp_path, tools, MIXED, "make test")
    python = Path(sys.executable).resolve()
    program(tools / "bin", "python3", f'exec {python} "$@"')
    made = replace(made, machine=Machine(path=(str(tools / "bin"),), home=str(tmp_path)))
    baseline = made.baseline()
    assert (baseline.standing, baseline.outcome) == (Standing.IMPOSSIBLE, None)
    assert baseline.why == (
        f"node is not installed here; web/package.json:1 says `{MIXED['web/package.json']}`"
    )
    assert baseline.can_do.startswith("install node")


def test_a_part_that_the_tests_may_do_without_is_noted(tmp_path: Path, tools: Path) -> None:
    node(tools, "20.2.0", "exit 0")
    script = '#!/bin/sh\nnode check\nif [ -n "$ALL" ]; then\n  ruby check.rb\nfi\n'
    made = project(tmp_path, tools, {"package.json": PACKAGE, "run.sh": script}, "sh run.sh")
    baseline = made.baseline()
    assert baseline.standing is Standing.GREEN, baseline
    assert baseline.notes == (
        "ruby is not prepared: ruby is not installed here; run.sh:4 says `ruby check.rb`",
    )


def test_an_install_that_the_tests_may_do_without_may_fail(tmp_path: Path, tools: Path) -> None:
    node(tools, "20.2.0", "exit 0")
    program(tools / "20.2.0" / "bin", "npm", "echo 'npm error code E404'; exit 1")
    program(tools / "ruby" / "bin", "ruby", "echo ruby 3.1.4p223")
    script = '#!/bin/sh\nruby check.rb\nif [ -n "$ALL" ]; then\n  npm test\nfi\n'
    made = project(tmp_path, tools, {"package.json": PACKAGE, "run.sh": script}, "sh run.sh")
    baseline = made.baseline()
    assert baseline.standing is Standing.GREEN, baseline
    assert "node is not prepared" in baseline.notes[0]
    assert "npm error code E404" in baseline.notes[0]


RUBY = {".ruby-version": "3.1.4\n", "check.rb": ""}
RUBY_PROGRAM = "echo ruby 3.1.4p223"


def test_a_runtime_that_is_missing_is_installed_where_the_user_says_by_whom(
    tmp_path: Path, tools: Path
) -> None:
    place = tmp_path / ".local/share/mise/installs/ruby/3.1.4/bin"
    asked = tmp_path / "asked"
    program(tools / "mise" / "bin", "mise", f"""
echo "$*" >> {asked}
mkdir -p {place}
printf '%s\\n' '#!/bin/sh' '{RUBY_PROGRAM}' > {place}/ruby
chmod +x {place}/ruby
""")  # fmt: skip
    program(tools / "apt" / "bin", "apt-get", f"touch {tmp_path}/wrong")
    made = project(tmp_path, tools, RUBY, "ruby check.rb", ["uv", "mise", "apt"])
    baseline = made.baseline()
    assert baseline.standing is Standing.GREEN, baseline
    assert asked.read_text(encoding="utf-8") == "install --yes ruby@3.1.4\n"
    assert baseline.notes == ("ruby 3.1.4 was installed by mise",)
    assert not (tmp_path / "wrong").exists()


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("1:3.0~1", ".ruby-version:1 says 3.1.4"),
        ("(none)", "apt has no ruby-dev"),
        ("1:3.1~1", "apt did not install ruby-dev ruby-bundler: E: no space left"),
    ],
)
def test_what_the_system_has_is_asked_before_it_is_installed(
    tmp_path: Path, tools: Path, candidate: str, said: str
) -> None:
    program(tools / "apt" / "bin", "apt-cache", f"printf 'ruby-dev:\\n  Candidate: {candidate}\\n'")
    program(tools / "apt" / "bin", "apt-get", "echo 'E: no space left'; exit 100")
    program(tools / "apt" / "bin", "sudo", 'shift; exec "$@"')
    baseline = project(tmp_path, tools, RUBY, "ruby check.rb", ["apt"]).baseline()
    assert baseline.standing is Standing.IMPOSSIBLE
    assert baseline.why.startswith("ruby is not installed here; ")
    assert said in baseline.why


def test_nobody_installs_a_runtime_unasked(tmp_path: Path, tools: Path) -> None:
    for name in load_installers():
        program(tools / name / "bin", name, f"touch {tmp_path}/wrong")
    baseline = project(tmp_path, tools, RUBY, "ruby check.rb").baseline()
    assert (baseline.standing, baseline.why) == (Standing.IMPOSSIBLE, "ruby is not installed here")
    assert not (tmp_path / "wrong").exists()


def test_of_the_network_a_run_is_told_what_holds_no_login() -> None:
    given = {
        "HTTPS_PROXY": "http://proxy.example.org:3128",
        "http_proxy": "http://ada:secret@proxy.example.org:3128",
        "PIP_INDEX_URL": "https://token@packages.example.org/simple",
        "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "NO_PROXY": "",
    }
    assert network_variables(given) == {
        "HTTPS_PROXY": "http://proxy.example.org:3128",
        "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
    }
