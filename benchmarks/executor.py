"""How much time the executor adds to a plan, beside a bare thread pool and LangGraph.

Run it with ``make bench`` or ``python benchmarks/executor.py``. A figure is the wall time of a
plan beyond its critical path: the chain of dependent tasks that took longest in that very run, by
the tasks' own watches (a sleep of 20 ms takes a little more, and that is no engine's doing; the
second table counts it nevertheless). It includes what the engine does per plan: ours validates
the plan, builds `inputs` and watches deadlines; the bare pool is a loop over waves formed
beforehand, without any of that, once with every task submitted and once with single tasks called
in place; LangGraph's graph is compiled beforehand. Engines take turns within a round; a figure is
the lowest of the rounds' medians. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import operator
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Any, TypedDict

from _support import calibration_ms, describe_machine, print_table

from iris_harness.clock import SystemClock
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import AgentTask, TaskPlan
from iris_harness.executor import AgentExecutor, ExecutorSettings, Schedule
from iris_harness.testing import make_agent, make_plan, make_task

ROUNDS = 5
BATCH = 5
POOL_BAR = 1.5
GRAPH_BAR_NO_OP = 10
GRAPH_BAR = 5
READY_BAR = 0.05
WORKERS = 4
ANSWER = HandlerResult(text="done")
Engine = Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A plan to be timed."""

    name: str
    needs: Mapping[str, Sequence[str]]
    """In dependency order."""
    nominal: Mapping[str, float]
    """Seconds that each task sleeps; 0 for one that does nothing."""
    samples: int
    """Runs per round."""
    taken: dict[str, float]
    """Seconds that each task took in the latest run."""

    @property
    def plan(self) -> TaskPlan:
        """The plan for our executor."""
        return make_plan(*(make_task(name, "a", depends_on=on) for name, on in self.needs.items()))

    def longest_chain(self, seconds: Mapping[str, float]) -> float:
        """Return the length of the critical path when tasks take these times."""
        ended: dict[str, float] = {}
        for name, needed in self.needs.items():
            ended[name] = max((ended[other] for other in needed), default=0.0) + seconds[name]
        return max(ended.values())

    def work(self, name: str) -> None:
        """Do what the task does."""
        if self.nominal[name]:
            start = time.perf_counter()
            time.sleep(self.nominal[name])
            self.taken[name] = time.perf_counter() - start


@dataclass(frozen=True, kw_only=True)
class Overhead:
    """Milliseconds beyond the critical path, as it was and as it should have been."""

    real: float
    nominal: float


DIAMOND = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c")}
GRID = {
    f"{row}{column}": tuple(f"{row - 1}{other}" for other in range(4)) if row else ()
    for row in range(3)
    for column in range(4)
}
# Two chains out of step: waves wait 60 + 60 + 60 + 10 ms, the longest chain takes 90.
UNBALANCED = {"a": (), "b": (), "c": ("a",), "d": ("b",), "e": ("c",), "f": ("d",), "g": ("e", "f")}
UNBALANCED_MS = {"a": 60, "b": 10, "c": 10, "d": 60, "e": 10, "f": 10, "g": 10}


def shapes() -> list[Shape]:
    """Return what is measured."""
    result = []
    for seconds, samples in ((0.0, 400), (0.02, 20)):
        for name, needs in (("diamond", DIAMOND), ("3x4", GRID)):
            label = f"{name}, 20 ms" if seconds else f"{name}, no-op"
            result.append(new_shape(label, needs, dict.fromkeys(needs, seconds), samples))
    lengths = {name: length / 1e3 for name, length in UNBALANCED_MS.items()}
    result.append(new_shape("unbalanced, 90 ms", UNBALANCED, lengths, 9))
    return result


def new_shape(
    name: str, needs: Mapping[str, Sequence[str]], nominal: Mapping[str, float], samples: int
) -> Shape:
    """Return a shape that has not run yet."""
    taken = dict.fromkeys(needs, 0.0)
    return Shape(name=name, needs=needs, nominal=nominal, samples=samples, taken=taken)


def our_engine(shape: Shape, schedule: Schedule) -> tuple[Engine, Callable[[], None]]:
    """Return our executor on this shape, and how to close it."""

    def handler(task: AgentTask) -> HandlerResult:
        shape.work(task.id)
        return ANSWER

    executor = AgentExecutor(
        {"a": make_agent("a", handler)},
        SystemClock(),
        ExecutorSettings(max_workers=WORKERS, schedule=schedule),
    )
    plan = shape.plan
    return lambda: executor.run(plan), executor.close


def bare_pool(shape: Shape, *, inline: bool) -> tuple[Engine, Callable[[], None]]:
    """Return the loop one would write by hand over a long-lived pool."""
    pool = ThreadPoolExecutor(WORKERS)
    waves = [[task.id for task in wave] for wave in shape.plan.execution_groups()]

    def handler(name: str) -> HandlerResult:
        shape.work(name)
        return ANSWER

    def run() -> list[HandlerResult]:
        results: list[HandlerResult] = []
        for wave in waves:
            if inline and len(wave) == 1:
                results.append(handler(wave[0]))
            else:
                futures = [pool.submit(handler, name) for name in wave]
                results.extend(future.result() for future in futures)
        return results

    return run, pool.shutdown


