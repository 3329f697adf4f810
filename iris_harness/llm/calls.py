"""One call of a model: its attempts, and what they cost."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from iris_harness.contracts.model import ChatRequest, ChatResponse, TokenUsage
from iris_harness.errors import ModelError, ModelTimeoutError
from iris_harness.llm.attempts import Attempts, FailedAttemptError, RetryPolicy
from iris_harness.llm.deadline import Deadline
from iris_harness.llm.estimates import counted, request_tokens, text_tokens


class Call:
    """What is kept of one call from attempt to attempt.

    Attributes:
        request: what is asked.
        deadline: of all attempts together.
        said: the text that the caller has got already; after any nothing is tried again.
    """

    def __init__(
        self, model: str, request: ChatRequest, deadline: Deadline, policy: RetryPolicy
    ) -> None:
        """Begin; `model` is its name in errors."""
        self.request = request
        self.deadline = deadline
        self.said = ""
        self._model = model
        self._attempts = Attempts(policy, deadline, _seed(model, request))
        self._lost = TokenUsage(prompt_tokens=0, completion_tokens=0)

    def finished(self, response: ChatResponse) -> ChatResponse:
        """Return the answer with all that the call cost."""
        usage = counted(response, self.request)
        lost = self._lost
        return replace(
            response,
            usage=TokenUsage(
                prompt_tokens=usage.prompt_tokens + lost.prompt_tokens,
                completion_tokens=usage.completion_tokens + lost.completion_tokens,
                estimated=usage.estimated or lost.estimated,
            ),
        )

    def prepare_next(self, failed: FailedAttemptError) -> None:
        """Wait until the next attempt; raises as `Attempts.wait_for_next`."""
        if failed.may_have_cost:
            self._lose_attempt()
        failed.again = failed.again and not self.said
        self._add_facts(failed.error)
        try:
            self._attempts.wait_for_next(failed)
        except ModelTimeoutError as error:
            raise self.timed_out(error, at_work=False) from error

    def timed_out(self, error: ModelTimeoutError, *, at_work: bool = True) -> ModelTimeoutError:
        """Return `error` with its facts; `at_work`: the model was working on an answer."""
        if at_work:
            self._lose_attempt()
        self._add_facts(error)
        error.attempts = self._attempts.made + at_work
        return error

    def _lose_attempt(self) -> None:
        # Without a stream nobody knows how far it came: it may have been finished.
        made = text_tokens(self.said) if self.said else self.request.max_tokens
        self._lost = TokenUsage(
            prompt_tokens=self._lost.prompt_tokens + request_tokens(self.request),
            completion_tokens=self._lost.completion_tokens + made,
            estimated=True,
        )

    def _add_facts(self, error: ModelError) -> None:
        error.model = self._model
        error.message = f"{self._model} {error.message}"
        error.args = (error.message,)
        error.prompt_tokens = self._lost.prompt_tokens
        error.completion_tokens = self._lost.completion_tokens


def _seed(model: str, request: ChatRequest) -> str:
    """Return what tells this call from another: waits are spread by it."""
    said = "\0".join(message.content for message in request.messages)
    return f"{model} {hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()}"
