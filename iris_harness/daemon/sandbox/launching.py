"""How every run is started, in a sandbox or not: its variables, its rank, its limits."""

from __future__ import annotations

import os
from collections.abc import Iterator

from iris_harness.daemon.sandbox.values import Command, Limits

CHECKOUT = "/workspace"
HOME = "/home/iris"
"""Where a run that is confined sees its two folders."""

SHARED_MEMORY_BYTES = 256 * 1024 * 1024

_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
_SETTINGS = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts",
    "host.conf", "hosts", "java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "magic", "mime.types", "nsswitch.conf", "os-release", "pki", "protocols", "services", "ssl",
    "timezone",
)  # fmt: skip
"""Of /etc: what programs need to run and to trust certificates; nothing about the user."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

LAST_SERVED = ("nice", "-n", "19", "choom", "-n", "1000", "--")
"""A run leaves the processor to others, the watch that may have to end it among them, and is ended
before any program of the user's where memory runs out (nice(1), choom(1))."""


def most_tasks(limits: Limits) -> int:
    """Return how many processes and threads the kernel is told to allow."""
    return limits.processes * 4


def limited(limits: Limits) -> tuple[str, ...]:
    """Return the words that start a program with the kernel's limits, open for more of them."""
    return ("prlimit", f"--fsize={limits.file_bytes}", "--core=0")


def environment(command: Command, home: str) -> dict[str, str]:
    """Return every variable of a run: none of the user's, and the same on every machine."""
    return {
        "CI": "true",  # tells watchers to run once, and nobody to ask
        "HOME": home,
        "LANG": "C.UTF-8",
        "PATH": ":".join(
            (*command.path, *(command.image.path if command.image else (SYSTEM_PATH,)))
        ),
        "TERM": "dumb",
        "TZ": "UTC",
        "USER": "iris",
        **command.environment,
    }


def system_places(*, network: bool) -> Iterator[tuple[str, str]]:
    """Yield what a run that is confined reads of the system, if it is there: where, and seen where."""
    for place in (*_PROGRAMS, *(f"/etc/{name}" for name in _SETTINGS)):
        yield place, place
    if network:  # often a link to where the system keeps it, which is not given
        yield os.path.realpath("/etc/resolv.conf"), "/etc/resolv.conf"


def accounts() -> tuple[str, str]:
    """Return an account file and a group file with only the user, under another name."""
    user, group = os.getuid(), os.getgid()
    return (
        f"iris:x:{user}:{group}::{HOME}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
        f"iris:x:{group}:\nnogroup:x:65534:\n",
    )
