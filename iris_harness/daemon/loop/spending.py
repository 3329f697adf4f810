"""What a worker has spent: time, tokens, money and attempts, never more than its budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import TokenUsage
from iris_harness.daemon.loop.ending import Budget, EndError, Ending
from iris_harness.daemon.loop.journal import Journal
from iris_harness.llm.metering import Price


class Spending:
    """Does what takes time or costs, once, and counts it, also what an earlier run did."""

    def __init__(
        self,
        journal: Journal,
        budget: Budget,
        clock: Clock,
        cancelled: Callable[[], bool],
        price: Price | None = None,
    ) -> None:
        """Take where effects are kept, what may be spent, and what tokens cost, if that is known."""
        self.budget = budget
        self.cancelled = cancelled
        self.attempts = 1
        self._journal = journal
        self._clock = clock
        self._price = price
        self._milliseconds = 0
        self._sent = self._made = 0

    @property
    def usage(self) -> TokenUsage:
        """What the replies cost, those of earlier runs too."""
        return TokenUsage(prompt_tokens=self._sent, completion_tokens=self._made)

    def count(self, usage: TokenUsage) -> None:
        """Count what a reply cost."""
        self._sent += usage.prompt_tokens
        self._made += usage.completion_tokens

    def next_attempt(self, doubts: Sequence[str]) -> None:
        """Begin another attempt.

        Raises:
            EndError: there is none left.
        """
        if self.attempts >= self.budget.attempts:
            raise EndError(
                Ending.NOT_DONE, f"after {self.attempts} attempts {'; '.join(doubts)}",
                "give a smaller task, or another model",
            )  # fmt: skip
        self.attempts += 1

    def effect(self, kind: str, asked: Json, make: Callable[[], Json]) -> Json:
        """Do something that takes time, once; its time counts.

        Raises:
            EndError: cancelled, or the budget is used up.
        """
        self._check()
        started = self._clock.monotonic()

        def timed() -> Json:
            made = make()
            passed = round((self._clock.monotonic() - started) * 1000)
            return {"made": made, "milliseconds": passed}

        kept = self._journal.once(kind, asked, timed)
        assert isinstance(kept, dict)  # noqa: S101 - as it is made above
        self._milliseconds += int(str(kept["milliseconds"]))
        if self.cancelled():
            raise EndError(Ending.CANCELLED, "cancelled")
        return kept["made"]

    def _check(self) -> None:
        if self.cancelled():
            raise EndError(Ending.CANCELLED, "cancelled")
        used_up = self._used_up()
        if used_up:
            raise EndError(Ending.BUDGET, f"{used_up} are used up", "raise jobs.budget, and retry")

    def _used_up(self) -> str:
        budget, price = self.budget, self._price
        if self._milliseconds > budget.seconds * 1000:
            return f"{budget.seconds} s"
        if self._sent + self._made > budget.tokens:
            return f"{budget.tokens} tokens"
        if budget.money is not None and price is not None and price.of(self.usage) > budget.money:
            return f"{budget.money} {price.currency}"
        return ""
