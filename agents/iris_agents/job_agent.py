"""Larger work on a repository: proposed as a job, told of, and called off; never begun by itself.

What workers say of themselves is told in answers and never decides anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.jobs import JobPort, JobReport, WorkerReport
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import Choice, FollowUp, HandlerResult, Option
from iris_harness.contracts.sources import SourceRef
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule
from iris_harness.errors import TaskError

_SUBMIT, _QUERY, _CANCEL, _STEER = "job.submit", "job.query", "job.cancel", "job.steer"
_SHORT_ID = 4  # digits that are enough to be taken for a job's
_MOST_TOLD = 5
_LONGEST = 80
_NEWEST = "newest"
"""In the slot of a job: the one that was submitted last."""

# How jobs are asked about, what is done with them, and how both are said of one that was spoken of.

_JOB = (
    r"(?:(?:the|my|that|this|last|latest|current|running|failed|finished|open|coding|code|all|of|"
    r"any|other) )*jobs?"
)
_NAMED = rf"{_JOB}(?: (?:number |id )?[0-9a-f]{{{_SHORT_ID},32}})?"
_TITLED = r"(?:the|my|that) (?:[\w.-]+ ){1,5}jobs?"
"""A job called by words of its task."""
_ON = r"(?: (?:on|for|in|about|that|which) .+)?"
_WHERE = r"(?: (?:running|going|queued|waiting|open|there|on|done|finished|failed))?"
_STATES = "done|finished|ready|running|failed|still running|over|failing|through"
_REVIEW = r"(?:wait(?:s|ing)? for (?:a |my )?review|to review|need(?:s|ing)? (?:a |my )?review)"
_STATUS = "(?:status|state|progress)"
_NEWS = "(?:news|update|updates|word)"
_EXACT = (
    (
        rf"how (?:is|are|did|does|far (?:is|are)) {_NAMED}{_ON}"
        r"(?: (?:going|doing|coming along|getting on|getting along|go|look))?"
    ),
    rf"what (?:did|has|have|does|is|are) {_NAMED} (?:do|done|doing|change|changed|up to|make|made)",
    rf"(?:(?:what (?:is|are)|show|show me|tell me) )?(?:the )?{_STATUS} of {_NAMED}",
    rf"(?!open (?:the|my|that) ){_NAMED}(?: (?:status|progress|news|list|overview))?",
    rf"(?:is|are|has|have) {_NAMED} (?:{_STATES})(?: yet| already| now)?",
    (
        rf"(?:did|why did|has|have) (?:{_NAMED}|{_TITLED}) "
        r"(?:fail|succeed|failed|succeeded|work|worked|finish|finished|end|ended)(?: yet)?"
    ),
    r"(?:did|has) (?:anything|something) (?:fail|failed|go wrong|gone wrong)",
    r"what (?:has )?(?:failed|went wrong|gone wrong)",
    (
        rf"(?:what|which|list|show|show me)(?: are)? {_JOB}"
        rf"(?: (?:are|is|have|has|did|do i have|have i))?(?:{_WHERE}| fail| {_REVIEW})"
    ),
    rf"(?:do i have|are there|is there|have i) {_JOB}(?:{_WHERE}| {_REVIEW})",
    rf"(?:(?:is there|do you have|have you) )?(?:any )?{_NEWS} (?:on|of|about|from) {_NAMED}",
    rf"when (?:will|is) {_NAMED} (?:be )?(?:done|finished|ready|over)",
    r"how are (?:the|my) workers (?:doing|going|getting on|coming along)",
    rf"show me what {_NAMED} (?:did|changed|made|has done)",
)
_OF_A_TITLE = (
    rf"(?:how|what|is|are|did|does|has|why|when|any)\b.* {_TITLED}(?: .+)?",
    rf"(?:status|state|progress) of {_TITLED}",
)
_CALL_OFF = (rf"(?:cancel|stop|abort|kill|call off|end|drop) {_NAMED}{_ON}",)
_TAKE = r"apply|merge|accept|take over|bring in|pull in|open(?! jobs)|publish|push|review|land|use"
_AGAIN = r"retry|restart|re-?run|run|try|redo"
_STEERED = (
    rf"(?P<take>{_TAKE})|(?P<again>{_AGAIN})|(?P<pause>pause|hold)|"
    r"(?P<resume>resume|continue|unpause|go on with)|(?P<dismiss>dismiss|discard|forget|throw away)"
)
_VERBS = re.sub(r"\?P<\w+>", "?:", _STEERED)
_DO = (rf"(?:{_VERBS}) (?!for\b)(?:{_NAMED}|{_TITLED})(?: again)?{_ON}",)
_STEERING = re.compile(rf"\b(?:{_STEERED})\b", re.IGNORECASE)

_IT = r"(?:it|that|they|them|the job|my job|the work)"
_AND = r"(?:and |so |ok(?:ay)? |hey )*"
_NOW = r"(?: now| yet| already| so far| by now)*"
_HOW = (
    rf"{_AND}(?:how (?:is|are|did|does|far is) {_IT}"
    r"(?: (?:going|doing|coming along|getting on|go|look))?"
    rf"|how's {_IT}(?: (?:going|doing|coming along))?"
    rf"|(?:is|are|did|has) {_IT} (?:{_STATES}|work|fail|finish|worked|running)"
    rf"|what (?:is|did|has) {_IT} (?:doing|do|done|change|changed)|why did {_IT} fail"
    rf"|why|any (?:news|progress|update)|what's the status|what is the status|status|and now){_NOW}"
)
_OFF = rf"(?:please )?(?:cancel|stop|abort|kill|call off) {_IT}(?: please)?"
_WITH_IT = rf"(?:please )?(?:{_VERBS}) {_IT}(?: again)?(?: please)?"

_EMPLOYMENT = re.compile(
    r"\bjob (?:interview|offer|application|description|market|hunt|search|centre|center)|"
    r"\b(?:apply|applying|applied) for\b|\bnew job\b",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"\bjobs\b|\ball\b|\bany\w*\b|\bsomething\b|^what (?:has )?(?:failed|went|gone)"
)
_ID = re.compile(rf"\b(?=[0-9a-f]*\d)[0-9a-f]{{{_SHORT_ID},32}}\b", re.IGNORECASE)
_LETTERS = re.compile(r"\w+")
_SMALL = frozenset(
    """
    a abort about accept again all already an and any anything apply are at be bring call cancel
    code coding continue current did discard dismiss do does doing done drop end ended fail failed
    finish finished for forget from going has have hold how in into is it job jobs kill land last
    latest me merge my need needs news now number of off on open or over overview pause progress
    publish pull push ready redo report rerun restart resume retry review run running show so
    something state status still stop succeed take tell that the them there they this throw to try
    up update use wait waiting waits was went what when which why will with work workers wrong yet
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
        rules=(*_rules(_EXACT, Rule.EXACT), *_rules(_OF_A_TITLE, Rule.EVIDENCE)),
    )
    cancel = Intent(
        name=_CANCEL,
        description="cancel a job",
        examples=("cancel the job", "stop my job"),
        rules=_rules(_CALL_OFF, Rule.EXACT),
        writes=True,
    )
    steer = Intent(
        name=_STEER,
        description="",
        examples=("apply the job", "retry the failed job", "pause my job"),
        rules=_rules(_DO, Rule.EXACT),
    )
    return Agent(
        name="job",
        intents=(submit, query, cancel, steer),
        handler=partial(_handle, ports.jobs),
        read_only=True,
    )


