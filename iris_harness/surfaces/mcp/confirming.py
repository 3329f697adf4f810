"""Changes asked for by another assistant: shown to the user, done after a yes.

A model that calls a tool is not the user. Whatever it wants changed is made ready and shown first:
by elicitation where the client can ask its user (in one round or, since protocol 2026-07-28, in two
calls), else as a preview with a token, which a second call of the same tool with the same arguments
must carry. What is done is what was shown, to the letter; nothing is made ready a second time.

https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import NoBackChannelError
from mcp_types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)
from mcp_types.version import is_version_at_least

from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.contracts.canonical import Json, digest
from iris_harness.contracts.clock import Clock

PATIENCE_SECONDS = 600.0
"""How long a change waits for its yes."""
_MOST_WAITING = 100
_TOKEN_BYTES = 24
_ASKED = "confirm"
_TWO_CALLS = "2026-07-28"
_NOTHING_TO_FILL_IN: dict[str, Any] = {"type": "object", "properties": {}}


class Call(NamedTuple):
    """A tool and what it was called with, a confirmation left out."""

    tool: str
    arguments: Mapping[str, Json]


class _Waiting(NamedTuple):
    call: str
    changes: tuple[Prepared, ...]
    until: float


class Confirmations:
    """What waits for a yes, each under a token that counts once. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        """Begin with nothing."""
        self._clock = clock
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, call: Call, changes: Sequence[Prepared]) -> str:
        """Return a token for changes that were made ready; the oldest is forgotten first."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        until = self._clock.monotonic() + PATIENCE_SECONDS
        with self._lock:
            self._waiting[token] = _Waiting(digest(call), tuple(changes), until)
            while len(self._waiting) > _MOST_WAITING:
                self._waiting.popitem(last=False)
        return token

    def take(self, call: Call, token: str) -> tuple[Prepared, ...]:
        """Return what a token stands for; it stands for nothing from then on.

        Raises:
            ToolError: it stands for nothing, or for another call.
        """
        with self._lock:
            waiting = self._waiting.pop(token, None)
        if waiting is None or waiting.until < self._clock.monotonic():
            raise ToolError("This confirmation is unknown or too old. Nothing was changed.")
        if not hmac.compare_digest(waiting.call, digest(call)):
            raise ToolError("This confirmation belongs to another call. Nothing was changed.")
        return waiting.changes


def can_ask(context: Context) -> bool:
    """Return whether the client says that it can ask its user."""
    known = context.client_capabilities
    found = known.elicitation if known is not None else None
    return found is not None and (found.form is not None or found.url is None)


def asks_in_two_calls(context: Context) -> bool:
    """Return whether the client asks its user between two calls, and not during one."""
    version = context.protocol_version
    return version is not None and is_version_at_least(version, _TWO_CALLS)


def ask_between(question: str, token: str) -> InputRequiredResult:
    """Return what makes a client ask its user, and call again with the answer."""
    request = ElicitRequest(params=_form(question))
    return InputRequiredResult(input_requests={_ASKED: request}, request_state=token)


def answered_yes(context: Context) -> bool:
    """Return whether the user said yes between the two calls."""
    answer = (context.input_responses or {}).get(_ASKED)
    return isinstance(answer, ElicitResult) and answer.action == "accept"


async def ask_now(context: Context, question: str) -> bool | None:
    """Return what the user says; None where the client cannot ask."""
    if not can_ask(context):
        return None
    form = _form(question)
    try:
        answer = await context.session.elicit_form(
            form.message, form.requested_schema, related_request_id=context.request_id
        )
    except NoBackChannelError:
        return None
    return bool(answer.action == "accept")


def _form(question: str) -> ElicitRequestFormParams:
    # A form without fields: accepting it is the yes.
    return ElicitRequestFormParams(message=question, requested_schema=_NOTHING_TO_FILL_IN)


def preview(question: str, tool: str, token: str) -> CallToolResult:
    """Return what a client is told that cannot ask its user."""
    text = (
        f"Nothing is changed yet. {question}\n"
        f"Ask the user. After a yes, call {tool} again with the same arguments and "
        f'confirmation="{token}".'
    )
    structured = {"state": "asked", "question": question, "confirmation": token}
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured
    )
