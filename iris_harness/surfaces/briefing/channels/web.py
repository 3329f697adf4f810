"""What Iris' own page shows: a delivery with its text, in the database."""

from __future__ import annotations

from iris_harness.surfaces.briefing.message import Message, Receipt


class WebChannel:
    """Keeps what is said for the page, which reads it from the deliveries."""

    def __init__(self, name: str) -> None:
        """Take the channel's name."""
        self.name = name

    def deliver(self, message: Message) -> Receipt:
        """Keep it."""
        return Receipt("shown on the page", f"{message.title}\n{message.text}")
