"""Reading a repository's evidence: real checkouts, listings, and what must not be followed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iris_harness.daemon.gather import read_evidence, read_tree
from iris_harness.errors import SourceError


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)  # noqa: S607 - git


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "src").mkdir(parents=True)
    (folder / "scripts").mkdir()
    (folder / "Makefile").write_text("test:\n\tscripts/run-them\n")
    (folder / "scripts" / "run-them").write_text("#!/bin/sh\npytest\n")
    (folder / "src" / "café.py").write_text("")
    (folder / "untracked.py").write_text("")
    git(folder, "init", "-q")
    git(folder, "add", "Makefile", "scripts", "src")
    return folder


def test_a_checkout_is_what_git_tracks(checkout: Path) -> None:
    assert read_tree(checkout).paths == ("Makefile", "scripts/run-them", "src/café.py")


def test_scripts_that_the_files_name_are_read_too(checkout: Path) -> None:
    evidence = read_evidence(checkout)
    assert evidence.text("scripts/run-them") == "#!/bin/sh\npytest\n"
    assert evidence.text("src/café.py") == ""


def test_nothing_that_the_repository_configures_is_run(checkout: Path, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    git(checkout, "config", "core.fsmonitor", str(program))
    git(checkout, "config", "core.hooksPath", str(tmp_path))
    read_evidence(checkout)
    assert not trace.exists()


def test_a_link_out_of_the_repository_is_not_followed(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("token")
    (checkout / "package.json").symlink_to(tmp_path / "secret")
    (checkout / ".github").symlink_to(tmp_path)
    git(checkout, "add", "package.json", ".github")
    assert "package.json" in read_tree(checkout).files
    assert read_evidence(checkout).text("package.json") == ""


def test_a_large_or_special_file_is_left_out(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_bytes(b"x" * 2_000_000)
    (checkout / "tox.ini").write_bytes(b"[tox]\n\xff\xfe")
    git(checkout, "add", "-A")
    evidence = read_evidence(checkout)
    assert evidence.text("pyproject.toml") == ""
    assert evidence.text("tox.ini") == "[tox]\n\ufffd\ufffd"


def test_a_folder_that_is_no_checkout_is_walked(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x.js").write_text("")
    (tmp_path / "go.mod").write_text("module x\n")
    assert read_tree(tmp_path).paths == ("go.mod",)


def test_a_listing_with_the_files_that_matter_beside_it_is_enough(tmp_path: Path) -> None:
    (tmp_path / "files.txt").write_text("go.mod\nmain.go\n../up\n.git/config\n")
    (tmp_path / "markers").mkdir()
    (tmp_path / "markers" / "go.mod").write_text("module x\n")
    for place in (tmp_path, tmp_path / "files.txt"):
        evidence = read_evidence(place)
        assert evidence.tree.paths == ("go.mod", "main.go")
        assert evidence.text("go.mod") == "module x\n"


def test_a_listing_alone_is_a_tree_without_texts(tmp_path: Path) -> None:
    listing = tmp_path / "list"
    listing.write_bytes(b"a.py\0b.py\0")
    assert read_evidence(listing).tree.paths == ("a.py", "b.py")


def test_where_nothing_is_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no repository"):
        read_tree(tmp_path / "nowhere")
