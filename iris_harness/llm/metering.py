"""What models cost: counted per model, and never above a budget.

Before a call the most it could cost is set aside, so that several calls at once cannot spend the
same rest; afterwards what it did cost is counted. A prompt's tokens are estimated for that, on the
dear side, and by what earlier prompts came to: only the first call can take more than was thought.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Generator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from iris_harness.contracts.model import (
    Ability,
    ChatModel,
    ChatRequest,
    ChatResponse,
    TokenUsage,
)
from iris_harness.errors import ModelBudgetError, ModelError
from iris_harness.llm.estimates import request_tokens, text_tokens

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What tokens cost."""

    input_per_million: Decimal
    output_per_million: Decimal
    currency: str = "USD"
    """ISO 4217."""

    def of(self, usage: TokenUsage) -> Decimal:
        """Return the cost of `usage`, not rounded."""
        sent = self.input_per_million * usage.prompt_tokens
        made = self.output_per_million * usage.completion_tokens
        return (sent + made) / _MILLION


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """The most that may be spent; None: any amount."""

    tokens: int | None = None
    """Sent and made together."""
    money: Decimal | None = None
    """In the currency of the price; without a price it cannot be kept, and is refused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What calls came to."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_calls: int = 0
    """Calls of which something was estimated, since the backend did not count."""
    cost: Decimal | None = None
    """None without a price."""
    currency: str = ""
    """Empty without a price."""

    @property
    def tokens(self) -> int:
        """Sent and made together."""
        return self.prompt_tokens + self.completion_tokens


class Meter:
    """Counts what is spent, and keeps it within a budget. Thread-safe."""

    def __init__(self, price: Price | None = None, budget: Budget | None = None) -> None:
        """Start at nothing.

        Raises:
            ValueError: money is bounded, and nobody knows the price.
        """
        self._price = price
        self._budget = budget or Budget()
        if self._budget.money is not None and price is None:
            raise ValueError("a budget of money needs a price")
        self._spent = Spent(
            cost=Decimal(0) if price else None, currency=price.currency if price else ""
        )
        self._held: list[TokenUsage] = []
        self._dearest = Fraction(1)
        """The most that a prompt took, in parts of what was estimated; at least 1."""
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        with self._lock:
            return self._spent

    def hold(self, request: ChatRequest) -> TokenUsage:
        """Set aside the most that a call could cost, and return it; `settle` gives it back.

        Raises:
            ModelBudgetError: the budget has not so much left.
        """
        with self._lock:
            most = TokenUsage(
                prompt_tokens=math.ceil(request_tokens(request) * self._dearest),
                completion_tokens=request.max_tokens,
                estimated=True,
            )
            self._check(most)
            self._held.append(most)
        return most

    def settle(self, most: TokenUsage, usage: TokenUsage) -> None:
        """Count what a call did cost, in place of what was set aside for it."""
        with self._lock:
            self._held.remove(most)
            if not usage.estimated and most.prompt_tokens > 0:
                took = self._dearest * usage.prompt_tokens / most.prompt_tokens
                self._dearest = max(self._dearest, took)
            spent = self._spent
            self._spent = replace(
                spent,
                calls=spent.calls + 1,
                prompt_tokens=spent.prompt_tokens + usage.prompt_tokens,
                completion_tokens=spent.completion_tokens + usage.completion_tokens,
                estimated_calls=spent.estimated_calls + usage.estimated,
                cost=None if spent.cost is None else spent.cost + self._cost(usage),
            )

    def _check(self, most: TokenUsage) -> None:
        planned = [*self._held, most]
        tokens = self._spent.tokens + sum(map(_total, planned))
        if self._budget.tokens is not None and tokens > self._budget.tokens:
            spent = f"{self._spent.tokens} of {self._budget.tokens} tokens are spent"
            raise _over(f"{spent}, and this call could take {_total(most)}")
        if self._budget.money is None:
            return
        cost = (self._spent.cost or 0) + sum(map(self._cost, planned))
        if cost > self._budget.money:
            unit = self._spent.currency
            spent = f"{self._spent.cost:f} of {self._budget.money:f} {unit} are spent"
            raise _over(f"{spent}, and this call could cost {self._cost(most):f} {unit}")

    def _cost(self, usage: TokenUsage) -> Decimal:
        return self._price.of(usage) if self._price else Decimal(0)


def _total(usage: TokenUsage) -> int:
    return usage.prompt_tokens + usage.completion_tokens


def _over(message: str) -> ModelBudgetError:
    return ModelBudgetError(message, hint="raise the budget, or ask for a shorter answer")


class MeteredModel:
    """A `ChatModel` whose calls are counted, and refused where the budget ends. Thread-safe.

    Attributes:
        meter: what counts; several models may share one.
    """

    def __init__(self, model: ChatModel, meter: Meter) -> None:
        """Take the model to ask and what counts."""
        self._model = model
        self.meter = meter

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    @property
    def abilities(self) -> frozenset[Ability]:
        """Those of the model that is asked."""
        return self._model.abilities

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer.

        Raises:
            ModelBudgetError: it could cost more than is left; nothing was asked.
            ModelError: as the model's own.
        """
        most = self._hold(request)
        usage = most
        try:
            response = self._model.complete(request)
            usage = response.usage
        except ModelError as error:
            usage = _lost(error)
            raise
        else:
            return response
        finally:
            self.meter.settle(most, usage)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield one answer in pieces; raises as `complete`.

        One that is closed early counts with what had come of it.
        """
        most = self._hold(request)
        usage = TokenUsage(prompt_tokens=most.prompt_tokens, completion_tokens=0, estimated=True)
        try:
            pieces = self._model.stream(request)
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    response: ChatResponse = end.value
                    usage = response.usage
                    return response
                made = usage.completion_tokens + text_tokens(piece)
                usage = replace(usage, completion_tokens=made)
                yield piece
        except ModelError as error:
            usage = _lost(error)
            raise
        finally:
            self.meter.settle(most, usage)

    def _hold(self, request: ChatRequest) -> TokenUsage:
        try:
            return self.meter.hold(request)
        except ModelBudgetError as error:
            error.model = self.name
            raise


def _lost(error: ModelError) -> TokenUsage:
    return TokenUsage(
        prompt_tokens=error.prompt_tokens,
        completion_tokens=error.completion_tokens,
        estimated=True,
    )
