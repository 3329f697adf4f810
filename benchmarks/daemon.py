"""How much the daemon adds: to making a worktree, and to eight workers that run at once.

A worktree is compared with `git worktree add` in the same run. Eight workers of one job, each with
a model that thinks for a while and tests that compute, are compared with the least that they could
take here: the longest chain of what has to come one after the other, or all computing on two
cores. The bars are 2 and 1.15 times.
"""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from _support import describe_machine, measure_ms, print_table

from iris_harness.clock import SystemClock
from iris_harness.contracts.model import (
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
)
from iris_harness.daemon.checkouts import CloneCache, add_worktree
from iris_harness.daemon.failures.classify import load_classifier
from iris_harness.daemon.loop import Budget
from iris_harness.daemon.provisioning import Machine, Provisioner
from iris_harness.daemon.sandbox import Engines, Limits, Turns, open_sandbox
from iris_harness.daemon.service import DaemonService
from iris_harness.daemon.workplace import Workplace
from iris_harness.jobs.database import open_database
from iris_harness.jobs.heuristic import HeuristicPlanner
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.submit import Submission, Submitter
from iris_harness.jobs.values import Plan, PlannedWorker, PlanRequest
from iris_harness.testing import ScriptedModel

_FILES = 2_000
_TIMES = 15
_WORKERS = 8
_CORES = 2
_THINKING_SECONDS = 0.5
_COMPUTING = "python3 -c \"[n * n for n in range(6_000_000)]; print('1 passed')\""
_WORKTREE_BAR = 2.0
_PARALLEL_BAR = 1.15


class ThinkingModel(ScriptedModel):
    """Takes its time, as one on another machine does."""

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer after a while."""
        time.sleep(_THINKING_SECONDS)
        return super().complete(request)


def main() -> int:
    """Print a table; return 1 when a bar is missed."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        made, alone = measure_worktrees(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        wall, least, cpu = measure_workers(Path(folder))
    print_table(
        ("", "took", "at least", "ratio", "bar"),
        [
            (f"a worktree of {_FILES:,} files", f"{made:.0f} ms", f"{alone:.0f} ms",
             f"{made / alone:.2f}", f"{_WORKTREE_BAR}"),
            (f"{_WORKERS} workers, {cpu:.1f} s of CPU", f"{wall:.2f} s", f"{least:.2f} s",
             f"{wall / least:.2f}", f"{_PARALLEL_BAR}"),
        ],
    )  # fmt: skip
    return int(made / alone > _WORKTREE_BAR or wall / least > _PARALLEL_BAR)


def measure_worktrees(folder: Path) -> tuple[float, float]:
    """Return the milliseconds of Iris's worktree, and of git's own command."""
    origin = make_repository(
        folder / "origin", {f"d{n % 40}/f{n}.py": "x\n" for n in range(_FILES)}
    )
    clone = CloneCache(folder / "clones").open(origin)
    base = clone.find_commit(None)
    number = iter(range(10_000))

    def ours() -> None:
        add_worktree(clone, folder / f"ours-{next(number)}", f"b/{next(number)}", base)

    def theirs() -> None:
        words = ("worktree", "add", "-q", "-b", f"c/{next(number)}")
        place = str(folder / f"theirs-{next(number)}")
        subprocess.run(["/usr/bin/env", "git", *words, place, base], cwd=clone.folder, check=True)

    return measure_ms(ours, _TIMES), measure_ms(theirs, _TIMES)


def measure_workers(folder: Path) -> tuple[float, float, float]:
    """Return how long eight workers took, the least it could be, and the CPU time; in seconds."""
    files = {f"f{n}.py": "X = 1\n" for n in range(_WORKERS)}
    origin = make_repository(folder / "origin", files)
    with opened_daemon(folder, origin, 1) as service:
        chain, _ = timed(service, 1)
    with opened_daemon(folder, origin, _WORKERS) as service:
        wall, cpu = timed(service, _WORKERS)
    # What runs in a sandbox is ended with it, and its time is nobody's: it is taken outside.
    proof = alone_cpu_seconds("sh", "-c", _COMPUTING)
    prepared = alone_cpu_seconds("python3", "-m", "venv", "--without-pip", str(folder / "venv"))
    cpu += _WORKERS * (prepared + 2 * proof) + (_WORKERS - 1) * proof
    # Only the merged whole is proved by one worker after the other; that is one of three runs.
    return wall, max(chain + (_WORKERS - 1) * proof, cpu / _CORES), cpu


def timed(service: DaemonService, workers: int) -> tuple[float, float]:
    """Return how long a daemon ran, and the CPU time that it and its runs took; in seconds."""
    started, before = time.perf_counter(), cpu_seconds()
    service.run(threading.Event(), once=True, workers=workers)
    return time.perf_counter() - started, cpu_seconds() - before


def alone_cpu_seconds(*words: str) -> float:
    """Return the CPU time of a program, started as it is."""
    before = cpu_seconds()
    subprocess.run(["/usr/bin/env", *words], check=True, stdout=subprocess.DEVNULL)
    return cpu_seconds() - before


def cpu_seconds() -> float:
    """Return the CPU time of this process and of the children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


@contextlib.contextmanager
def opened_daemon(folder: Path, origin: str, workers: int) -> Iterator[DaemonService]:
    """Submit a job of so many independent workers, and give a daemon that can run it."""
    clock = SystemClock()
    models = {f"m{n}": ThinkingModel(script(n)) for n in range(workers)}
    planned = tuple(
        PlannedWorker(id=f"w{n}", task=f"change {n}", file=f"f{n}.py", model=f"m{n}")
        for n in range(workers)
    )
    place = folder / f"{workers}"
    with contextlib.closing(open_database(place / "jobs.db", clock)) as database:
        submitter = Submitter(database, plans=HeuristicPlanner().plan, host="here")
        request = PlanRequest(task="change it", repo_url=origin, test_cmd=_COMPUTING)
        submitter.submit(Submission(request, plan=Plan(summary="", workers=planned)))
        yield DaemonService(
            queue=Queue(database, clock),
            daemon=Daemon(name="one", offers=frozenset({"host:here"})),
            workplace=Workplace(
                folder=place, sandbox=open_sandbox("bubblewrap", clock),
                classifier=load_classifier(), machine=Machine.here(), clock=clock, limits=Limits(),
                provisioner=Provisioner((), ()), engines=Engines(()), turns=Turns(_CORES),
            ),
            open_model=models.__getitem__, price_of=lambda _: None, clock=clock, budget=Budget(),
        )  # fmt: skip


def script(number: int) -> list[ChatResponse]:
    """Return what the model of a worker answers."""
    edit = {"path": f"f{number}.py", "old": "X = 1", "new": "X = 2"}
    return [calling("edit", edit), calling("finish", {"summary": "Changed."})]


def calling(name: str, arguments: dict[str, str]) -> ChatResponse:
    """Return an answer that calls a tool."""
    call = ToolCall(id=f"c-{name}", name=name, arguments=json.dumps(arguments))
    usage = TokenUsage(prompt_tokens=10, completion_tokens=5)
    return ChatResponse(
        text="", finish_reason=FinishReason.TOOL_CALLS, usage=usage, tool_calls=(call,)
    )


def make_repository(folder: Path, files: dict[str, str]) -> str:
    """Return the address of a new repository."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        subprocess.run(["/usr/bin/env", "git", *identity, *words], cwd=folder, check=True)
    return folder.as_uri()


if __name__ == "__main__":
    sys.exit(main())