def _rules(patterns: Sequence[str], kind: Rule) -> tuple[RoutingRule, ...]:
    return tuple(RoutingRule(pattern=pattern, kind=kind) for pattern in patterns)


def _handle(jobs: JobPort | None, task: AgentTask) -> HandlerResult:
    if task.intent == _SUBMIT:
        return _propose(task)
    if jobs is None:
        raise TaskError(
            "There are no jobs here: these are not your own settings.",
            hint="`iris setup` makes some; leave out --demo and paths",
        )
    if _EMPLOYMENT.search(task.utterance):
        return _said("That is no job that I know of: mine are work on repositories.", declined=True)
    answers: dict[str, Callable[[Sequence[JobReport], AgentTask], HandlerResult]] = {
        _CANCEL: _call_off,
        _STEER: _steer,
    }
    return answers.get(task.intent, _tell)(jobs.recent(), task)


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
    action = Action(kind=ActionKind.JOB_SUBMIT, arguments=arguments)
    return HandlerResult(actions=(action,), follow_ups=_follow_ups(_NEWEST))


# Which one is meant


class _Meant(NamedTuple):
    """The jobs that words mean."""

    jobs: tuple[JobReport, ...]
    """Newest first; () where they name one that is not there."""
    is_named: bool
    """Whether they are meant by name; otherwise they are all there are."""


