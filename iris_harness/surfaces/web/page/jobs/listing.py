"""All jobs as a list."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from urllib.parse import urlencode

from iris_harness.curator.clean import clean
from iris_harness.curator.language import Language
from iris_harness.curator.page.markup import Markup, element
from iris_harness.jobs.views import JobSummary
from iris_harness.surfaces.web.page.jobs.live import live
from iris_harness.surfaces.web.page.jobs.words import progress, when
from iris_harness.surfaces.web.page.shell import JOBS


def write_list(found: Sequence[JobSummary], now: dt.datetime, language: Language) -> Markup:
    """Return the newest jobs, newest first; `now` is in the user's zone."""
    runs = any(not summary.state.is_final for summary in found)
    body = (
        element("ul", *(_line(one, now, language) for one in found), class_="jobs", between="\n")
        if found
        else element("p", language.say("jobs.none"), class_="when")
    )
    head = element("h2", language.say("jobs.title"), id="head", tabindex="-1")
    return live(head, element("div", body, class_="card"), is_changing=runs)


def _line(summary: JobSummary, now: dt.datetime, language: Language) -> Markup:
    address = f"{JOBS}?{urlencode({'id': summary.id})}"
    return element(
        "li",
        element(
            "span",
            progress(summary, language),
            class_=f"state {summary.state.value}",
        ),
        element("a", element("bdi", clean(summary.task)), href=address, class_="title"),
        element("bdi", clean(summary.repo_url), class_="note"),
        element(
            "time",
            when(summary.created_at, now, language),
            datetime=summary.created_at.isoformat(),
            class_="note",
        ),
        between=" ",
    )
