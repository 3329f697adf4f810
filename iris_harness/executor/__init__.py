"""The executor: asks agents, in parallel, and always comes back with an answer for each task.

**Who runs, who watches.** The thread that calls `AgentExecutor.run` never runs a handler: a
thread inside a handler that hangs can neither be stopped nor return. It hands the plan to a
*turn thread* and watches. The turn thread is long-lived, belongs to this turn alone while the
turn lasts, and is not one of the pool's, so a question of one task is answered at once however
busy the pool is with other turns: its task runs inline there, and so does every task that has
nothing beside it. Where tasks can run side by side the turn thread takes one and calls *helpers*
from the pool for the others. The pool is shared by all turns and bounded; with its helpers one
plan never uses more threads than `max_workers`, nor more than its widest wave has tasks. A plan
costs one change of threads there and back, not one per task.

**Deadlines and cancelling.** When a task is overdue, or the turn is cancelled, the watching
thread records that as the task's result and *abandons* the thread that hangs in it: its late
result is dropped, its place in the pool is filled, and what may still start goes on, on a new
thread if need be. So the results of all other tasks are kept, whichever thread hangs. An
abandoned thread ends by itself should its handler return; until then `AgentExecutor.abandoned`
counts it, and an agent in which `max_stuck_calls` of them hang is not asked again. All threads
are daemons: neither `close` nor interpreter exit waits for one that hangs. That is why the
threads here are our own: the standard ThreadPoolExecutor keeps a hanging thread's place, and
interpreter exit joins it.
A handler that looks (`raise_if_cancelled`) stops at its next good moment; one that does not is
reported `cancelled` or `timed_out` just as promptly.

**Ctrl-C.** KeyboardInterrupt reaches the watching thread, which is only waiting: the plan is
cancelled and the exception goes on to the caller. A surface that wants the results of the turn it
stops calls `CancelToken.cancel` in its signal handler instead.

**Nested plans.** A handler that runs a plan on the same executor runs it inline on its own
thread, one task after the other, so that it never waits for the thread it occupies. Nobody watches
a nested task; its deadline is held when its handler returns, and the outer task's deadline, which
is watched, bounds it.

**Contexts.** Each task runs in a fresh copy of the caller's `contextvars` context, with
`CURRENT_SIGNAL` set: it sees what the caller set, and nothing that another task sets.

One idle caller thread per turn, one turn thread, at most `max_workers - 1` helpers: that is all
the state there is. `frontier` says what may start, `ledger` keeps what is known, `run` moves it,
`threads` lends the threads, `calls` asks the handler.

The names below are resolved when they are first used: what only names the executor's settings
does not load it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iris_harness.executor.agent_executor import AgentExecutor
    from iris_harness.executor.cancel import CancelToken
    from iris_harness.executor.settings import ExecutorSettings, Schedule

__all__ = ["AgentExecutor", "CancelToken", "ExecutorSettings", "Schedule"]

_HOMES = {
    "AgentExecutor": "agent_executor",
    "CancelToken": "cancel",
    "ExecutorSettings": "settings",
    "Schedule": "settings",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