class State(TypedDict):
    """LangGraph's state: the results so far."""

    results: Annotated[list[Any], operator.add]


def langgraph_engine(shape: Shape) -> tuple[Engine, Callable[[], None]]:
    """Return LangGraph's compiled graph of this shape."""
    from langgraph.graph import END, START, StateGraph

    def node(name: str) -> Callable[[State], State]:
        def run(_: State) -> State:
            shape.work(name)
            return {"results": [ANSWER]}

        return run

    graph = StateGraph(State)
    used = {other for needed in shape.needs.values() for other in needed}
    for name, needed in shape.needs.items():
        graph.add_node(name, node(name))
        graph.add_edge(list(needed) if needed else START, name)
        if name not in used:
            graph.add_edge(name, END)
    compiled = graph.compile()
    config = {"max_concurrency": WORKERS}
    return lambda: compiled.invoke({"results": []}, config), lambda: None


def beyond(shape: Shape, run: Engine) -> Overhead:
    """Run the plan once."""
    start = time.perf_counter()
    run()
    wall = time.perf_counter() - start
    return Overhead(
        real=(wall - shape.longest_chain(shape.taken)) * 1e3,
        nominal=(wall - shape.longest_chain(shape.nominal)) * 1e3,
    )


def combine(how: Callable[[Iterable[float]], float], overheads: Collection[Overhead]) -> Overhead:
    """Return the median, or the lowest, of both figures."""
    return Overhead(
        real=how(each.real for each in overheads), nominal=how(each.nominal for each in overheads)
    )


def one_round(shape: Shape, engines: Mapping[str, Engine]) -> dict[str, Overhead]:
    """Return each engine's medians.

    They take turns in small batches, so that they share the machine's better and worse moments.
    """
    samples: dict[str, list[Overhead]] = {name: [] for name in engines}
    while min(len(found) for found in samples.values()) < shape.samples:
        for name, run in engines.items():
            samples[name] += [beyond(shape, run) for _ in range(BATCH)]
    return {name: combine(median, found) for name, found in samples.items()}


def measure(shape: Shape) -> dict[str, Overhead]:
    """Return each engine's overhead on this shape: the lowest of its rounds' medians."""
    opened = {
        "waves": our_engine(shape, Schedule.WAVES),
        "ready": our_engine(shape, Schedule.READY),
        "pool": bare_pool(shape, inline=False),
        "pool inline": bare_pool(shape, inline=True),
        "LangGraph": langgraph_engine(shape),
    }
    engines = {name: run for name, (run, _) in opened.items()}
    for run in engines.values():
        run()
    rounds = [one_round(shape, engines) for _ in range(ROUNDS)]
    for _, close in opened.values():
        close()
    return {name: combine(min, [found[name] for found in rounds]) for name in engines}


def judge(shape: Shape, found: Mapping[str, Overhead]) -> list[tuple[str, bool]]:
    """Return the bars of this shape, and whether they are met."""
    if shape.name.startswith("unbalanced"):
        share = found["ready"].nominal / (shape.longest_chain(shape.nominal) * 1e3)
        text = f"ready ends {share:.1%} after the nominal critical path (<= {READY_BAR:.0%})"
        return [(text, share <= READY_BAR)]
    ours = found["waves"].real
    least = GRAPH_BAR_NO_OP if shape.name.endswith("no-op") else GRAPH_BAR
    over_pool, under_graph = ours / found["pool"].real, found["LangGraph"].real / ours
    return [
        (f"{over_pool:.2f} x the bare pool (<= {POOL_BAR})", over_pool <= POOL_BAR),
        (f"LangGraph takes {under_graph:.1f} x ours (>= {least})", under_graph >= least),
    ]


def main() -> int:
    """Measure, print, judge."""
    print(describe_machine())
    measured = [(shape, measure(shape)) for shape in shapes()]
    head = ["plan", *measured[0][1]]
    for title, kind in (("as it was", "real"), ("of nominal lengths", "nominal")):
        print(f"\nms beyond the critical path {title} (lowest of {ROUNDS} medians)")
        print_table(
            head,
            [
                [shape.name, *(f"{getattr(value, kind):.2f}" for value in found.values())]
                for shape, found in measured
            ],
        )
    print(f"\ncalibration loop afterwards: {calibration_ms():.0f} ms\n")
    verdicts = [(shape.name, *each) for shape, found in measured for each in judge(shape, found)]
    for name, text, met in verdicts:
        print(f"{'ok  ' if met else 'MISS'}  {name}: {text}")
    return 0 if all(met for _, _, met in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