def _meant(found: Sequence[JobReport], task: AgentTask) -> _Meant:
    """Return the jobs that the words mean: by the start of an id, or by words of their tasks."""
    if chosen := task.slots.get("job"):
        named = found[:1] if chosen == _NEWEST else [one for one in found if one.job_id == chosen]
        return _Meant(tuple(named), is_named=True)
    ids = [text.lower() for text in _ID.findall(task.utterance)]
    if ids:
        begun = (one for one in found if any(map(one.job_id.startswith, ids)))
        return _Meant(tuple(begun), is_named=True)
    said = _words(task.utterance)
    best = max((len(said & _words(one.task)) for one in found), default=0)
    if best:
        alike = (one for one in found if len(said & _words(one.task)) == best)
        return _Meant(tuple(alike), is_named=True)
    return _Meant(tuple(found), is_named=False)


def _words(text: str) -> set[str]:
    return {word for word in _LETTERS.findall(text.casefold()) if word not in _SMALL}


# Telling


def _tell(found: Sequence[JobReport], task: AgentTask) -> HandlerResult:
    said = task.utterance.casefold()
    meant = _meant(found, task)
    is_title = re.search(_TITLED, said) is not None and bool(_words(said))
    if is_title and not meant.is_named:
        return _said("There is no such job.", declined=True)
    if not found:
        return _said("There are no jobs yet.")
    if not meant.jobs:
        return _said("There is no such job among the last ones; `iris jobs list` shows all.")
    shown, none = _asked_for(meant.jobs, said, is_one=meant.is_named)
    if not shown:
        return _said(none)
    if len(shown) == 1:
        return HandlerResult(
            facts=tuple(_report(shown[0])), follow_ups=_follow_ups(shown[0].job_id)
        )
    facts = [_fact(one, _line(one)) for one in shown[:_MOST_TOLD]]
    if len(shown) > _MOST_TOLD:
        more = f"{len(shown) - _MOST_TOLD} more: `iris jobs list` shows all."
        facts.append(Fact(kind=FactKind.STATEMENT, text=more))
    return HandlerResult(facts=tuple(facts))


def _asked_for(
    jobs: Sequence[JobReport], said: str, *, is_one: bool
) -> tuple[list[JobReport], str]:
    """Return which of some jobs are asked for, and what is said where there are none."""
    if is_one:
        return list(jobs), ""
    is_plural = _PLURAL.search(said) is not None
    if re.search(_REVIEW, said):
        return [one for one in jobs if _waits(one)], "No job waits for your review."
    if is_plural and re.search(r"\bfail|\bwrong\b", said):
        return [one for one in jobs if one.state == "failed"], _none_failed(jobs)
    running = [one for one in jobs if one.is_open]
    if is_plural and re.search(r"\b(?:running|open|queued|waiting|going on)\b", said):
        return running, "No job is running or waiting."
    if is_plural:
        ended = [one for one in jobs if not one.is_open and not one.is_reviewed]
        return [*running, *ended] or list(jobs[:1]), ""
    return running or list(jobs[:1]), ""


def _none_failed(jobs: Sequence[JobReport]) -> str:
    going = sum(one.is_open for one in jobs)
    return f"No job has failed; {going} still to go." if going else "No job has failed."


def _waits(job: JobReport) -> bool:
    return job.state == "succeeded" and not job.is_reviewed


def _follow_ups(job_id: str) -> tuple[FollowUp, ...]:
    """Return what may be said next of a job that was spoken of."""
    slots = {"job": job_id}
    meant = ((_HOW, _QUERY), (_OFF, _CANCEL), (_WITH_IT, _STEER))
    return tuple(FollowUp(pattern=words, intent=intent, slots=slots) for words, intent in meant)


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
        "succeeded": "is done, and you have seen to it"
        if job.is_reviewed
        else "is done and waits for your review",
        "failed": f"failed: {done} of {count} workers done",
        "cancelled": f"was cancelled: {done} of {count} workers done",
    }
    return f"The job {_label(job)} {how.get(job.state, job.state)}."


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


