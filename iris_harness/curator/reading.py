"""How the reading of a plan's sources went, in lines."""

from __future__ import annotations

from collections.abc import Iterator

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.sources import SourceRef, SourceState, SourceStatus
from iris_harness.curator.clean import clean, cleaned
from iris_harness.curator.language import Language
from iris_harness.curator.summary import source_name
from iris_harness.curator.view import Line, LineKind, Tone


def source_lines(plan: DailyPlan, language: Language) -> Iterator[Line]:
    """Yield a line per source that is not plainly read, then one that names all that were."""
    for status in plan.sources:
        if status.state is not SourceState.OK:
            yield _source(status, language)
    yield Line(kind=LineKind.NOTE, title=_what_was_read(plan, language), tone=Tone.QUIET)


def warning_lines(plan: DailyPlan) -> Iterator[Line]:
    """Yield a line per warning."""
    for text in cleaned(*plan.warnings):
        yield Line(kind=LineKind.NOTE, title=text, tone=Tone.CAUTION)


def _source(status: SourceStatus, language: Language) -> Line:
    age = "" if status.age_seconds is None else language.age(status.age_seconds)
    key = f"source.{status.state.value}"
    if status.state is SourceState.STALE and not age:
        key = "source.stale_unknown"
    failed = status.state is SourceState.FAILED
    return Line(
        kind=LineKind.NOTE,
        title=language.say(key, source=source_name(status, language), age=age),
        tone=Tone.CAUTION if failed or status.state is SourceState.STALE else Tone.QUIET,
        notes=cleaned(status.detail),
        sources=(SourceRef(source=status.name),),
    )


def _what_was_read(plan: DailyPlan, language: Language) -> str:
    names: dict[str, list[str]] = {}
    for status in plan.sources:
        if status.was_read:
            names.setdefault(status.kind.value, []).append(clean(status.name))
    if not names:
        return language.say("source.nothing_read")
    groups = (
        language.say(
            "source.named",
            kind=language.say(f"source.kind.{kind}", count=len(members)),
            name=", ".join(members),
        )
        for kind, members in names.items()
    )
    return language.say("source.read", groups="; ".join(groups))
