"""One job as a page: its graph, its workers, what can be done with it, and one worker's report."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from iris_harness.contracts.canonical import Json
from iris_harness.curator.clean import clean
from iris_harness.curator.language import Language
from iris_harness.curator.page.graph import Step
from iris_harness.curator.page.markup import Child, Markup, element
from iris_harness.curator.page.pictures import draw_graph
from iris_harness.jobs.database import Database
from iris_harness.jobs.logs import LogPiece, WorkerLogs
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.views import JobState, JobView, WorkerView
from iris_harness.jobs.why import Reason
from iris_harness.surfaces.web.page.forms import hidden
from iris_harness.surfaces.web.page.jobs.live import live
from iris_harness.surfaces.web.page.jobs.words import (
    label,
    length,
    names_before,
    progress,
    state_word,
    when,
)
from iris_harness.surfaces.web.page.shell import JOBS

MOST_LOG_LINES = 300
_LONGEST_TITLE = 80
_SHORT_ID = 12
_HEX = 10  # digits of a commit


def read_log(database: Database, worker: WorkerView) -> tuple[LogPiece, ...]:
    """Return what a worker printed; whoever asks has seen to whose it is."""
    return WorkerLogs(database).read(worker.spec.id)


class JobWriter:
    """Writes one job as HTML."""

    def __init__(
        self,
        view: JobView,
        reasons: Sequence[Reason],
        now: dt.datetime,
        language: Language,
        form_key: str,
    ) -> None:
        """Take a job, what holds its workers, "now" in the user's zone, and the key of forms."""
        self._view = view
        self._summary = view.summary
        self._reasons = {reason.worker: reason.text for reason in reasons}
        self._now = now
        self._language = language
        self._say = language.say
        self._key = form_key

    @property
    def title(self) -> str:
        """What the document is called: how far the job is, and what it is."""
        return f"{progress(self._summary, self._language)}: {self._short_task()}"

    def page(self, chosen: WorkerView | None, log: Sequence[LogPiece]) -> Markup:
        """Return the page, with the report of the worker that was chosen."""
        return live(
            element("a", self._say("jobs.all"), href=JOBS, id="all"),
            self._head(),
            self._deeds(),
            self._graph(),
            self._report(chosen, log) if chosen else None,
            self._workers(),
            self._about(),
            is_changing=not self._summary.state.is_final,
        )

    def _head(self) -> Markup:
        state = self._summary.state
        return element(
            "header",
            element("h2", element("bdi", clean(self._summary.task)), id="head", tabindex="-1"),
            element(
                "p",
                element(
                    "span", progress(self._summary, self._language), class_=f"state {state.value}"
                ),
                element("code", self._summary.id),
                between=" ",
                class_="when",
            ),
        )

    def _short_task(self) -> str:
        task = clean(self._summary.task)
        return task if len(task) <= _LONGEST_TITLE else f"{task[: _LONGEST_TITLE - 1]}…"

    # What can be done

    def _deeds(self) -> Markup | None:
        state = self._summary.state
        buttons: list[Markup] = []
        if state in {JobState.FAILED, JobState.CANCELLED}:
            buttons.append(self._form("retry", self._say("jobs.do.retry")))
        if state is JobState.PAUSED:
            buttons.append(self._form("resume", self._say("jobs.do.resume")))
        elif not state.is_final:
            buttons.append(self._form("pause", self._say("jobs.do.pause")))
        if not state.is_final:
            sure = element("summary", self._say("jobs.do.cancel.sure"), id="sure", class_="button")
            cancel = self._form("cancel", self._say("jobs.do.cancel"), "main")
            buttons.append(element("details", sure, cancel, class_="sure"))
        return element("div", *buttons, class_="deeds", between="\n") if buttons else None

    def _form(
        self, deed: str, said: str, look: str | None = None, worker: WorkerView | None = None
    ) -> Markup:
        named = f"{deed}-{worker.name}" if worker else deed
        told = self._say("jobs.label.retry", worker=worker.name) if worker else None
        return element(
            "form",
            hidden(key=self._key, id=self._summary.id, worker=worker.name if worker else ""),
            element("button", said, name="do", value=deed, id=named, aria_label=told, class_=look),
            method="post",
            action=JOBS,
        )

    # The graph and the list

    def _graph(self) -> Markup:
        title = self._say("jobs.graph", job=self._summary.id)
        return element(
            "div",
            *draw_graph([self._step(worker) for worker in self._view.workers], title),
            class_="card scroll",
            id="graph",
            tabindex="0",
            role="region",
            aria_label=title,
        )

    def _step(self, worker: WorkerView) -> Step:
        return Step(
            name=worker.name,
            head=worker.name,
            state=state_word(worker, self._language),
            text=clean(worker.spec.task),
            look=worker.state.value,
            address=self._address(worker),
            label=label(worker, self._language),
            after=names_before(worker),
        )

    def _address(self, worker: WorkerView) -> str:
        return f"{JOBS}?{urlencode({'id': self._summary.id, 'worker': worker.name})}#report"

    def _workers(self) -> Markup:
        return element(
            "section",
            element("h3", self._say("jobs.workers"), id="workers-head"),
            element("ol", *map(self._worker, self._view.workers), class_="jobs", between="\n"),
            class_="card",
            aria_labelledby="workers-head",
        )

    def _worker(self, worker: WorkerView) -> Markup:
        took = length(worker, self._now, self._language)
        state = state_word(worker, self._language)
        said = self._say("jobs.took", state=state, length=took) if took else state
        reason = self._reasons.get(worker.name)
        before = names_before(worker)
        others = self._say("jobs.after", others=self._language.listing(before)) if before else None
        return element(
            "li",
            element("span", said, class_=f"state {worker.state.value}"),
            element("strong", worker.name),
            element("bdi", clean(worker.spec.task), class_="title"),
            element("span", others, class_="note") if others else None,
            element("span", clean(reason), class_="note") if reason else None,
            element(
                "a",
                self._say("jobs.open"),
                href=self._address(worker),
                id=f"open-{worker.name}",
                aria_label=self._say("jobs.label.open", worker=worker.name),
                class_="small",
            ),
            between=" ",
        )

    # One worker

    def _report(self, worker: WorkerView, log: Sequence[LogPiece]) -> Markup:
        title = self._say("jobs.report", worker=worker.name)
        went_wrong = worker.state in {WorkerState.FAILED, WorkerState.CANCELLED}
        return element(
            "section",
            element("h3", title, id="report-head", tabindex="-1"),
            element("p", element("bdi", clean(worker.spec.task))),
            _figures(self._figures(worker)),
            self._form("retry", self._say("jobs.do.retry"), worker=worker) if went_wrong else None,
            element("h4", self._say("jobs.log")),
            *self._log(worker, log),
            element(
                "a",
                self._say("web.close"),
                href=f"{JOBS}?{urlencode({'id': self._summary.id})}",
                class_="button",
                id="close",
            ),
            id="report",
            class_="card panel",
            aria_labelledby="report-head",
            between="\n",
        )

    def _figures(self, worker: WorkerView) -> Iterator[tuple[str, Child]]:
        """Yield what a worker was given and has handed in; anything may stand in a result."""
        result: Mapping[str, Json] = worker.result if isinstance(worker.result, dict) else {}
        spec = worker.spec
        files = tuple(dict.fromkeys((*((spec.file,) if spec.file else ()), *spec.files)))
        yield self._say("jobs.state"), self._said(worker, result)
        yield self._say("jobs.report.files"), clean(", ".join(files))
        yield self._say("jobs.report.model"), clean(spec.model)
        yield self._say("jobs.report.test"), _code(spec.test_cmd or "")
        if worker.leased_by:
            daemon = clean(worker.leased_by)
            times = self._say("jobs.report.times", daemon=daemon, count=worker.deliveries)
            yield self._say("jobs.report.runs_on"), times
        changed = result.get("changed")
        if isinstance(changed, list):
            yield self._say("jobs.report.changed"), clean(", ".join(map(str, changed)))
        attempts, tokens = result.get("attempts"), result.get("tokens")
        if isinstance(attempts, int):
            yield self._say("jobs.report.attempts"), str(attempts)
        if isinstance(tokens, dict) and {"sent", "made"} <= tokens.keys():
            spent = {name: str(tokens[name])[:_SHORT_ID] for name in ("sent", "made")}
            yield self._say("jobs.report.tokens"), self._say("jobs.report.tokens.of", **spent)
        if isinstance(commit := result.get("commit"), str):
            yield self._say("jobs.report.commit"), _code(commit[:_HEX])

    def _said(self, worker: WorkerView, result: Mapping[str, Json]) -> str:
        """Return how it goes: what it handed in, or why it failed, or its state alone."""
        state = state_word(worker, self._language)
        told = worker.reason or next(
            (text for name in ("summary", "why") if isinstance(text := result.get(name), str)), ""
        )
        return f"{state}: {clean(told)}" if told else state

    def _log(self, worker: WorkerView, log: Sequence[LogPiece]) -> Iterator[Markup]:
        lines = "".join(piece.text for piece in log).splitlines()
        if not lines:
            yield element("p", self._say("jobs.log.none"), class_="note")
            return
        if left_out := max(0, len(lines) - MOST_LOG_LINES):
            command = f"iris jobs logs {self._summary.id} {worker.name}"
            cut = self._say("jobs.log.cut", count=left_out, command=command)
            yield element("p", cut, class_="note")
        text = "\n".join(clean(line) for line in lines[-MOST_LOG_LINES:])
        name = self._say("jobs.log")
        yield element("pre", text, id="log", tabindex="0", role="region", aria_label=name)

    # Below

    def _about(self) -> Markup:
        notes = [element("li", clean(note)) for note in self._view.notes]
        return element(
            "section",
            element("h3", self._say("jobs.about"), id="about-head"),
            _figures(self._facts()),
            element("h4", self._say("jobs.notes")) if notes else None,
            element("ul", *notes, class_="notes") if notes else None,
            *self._commands(),
            class_="card",
            aria_labelledby="about-head",
            between="\n",
        )

    def _facts(self) -> Iterator[tuple[str, Child]]:
        view, summary = self._view, self._summary
        repo = clean(summary.repo_url)
        ref = clean(view.request.ref)
        yield (
            self._say("jobs.repository"),
            self._say("jobs.at", repo=repo, ref=ref) if ref else repo,
        )
        yield self._say("jobs.submitted"), when(summary.created_at, self._now, self._language)
        key = f"jobs.planned.{view.planner}"
        known = self._language.knows(key)
        yield self._say("jobs.planned"), self._say(key) if known else clean(view.planner)
        yield self._say("jobs.needs"), clean(", ".join(view.needs))
        yield self._say("jobs.manifest"), _code(summary.manifest_id[:_SHORT_ID])

    def _commands(self) -> Iterator[Markup]:
        """Yield how to have what was made, once something was."""
        if self._summary.counts.get(WorkerState.SUCCEEDED):
            job = self._summary.id
            yield element("p", self._say("jobs.get"))
            yield element("pre", element("code", f"iris jobs diff {job}\niris jobs apply {job}"))


def _code(text: str) -> Markup | None:
    return element("code", clean(text)) if text else None


def _figures(pairs: Iterator[tuple[str, Child]]) -> Markup:
    """Return a list of terms; those with nothing to say are left out."""
    parts = [
        element("div", element("dt", term), element("dd", element("bdi", said)))
        for term, said in pairs
        if said
    ]
    return element("dl", *parts, class_="figures", between="\n")
