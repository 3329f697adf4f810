"""What models cost, and budgets."""

from __future__ import annotations

import threading
from dataclasses import replace
from decimal import Decimal

import pytest

from iris_harness.contracts.model import Ability, ChatResponse, FinishReason, TokenUsage
from iris_harness.errors import ModelBudgetError, ModelError, ModelUnavailableError
from iris_harness.llm.metering import Budget, Meter, MeteredModel, Price, Spent
from iris_harness.testing import ScriptedModel
from tests.unit.llm.support import REQUEST, drained, user

PRICE = Price(input_per_million=Decimal("0.15"), output_per_million=Decimal("0.60"))


def answer(prompt: int, completion: int, text: str = "Hello!") -> ChatResponse:
    return ChatResponse(
        text=text,
        finish_reason=FinishReason.STOP,
        usage=TokenUsage(prompt_tokens=prompt, completion_tokens=completion),
    )


def test_calls_are_counted_in_tokens_and_in_money_to_the_last_digit() -> None:
    model = MeteredModel(ScriptedModel([answer(1000, 1), answer(10, 2)]), Meter(PRICE))
    model.complete(REQUEST)
    drained(model.stream(REQUEST))
    assert model.meter.spent == Spent(
        calls=2,
        prompt_tokens=1010,
        completion_tokens=3,
        cost=Decimal("0.0001533"),
        currency="USD",
    )


def test_without_a_price_there_is_no_cost() -> None:
    model = MeteredModel(ScriptedModel([answer(1, 1)]), Meter())
    model.complete(REQUEST)
    assert (model.meter.spent.cost, model.meter.spent.currency) == (None, "")


def test_a_call_that_could_exceed_the_tokens_is_not_made() -> None:
    scripted = ScriptedModel([answer(20, 20)] * 9, name="big")
    model = MeteredModel(scripted, Meter(budget=Budget(tokens=100)))
    model.complete(REQUEST)  # could take 10 + 50
    with pytest.raises(ModelBudgetError, match=r"40 of 100 tokens are spent") as error:
        model.complete(REQUEST)
    assert (error.value.model, error.value.attempts) == ("big", 0)
    assert "budget" in error.value.hint
    assert len(scripted.requests) == 1
    assert model.complete(replace(REQUEST, max_tokens=10)).text == "Hello!"  # a shorter one fits


def test_a_call_that_could_exceed_the_money_is_not_made() -> None:
    budget = Budget(money=Decimal("0.00005"))
    model = MeteredModel(ScriptedModel([answer(10, 50)] * 9), Meter(PRICE, budget))
    model.complete(REQUEST)  # 0.0000315
    with pytest.raises(ModelBudgetError, match=r"0\.0000315 of 0\.00005 USD are spent"):
        model.complete(REQUEST)


def test_a_budget_of_money_needs_a_price() -> None:
    with pytest.raises(ValueError, match="price"):
        Meter(budget=Budget(money=Decimal(1)))


def test_prompts_that_took_more_than_thought_make_later_ones_dearer() -> None:
    meter = Meter(budget=Budget(tokens=1000))
    model = MeteredModel(ScriptedModel([answer(300, 1)] * 9), meter)
    for _ in range(3):
        model.complete(REQUEST)
    with pytest.raises(ModelBudgetError):
        model.complete(REQUEST)
    assert meter.spent.tokens == 903


def test_calls_side_by_side_do_not_spend_the_same_rest() -> None:
    arrived = threading.Barrier(4, timeout=10)
    go_on = threading.Event()

    class Slow(ScriptedModel):
        def complete(self, _: object) -> ChatResponse:
            arrived.wait()
            go_on.wait(10)
            return answer(10, 50)

    model = MeteredModel(Slow([]), Meter(budget=Budget(tokens=200)))  # three calls of 62 fit
    refused: list[ModelError] = []

    def call() -> None:
        try:
            model.complete(REQUEST)
        except ModelBudgetError as error:
            refused.append(error)
            arrived.wait()

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert model.meter.spent.tokens == 180


def test_a_call_that_failed_counts_with_what_it_may_have_cost() -> None:
    lost = ModelUnavailableError("broke off")
    lost.prompt_tokens, lost.completion_tokens = 30, 50
    model = MeteredModel(ScriptedModel([lost, ModelError("refused")]), Meter())
    for _ in range(2):
        with pytest.raises(ModelError):
            model.complete(REQUEST)
    spent = model.meter.spent
    assert (spent.prompt_tokens, spent.completion_tokens, spent.estimated_calls) == (30, 50, 2)


def test_a_stream_that_is_closed_early_counts_what_had_come() -> None:
    model = MeteredModel(ScriptedModel(["a long answer " * 10]), Meter())
    pieces = model.stream(replace(REQUEST, messages=(user("Tell me."),)))
    next(pieces)
    next(pieces)
    pieces.close()
    spent = model.meter.spent
    assert spent.prompt_tokens > 0
    assert 0 < spent.completion_tokens < 10
    assert spent.estimated_calls == 1


def test_what_was_set_aside_is_given_back() -> None:
    meter = Meter(budget=Budget(tokens=130))
    model = MeteredModel(ScriptedModel([answer(1, 1)] * 50), meter)
    for _ in range(30):
        model.complete(REQUEST)
    assert meter.spent.tokens == 60


def test_a_metered_model_is_the_model_otherwise() -> None:
    model = MeteredModel(ScriptedModel([], name="big", abilities={Ability.TOOLS}), Meter())
    assert (model.name, model.abilities) == ("big", frozenset({Ability.TOOLS}))
