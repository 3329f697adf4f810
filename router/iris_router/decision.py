"""From readings to a decision: accept, ask back, or refuse."""

from __future__ import annotations

from collections.abc import Container, Sequence

from iris_harness.contracts.routing import OUT_OF_SCOPE, Alternative, Decision

SURE = 0.9
"""From here on no slower tier is asked."""
_MARGIN = 0.2
"""How far the best reading must be ahead of the next to be taken without a question."""
_HOPELESS = 0.3
"""Below this not even two readings are worth a question."""


def decide(readings: Sequence[Alternative], answered: Container[str]) -> Decision:
    """Return what to do with readings, most likely first; at least one.

    `answered` holds the intents that an installed agent answers: between two that none does,
    there is nothing to ask.
    """
    best = readings[0]
    second = readings[1].confidence if len(readings) > 1 else 0.0
    close = best.confidence - second < _MARGIN and best.confidence + second >= _HOPELESS
    if close and any(reading.intent in answered for reading in readings[:2]):
        return Decision.ASK
    return Decision.REFUSE if best.intent == OUT_OF_SCOPE else Decision.ACCEPT
