"""The answer, as every surface takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.scopes import Scope
from iris_harness.contracts.sources import SourceRef
from iris_harness.contracts.values import Value

if TYPE_CHECKING:  # most replies change nothing: no class is built for them
    from iris_harness.contracts.reports import ActionReport


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class TextBlock(Value):
    """A paragraph of a reply."""

    text: str
    heading: str = ""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class DayBlock(Value):
    """A day's plan inside a reply; surfaces render it in their own way."""

    plan: DailyPlan
    focus: Scope | None = None
    """The part of the day that was asked about; None for all of it. The plan has the whole day."""


ReplyBlock: TypeAlias = TextBlock | DayBlock


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Reply(Value):
    """One answer in all its forms; every form says the same."""

    text: str
    """Plain text, complete."""
    speech: str
    """What is said aloud: short, no symbols."""
    blocks: tuple[ReplyBlock, ...] = ()
    """The same answer in parts, in order, for surfaces that lay it out themselves."""
    citations: tuple[SourceRef, ...] = ()
    """Every source a statement rests on, sorted, without duplicates."""
    warnings: tuple[str, ...] = ()
    plan_id: str | None = None
    """Id of the day plan in it; None when there is none or several."""
    trace_id: str = ""
    """Id of the stored turn; empty when turns are not stored."""
    actions: tuple[ActionReport, ...] = ()
    """What became of what the user wanted changed, in order; their texts are in `text` already."""
    choices: tuple[str, ...] = ()
    """What the user is asked to choose from, by name; within a conversation one is an answer."""
    degraded: bool = False
    """Whether a source or an agent failed, so that something may be missing (exit code 3)."""

    @property
    def is_question(self) -> bool:
        """Whether something waits for the user's yes or no, or for a choice."""
        return bool(self.choices) or any(report.is_question for report in self.actions)
