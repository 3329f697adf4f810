"""Plans by rules: what the words state, and nothing that they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.errors import RequestError
from iris_harness.jobs.heuristic import HeuristicPlanner, summarize
from iris_harness.jobs.validation import check_plan
from iris_harness.jobs.values import Plan, PlanRequest

Shape = list[tuple[str | None, tuple[str, ...], tuple[str, ...]]]


def planned(task: str, *files: str) -> Plan:
    return HeuristicPlanner().plan(PlanRequest(task=task, files=files)).plan


def shape(plan: Plan) -> Shape:
    return [(worker.file, worker.files, worker.depends_on) for worker in plan.workers]


def alone(*files: str | None) -> Shape:
    return [(file, (), ()) for file in files]


def chain(*files: str | None) -> Shape:
    return [(file, (), (f"w{number}",) if number else ()) for number, file in enumerate(files)]


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("add dark mode to my site", alone(None)),
        ("fix the typo in README.md", alone("README.md")),
        ("upgrade to Node.js 20", alone(None)),
        ("see https://example.org/a.py and mail me@example.org", alone(None)),
        ("support read/write and I/O of v1.2.3", alone(None)),
        ("clean up `src/app`", alone("src/app")),
        ("fix the Dockerfile", alone("Dockerfile")),
        ("rename foo to bar in a.py, b.py and src/c.ts", alone("a.py", "b.py", "src/c.ts")),
        ("fix `a.py`, `b.py`", alone("a.py", "b.py")),
        ("fix login in auth.py. Update colours in style.css.", alone("auth.py", "style.css")),
        ("please:\n- fix a.py\n- fix b.py", alone("a.py", "b.py")),
    ],
)
def test_independent_files_fan_out_and_everything_else_is_one_worker(
    task: str, expected: Shape
) -> None:
    assert shape(planned(task)) == expected


@pytest.mark.parametrize(
    "task",
    [
        "move parse from a.py to b.py",
        "merge a.py and b.py",
        "use the helper of a.py everywhere in b.py",
        "fix login in a.py. Update the tests in b.py accordingly.",
    ],
)
def test_files_that_belong_together_stay_with_one_worker(task: str) -> None:
    assert shape(planned(task)) == [(None, ("a.py", "b.py"), ())]


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("first rename foo in a.py, then update README.md", chain("a.py", "README.md")),
        ("rename foo in a.py and then update README.md", chain("a.py", "README.md")),
        ("1. add a model\n2. add a view in views.py\n3. test it", chain(None, "views.py", None)),
        ("do this: (1) fix a.py (2) fix b.py", chain("a.py", "b.py")),
        ("after fixing the parser in p.py, update docs/p.md", chain("p.py", "docs/p.md")),
        ("update docs/p.md after you have fixed p.py", chain("p.py", "docs/p.md")),
        ("run the linter before committing main.go", chain(None, "main.go")),
        ("add a button; then style it, and finally document it", chain(None, None, None)),
        ("fix a.py. After that, fix a.py again", chain("a.py", "a.py")),
        ("- do this\n- do that", chain(None, None)),
    ],
)
def test_an_order_that_is_stated_becomes_edges(task: str, expected: Shape) -> None:
    assert shape(planned(task)) == expected


@pytest.mark.parametrize(
    "task",
    [
        "if the form is empty, then show a message",
        "when it fails then retry",
        "add a try/finally block",
        "add a retry after 3 seconds",
        "show what comes next",
    ],
)
def test_words_of_order_that_state_none_make_no_edges(task: str) -> None:
    assert shape(planned(task)) == alone(None)


def test_a_step_that_fans_out_is_waited_for_as_a_whole() -> None:
    plan = planned("first add types to a.py and b.py, then run the checker, then fix c.py and d.py")
    assert [worker.depends_on for worker in plan.workers] == [
        (), (), ("w1", "w2"), ("w3",), ("w3",),
    ]  # fmt: skip


def test_files_that_the_request_names_are_one_worker_each() -> None:
    assert shape(planned("add types", "a.py", "b.py")) == alone("a.py", "b.py")
    assert shape(planned("first fix a.py, then b", "a.py")) == chain("a.py", None)


def test_every_rule_that_was_applied_is_named() -> None:
    outcome = HeuristicPlanner().plan(PlanRequest(task="first fix a.py, then b.py and c.py"))
    assert outcome.planner == "heuristic"
    assert any("order" in note for note in outcome.notes)
    assert any("one worker each" in note for note in outcome.notes)


def test_a_task_without_words_is_refused() -> None:
    for nothing in ("", "  \n", "\u200b"):
        with pytest.raises(RequestError) as caught:
            planned(nothing)
        assert caught.value.field == "task"


def test_a_summary_is_one_line_cut_at_a_word() -> None:
    assert summarize("one\ntwo") == "one"
    assert summarize("word " * 40).endswith("word …")
    assert len(summarize("word " * 40)) <= 75
    assert len(summarize("x" * 400)) <= 75


_PIECES = st.sampled_from(
    ["first ", "then ", ", ", ". ", "\n- ", "\n1. ", "\n2. ", "a.py", "src/b.ts", "docs/", " and ",
     "fix ", "after fixing ", "it ", "`c.go`", "move ", "\u201c", "before ", "README.md "]
)  # fmt: skip


@given(st.lists(_PIECES, min_size=1, max_size=14).map("".join))
def test_whatever_is_said_the_plan_can_be_run_and_is_always_the_same(task: str) -> None:
    request = PlanRequest(task=f"fix {task}")
    plan = HeuristicPlanner().plan(request).plan
    check_plan(plan)
    assert HeuristicPlanner().plan(request).plan == plan


def test_a_folder_and_a_file_in_it_are_given_to_one_worker() -> None:
    plan = HeuristicPlanner().plan(PlanRequest(task="fix docs/ and docs/use.md")).plan
    assert [worker.named_files() for worker in plan.workers] == [("docs/", "docs/use.md")]
