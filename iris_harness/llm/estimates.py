"""How many tokens a text may be, where nobody counts.

A token is about four bytes of English and three of most other text; three errs on the dear side.
"""

from __future__ import annotations

import json

from iris_harness.contracts.model import ChatMessage, ChatRequest, ChatResponse, TokenUsage

_BYTES_PER_TOKEN = 3
_TOKENS_AROUND_A_MESSAGE = 4


def text_tokens(text: str) -> int:
    """Return how many tokens `text` may be; 0 for none."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)


def request_tokens(request: ChatRequest) -> int:
    """Return how many tokens a request may be, with its tools and its schema."""
    tools = [
        f"{tool.name} {tool.description} {json.dumps(dict(tool.parameters))}"
        for tool in request.tools
    ]
    schema = json.dumps(dict(request.json_schema)) if request.json_schema else ""
    said = sum(map(_message_tokens, request.messages))
    return said + sum(map(text_tokens, (*tools, schema)))


def _message_tokens(message: ChatMessage) -> int:
    calls = "".join(call.name + call.arguments for call in message.tool_calls)
    return text_tokens(message.content) + text_tokens(calls) + _TOKENS_AROUND_A_MESSAGE


def response_tokens(response: ChatResponse) -> int:
    """Return how many tokens an answer may be."""
    calls = "".join(call.name + call.arguments for call in response.tool_calls)
    return text_tokens(response.text) + text_tokens(calls)


def counted(response: ChatResponse, request: ChatRequest) -> TokenUsage:
    """Return the usage that an answer states, or an estimate where it states none."""
    if response.usage.prompt_tokens >= 0:
        return response.usage
    return TokenUsage(
        prompt_tokens=request_tokens(request),
        completion_tokens=response_tokens(response),
        estimated=True,
    )
