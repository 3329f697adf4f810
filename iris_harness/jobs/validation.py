"""What is refused before anything is kept: each mistake a typed error that names its worker.

Plans of planners, of models and of users go through the same door.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import TypeAlias
from urllib.parse import urlsplit

from iris_harness.contracts.unicode import well_formed
from iris_harness.dag import build_graph
from iris_harness.errors import GraphError, JobPlanError, RequestError
from iris_harness.jobs.reach import ancestors_of
from iris_harness.jobs.values import Plan, PlannedWorker, PlanRequest, SubmitOptions

MAX_WORKERS = 100
LOWEST_PRIORITY, HIGHEST_PRIORITY = -100, 100

_LONGEST_TEXT = 100_000
_LONGEST_COMMAND = 4_000
_MOST_FILES = 1_000
_WORKER_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
_NEED = re.compile(r"(?:label|language|sandbox|host):[A-Za-z0-9._+-]{1,64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,127}")
_SCHEMES = frozenset({"https", "http", "ssh", "git", "file"})
_SCP_LIKE = re.compile(r"(?:[\w.-]+@)?[\w.-]+:(?!//)[^\s:][^\s]*")
_GLOB = frozenset("*?[")
_VISIBLE = frozenset("LNPSM")  # first letters of Unicode's categories that leave a mark

_Refuse: TypeAlias = Callable[[str], Exception]
_Path: TypeAlias = tuple[str, ...]


# A plan


def check_plan(plan: Plan, *, max_workers: int = MAX_WORKERS) -> None:
    """Do nothing when `plan` can be run.

    Raises:
        JobPlanError: no or too many workers, an unusable text, duplicate or dangling ids, a cycle,
            or two workers on one file that do not wait for each other.
    """
    if not plan.workers:
        raise JobPlanError("the plan has no worker", problem="no_worker")
    if len(plan.workers) > max_workers:
        raise JobPlanError(
            f"the plan has {len(plan.workers)} workers, more than the {max_workers} allowed",
            problem="too_many_workers",
            hint="split the task, or raise jobs.max_workers",
        )
    _check_text(plan.summary, "the summary", lambda said: _fault(said, "bad_text"))
    for worker in plan.workers:
        _check_worker(worker)
    _check_ids(plan)
    _check_files(plan)


def _fault(said: str, problem: str, *nodes: str) -> JobPlanError:
    return JobPlanError(said, problem=problem, nodes=nodes)


def _check_worker(worker: PlannedWorker) -> None:
    named = worker.id[:64]
    if not _WORKER_ID.fullmatch(worker.id):
        raise JobPlanError(
            f"the worker id {named!r} cannot be used",
            problem="bad_id",
            nodes=(named,),
            hint="letters, digits, hyphens and underscores, at most 64",
        )

    def refuse(said: str) -> Exception:
        return _fault(f"worker {named!r}: {said}", "bad_text", named)

    if not _says_something(worker.task):
        raise _fault(f"worker {named!r} has an empty task", "empty_task", named)
    _check_text(worker.task, "its task", refuse)
    _check_text(worker.model, "its model", refuse)
    _check_file_names(worker.named_files(), refuse)
    if worker.test_cmd is not None:
        _check_command(
            worker.test_cmd,
            lambda said: _fault(f"worker {named!r}: {said}", "bad_test_command", named),
        )


def _check_ids(plan: Plan) -> None:
    seen: dict[str, str] = {}
    for worker in plan.workers:
        folded = worker.id.casefold()  # ids become branch names and files, also where case is lost
        if folded in seen:
            raise _fault(f"the worker id {worker.id!r} is used twice", "duplicate_id", worker.id)
        seen[folded] = worker.id
    known = {worker.id for worker in plan.workers}
    for worker in plan.workers:
        for dependency in worker.depends_on:
            if dependency not in known:
                raise _fault(
                    f"worker {worker.id!r} depends on {dependency[:64]!r}, which does not exist",
                    "dangling_id",
                    worker.id,
                    dependency,
                )
    try:
        build_graph((worker.id, worker.depends_on) for worker in plan.workers)
    except GraphError as error:
        said = "the workers wait for each other in a circle: " + " -> ".join(error.nodes)
        raise _fault(said, "cycle", *error.nodes) from error


def _check_files(plan: Plan) -> None:
    """Refuse two workers on one file that do not wait for each other.

    Paths are looked up by their beginnings, so that a plan of many workers is checked in a moment.
    """
    ancestors = ancestors_of({worker.id: worker.depends_on for worker in plan.workers})
    at: dict[_Path, list[str]] = {}  # who works on exactly this
    under: dict[_Path, list[str]] = {}  # who works on this or on something in it
    for worker in plan.workers:
        for name in worker.named_files():
            path = _parts(name)
            above = [other for length in range(len(path)) for other in at.get(path[:length], ())]
            for other in (*above, *under.get(path, ())):
                if worker.id not in ancestors[other] and other not in ancestors[worker.id]:
                    _check_same(worker.id, other, name)
            at.setdefault(path, []).append(worker.id)
            for length in range(len(path) + 1):
                under.setdefault(path[:length], []).append(worker.id)


def _check_same(worker: str, other: str, name: str) -> None:
    if worker != other:
        raise JobPlanError(
            f"{other!r} and {worker!r} both work on {name!r}, in no order",
            problem="shared_file",
            nodes=(other, worker),
            hint=f"let one wait for the other, as in depends_on: [{other}]",
        )


def _parts(hint: str) -> _Path:
    """Return a path's parts as a file system without case has them; a pattern is its folder."""
    text = unicodedata.normalize("NFC", hint.strip().replace("\\", "/")).casefold()
    parts: list[str] = []
    for part in text.split("/"):
        if _GLOB & set(part):
            break
        if part == ".." and parts:
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return tuple(parts)


