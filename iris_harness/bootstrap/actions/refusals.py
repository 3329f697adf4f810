"""Why something was not done, as a report."""

from __future__ import annotations

from iris_harness.contracts.reports import ActionReport, ActionState
from iris_harness.errors import AmbiguousItemError, IrisError, UnknownItemError

MOST_SHOWN = 6
"""Candidates that are named; the rest is counted."""


def refused(kind: str, error: IrisError) -> ActionReport:
    """Return the report of an action that was not done."""
    return ActionReport(
        kind=kind,
        state=ActionState.REFUSED,
        text=refusal_text(error),
        candidates=_candidates(error),
    )


def _candidates(error: IrisError) -> tuple[str, ...]:
    match error:
        case AmbiguousItemError():
            return error.candidates
        case UnknownItemError():
            return error.nearest
        case _:
            return ()


def refusal_text(error: IrisError) -> str:
    """Return an error in lines: what is wrong, the candidates, and what the user can do."""
    message = error.message[:1].upper() + error.message[1:]
    shown = _candidates(error)
    if not shown:
        return f"{message}{_tail(error)}"
    ending = ":" if isinstance(error, AmbiguousItemError) else ". The nearest:"
    more = len(shown) - MOST_SHOWN
    lines = [message + ending, *(f"  {one}" for one in shown[:MOST_SHOWN])]
    if more > 0:
        lines.append(f"  and {more} more")
    if error.hint:
        lines.append(f"{error.hint[:1].upper()}{error.hint[1:]}.")
    return "\n".join(lines)


def _tail(error: IrisError) -> str:
    return f" ({error.hint})." if error.hint else "."
