"""What chat clients send, as a question to Iris.

Chat protocols send the whole conversation with each request. Iris keeps its own history, so
only the last thing the user said is asked; what comes before only names the conversation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from iris_harness.errors import UsageError

CHAT_HEADERS = ("x-openwebui-chat-id", "x-chat-id", "x-session-id")
USER_HEADERS = ("x-openwebui-user-id", "x-user-id")
MOST_CHARACTERS = 100_000


class Body(BaseModel):
    """A body as a client sent it; what is not known is not read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Part(Body):
    """A part of a message; what is no text (an image) is not read."""

    type: str = "text"
    text: str = ""


class Message(Body):
    """One message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | tuple[Part, ...] | None = None

    @property
    def text(self) -> str:
        """What it says."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type == "text")


Messages = Annotated[tuple[Message, ...], Field(min_length=1, max_length=10_000)]


def last_said(messages: Sequence[Message]) -> str:
    """Return the last thing the user said.

    Raises:
        UsageError: the user said nothing, or too much.
    """
    said = next((one.text for one in reversed(messages) if one.role == "user"), "").strip()
    if not said:
        raise UsageError("no message of the user has any text")
    if len(said) > MOST_CHARACTERS:
        raise UsageError(f"a message has {MOST_CHARACTERS} characters at most")
    return said


def session_of(messages: Sequence[Message], headers: Mapping[str, str], user: str | None) -> str:
    """Return the id of the conversation: the client's own, else a digest of how it began.

    A client that names no conversation sends it from its beginning each time.
    """
    person = user or _first(headers, USER_HEADERS)
    chat = _first(headers, CHAT_HEADERS)
    if not chat:
        began = next((one.text for one in messages if one.role == "user"), "")
        chat = f"began with {began}"
    return hashlib.sha256(f"{person}\n{chat}".encode("utf-8", "replace")).hexdigest()[:32]


def _first(headers: Mapping[str, str], names: Sequence[str]) -> str:
    return next((headers[name] for name in names if headers.get(name)), "")


def count_words(text: str) -> int:
    """Return a figure for clients that want to see usage: words, since no model counts tokens."""
    return len(text.split())


def describe(error: ValidationError) -> str:
    """Return what is wrong with a body, in one line, without repeating what it holds."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "body"
    return f"{place}: {first['msg']}"
