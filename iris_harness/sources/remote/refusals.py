"""What a status code of HTTP means to the user, in words that name no address."""

from __future__ import annotations

_WORDS = {
    401: "the server refuses the user name or the password",
    403: "the server refuses access",
    404: "there is nothing at this address; it may have been reset or deleted",
    410: "what was at this address is gone for good",
    429: "the server asks to be left alone for a while",
    503: "the server is not available at the moment",
}
_SERVER_ERRORS = 500


def refusal(status: int) -> str:
    """Return the reason a request was not answered, for the status code `status`."""
    words = _WORDS.get(status)
    if words is None:
        words = "the server failed" if status >= _SERVER_ERRORS else "the server did not answer it"
    return f"{words} (HTTP {status})"
