"""What lies outside the checkout: networks, services, limits, secrets."""

from __future__ import annotations

import re

from iris_harness.daemon.failures.match import RESERVED_HOST, Match
from iris_harness.daemon.failures.model import (
    FailureClass,
    Verdict,
    network,
    raise_limit,
)


def dns(match: Match) -> Verdict | None:
    """A host whose address nobody knew."""
    host = re.sub(r"^https?://", "", match.groups.get("host", "")).rstrip(".:")
    if match.output.failing and RESERVED_HOST.fullmatch(host):
        return None
    port = re.search(rf"{re.escape(host)}[\" ]*:(\d+)", match.line.text)
    service = match.names["ports"].get(port[1]) if port else None
    if service:
        return _service(match, str(service), port[1] if port else "")
    return network(f"dns:{host}" if host else "dns")


def pip_retry(match: Match) -> Verdict | None:
    """Pip says which index it asked on another line, or not at all."""
    host = next(
        (
            found[1]
            for line in match.output.lines
            if (found := re.search(r"https?://(?:[^@/\s]+@)?([\w.-]+)|host='([\w.-]+)'", line.text))
            and found[1]
        ),
        "",
    )
    if "ProxyError" in match.line.text:
        return network("proxy")
    return network(f"dns:{host}" if host else "dns")


def tls(match: Match) -> Verdict | None:
    """A certificate that is not trusted."""
    if match.output.failing:
        return None
    own = "self-signed" in match.line.text.lower() or "self_signed" in match.line.text.lower()
    return network("tls:self-signed" if own or "self signed" in match.line.text.lower() else "tls")


def proxy(match: Match) -> Verdict | None:
    """A proxy that wants credentials, or refuses."""
    number = next((match.groups[k] for k in ("code", "other", "third") if k in match.groups), "407")
    return network(f"proxy:{number}")


def unreachable(match: Match) -> Verdict | None:
    """A host that was not reached; one that is this machine is a service, not the network."""
    host = match.groups.get("host", "")
    local = RESERVED_HOST.fullmatch(host) or "." not in host or re.fullmatch(r"[\d.]+", host)
    if match.output.failing or local:
        return None
    return network(f"unreachable:{host}")


def disk(match: Match) -> Verdict | None:
    """No space left."""
    return None if match.output.failing else _limit("disk_full", "disk")


def memory(match: Match) -> Verdict | None:
    """Killed for its memory, or a heap that is full; a test's own words say nothing."""
    return None if match.output.failing else _limit("out_of_memory", "memory")


def open_files(match: Match) -> Verdict | None:
    """The limit of open files."""
    return None if match.output.failing else _limit("too_many_open_files", "nofile")


def _limit(detail: str, limit: str) -> Verdict:
    return Verdict(failure=FailureClass.RESOURCE, detail=detail, remedy=raise_limit(limit))


def docker(match: Match) -> Verdict | None:
    """A container engine that no sandbox has."""
    if "docker" in " ".join(match.failure.names("services_up")):
        return None
    remedy = {"action": "report_unwinnable"}
    return Verdict(failure=FailureClass.SERVICE, detail="not_running:docker", remedy=remedy)


def port_service(match: Match) -> Verdict | None:
    """Nobody listens where a known service would."""
    port = match.groups.get("port", "")
    service = match.names["ports"].get(port)
    return _service(match, str(service), port) if service else None


def _service(match: Match, service: str, port: str) -> Verdict | None:
    up = match.failure.names("services_up")
    if any(found.partition(":")[0] == service or found.endswith(f":{port}") for found in up):
        return None
    return service_verdict(service, port)


def service_verdict(service: str, port: str) -> Verdict:
    """Return the verdict that `service` is not running; `port` may be empty."""
    remedy: dict[str, str | None] = {"action": "start_service_or_report", "service": service}
    detail = f"not_running:{service}:{port}" if port else f"not_running:{service}"
    return Verdict(failure=FailureClass.SERVICE, detail=detail, remedy=remedy)


def display(match: Match) -> Verdict | None:
    """No screen to draw on."""
    if match.output.failing and match.output.passed:
        return None
    remedy: dict[str, str | None] = {"action": "start_virtual_display"}
    return Verdict(failure=FailureClass.SERVICE, detail="no_display", remedy=remedy)


