"""How often a failed call is made again, and how long is waited before."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NoReturn

from iris_harness.errors import ModelError, ModelUnavailableError
from iris_harness.llm.deadline import Deadline

_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 8.0
_LEAST_SHARE = 0.5  # of the wait; the rest is spread, so that many callers do not come back at once


class FailedAttemptError(Exception):
    """One attempt that failed; never leaves this room.

    Attributes:
        error: what is raised when it was the last.
        again: whether another attempt may succeed.
        at_once: whether there is nothing to wait for.
        may_have_cost: whether the server may have worked, and charge, all the same.
    """

    def __init__(
        self,
        error: ModelError,
        *,
        again: bool = False,
        at_once: bool = False,
        may_have_cost: bool = False,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.again = again
        self.at_once = at_once
        self.may_have_cost = may_have_cost


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """Bounds of repeating."""

    retries: int = 2
    """Attempts after the first."""
    first_wait_seconds: float = _FIRST_WAIT_SECONDS
    """Wait before the second attempt; it doubles with each, up to 8 s."""


class Attempts:
    """The attempts of one call."""

    def __init__(self, policy: RetryPolicy, deadline: Deadline, seed: str) -> None:
        """Take what bounds them; `seed` decides the spread of waits, so that it can be repeated."""
        self._policy = policy
        self._deadline = deadline
        self._seed = seed
        self.made = 0

    def wait_for_next(self, failed: FailedAttemptError) -> None:
        """Wait until the call may be made again.

        Raises:
            ModelError: the failure itself, where it is final, the attempts are used up, or there is
                no time for another.
            TurnCancelledError: the turn was cancelled meanwhile.
        """
        self.made += 1
        if failed.again and failed.at_once:
            return
        if not failed.again or self.made > self._policy.retries:
            self._give_up(failed)
        seconds = self._wait_seconds(failed.error)
        if not self._deadline.allows(seconds):
            self._give_up(failed)
        self._deadline.wait(seconds)

    def _give_up(self, failed: FailedAttemptError) -> NoReturn:
        failed.error.attempts = self.made
        raise failed.error from failed

    def _wait_seconds(self, error: ModelError) -> float:
        if isinstance(error, ModelUnavailableError) and error.retry_after_seconds is not None:
            return error.retry_after_seconds
        longest = self._policy.first_wait_seconds * (1 << (self.made - 1))
        return min(longest, _LONGEST_WAIT_SECONDS) * self._share()

    def _share(self) -> float:
        """Return a number from 0.5 to 1 that differs between callers and attempts."""
        digest = hashlib.sha256(f"{self._seed} {self.made}".encode()).digest()
        return _LEAST_SHARE + (1 - _LEAST_SHARE) * int.from_bytes(digest[:4]) / 2**32
