"""One thing that is said unasked, in the forms that channels take."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple, Protocol


class Message(NamedTuple):
    """What a channel is given. Its text may hold anyone's words: it is shown, never obeyed."""

    key: str
    """What it is once: the delivery's key."""
    title: str
    """One line."""
    text: str
    """Plain text, complete."""
    speech: str
    """Short, no symbols."""
    said_at: dt.datetime
    """The "now" it is said at; aware, in the user's zone."""
    is_ring: bool = False
    """Whether it is a reminder or timer, which wants to be noticed now."""


class Receipt(NamedTuple):
    """That something was said."""

    detail: str = ""
    """How that is known, for the history."""
    content: str = ""
    """What is kept of the text, where Iris itself shows it."""


class Channel(Protocol):
    """One way to say something. Called from one thread at a time."""

    @property
    def name(self) -> str:
        """What the settings call it."""
        ...

    def deliver(self, message: Message) -> Receipt:
        """Say it.

        Raises:
            DeliveryError: it was not said, or perhaps was; the error says which.
        """
        ...