def port_in_use(match: Match) -> Verdict | None:
    """A port somebody else has; where other tests ran, the code may not have let it go."""
    if match.output.passed or match.output.failed:
        return None
    remedy: dict[str, str | None] = {"action": "free_port_or_retry"}
    return Verdict(failure=FailureClass.SERVICE, detail="port_in_use", remedy=remedy)


def environ_key(match: Match) -> Verdict | None:
    """A KeyError is a missing variable only where the environment was read."""
    name = match.name
    around = " ".join(match.lines_around(12, 2))
    if not re.search(
        rf"os\.environ\[['\"]{re.escape(name)}['\"]\]|env\[['\"]{re.escape(name)}", around
    ):
        return None
    return _secret(name)


def ruby_env(match: Match) -> Verdict | None:
    """ENV.fetch without its key."""
    around = " ".join(match.lines_around(6, 6))
    return _secret(match.name) if "ENV" in around or "env" in match.line.text else None


def missing_env(match: Match) -> Verdict | None:
    """Somebody wants a variable; the names that shells and runtimes set are none."""
    name = match.name or match.groups.get("names", "")
    if match.output.passed and "_test.go" not in match.line.text:
        return None
    if name in {"JAVA_HOME", "NODE_ENV", "GO_VERSION"} or name.startswith(
        ("ERR_", "CMAKE_", "E_", "HTTP_", "TEST_")
    ):
        return None
    return _secret(name)


def _secret(name: str) -> Verdict:
    remedy: dict[str, str | None] = {"action": "report_missing_secret", "name": name}
    return Verdict(failure=FailureClass.SECRET, detail=f"missing_env:{name}", remedy=remedy)


def unauthorized(match: Match) -> Verdict | None:
    """A server that wants to know who asks; one on this machine is the code under test."""
    host = match.groups.get("host", "").rstrip(".:")
    if match.output.failing or RESERVED_HOST.fullmatch(host) or "." not in host:
        return None
    remedy: dict[str, str | None] = {"action": "report_missing_secret", "name": "registry token"}
    return Verdict(failure=FailureClass.SECRET, detail=f"unauthorized:{host}", remedy=remedy)


def git_credentials(match: Match) -> Verdict | None:
    """Git has no key or password for a server."""
    if match.output.failing:
        return None
    host = match.groups.get("host") or match.groups.get("other") or "git"
    remedy: dict[str, str | None] = {"action": "report_missing_secret", "name": "git credentials"}
    return Verdict(failure=FailureClass.SECRET, detail=f"unauthorized:{host}", remedy=remedy)


def api_key(match: Match) -> Verdict | None:
    """A client of a paid service without its key."""
    if match.output.passed:
        return None
    named = re.search(r"\b([A-Z][A-Z0-9]*_(?:API_KEY|TOKEN|SECRET|KEY))\b", match.line.text)
    return _secret(named[1]) if named else None


def settings_field(match: Match) -> Verdict | None:
    """A field of a settings class that nothing sets; of any other class it is data."""
    around = match.lines_around(3, 2)
    settings = any(
        re.search(r"validation errors? for \w*(?:Settings|Config|Env)\w*$", t) for t in around
    )
    missing = any("Field required" in text or "field required" in text for text in around)
    return missing_env(match) if settings and missing else None


def no_network(match: Match) -> Verdict | None:
    """Curl names the host only in some of its messages."""
    asked = re.search(r"https?://([\w.-]+)", f"{match.line.text} {match.failure.command}")
    if match.output.failing or (asked and RESERVED_HOST.fullmatch(asked[1])):
        return None
    return network(f"unreachable:{asked[1]}" if asked else "unreachable")


def import_host(match: Match) -> Verdict | None:
    """An address that Deno was to import from; why it failed stands below."""
    text = " ".join(match.lines_around(0, 4))
    if not re.search(r"dns error|error sending request|[Cc]onnect|timed out", text):
        return None
    host = match.groups.get("host") or "jsr.io"
    return network(f"dns:{host}" if "dns error" in text else f"unreachable:{host}")
