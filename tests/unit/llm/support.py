"""What tests of models share."""

from __future__ import annotations

import ssl
from collections.abc import Generator

from iris_harness.clock import SystemClock
from iris_harness.contracts.model import ChatMessage, ChatRequest, ChatResponse
from iris_harness.llm.attempts import RetryPolicy
from iris_harness.llm.openai_compatible import OpenAICompatibleModel, ServerSettings

KEY = "sk-very-secret-0123456789"
QUICK = RetryPolicy(retries=2, first_wait_seconds=0.01)


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


REQUEST = ChatRequest(messages=(user("Say hello."),), max_tokens=50, timeout_seconds=10)


def served(
    base_url: str,
    *,
    key: str = KEY,
    retry: RetryPolicy = QUICK,
    trust: ssl.SSLContext | None = None,
) -> OpenAICompatibleModel:
    settings = ServerSettings(
        name="big", base_url=base_url, model="gpt-test", key=lambda: key, retry=retry
    )
    return OpenAICompatibleModel(settings, SystemClock(), trust=trust)


def drained(pieces: Generator[str, None, ChatResponse]) -> tuple[list[str], ChatResponse]:
    """Return all pieces of a stream, and what it came to."""
    said: list[str] = []
    while True:
        try:
            said.append(next(pieces))
        except StopIteration as end:
            return said, end.value
