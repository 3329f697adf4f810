"""What is done before the tests run: for every part, where its programs are, and when again."""

from __future__ import annotations

from collections.abc import Mapping

from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.provisioning import Preparation, Toolchain, plan_preparation
from tests.unit.daemon.repositories import make_evidence

PYTHON = '[project]\nname = "x"\nrequires-python = ">=3.10"\n'
HOME = "/home/iris"


def toolchain(name: str, folder: str) -> Toolchain:
    prefix = "" if folder == "/usr/bin" else folder.removesuffix("/bin")
    return Toolchain(
        name=name, version="1.0", program=f"{folder}/{name}", folder=folder, prefix=prefix,
        environment={f"{name.upper()}_HOME": prefix},
    )  # fmt: skip


def prepared(files: Mapping[str, str], command: str, *toolchains: Toolchain) -> Preparation:
    evidence = make_evidence(files)
    by_name = {one.name: one for one in toolchains}
    return plan_preparation(evidence, inspect_repository(evidence, command), by_name, HOME)


MIXED = {
    "Makefile": "test:\n\tpytest\n\tcd web && npm test\n",
    "pyproject.toml": PYTHON,
    "web/package.json": '{"scripts": {"test": "node --test"}}',
    "web/package-lock.json": "{}",
    "go.sum": "",
}


def test_each_part_is_installed_in_its_folder_and_watches_its_own_lists() -> None:
    made = prepared(
        MIXED, "make test", toolchain("python", "/usr/bin"), toolchain("node", "/opt/node/bin")
    )
    python, node = made.stages
    assert (python.name, node.name) == ("python", "node in web")
    assert node.steps == ("cd web && npm ci",)
    assert python.watched == ("pyproject.toml",)
    assert node.watched == ("web/package-lock.json", "web/package.json")


def test_no_folder_of_the_systems_hides_the_toolchain_of_another_part() -> None:
    made = prepared(
        MIXED, "make test", toolchain("python", "/usr/bin"), toolchain("node", "/opt/node/bin")
    )
    assert made.path == (
        f"{HOME}/.local/bin", f"{HOME}/venv/bin", "/opt/node/bin", "/usr/bin",
    )  # fmt: skip
    assert made.environment["NODE_HOME"] == "/opt/node"


def test_what_is_compiled_is_installed_again_when_its_sources_change() -> None:
    files = {
        "pyproject.toml": '[build-system]\nrequires = ["maturin"]\n' + PYTHON,
        "Cargo.toml": '[package]\nname = "x"\n',
        "Cargo.lock": "",
        "src/lib.rs": "",
        "x/__init__.py": "",
    }
    made = prepared(
        files, "pytest", toolchain("python", "/usr/bin"), toolchain("rust", "/opt/rust/bin")
    )
    rust, python = made.stages
    assert rust.steps == ("cargo fetch --locked",)
    assert python.watched == ("pyproject.toml", "src/lib.rs")


def test_a_fingerprint_tells_lists_steps_and_toolchains_apart() -> None:
    stage = prepared(MIXED, "make test", toolchain("node", "/opt/node/bin")).stages[0]
    first = stage.fingerprint(("/a",), {"web/package.json": b"1"})
    assert first == stage.fingerprint(("/a",), {"web/package.json": b"1"})
    assert len({first, stage.fingerprint(("/b",), {}), stage.fingerprint(("/a",), {})}) == 3


def test_the_environments_of_tox_are_made_while_there_is_a_network() -> None:
    tox = "[testenv]\ncommands =\n    pytest\n"
    made = prepared(
        {"tox.ini": tox, "pyproject.toml": PYTHON}, "tox -e py -- -x",
        toolchain("python", "/usr/bin"),
    )  # fmt: skip
    assert made.stages[0].steps[-1] == "tox -e py --notest -- -x"
