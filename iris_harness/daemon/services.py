"""What the tests need beside the runtime: services, other toolchains, a network, a display."""

from __future__ import annotations

import re
from typing import NamedTuple

from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.targets import load_json, table
from iris_harness.daemon.test_command import Candidate

_SERVICES = (
    (r"postg(?:res|is)|timescale", "postgres"), (r"mysql|percona", "mysql"), (r"mariadb", "mariadb"),
    (r"redis|valkey|keydb", "redis"), (r"mongo", "mongodb"), (r"elastic", "elasticsearch"),
    (r"opensearch", "opensearch"), (r"rabbit", "rabbitmq"), (r"kafka|redpanda", "kafka"),
    (r"memcached", "memcached"), (r"mssql|sqlserver", "mssql"), (r"minio", "minio"),
    (r"localstack", "localstack"), (r"cassandra|scylla", "cassandra"), (r"nats", "nats"),
    (r"etcd", "etcd"), (r"clickhouse", "clickhouse"), (r"neo4j", "neo4j"), (r"influx", "influxdb"),
    (r"selenium|chrome", "selenium"), (r"mailhog|mailpit", "mailhog"), (r"cockroach", "cockroachdb"),
    (r"ldap", "ldap"), (r"couchdb", "couchdb"), (r"dynamodb", "dynamodb"), (r"vault", "vault"),
)  # fmt: skip


class Needs(NamedTuple):
    """What a run of the tests needs."""

    services: tuple[str, ...]
    also_requires: tuple[str, ...]
    """Other runtimes."""
    needs: tuple[str, ...]
    """docker, network, browser, display, submodules."""


def find_needs(evidence: Evidence, chosen: Candidate | None, runtimes: tuple[str, ...]) -> Needs:
    """Return what the chosen test command needs; nothing where there is none.

    Args:
        evidence: of the repository.
        chosen: the test command.
        runtimes: other runtimes that it needs.
    """
    if chosen is None:
        return Needs((), (), ())
    images = chosen.step.services if chosen.step else ()
    services = dict.fromkeys(name for image in images if (name := _service(image)))
    return Needs(tuple(services), runtimes, tuple(_needs(evidence, chosen)))


def _service(image: str) -> str | None:
    return next((name for pattern, name in _SERVICES if re.search(pattern, image)), None)


def _bodies(evidence: Evidence, chosen: Candidate) -> str:
    """Return the command and the scripts it goes through."""
    scripts = (evidence.text(source.file) for source in chosen.sources[1:] if source.line <= 1)
    quotes = (source.quote for source in chosen.sources)
    return "\n".join((chosen.command, *quotes, *scripts))


def _needs(evidence: Evidence, chosen: Candidate) -> list[str]:
    text = _bodies(evidence, chosen)
    package = load_json(evidence, f"{chosen.folder}/package.json".lstrip("/"))
    wanted = " ".join((*table(package, "devDependencies"), *table(package, "dependencies")))
    manifests = " ".join(
        evidence.text(name)
        for name in ("pyproject.toml", "go.mod", "Cargo.toml", "pom.xml", "requirements-dev.txt")
    )
    checks = (
        ("docker", re.search(r"\bdocker\b|\bpodman\b", text) or re.search(r"testcontainers|dockerode", f"{wanted} {manifests}") or ("docker-in-docker" in " ".join(evidence.text(p) for p in (".devcontainer/devcontainer.json",)) and "container" in evidence.text("package.json"))),
        ("network", re.search(r"\b(?:npm (?:i|install|ci)|curl|wget|git clone|pip install|playwright install)\b", text)),
        ("browser", re.search(r"\b(?:karma|puppeteer|@playwright/test|cypress|wtr|web-test-runner)\b", text) or ("karma" in wanted.split() and "karma" in text)),
        ("display", "xvfb" in text),
        ("submodules", evidence.has(".gitmodules")),
    )  # fmt: skip
    return [name for name, found in checks if found]
