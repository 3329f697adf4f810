"""A repository runs on a toolchain that its own files allow, or it is said why none does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from tests.unit.daemon.repositories import make_evidence


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


def of(files: Mapping[str, str]) -> Runtime:
    return inspect_repository(make_evidence(files)).runtime


CARGO = '[package]\nname = "x"\nrust-version = "1.70"\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rust-toolchain", "nightly\n"),
        ("rust-toolchain", "[toolchain]\nchannel = 'nightly'\n"),
        ("rust-toolchain.toml", "[toolchain]\nchannel = 'nightly'\n"),
        (".tool-versions", "rust nightly\n"),
        ("mise.toml", "[tools]\nrust = {version = 'nightly'}\n"),
    ],
)
def test_where_a_nightly_is_pinned_no_release_will_do(name: str, text: str) -> None:
    wanted = of({"Cargo.toml": CARGO, name: text})
    assert wanted.version == "nightly"
    stable = installed("rust", "1.95.0")
    refused = choose_toolchain(wanted, stable)
    assert refused.toolchain is None
    assert f"{name}:" in refused.why
    assert refused.why.endswith("says nightly, and here is rust 1.95.0")
    found = [*stable, *installed("rust", "1.97.0", stable=False)]
    assert version_of(choose_toolchain(wanted, found)) == "1.97.0"


def test_the_nightly_of_the_day_that_is_pinned_comes_first() -> None:
    wanted = of({"Cargo.toml": CARGO, "rust-toolchain": "nightly-2024-05-01"})
    assert wanted.version == "nightly-2024-05-01"
    newer, older = installed("rust", "1.97.0", "1.80.0", stable=False)
    day = replace(older, prefix="/r/toolchains/nightly-2024-05-01-x86_64-unknown-linux-gnu")
    assert version_of(choose_toolchain(wanted, [newer, day])) == "1.80.0"
    assert version_of(choose_toolchain(wanted, [newer])) == "1.97.0"


def test_a_stable_channel_takes_any_release_that_the_floor_allows() -> None:
    wanted = of({"Cargo.toml": CARGO, "rust-toolchain": "stable-x86_64-unknown-linux-gnu"})
    assert wanted.version == "1.70"
    assert choose_toolchain(wanted, installed("rust", "1.60.0")).toolchain is None
    assert version_of(choose_toolchain(wanted, installed("rust", "1.95.0"))) == "1.95.0"
    assert of({"Cargo.toml": "[package]\n", "rust-toolchain": "stable"}).version == "stable"


NODE = {"package.json": '{"scripts": {"test": "node --test"}}'}
MAVEN = {"pom.xml": "<project/>"}
POM = "<project><plugin><configuration><toolchains><jdk><version>{}</version></jdk></toolchains>"
GRADLE = "java.sourceCompatibility = JavaVersion.VERSION_17\n"
SDK = '{"sdk": {"version": "8.0.204"}}'
VERSIONS = [
    (NODE, ".nvmrc", "lts/iron\n", "20"),
    (NODE, ".nvmrc", "lts/*\n", None),
    (NODE, ".nvmrc", "v20.9.0\n", "20.9.0"),
    (NODE, ".tool-versions", "nodejs 18.19.0\n", "18.19.0"),
    (NODE, ".tool-versions", "nodejs ref:a18c\n", None),
    (NODE, "mise.toml", "[tools]\nnode = 'lts'\n", None),
    (NODE, "mise.toml", "[tools]\nnode = ['22', '20']\n", "22"),
    ({}, "go.mod", "module x\n\ngo 1.21\ntoolchain go1.22.4\n", "1.22.4"),
    ({}, "build.gradle", GRADLE, "17"),
    ({}, "build.gradle", "sourceCompatibility = '1.8'\n", "8"),
    ({}, "build.gradle.kts", "kotlin { jvmToolchain(21) }\n", "21"),
    ({}, "pom.xml", POM.format("17"), "17"),
    ({}, "pom.xml", POM.format("[17,22)"), "17"),
    (MAVEN, ".sdkmanrc", "maven=3.9.6\njava=17.0.9-tem\n", "17"),
    (MAVEN, ".java-version", "temurin-21.0.2\n", "21"),
    ({"a.csproj": ""}, "global.json", SDK, "8.0.204"),
    ({"pyproject.toml": FLOOR}, "runtime.txt", "python-3.11.4\n", "3.11.4"),
]


@pytest.mark.parametrize(
    ("files", "name", "text", "version"),
    VERSIONS,
    ids=[f"{name} {text.split()[-1][:24]}" for _, name, text, _ in VERSIONS],
)
def test_every_place_that_states_a_version_is_read(
    files: Mapping[str, str], name: str, text: str, version: str | None
) -> None:
    found = of({**files, name: text})
    assert (found.version, found.source.file if found.source else name) == (version, name)


def test_an_older_go_runs_what_only_its_authors_use_a_newer_one_for() -> None:
    wanted = of({"go.mod": "module x\n\ngo 1.21\ntoolchain go1.22.4\n"})
    assert version_of(choose_toolchain(wanted, installed("go", "1.21.9"))) == "1.21.9"


def test_a_version_file_above_a_folder_counts_in_it() -> None:
    files = {
        "Makefile": "test:\n\tcd backend && pytest\n",
        "backend/pyproject.toml": FLOOR,
        ".python-version": "3.12\n",
    }
    found = inspect_repository(make_evidence(files), "make test").runtime
    assert found.version == "3.12"


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
