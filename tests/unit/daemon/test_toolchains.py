"""A repository runs on a toolchain that its own files allow, or it is said why none does."""

from __future__ import annotations

from pathlib import Path

import pytest

from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.provisioning import (
    Choice,
    Machine,
    Toolchain,
    choose_toolchain,
    find_toolchains,
)
from iris_harness.daemon.runtime import Runtime
from iris_harness.daemon.tree import build_tree


def runtime(**texts: str) -> Runtime:
    named = {name.replace("__", "/").replace("_", "."): text for name, text in texts.items()}
    paths = {
        ".python-version" if name == ".python.version" else name: t for name, t in named.items()
    }
    return inspect_repository(Evidence(tree=build_tree(paths), texts=paths)).runtime


def installed(name: str, *versions: str, stable: bool = True) -> list[Toolchain]:
    return [
        Toolchain(
            name=name, version=version, program=f"/opt/{version}/bin/{name}",
            folder=f"/opt/{version}/bin", prefix=f"/opt/{version}",
            environment={}, is_stable=stable,
        )
        for version in versions
    ]  # fmt: skip


def version_of(choice: Choice) -> str:
    assert choice.toolchain is not None, choice.why
    return choice.toolchain.version


FLOOR = '[project]\nname = "x"\nrequires-python = ">=3.10"\n'


def test_where_only_a_floor_is_stated_the_first_that_is_found_is_taken() -> None:
    wanted = runtime(pyproject_toml=FLOOR)
    found = installed("python", "3.9.2", "3.11.4", "3.13.0", "3.10.1")
    assert version_of(choose_toolchain(wanted, found)) == "3.11.4"


def test_the_version_that_is_pinned_comes_first() -> None:
    wanted = runtime(pyproject_toml=FLOOR, _python_version="3.12.1\n")
    found = installed("python", "3.11.4", "3.12.7", "3.13.0")
    choice = choose_toolchain(wanted, found)
    assert version_of(choice) == "3.12.7"
    assert choice.broken == (".python-version:1 says 3.12.1",)
    assert "nearest" in choice.why


def test_what_a_floor_excludes_is_refused_with_the_line_that_says_so() -> None:
    choice = choose_toolchain(runtime(pyproject_toml=FLOOR), installed("python", "3.9.2", "3.8.1"))
    assert choice.toolchain is None
    assert choice.why == "pyproject.toml:3 says >=3.10, and here is python 3.8.1, 3.9.2"


def test_a_pin_of_another_series_is_refused() -> None:
    wanted = runtime(pyproject_toml=FLOOR, _python_version="3.12\n")
    choice = choose_toolchain(wanted, installed("python", "3.11.4"))
    assert choice.toolchain is None
    assert ".python-version:1 says 3.12" in choice.why


def test_a_newer_go_runs_what_an_older_one_runs() -> None:
    wanted = runtime(go_mod="module example.org/x\n\ngo 1.21\n", x_test_go="package x\n")
    assert version_of(choose_toolchain(wanted, installed("go", "1.24.1"))) == "1.24.1"


def test_a_release_comes_before_what_is_none() -> None:
    cargo = '[package]\nname = "x"\nedition = "2021"\n'
    found = [*installed("rust", "1.97.0", stable=False), *installed("rust", "1.95.0")]
    assert version_of(choose_toolchain(runtime(Cargo_toml=cargo), found)) == "1.95.0"
    assert version_of(choose_toolchain(runtime(Cargo_toml=cargo), found[:1])) == "1.97.0"


def test_a_runtime_that_is_not_there_is_said() -> None:
    choice = choose_toolchain(runtime(pyproject_toml=FLOOR), [])
    assert choice.why == "python is not installed here"


def program(folder: Path, name: str, says: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
    file.chmod(0o755)


def test_programs_are_found_on_the_path_and_at_version_managers(tmp_path: Path) -> None:
    program(tmp_path / "bin", "node", "echo v20.1.0")
    program(tmp_path / ".nvm/versions/node/v22.3.0/bin", "node", "echo v22.3.0")
    machine = Machine(path=(str(tmp_path / "bin"),), home=str(tmp_path))
    found = find_toolchains(machine, "node")
    assert [one.version for one in found] == ["20.1.0", "22.3.0"]
    assert found[1].prefix == str(tmp_path / ".nvm/versions/node/v22.3.0")


@pytest.mark.parametrize("says", ["exit 1", "echo no version", "exec sleep 0; exit 3"])
def test_a_program_that_does_not_say_its_version_is_none(tmp_path: Path, says: str) -> None:
    program(tmp_path / "bin", "node", says)
    machine = Machine(path=(str(tmp_path / "bin"),), home=str(tmp_path))
    assert find_toolchains(machine, "node") == ()


def test_a_shim_that_chooses_by_the_folder_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / ".pyenv/shims", "python3", "echo Python 3.12.0")
    program(tmp_path / ".pyenv/versions/3.12.0/bin", "python3", "echo Python 3.12.0")
    program(tmp_path / ".pyenv/versions/3.12.0/bin", "python3-config", "echo 3.12.0")
    machine = Machine(path=(str(tmp_path / ".pyenv/shims"),), home=str(tmp_path))
    found = find_toolchains(machine, "python")
    assert [one.program for one in found] == [str(tmp_path / ".pyenv/versions/3.12.0/bin/python3")]
