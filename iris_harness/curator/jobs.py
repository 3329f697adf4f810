"""The user's jobs in lines: larger work that goes on beside the day."""

from __future__ import annotations

from collections.abc import Iterator

from iris_harness.contracts.day import DailyPlan, JobNews, JobStage
from iris_harness.curator.clean import clean, cleaned, shorten
from iris_harness.curator.frame import frame_of
from iris_harness.curator.language import Language
from iris_harness.curator.view import Line, LineKind, Mark, Tone

JOBS_SHOWN = 5
"""How many jobs a view lists; others are counted."""

_TITLE_WORDS = 16
_WHY_WORDS = 24
_ENDED = frozenset({JobStage.FAILED, JobStage.REVIEW})
_UNDER_WAY = frozenset({JobStage.FAILED, JobStage.RUNNING, JobStage.PAUSED})
_MARK_TONES = {JobStage.FAILED: Tone.CAUTION}


def job_lines(plan: DailyPlan, language: Language) -> Iterator[Line]:
    """Yield a line per job in the plan's order, the first ones only, then how many more."""
    for job in plan.jobs[:JOBS_SHOWN]:
        yield _line(job, plan, language)
    more = len(plan.jobs) - JOBS_SHOWN
    if more > 0:
        text = language.say("job.more", count=more)
        yield Line(kind=LineKind.NOTE, title=text, tone=Tone.QUIET)


def jobs_spoken(plan: DailyPlan, language: Language) -> str:
    """Return what of the jobs asks for somebody, said aloud; empty when nothing does."""
    counts = {stage: sum(job.stage is stage for job in plan.jobs) for stage in JobStage}
    said = (
        language.say(f"speech.jobs.{stage.value}", count=counts[stage])
        for stage in (JobStage.FAILED, JobStage.REVIEW)
        if counts[stage]
    )
    return " ".join(said)


def _line(job: JobNews, plan: DailyPlan, language: Language) -> Line:
    tone = _MARK_TONES.get(job.stage, Tone.PLAIN)
    mark = language.say(f"job.{job.stage.value}")
    return Line(
        kind=LineKind.NOTE,
        title=_short(job.task, _TITLE_WORDS) or language.say("untitled"),
        tone=tone,
        marks=(Mark(text=mark, tone=tone),),
        notes=cleaned(*_notes(job, plan, language)),
        sources=(job.source,),
    )


def _notes(job: JobNews, plan: DailyPlan, language: Language) -> Iterator[str]:
    if job.stage is JobStage.FAILED:
        yield _short(job.why, _WHY_WORDS).rstrip(".")
    if job.workers > 1 and job.stage in _UNDER_WAY:
        yield language.say("job.progress", done=job.done, workers=job.workers)
    if job.stage in _ENDED:
        since = frame_of(plan).local(job.since)
        is_today = since.date() == plan.date
        when = language.time(since) if is_today else language.day_and_time(since, plan.date)
        yield language.say("job.since", when=when)
        yield language.say(f"job.next.{job.stage.value}", id=job.source.locator)


def _short(text: str, words: int) -> str:
    whole = clean(text)
    short = shorten(whole, words)
    return whole if short == whole else f"{short}…"
