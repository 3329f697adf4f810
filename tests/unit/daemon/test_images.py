"""Where a runtime cannot be had otherwise, the repository's evidence decides on the image."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from iris_harness.config.schema import Config
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.provisioning.images import find_images, load_official, whole_reference
from iris_harness.daemon.provisioning.inside import parse_answer, question, refusal
from iris_harness.daemon.sandbox import Command, Image, Limits, Places
from iris_harness.daemon.sandbox.container import run_options
from tests.unit.daemon.repositories import CI, make_evidence, workflow

RUBY = {".ruby-version": "3.1.4\n", "Gemfile": "", "spec/a_spec.rb": ""}
CONTAINER = ".devcontainer/devcontainer.json"


def images(files: Mapping[str, str], own: str = "") -> list[str]:
    report = inspect_repository(make_evidence(files), own)
    return [choice.reference for choice in find_images(report)]


def test_without_a_word_about_images_it_is_the_official_one_at_the_stated_version() -> None:
    assert images(RUBY, "bundle exec rspec") == ["docker.io/library/ruby:3.1"]
    assert images({"go.mod": "module x\n\ngo 1.22.4\n"}, "go test ./...") == [
        "docker.io/library/golang:1.22"
    ]
    package = '{"engines": {"node": "20"}, "scripts": {"test": "node --test"}}'
    assert images({"package.json": package}, "npm test") == ["docker.io/library/node:20"]


def test_without_a_version_it_is_what_the_table_says() -> None:
    assert images({"Cargo.toml": '[package]\nname = "x"\n'}, "cargo test") == [
        "docker.io/library/rust:1"
    ]


def test_the_image_of_the_devcontainer_comes_first_unless_it_is_built_upon() -> None:
    image = {"image": "mcr.microsoft.com/devcontainers/ruby:3.1"}
    plain = {**RUBY, CONTAINER: json.dumps(image)}
    assert images(plain, "rspec")[0] == "mcr.microsoft.com/devcontainers/ruby:3.1"
    more = {**RUBY, CONTAINER: json.dumps({**image, "features": {"ghcr.io/x/y:1": {}}})}
    assert images(more, "rspec") == ["docker.io/library/ruby:3.1"]


CONTAINER_JOB = "    container:\n      image: ruby:3.1-slim\n"


GITLAB = "default:\n  image: ruby:3.1-slim\ntest:\n  script:\n    - bundle exec rspec\n"
OWN = "image: alpine\ntest:\n  image: {name: 'ruby:3.1-slim'}\n  script: [bundle exec rspec]\n"
CIRCLE = """
jobs:
  test:
    docker:
      - image: ruby:3.1-slim
      - image: postgres
    steps:
      - run: bundle exec rspec
"""
WOODPECKER = "steps:\n  test:\n    image: ruby:3.1-slim\n    commands: [bundle exec rspec]\n"
DRONE = "steps:\n  - name: a\n    image: ruby:3.1-slim\n    commands: [bundle exec rspec]\n"
BITBUCKET = """
image: ruby:3.1-slim
pipelines:
  default:
    - step:
        script: [bundle exec rspec]
