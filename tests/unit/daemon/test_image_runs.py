"""Tests run in a container image that the repository's evidence names, fetched and confined."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.failures.classify import load_classifier
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.provisioning import Machine, Provisioner
from iris_harness.daemon.runner import Project, Standing
from iris_harness.daemon.sandbox import (
    Command,
    Ended,
    Engines,
    Image,
    Limits,
    Outcome,
    Places,
    WithImages,
    open_sandbox,
)
from iris_harness.daemon.tree import build_tree
from tests.container_engine import Registry, find_missing, own_engine, own_registry

pytestmark = pytest.mark.long

RUBY = """#!/bin/sh
[ "$1" = --version ] && echo "ruby 3.1.4p223 (2023-03-30)" && exit
exec sh "$@"
"""
BUNDLE = """#!/bin/sh
wget -q -O /dev/null http://127.0.0.1:$(cat .port)/v2/ && echo in > ~/fetched
"""
CHECK = """
test "$(cat ~/fetched)" = in || exit 3
wget -q -T 5 -O /dev/null http://127.0.0.1:$(cat .port)/v2/ && exit 4
echo "1 runs, 1 assertions, 0 failures, 0 errors, 0 skips"
"""
LIMITS = Limits(seconds=240, free_bytes=0)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    if missing := find_missing():
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("engine")
    with own_engine(folder), own_registry(folder) as found:
        found.push("ruby:3.1", {"ruby": RUBY, "bundle": BUNDLE})
        found.push("nothing:1", {})
        yield found


@pytest.fixture(scope="module")
def image(registry: Registry) -> Image:
    return Engines(["podman"]).fetch(registry.reference("ruby:3.1"))


def project(folder: Path, reference: str, engines: list[str], port: int = 0) -> Project:
    texts = {
        ".ruby-version": "3.1.4\n",
        "Gemfile": "",
        "check.rb": CHECK,
        ".port": str(port),
        ".devcontainer/devcontainer.json": json.dumps({"image": reference}),
    }
    for name, text in texts.items():
        file = folder / "checkout" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "job/home").mkdir(parents=True)
    evidence = Evidence(tree=build_tree(texts), texts=texts)
    clock = SystemClock()
    return Project(
        evidence=evidence, report=inspect_repository(evidence, "ruby check.rb"),
        sandbox=WithImages(open_sandbox("bubblewrap", clock), clock),
        places=Places(checkout=folder / "checkout", home=folder / "job/home"),
        classifier=load_classifier(), machine=Machine(path=(), home=str(folder)), limits=LIMITS,
        provisioner=Provisioner((), ()), engines=Engines(engines),
    )  # fmt: skip


def test_tests_run_in_the_image_that_the_repository_names(
    registry: Registry, tmp_path: Path
) -> None:
    reference = registry.reference("ruby:3.1")
    made = project(tmp_path, reference, ["podman"], registry.port)
    baseline = made.baseline()
    assert baseline.standing is Standing.GREEN, (baseline, baseline.outcome)
    assert baseline.toolchain == f"ruby 3.1.4 (in {reference})"
    said = "the devcontainer's, .devcontainer/devcontainer.json:1 says so"
    assert baseline.notes == (f"ruby is not installed here, so it runs in {reference}: {said}",)
    assert baseline.outcome is not None
    assert baseline.outcome.confined


def test_no_image_is_fetched_unasked(registry: Registry, tmp_path: Path) -> None:
    baseline = project(tmp_path, registry.reference("ruby:3.1"), []).baseline()
    assert (baseline.standing, baseline.why) == (Standing.IMPOSSIBLE, "ruby is not installed here")


def test_an_image_without_the_runtime_will_not_do(registry: Registry, tmp_path: Path) -> None:
    reference = registry.reference("nothing:1")
    baseline = project(tmp_path, reference, ["podman"]).baseline()
    assert baseline.standing is Standing.IMPOSSIBLE
    assert f"{reference} will not do: it has no ruby" in baseline.why


def test_a_registry_that_cannot_be_reached_is_said(registry: Registry, tmp_path: Path) -> None:
    del registry
    reference = "127.0.0.1:9/ruby:3.1"
    baseline = project(tmp_path, reference, ["podman"]).baseline()
    assert (baseline.standing, baseline.outcome) == (Standing.IMPOSSIBLE, None)
    assert f"{reference} cannot be had: " in baseline.why
    assert "refused" in baseline.why
    assert baseline.can_do.startswith("install ruby")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("checkout", "home", "user"):
        (tmp_path / name).mkdir()
    (tmp_path / "user" / "secret").write_text("a password", encoding="utf-8")
    return Places(checkout=tmp_path / "checkout", home=tmp_path / "home")


def run(image: Image, places: Places, script: str, limits: Limits = LIMITS) -> Outcome:
    clock = SystemClock()
    sandbox = WithImages(open_sandbox("bubblewrap", clock), clock)
    argv = ("bash", "-c", script)
    return sandbox.run(Command(argv=argv, places=places, limits=limits, image=image))


def test_in_an_image_only_the_checkout_and_the_home_are_written(
    image: Image, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "a-secret-key")
    monkeypatch.setenv("HTTP_PROXY", "http://ada:a-secret-key@127.0.0.1:1")
    script = f"""
for place in / /bin /etc /opt/bin /proc /var; do touch $place/x 2> /dev/null && echo $place; done
cat {places.home.parent}/user/secret
env
cat /proc/*/environ
touch made ~/made
"""
    outcome = run(image, places, script)
    assert outcome.confined
    assert "password" not in outcome.output
    assert "a-secret-key" not in outcome.output
    assert not {"/", "/bin", "/etc", "/opt/bin", "/proc", "/var"} & set(outcome.output.splitlines())
    assert (places.checkout / "made").exists()
    assert (places.home / "made").exists()


def test_what_never_ends_in_an_image_is_ended(image: Image, places: Places) -> None:
    limits = Limits(seconds=15, free_bytes=0)
    outcome = run(image, places, "sleep 4390", limits)
    assert outcome.ended is Ended.TIMED_OUT


def test_a_file_in_an_image_does_not_grow_beyond_its_limit(image: Image, places: Places) -> None:
    limits = Limits(seconds=240, file_bytes=1 << 20, free_bytes=0)
    outcome = run(image, places, "cat /dev/zero > huge", limits)
    assert outcome.exit_code != 0
    assert (places.checkout / "huge").stat().st_size <= 1 << 20