def _said(text: str, *, declined: bool = False) -> HandlerResult:
    fact = Fact(kind=FactKind.STATEMENT, text=text)
    return HandlerResult(facts=(fact,), declined=declined)


# What is done with a job outside a conversation


class _Deed(NamedTuple):
    """Something that a command does with a job."""

    command: str
    """With ``{id}``."""
    does: str
    """Completes "… " with ``{job}``."""
    none: str
    """What is said where no job is in a state for it."""
    fits: Callable[[JobReport], bool]


_DEEDS = {
    "take": _Deed(
        "`iris jobs apply {id}`",
        "in your checkout takes over what {job} made; `iris jobs diff {id}` shows it first, and "
        "`iris jobs open {id}` publishes it where your settings allow that",
        "No job is done with something to take over.",
        lambda job: job.count("succeeded") > 0 and not job.is_open,
    ),
    "again": _Deed(
        "`iris jobs retry {id}`",
        "runs again what did not succeed of {job}",
        "No job has failed or was cancelled.",
        lambda job: job.state in {"failed", "cancelled"},
    ),
    "pause": _Deed(
        "`iris jobs pause {id}`",
        "lets nothing more of {job} start",
        "No job is running or waiting.",
        lambda job: job.state in {"queued", "running"},
    ),
    "resume": _Deed(
        "`iris jobs resume {id}`",
        "lets {job} go on",
        "No job is paused.",
        lambda job: job.state == "paused",
    ),
    "dismiss": _Deed(
        "`iris jobs dismiss {id}`",
        "takes {job} out of your plan; nothing is deleted",
        "No job that has ended waits for you.",
        lambda job: not job.is_open and not job.is_reviewed,
    ),
}


def _steer(found: Sequence[JobReport], task: AgentTask) -> HandlerResult:
    """Say which command does what was asked, for the one who sees the checkout to run."""
    asked = _STEERING.search(task.utterance)
    deed = _DEEDS[(asked.lastgroup if asked else None) or "take"]
    meant = _meant(found, task)
    if (
        re.search(_TITLED, task.utterance.casefold())
        and _words(task.utterance)
        and not meant.is_named
    ):
        return _said("There is no such job among the last ones; `iris jobs list` shows all.")
    fitting = [one for one in meant.jobs if deed.fits(one)]
    waiting = [one for one in fitting if not one.is_reviewed] or fitting
    if not waiting:
        return _said(" ".join([deed.none, *map(_line, meant.jobs[:1] if meant.is_named else ())]))
    facts = tuple(_fact(one, text) for one in waiting[:_MOST_TOLD] for text in _how(deed, one))
    return HandlerResult(
        facts=facts, follow_ups=_follow_ups(waiting[0].job_id) if len(waiting) == 1 else ()
    )


def _how(deed: _Deed, job: JobReport) -> Iterator[str]:
    told = f"{deed.command} {deed.does}."
    yield told.format(id=job.job_id, job=f"“{_short(job.task)}”")


# Calling off


def _call_off(found: Sequence[JobReport], task: AgentTask) -> HandlerResult:
    running = [one for one in found if one.is_open]
    if not running:
        return _said("No job is running or waiting.")
    meant = _meant(running, task).jobs
    if not meant and "job" in task.slots:  # what was spoken of has ended: another may be meant
        meant = tuple(running)
    if not meant:
        return _said("No job of that id is running or waiting.")
    if len(meant) == 1:
        arguments: dict[str, Json] = {"job": meant[0].job_id}
        action = Action(kind=ActionKind.JOB_CANCEL, arguments=arguments)
        return HandlerResult(actions=(action,), follow_ups=_follow_ups(meant[0].job_id))
    options = tuple(
        Option(label=f"{_short(one.task)} ({one.job_id})", slots={"job": one.job_id})
        for one in meant
    )
    listed = "; ".join(f"“{option.label}”" for option in options)
    asked = f"Which job do you mean: {listed}?"
    return HandlerResult(
        facts=(Fact(kind=FactKind.STATEMENT, text=asked),), choice=Choice(options=options)
    )


def _label(job: JobReport) -> str:
    return f"“{_short(job.task)}” ({job.job_id})"
