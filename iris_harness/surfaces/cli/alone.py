"""An Iris of this very process, as who answers one question."""

from __future__ import annotations

from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.assistant import Iris
from iris_harness.contracts.progress import ProgressListener
from iris_harness.contracts.reply import Reply
from iris_harness.surfaces.answer import Answer, answer_of


class Alone:
    """Answers with an Iris that the caller opens and closes."""

    def __init__(self, iris: Iris) -> None:
        """Take who answers."""
        self._iris = iris
        self._waiting: tuple[Prepared, ...] = ()

    def ask(self, words: str, listener: ProgressListener) -> Answer:
        """Answer `words`; `listener` hears of the agents at work."""
        turn = self._iris.turn(words, listener=listener)
        self._waiting = turn.waiting
        return answer_of(turn)

    def confirm(self) -> Reply:
        """Do what the last answer asked about."""
        return self._iris.confirm(self._waiting)
