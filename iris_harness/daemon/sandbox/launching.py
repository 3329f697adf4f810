"""How every run is started, in a sandbox or not: its variables, its rank, its limits."""

from __future__ import annotations

from iris_harness.daemon.sandbox.values import Command, Limits

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
        "PATH": ":".join((*command.path, SYSTEM_PATH)),
        "TERM": "dumb",
        "TZ": "UTC",
        "USER": "iris",
        **command.environment,
    }
