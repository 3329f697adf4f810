"""A model's side of the work: what it is asked, what it is told, and when it goes in circles."""

from __future__ import annotations

import json
from collections.abc import Sequence

from iris_harness.contracts.canonical import digest
from iris_harness.contracts.model import ChatMessage, ChatModel, ChatRequest, ToolCall
from iris_harness.daemon.loop.ending import EndError, Ending
from iris_harness.daemon.loop.prompts import nudge
from iris_harness.daemon.loop.toolbox import FINISH, TOOLS, Toolbox

_REPEATED = 3
_HOPELESS = 5
"""How often the same call with the same answer is a warning, and the end."""
_MOST_CALLS = 80
"""Calls of tools in one attempt."""


class Conversation:
    """One conversation, over all attempts."""

    def __init__(
        self, model: ChatModel, messages: Sequence[ChatMessage], toolbox: Toolbox, reply_tokens: int
    ) -> None:
        """Take who is asked, how it begins, the tools, and the bound of an answer."""
        self._model = model
        self._messages = [*messages]
        self._toolbox = toolbox
        self._reply_tokens = reply_tokens
        self._seen: dict[str, int] = {}

    def tell(self, text: str) -> None:
        """Say something to the model before it goes on."""
        self._messages.append(ChatMessage(role="user", content=text))

    def go_on(self) -> str:
        """Let the model edit until it says that it is done; return what it says it did.

        Raises:
            EndError: it goes in circles, spends too much, or cannot be asked.
        """
        for _ in range(_MOST_CALLS):
            calls = self._ask()
            for call in calls:
                if call.name == FINISH:
                    self._answer_all(calls, call)
                    return _summary(call)
                told = self._toolbox.answer(call)
                self._answer(call, self._notice(f"{call.name} {call.arguments}", told))
        raise EndError(Ending.STUCK, f"the model made {_MOST_CALLS} calls and did not finish")

    def _ask(self) -> tuple[ToolCall, ...]:
        response = self._model.complete(
            ChatRequest(messages=tuple(self._messages), max_tokens=self._reply_tokens, tools=TOOLS)
        )
        self._messages.append(
            ChatMessage(role="assistant", content=response.text, tool_calls=response.tool_calls)
        )
        if not response.tool_calls:
            self.tell(nudge(response.finish_reason))
            self._notice("", response.text)
        return response.tool_calls

    def _notice(self, call: str, told: str) -> str:
        """Return the answer to a call, with a warning where it is no news."""
        key = digest([call, told])
        self._seen[key] = count = self._seen.get(key, 0) + 1
        if count >= _HOPELESS:
            raise EndError(Ending.STUCK, f"the model did the same {count} times: {call[:200]}")
        if count >= _REPEATED:
            return f"{told}\n(You have done this {count} times, with the same result. Do something else.)"
        return told

    def _answer_all(self, calls: Sequence[ToolCall], finished: ToolCall) -> None:
        """Answer every call of a reply that finishes: servers refuse one without an answer."""
        for call in calls[calls.index(finished) :]:
            told = "it is tested now" if call is finished else "not done: you said you were done"
            self._answer(call, told)

    def _answer(self, call: ToolCall, told: str) -> None:
        self._messages.append(ChatMessage(role="tool", content=told, tool_call_id=call.id))


def _summary(call: ToolCall) -> str:
    try:
        found = json.loads(call.arguments or "{}")
    except ValueError:
        return ""
    said = found.get("summary", "") if isinstance(found, dict) else ""
    return said if isinstance(said, str) else ""