"""
CIRRUS = "a_task:\n  container: {image: 'ruby:3.1-slim'}\n  test_script: bundle exec rspec\n"
PLAIN = "    container: ruby:3.1-slim\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CI, workflow("bundle exec rspec", extra=CONTAINER_JOB)),
        (CI, workflow("bundle exec rspec", extra=PLAIN)),
        (".gitlab-ci.yml", GITLAB),
        (".gitlab-ci.yml", GITLAB.removeprefix("default:\n").replace("  image", "image", 1)),
        (".gitlab-ci.yml", OWN),
        (".circleci/config.yml", CIRCLE),
        (".woodpecker.yml", WOODPECKER),
        (".drone.yml", DRONE),
        ("bitbucket-pipelines.yml", BITBUCKET),
        (".cirrus.yml", CIRRUS),
    ],
    ids=[
        "table",
        "name",
        "default",
        "global",
        "job",
        "circle",
        "woodpecker",
        "drone",
        "bit",
        "cirrus",
    ],
)
def test_the_image_of_the_job_that_tests_is_believed(path: str, text: str) -> None:
    found = images({**RUBY, path: text})
    assert found == ["docker.io/library/ruby:3.1-slim", "docker.io/library/ruby:3.1"]


def test_an_image_that_only_the_ci_can_fill_in_is_passed_over() -> None:
    text = workflow("bundle exec rspec", extra="    container: ruby:${{ inputs.which }}\n")
    assert images({**RUBY, CI: text}) == ["docker.io/library/ruby:3.1"]


def test_an_official_image_has_to_bring_all_that_the_tests_need() -> None:
    both = {**RUBY, "Makefile": "test:\n\trspec\n\tgo test ./...\n", "go.mod": "module x\n"}
    assert images(both, "make test") == []
    native = {
        "Makefile": "test:\n\tcc -o t t.c\n\tcargo test\n", "Cargo.toml": '[package]\nname = "x"\n',
        "t.c": "",
    }  # fmt: skip
    assert images(native, "make test") == ["docker.io/library/rust:1"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("node", "docker.io/library/node:latest"),
        ("node:20-slim", "docker.io/library/node:20-slim"),
        ("owner/tool", "docker.io/owner/tool:latest"),
        ("ghcr.io/owner/tool:1", "ghcr.io/owner/tool:1"),
        ("localhost:5000/tool", "localhost:5000/tool:latest"),
        ("127.0.0.1:5000/a/b:x", "127.0.0.1:5000/a/b:x"),
        (f"node@sha256:{'a' * 64}", f"docker.io/library/node@sha256:{'a' * 64}"),
    ],
)
def test_a_reference_is_made_whole(text: str, whole: str) -> None:
    assert whole_reference(text) == whole


@pytest.mark.parametrize(
    "text",
    [
        "", "--privileged", "-v", "dir:/etc", "docker-archive:/home/x.tar", "../x", "/etc/passwd",
        "oci:/tmp/x", "node 20", "node;reboot", "Node", "node:", "${IMAGE}", "a" * 300, "x//y",
    ],
)  # fmt: skip
def test_what_is_no_plain_reference_is_none(text: str) -> None:
    assert whole_reference(text) is None


def test_a_runtime_in_an_image_is_asked_there() -> None:
    assert question("python") == "command -v python3 && python3 --version"
    found = parse_answer("ruby", "/usr/bin/ruby\nruby 3.1.4p223 (2023)\n", "/home/iris")
    assert found is not None
    assert (found.version, found.program, found.folder) == ("3.1.4", "/usr/bin/ruby", "")
    assert found.environment["GEM_HOME"] == "/home/iris/.gem"
    assert parse_answer("ruby", "sh: ruby: not found\n", "/home/iris") is None


def test_an_image_with_another_version_is_refused_with_the_line_that_says_so() -> None:
    part = inspect_repository(make_evidence(RUBY), "rspec").parts[0]
    old = parse_answer("ruby", "/usr/bin/ruby\nruby 2.7.1\n", "/home/iris")
    assert refusal(part, old) == "it has ruby 2.7.1, and .ruby-version:1 says 3.1.4"
    assert refusal(part, None) == "it has no ruby"
    new = parse_answer("ruby", "/usr/bin/ruby\nruby 3.1.9\n", "/home/iris")
    assert refusal(part, new) == ""


def test_every_official_image_has_a_whole_reference() -> None:
    for official in load_official().values():
        reference = official.image.format(version=official.latest)
        assert whole_reference(reference) == reference


def test_a_run_in_an_image_is_told_no_more_than_any_other(tmp_path: Path) -> None:
    places = Places(checkout=tmp_path / "checkout", home=tmp_path / "home")
    image = Image(engine="podman", id="sha256:1", reference="x", path=("/usr/local/go/bin", "/bin"))
    command = Command(
        argv=("bash", "-c", "true"), places=places, image=image, path=("/home/iris/bin",),
        limits=Limits(seconds=5),
    )  # fmt: skip
    options = list(run_options("podman", command, tmp_path))
    told = " ".join(options)
    for wanted in (
        "--network none", "--read-only", "--cap-drop all", "--pull never", "--http-proxy=false",
        "--security-opt no-new-privileges", "PATH=/home/iris/bin:/usr/local/go/bin:/bin",
    ):  # fmt: skip
        assert wanted in told
    mounts = [word for word in options if word.startswith("type=bind")]
    written = [word for word in mounts if not word.endswith("readonly")]
    assert [word.rpartition("target=")[2] for word in written] == ["/home/iris", "/workspace"]
    assert not [word for word in mounts if "target=/usr" in word]


def test_no_setting_names_an_image() -> None:
    def keys(schema: object) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
            for inner in schema.values():
                yield from keys(inner)
        elif isinstance(schema, list):
            for inner in schema:
                yield from keys(inner)

    named = set(keys(Config.model_json_schema()))
    assert "install_runtimes" in named
    assert not {name for name in named if "image" in name or "container" in name}
