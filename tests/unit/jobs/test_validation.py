"""What is refused before anything is kept, and which worker is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iris_harness.errors import JobPlanError, RequestError
from iris_harness.jobs.validation import check_plan, check_request, check_submission
from iris_harness.jobs.values import Plan, PlannedWorker, PlanRequest, SubmitOptions

REPO = "https://example.org/r.git"


def worker(name: str, *before: str, **fields: object) -> PlannedWorker:
    made = PlannedWorker(id=name, task=f"do {name}", depends_on=before)
    return replace(made, **fields)  # type: ignore[arg-type]


def refused(*workers: PlannedWorker, limit: int = 100) -> JobPlanError:
    with pytest.raises(JobPlanError) as caught:
        check_plan(Plan(summary="s", workers=workers), max_workers=limit)
    return caught.value


def accepted(*workers: PlannedWorker) -> None:
    check_plan(Plan(summary="s", workers=workers))


@pytest.mark.parametrize(
    ("workers", "problem", "nodes"),
    [
        ((), "no_worker", ()),
        ((worker("a"), worker("A")), "duplicate_id", ("A",)),
        ((worker("a", "z"),), "dangling_id", ("a", "z")),
        ((worker("a", "a"),), "cycle", ("a", "a")),
        ((worker("a", "c"), worker("b", "a"), worker("c", "b")), "cycle", None),
        ((worker("a", task=" \n\t"),), "empty_task", ("a",)),
        ((worker("a", task="\u200b\u2060"),), "empty_task", ("a",)),
        ((worker("a", test_cmd="make\nrm"),), "bad_test_command", ("a",)),
        ((worker("a", test_cmd="make\0"),), "bad_test_command", ("a",)),
        ((worker("a", test_cmd="make\rrm"),), "bad_test_command", ("a",)),
        ((worker("a", test_cmd="make\u2028rm"),), "bad_test_command", ("a",)),
        ((worker("a", test_cmd=" "),), "bad_test_command", ("a",)),
        ((worker("a", task="x\0"),), "bad_text", ("a",)),
        ((worker("a", task="x\udcff"),), "bad_text", ("a",)),
        ((worker("a", file="x\ny"),), "bad_text", ("a",)),
        ((worker("a", file="a/" * 2_500),), "bad_text", ("a",)),
        ((worker("a", model="m" * 300),), "bad_text", ("a",)),
        ((worker("a", model="m\x1b[2J"),), "bad_text", ("a",)),
        ((worker("../a"),), "bad_id", ("../a",)),
        ((worker("-a"),), "bad_id", ("-a",)),
        ((worker(""),), "bad_id", ("",)),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_by_its_worker(
    workers: tuple[PlannedWorker, ...], problem: str, nodes: tuple[str, ...] | None
) -> None:
    error = refused(*workers)
    assert error.problem == problem
    if nodes is None:
        assert error.nodes[0] == error.nodes[-1]
        assert set(error.nodes) == {"a", "b", "c"}
    else:
        assert error.nodes == nodes


def test_a_plan_has_a_most_number_of_workers() -> None:
    assert refused(worker("a"), worker("b"), limit=1).problem == "too_many_workers"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("src/app.py", "src/app.py"),
        ("src/App.py", "SRC/app.PY"),
        ("src", "src/app.py"),
        ("src/", "./src//app.py"),
        ("src\\app.py", "src/app.py"),
        ("src/*.py", "src/app.py"),
        ("src/x/../app.py", "src/app.py"),
        (".", "src/app.py"),
        ("caf\u00e9.py", "cafe\u0301.py"),
        ("\u1fb3.py", "\u0391\u0345.py"),
        ("stra\u00dfe.py", "STRASSE.py"),
    ],
)
def test_two_workers_without_order_never_share_a_file(one: str, two: str) -> None:
    for pair in ((one, two), (two, one)):
        error = refused(worker("a", file=pair[0]), worker("b", files=("other.py", pair[1])))
        assert (error.problem, error.nodes) == ("shared_file", ("a", "b"))


def test_workers_that_wait_for_each_other_may_share_a_file() -> None:
    accepted(worker("a", file="x.py"), worker("b", "a"), worker("c", "b", file="x.py"))
    accepted(worker("a", file="src/app.py"), worker("b", file="src/apple.py"), worker("c"))


def test_workers_with_one_ancestor_are_without_order() -> None:
    error = refused(worker("a"), worker("b", "a", file="x"), worker("c", "a", file="x"))
    assert error.nodes == ("b", "c")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"task": ""}, "task"),
        ({"task": "x\0y"}, "task"),
        ({"repo_url": "ext::sh -c touch% x"}, "repo_url"),
        ({"repo_url": "--upload-pack=touch x"}, "repo_url"),
        ({"repo_url": "https://user:secret@example.org/r"}, "repo_url"),
        ({"repo_url": "ftp://example.org/r"}, "repo_url"),
        ({"repo_url": "git://example.org/r"}, "repo_url"),  # nor http: nobody says who answers
        ({"repo_url": "http://example.org/r"}, "repo_url"),
        ({"repo_url": "just words"}, "repo_url"),
        ({"repo_url": "ssh://-oProxyCommand=x/r"}, "repo_url"),
        ({"repo_url": "ssh://git@-oProxyCommand=x/r"}, "repo_url"),
        ({"repo_url": "git@-host:r"}, "repo_url"),
        ({"repo_url": "https://example.org:99999/r"}, "repo_url"),
        ({"repo_url": "https://example.org/" + "r" * 5_000}, "repo_url"),
        ({"ref": "r" * 1_000}, "ref"),
        ({"planner_model": "p" * 1_000}, "planner_model"),
        ({"ref": "--force"}, "ref"),
        ({"ref": "a..b"}, "ref"),
        ({"ref": "a b"}, "ref"),
        ({"test_cmd": "a\nb"}, "test_cmd"),
        ({"owner": ""}, "owner"),
        ({"owner": "a/b"}, "owner"),
        ({"files": ("",)}, "files"),
        ({"worker_model": "a\0"}, "worker_model"),
    ],
)
def test_a_request_that_cannot_be_used_is_refused_by_its_field(
    changes: dict[str, object], field: str
) -> None:
    request = replace(PlanRequest(task="t", repo_url=REPO), **changes)  # type: ignore[arg-type]
    with pytest.raises(RequestError) as caught:
        check_request(request)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "url",
    ["https://user:hunter2@example.org/r", "user:hunter2@example.org/r",
     "https://ghp_hunter2@example.org/r", "https://glpat-hunter2@example.org/r",
     "https://oauth2:hunter2@example.org/r", "https://example.org/r.git?private_token=hunter2"],
)  # fmt: skip
def test_a_password_in_an_address_is_not_repeated(url: str) -> None:
    with pytest.raises(RequestError, match="holds a password") as caught:
        check_request(PlanRequest(task="t", repo_url=url))
    assert "hunter2" not in str(caught.value)


def test_paths_however_deep_and_many_are_checked_in_a_moment() -> None:
    deep = ["a/" * 2_000 + str(number) for number in range(20)]
    accepted(*(worker(f"w{number}", file=path) for number, path in enumerate(deep)))
    many = tuple(f"x/{number}" for number in range(1_000))
    chain = [worker("w0", files=many)]
    chain += [worker(f"w{n}", f"w{n - 1}", files=many) for n in range(1, 60)]
    accepted(*chain)


@pytest.mark.parametrize(
    "url",
    [REPO, "https://me@example.org/r", "ssh://git@[::1]:22/r", "git@example.org:me/site.git",
     "ssh://git@example.org:22/r", "file:///srv/site", "example.org:site.git"],
)  # fmt: skip
def test_ways_to_a_repository_are_accepted(url: str) -> None:
    check_request(PlanRequest(task="t", repo_url=url))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (SubmitOptions(priority=101), "priority"),
        (SubmitOptions(needs=("gpu",)), "needs"),
        (SubmitOptions(needs=("label:a b",)), "needs"),
        (SubmitOptions(idempotency_key=""), "idempotency_key"),
        (SubmitOptions(idempotency_key="a\nb"), "idempotency_key"),
        (SubmitOptions(idempotency_key="x" * 256), "idempotency_key"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused(options: SubmitOptions, field: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_submission(PlanRequest(task="t", repo_url=REPO), options)
    assert caught.value.field == field


def test_what_is_submitted_needs_a_repository() -> None:
    with pytest.raises(RequestError, match="no repository"):
        check_submission(PlanRequest(task="t"), SubmitOptions())