# A request


def check_request(request: PlanRequest) -> None:
    """Do nothing when `request` can be planned.

    Raises:
        RequestError: an empty task, a repository, reference, test command or owner that cannot be
            used; `field` names which.
    """
    if not _says_something(request.task):
        raise RequestError("the task is empty", field="task", hint="say what is to be done")
    _check_text(request.task, "the task", _refusal("task"))
    for field in ("worker_model", "planner_model"):
        _check_text(getattr(request, field), field, _refusal(field))
    _check_file_names(request.named_files(), _refusal("files"))
    _check_repository(request.repo_url)
    _check_reference(request.ref)
    if request.test_cmd is not None:
        _check_command(request.test_cmd, _refusal("test_cmd"))
    if not is_name(request.owner):
        raise RequestError(f"{request.owner[:128]!r} is no owner's id", field="owner")


def is_name(text: str) -> bool:
    """Whether `text` can be the id of an owner or the name of a daemon."""
    return bool(_NAME.fullmatch(text))


def check_submission(request: PlanRequest, options: SubmitOptions) -> None:
    """Do nothing when `request`, which `check_request` has seen, can also be kept and queued.

    Raises:
        RequestError: no repository, or an option that cannot be used.
    """
    if not request.repo_url:
        raise RequestError(
            "no repository is named", field="repo_url", hint="give its address or its folder"
        )
    if not LOWEST_PRIORITY <= options.priority <= HIGHEST_PRIORITY:
        said = (
            f"the priority {options.priority} is not from {LOWEST_PRIORITY} to {HIGHEST_PRIORITY}"
        )
        raise RequestError(said, field="priority")
    for need in options.needs:
        if not _NEED.fullmatch(need):
            raise RequestError(
                f"{need!r} is nothing a daemon can offer",
                field="needs",
                hint="label:NAME, language:NAME, sandbox:NAME or host:NAME",
            )
    key = options.idempotency_key
    if key is not None and not (0 < len(key) <= 255 and key.isprintable()):  # noqa: PLR2004 - said below
        raise RequestError(
            "the idempotency key is not 1 to 255 printable characters", field="idempotency_key"
        )


def _refusal(field: str) -> _Refuse:
    return lambda said: RequestError(said, field=field)


def _check_repository(url: str) -> None:
    if not url:
        return
    refuse = _refusal("repo_url")
    _check_text(url, "the address of the repository", refuse)
    if not url.isprintable() or any(character.isspace() for character in url) or url[0] == "-":
        raise refuse("the address of the repository holds characters that none has")
    if "::" in url.partition("/")[0]:
        raise refuse("an address that names a program of git's to run is refused")
    if "://" not in url:
        if not _SCP_LIKE.fullmatch(url):
            raise refuse(f"{url!r} is no address of a repository")
        return
    try:
        parts = urlsplit(url)
        secret = parts.password
    except ValueError as error:
        raise refuse("the address of the repository cannot be read") from error
    if parts.scheme not in _SCHEMES:
        raise refuse(f"{parts.scheme}:// is no way to a repository")
    if secret is not None:
        raise RequestError(  # the address is kept for ever, and is not repeated here
            "the address of the repository holds a password",
            field="repo_url",
            hint="leave it out; git asks its credential helper",
        )


def _check_reference(ref: str) -> None:
    bad = any(not c.isprintable() or c.isspace() or c in "~^:?*[\\" for c in ref)
    if ref.startswith("-") or bad or ".." in ref:
        raise RequestError(f"{ref[:80]!r} is no branch, tag or commit", field="ref")


# Texts


def _says_something(text: str) -> bool:
    return any(unicodedata.category(character)[0] in _VISIBLE for character in text)


def _check_text(text: str, what: str, refuse: _Refuse) -> None:
    if len(text) > _LONGEST_TEXT:
        raise refuse(f"{what} is longer than {_LONGEST_TEXT} characters")
    if "\0" in text or well_formed(text) != text:
        raise refuse(f"{what} holds a character that cannot be kept")


def _check_file_names(files: Iterable[str], refuse: _Refuse) -> None:
    names = tuple(files)
    if len(names) > _MOST_FILES:
        raise refuse(f"more than {_MOST_FILES} files are named")
    for name in names:
        if not _says_something(name):
            raise refuse("the name of a file is empty")
        _check_text(name, "the name of a file", refuse)
        if any(unicodedata.category(character) == "Cc" for character in name):
            raise refuse(f"the file name {name!r} holds a control character")


def _check_command(command: str, refuse: _Refuse) -> None:
    if not _says_something(command):
        raise refuse("the test command is empty")
    if len(command) > _LONGEST_COMMAND:
        raise refuse(f"the test command is longer than {_LONGEST_COMMAND} characters")
    _check_text(command, "the test command", refuse)
    if any(c != "\t" and unicodedata.category(c) in {"Cc", "Zl", "Zp"} for c in command):
        raise refuse("the test command is not one line")
