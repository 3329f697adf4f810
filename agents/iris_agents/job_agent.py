"""Larger work on a repository: proposed as a job, told of, and called off; never begun by itself.

What workers say of themselves is told in answers and never decides anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.jobs import JobPort, JobReport, WorkerReport
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import Choice, HandlerResult, Option
from iris_harness.contracts.sources import SourceRef
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule
from iris_harness.errors import TaskError

_SUBMIT, _QUERY, _CANCEL = "job.submit", "job.query", "job.cancel"
_SHORT_ID = 4  # digits that are enough to be taken for a job's
_MOST_TOLD = 5
_LONGEST = 80

_JOB = r"(?:(?:the|my|that|this|last|latest|current|running|coding|code|all|of|any) )*jobs?"
_NAMED = rf"{_JOB}(?: (?:number |id )?[0-9a-f]{{{_SHORT_ID},32}})?"
_ON = r"(?: (?:on|for|in|about|that|which) .+)?"
_WHERE = "(?: (?:running|going|queued|waiting|open|there|on))?"
_STATES = "done|finished|ready|running|failed|still running|over|failing"
_DONE = ("is done and waits for your review", "is done, and you have seen to it")
_EXACT = (
    rf"how (?:is|are|did|does) {_NAMED}{_ON}(?: (?:going|doing|coming along|getting on|go|look))?",
    rf"what (?:did|has|have|does|is|are) {_NAMED} (?:do|done|doing|change|changed|up to|make|made)",
    rf"(?:what is|what are|show|show me|tell me) (?:the )?(?:status|state|progress) of {_NAMED}",
    rf"(?:is|are|has|have) {_NAMED} (?:{_STATES})(?: yet)?",
    rf"(?:did|why did|has) {_NAMED} (?:fail|succeed|failed|succeeded|work|finish|end)(?: yet)?",
    rf"(?:what|which|list|show|show me)(?: are)? {_JOB}(?: (?:are|is|do i have|have i))?{_WHERE}",
)
_CALL_OFF = (rf"(?:cancel|stop|abort|kill|call off|end|drop) {_NAMED}{_ON}",)
_ID = re.compile(rf"\b(?=[0-9a-f]*\d)[0-9a-f]{{{_SHORT_ID},32}}\b", re.IGNORECASE)
_LETTERS = re.compile(r"\w+")
_SMALL = frozenset(
    """
    a abort all an and any are at call cancel code coding current did do does doing drop end
    fail failed for going has have how in is it job jobs kill last latest me my of off on
    progress report running show state status stop tell that the this to up what which why
    with
    """.split()  # noqa: SIM905 - a word list is read as words
)


def agent(ports: AgentPorts) -> Agent:
    """Return the agent that proposes jobs, tells of them and calls them off."""
    submit = Intent(
        name=_SUBMIT,
        description="give work on a repository to workers",
        examples=(
            "fix the failing test in ~/code/site",
            "add dark mode to my site, repo https://example.org/me/site.git",
            "refactor parser.py in the repository ~/code/tool",
        ),
        writes=True,
    )
    query = Intent(
        name=_QUERY,
        description="tell how your jobs are going and what they did",
        examples=("how is my job going", "what did the job do", "which jobs are running"),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
    )
    cancel = Intent(
        name=_CANCEL,
        description="cancel a job",
        examples=("cancel the job", "stop my job"),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _CALL_OFF),
        writes=True,
    )
    return Agent(
        name="job",
        intents=(submit, query, cancel),
        handler=partial(_handle, ports.jobs),
        read_only=True,
    )


def _handle(jobs: JobPort | None, task: AgentTask) -> HandlerResult:
    if task.intent == _SUBMIT:
        return _propose(task)
    if jobs is None:
        raise TaskError(
            "There are no jobs here: these are not your own settings.",
            hint="`iris setup` makes some; leave out --demo and paths",
        )
    found = jobs.recent()
    return _call_off(found, task) if task.intent == _CANCEL else _tell(found, task)


def _propose(task: AgentTask) -> HandlerResult:
    repo = task.slots.get("repo")
    if not repo:
        raise TaskError(
            "It is not said which repository is meant.",
            hint="name its folder or its address, as in “… in ~/code/site”",
        )
    arguments: dict[str, Json] = {"task": task.utterance, "repo": repo}
    if path := task.slots.get("path"):
        arguments["file"] = path
    return HandlerResult(actions=(Action(kind=ActionKind.JOB_SUBMIT, arguments=arguments),))


# Which one is meant


def _meant(found: Sequence[JobReport], task: AgentTask) -> tuple[JobReport, ...]:
    """Return the jobs that the words mean: by the start of an id, or by words of their tasks."""
    if chosen := task.slots.get("job"):
        return tuple(one for one in found if one.job_id == chosen)
    ids = [text.lower() for text in _ID.findall(task.utterance)]
    if named := tuple(one for one in found if any(map(one.job_id.startswith, ids))):
        return named
    if ids:
        return ()
    said = _words(task.utterance)
    best = max((len(said & _words(one.task)) for one in found), default=0)
    if best:
        return tuple(one for one in found if len(said & _words(one.task)) == best)
    return tuple(found)


def _words(text: str) -> set[str]:
    return {word for word in _LETTERS.findall(text.casefold()) if word not in _SMALL}


# Telling


def _tell(found: Sequence[JobReport], task: AgentTask) -> HandlerResult:
    if not found:
        return _said("There are no jobs yet.")
    meant = _meant(found, task)
    if not meant:
        return _said("There is no such job among the last ones; `iris jobs list` shows all.")
    shown = [one for one in meant if one.is_open] or list(meant[:1])
    if len(shown) == 1:
        return HandlerResult(facts=tuple(_report(shown[0])))
    return HandlerResult(facts=tuple(_fact(one, _line(one)) for one in shown[:_MOST_TOLD]))


def _report(job: JobReport) -> list[Fact]:
    lines = [_line(job)]
    lines += [text for worker in job.workers if (text := _worker_line(worker))]
    if job.count("succeeded"):
        lines.append(f"`iris jobs diff {job.job_id}` shows what was changed.")
    return [_fact(job, line) for line in lines]


def _line(job: JobReport) -> str:
    done, count = job.count("succeeded"), len(job.workers)
    how = {
        "queued": "is waiting for a daemon to take it",
        "running": f"is running: {done} of {count} workers done",
        "paused": f"is paused: {done} of {count} workers done",
        "succeeded": _DONE[job.is_reviewed],
        "failed": f"failed: {done} of {count} workers done",
        "cancelled": f"was cancelled: {done} of {count} workers done",
    }
    return f"The job “{_short(job.task)}” ({job.job_id}) {how.get(job.state, job.state)}."


def _worker_line(worker: WorkerReport) -> str:
    """Return what is worth telling of a worker; empty: nothing is."""
    if worker.state == "leased":
        return f"{worker.name} is at work: {_short(worker.task)}."
    told = _short(worker.told)
    if worker.state == "succeeded":
        return f"{worker.name} is done: {told or _short(worker.task)}."
    if worker.state in {"failed", "cancelled"}:
        return f"{worker.name} {'failed' if worker.state == 'failed' else 'was cancelled'}: {told}."
    return ""


def _short(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def _fact(job: JobReport, text: str) -> Fact:
    place = SourceRef(source="jobs", locator=job.job_id)
    return Fact(kind=FactKind.STATEMENT, text=text, sources=(place,))


def _said(text: str) -> HandlerResult:
    return HandlerResult(facts=(Fact(kind=FactKind.STATEMENT, text=text),))


# Calling off


def _call_off(found: Sequence[JobReport], task: AgentTask) -> HandlerResult:
    running = [one for one in found if one.is_open]
    if not running:
        return _said("No job is running or waiting.")
    meant = _meant(running, task)
    if not meant:
        return _said("No job of that id is running or waiting.")
    if len(meant) == 1:
        arguments: dict[str, Json] = {"job": meant[0].job_id}
        return HandlerResult(actions=(Action(kind=ActionKind.JOB_CANCEL, arguments=arguments),))
    options = tuple(Option(label=_label(one), slots={"job": one.job_id}) for one in meant)
    listed = "; ".join(f"“{option.label}”" for option in options)
    asked = f"Which job do you mean: {listed}?"
    return HandlerResult(
        facts=(Fact(kind=FactKind.STATEMENT, text=asked),), choice=Choice(options=options)
    )


def _label(job: JobReport) -> str:
    return f"{_short(job.task)} ({job.job_id})"
