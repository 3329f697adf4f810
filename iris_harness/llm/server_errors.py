"""What an HTTP status of a model server means, and what the user can do about it."""

from __future__ import annotations

import datetime as dt
import email.utils
from collections.abc import Callable, Mapping

from iris_harness.curator.clean import clean
from iris_harness.errors import ModelRefusedError, ModelUnavailableError
from iris_harness.llm.attempts import FailedAttemptError
from iris_harness.llm.chat_answer import ServerComplaint, complaint
from iris_harness.llm.chat_request import Quirk

OK = 200
_LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_TOO_MANY = 429
_NOT_ALLOWED = frozenset({401, 403})
_NOT_FOUND = 404
_TOO_LARGE = 413
_REDIRECTS = range(300, 400)
_MAY_BE_A_PARAMETER = frozenset({400, 422})
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_LONGEST_QUOTE = 200  # characters of a server's own words in a message

Scrub = Callable[[str], str]
"""Takes the key out of a text."""


def failure(
    status: int, headers: Mapping[str, str], body: bytes, now: dt.datetime, scrub: Scrub
) -> FailedAttemptError:
    """Return what an answer that is none comes to; `now` is what a date in it is measured from."""
    said = complaint(body)
    quote = quoted(said, scrub)
    if status in _LATER and said.code not in _SPENT:
        busy = "has too many requests" if status == _TOO_MANY else f"answers with status {status}"
        error = ModelUnavailableError(
            busy + quote,
            status=status,
            retry_after_seconds=retry_after_seconds(headers, now),
            hint="try again later",
        )
        again = headers.get("x-should-retry", "").lower() != "false"
        return FailedAttemptError(error, again=again)
    return FailedAttemptError(_refused(status, said, quote))


def _refused(status: int, said: ServerComplaint, quote: str) -> ModelRefusedError:
    if said.code in _SPENT:
        hint = "look at your account there"
        return ModelRefusedError("your account there is spent", status=status, hint=hint)
    if status in _NOT_ALLOWED:
        # What it says may repeat a part of the key.
        return ModelRefusedError("does not accept the key", status=status, hint="check its api_key")
    if status in _REDIRECTS:
        hint = "put the address where it is now into base_url"
        return ModelRefusedError("is at another address", status=status, hint=hint)
    if status == _NOT_FOUND:
        hint = "check base_url, which often ends in /v1, and the model's name"
        return ModelRefusedError(f"is not there{quote}", status=status, hint=hint)
    if (
        said.code in {"context_length_exceeded", "exceed_context_size_error"}
        or status == _TOO_LARGE
    ):
        hint = "ask about less at a time"
        return ModelRefusedError(f"cannot take so long a text{quote}", status=status, hint=hint)
    return ModelRefusedError(f"refuses the request with status {status}{quote}", status=status)


def quoted(said: ServerComplaint, scrub: Scrub) -> str:
    """Return a server's own words, to be put after ours; empty where it says nothing."""
    words = clean(scrub(said.message))
    if len(words) > _LONGEST_QUOTE:
        words = words[:_LONGEST_QUOTE].rstrip() + "…"
    return f": {words}" if words else ""


def find_quirk(status: int, body: bytes) -> Quirk | None:
    """Return the parameter that a refusal is about, when the request can do without it."""
    if status not in _MAY_BE_A_PARAMETER:
        return None
    said = complaint(body)
    if said.parameter:
        return next((quirk for quirk in Quirk if quirk.value == said.parameter), None)
    refused = any(word in said.message.lower() for word in ("support", "unrecognized", "unknown"))
    named = (quirk for quirk in Quirk if f"'{quirk.value}'" in said.message)
    return next(named, None) if refused else None


def retry_after_seconds(headers: Mapping[str, str], now: dt.datetime) -> float | None:
    """Return how long a server asks to be left alone (RFC 9110, section 10.2.3), at least 0.

    None where it does not say, or says something that means nothing.
    """
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    given = headers.get("retry-after", "")
    seconds = _number(given)
    return _until(given, now) if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(text: str, now: dt.datetime) -> float | None:
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:  # "-0000": the date is in UTC, but the machine is nowhere
        moment = moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - now).total_seconds())
