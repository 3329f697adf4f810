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
_LONGEST_PATH = 4_096  # as Linux has it
_LONGEST_ADDRESS = 2_000
_LONGEST_NAME = 250  # of a model, a branch
_MOST_NEEDS = 32
_MOST_FILES = 1_000
_WORKER_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
_NEED = re.compile(r"(?:label|language|sandbox|host):[A-Za-z0-9._+-]{1,64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,127}")
_SCHEMES = frozenset({"https", "ssh", "file"})  # what daemons clone from
_SCP_LIKE = re.compile(r"(?:[\w.-]+@)?[\w.-]+:(?!//)[^\s:][^\s]*")
# How hosts of repositories begin their tokens, or name them in an address.
_TOKEN = re.compile(
    r"//(?:gh[a-z]_|github_pat_|glpat-|ATBB|x-token-auth|oauth2|[0-9a-f]{40,}@)"
    r"|[?&](?:access_|private_)?token=",
    re.IGNORECASE,
)
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
    _check_name(worker.model, "its model", refuse)
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


class _Place:
    """A file or folder that the plan names, and who works there. Ids stand in the plan's order."""

    __slots__ = ("at", "inside", "under")

    def __init__(self) -> None:
        self.at: dict[str, None] = {}
        """Who works on exactly this."""
        self.under: dict[str, None] = {}
        """Who works on this or on something in it."""
        self.inside: dict[str, _Place] = {}


def _check_files(plan: Plan) -> None:
    """Refuse two workers on one file that do not wait for each other.

    Paths are kept as a tree, so that a plan of many workers, or of deep paths, is checked at once.
    """
    ancestors = ancestors_of({worker.id: worker.depends_on for worker in plan.workers})
    root = _Place()
    for worker in plan.workers:
        for name in worker.named_files():
            for other in _sharing(root, worker.id, _parts(name)):
                if worker.id not in ancestors[other] and other not in ancestors[worker.id]:
                    raise _shared(worker.id, other, name)


def _sharing(root: _Place, worker: str, path: _Path) -> list[str]:
    """Write down that a worker works on a path; return the others that work on it, or around it."""
    found: dict[str, None] = {}
    place = root
    for part in path:
        found |= place.at
        place.under[worker] = None
        place = place.inside.setdefault(part, _Place())
    found |= place.under
    place.at[worker] = place.under[worker] = None
    return [other for other in found if other != worker]


def _shared(worker: str, other: str, name: str) -> JobPlanError:
    return JobPlanError(
        f"{other!r} and {worker!r} both work on {name!r}, in no order",
        problem="shared_file",
        nodes=(other, worker),
        hint=f"let one wait for the other, as in depends_on: [{other}]",
    )


def _parts(hint: str) -> _Path:
    """Return a path's parts as a file system without case has them; a pattern is its folder."""
    same = unicodedata.normalize("NFC", hint.strip().replace("\\", "/")).casefold()
    text = unicodedata.normalize("NFC", same)  # folding takes letters apart
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
        _check_name(getattr(request, field), f"the {field.replace('_', ' ')}", _refusal(field))
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
    if len(options.needs) > _MOST_NEEDS:
        raise RequestError(f"more than {_MOST_NEEDS} needs are named", field="needs")
    for need in options.needs:
        check_offer(need, "needs")
    key = options.idempotency_key
    if key is not None and not (0 < len(key) <= 255 and key.isprintable()):  # noqa: PLR2004 - said below
        raise RequestError(
            "the idempotency key is not 1 to 255 printable characters", field="idempotency_key"
        )


def check_offer(text: str, field: str) -> None:
    """Do nothing when `text` is something that a daemon can offer, and a job need.

    Raises:
        RequestError: it is not; its `field` is `field`.
    """
    if not _NEED.fullmatch(text):
        raise RequestError(
            f"{text[:64]!r} is nothing a daemon can offer",
            field=field,
            hint="label:NAME, language:NAME, sandbox:NAME or host:NAME",
        )


def _refusal(field: str) -> _Refuse:
    return lambda said: RequestError(said, field=field)


def _check_repository(url: str) -> None:
    if not url:
        return
    refuse = _refusal("repo_url")
    _check_text(url, "the address of the repository", refuse, _LONGEST_ADDRESS)
    if not url.isprintable() or any(character.isspace() for character in url) or url[0] == "-":
        raise refuse("the address of the repository holds characters that none has")
    if "::" in url.partition("/")[0]:
        raise refuse("an address that names a program of git's to run is refused")
    if _TOKEN.search(url):
        raise _secret_in_address()
    if "://" in url:
        _check_url(url, refuse)
    else:
        _check_scp_like(url, refuse)


def _check_url(url: str, refuse: _Refuse) -> None:
    try:
        parts = urlsplit(url)
        _, secret = parts.port, parts.password  # both are read only now
    except ValueError as error:
        raise refuse("the address of the repository cannot be read") from error
    if parts.scheme not in _SCHEMES:
        raise refuse(
            f"{parts.scheme}:// is no address that is cloned from: https, ssh or a folder is"
        )
    if secret is not None:
        raise _secret_in_address()
    _check_host(parts.netloc, refuse)


def _check_scp_like(address: str, refuse: _Refuse) -> None:
    if not _SCP_LIKE.fullmatch(address):
        raise refuse(f"{address!r} is no address of a repository")
    if "@" in address.partition(":")[2].partition("/")[0]:
        raise _secret_in_address()  # user:password@host, without the https:// before it
    _check_host(address.partition(":")[0], refuse)


def _check_host(host: str, refuse: _Refuse) -> None:
    """Refuse what the program that git connects with would take for an option of its own."""
    if host.startswith("-") or host.rpartition("@")[2].startswith("-"):
        raise refuse("the address of the repository names no host")


def _secret_in_address() -> RequestError:
    return RequestError(  # the address is kept for ever, and is not repeated here
        "the address of the repository holds a password",
        field="repo_url",
        hint="leave it out; git asks its credential helper",
    )


def _check_reference(ref: str) -> None:
    _check_text(ref, "the reference", _refusal("ref"), _LONGEST_NAME)
    bad = any(not c.isprintable() or c.isspace() or c in "~^:?*[\\" for c in ref)
    if ref.startswith("-") or bad or ".." in ref:
        raise RequestError(f"{ref[:80]!r} is no branch, tag or commit", field="ref")


# Texts


def _says_something(text: str) -> bool:
    return any(unicodedata.category(character)[0] in _VISIBLE for character in text)


def _check_text(text: str, what: str, refuse: _Refuse, longest: int = _LONGEST_TEXT) -> None:
    if len(text) > longest:
        raise refuse(f"{what} is longer than {longest} characters")
    if "\0" in text or well_formed(text) != text:
        raise refuse(f"{what} holds a character that cannot be kept")


def _check_name(text: str, what: str, refuse: _Refuse) -> None:
    _check_text(text, what, refuse, _LONGEST_NAME)
    if not text.isprintable():
        raise refuse(f"{what} holds a character that no name has")


def _check_file_names(files: Iterable[str], refuse: _Refuse) -> None:
    names = tuple(files)
    if len(names) > _MOST_FILES:
        raise refuse(f"more than {_MOST_FILES} files are named")
    for name in names:
        if not _says_something(name):
            raise refuse("the name of a file is empty")
        _check_text(name, "the name of a file", refuse, _LONGEST_PATH)
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
