"""Writers of sources that are not written: they say why. Implement `TodoWriter`, `EventWriter`."""

from __future__ import annotations

import datetime as dt
from typing import NoReturn

from iris_harness.contracts.changes import (
    Change,
    EventDraft,
    Standing,
    TodoDraft,
    TodoEdit,
    TurnTime,
)
from iris_harness.contracts.day import Event, Todo
from iris_harness.errors import ReadOnlySourceError


class _Refusing:
    """Refuses everything."""

    def __init__(self, name: str, reason: str, hint: str = "") -> None:
        """Take the source's name, why it is not written, and what the user can do about it."""
        self.name = name
        self._reason = reason
        self._hint = hint

    def apply(self, change: Change) -> Change:  # noqa: ARG002 - every change is refused
        """Refuse a change."""
        self._refuse()

    def standing(self, change: Change) -> Standing:  # noqa: ARG002 - as above
        """Refuse to look: nothing was ever written here."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ReadOnlySourceError(
            f'"{self.name}" {self._reason}', source=self.name, hint=self._hint
        )


class RefusingTodos(_Refusing):
    """A list that is not written."""

    def add(self, draft: TodoDraft, at: TurnTime) -> tuple[Change, ...]:  # noqa: ARG002 - refused
        """Refuse a new todo."""
        self._refuse()

    def done(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:  # noqa: ARG002 - refused
        """Refuse that a todo is done."""
        self._refuse()

    def edit(self, todo: Todo, edit: TodoEdit, at: TurnTime) -> tuple[Change, ...]:  # noqa: ARG002 - refused
        """Refuse other values."""
        self._refuse()

    def delete(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:  # noqa: ARG002 - refused
        """Refuse to take a todo out."""
        self._refuse()


class RefusingEvents(_Refusing):
    """A calendar that is not written."""

    def add(self, draft: EventDraft, at: TurnTime) -> tuple[Change, ...]:  # noqa: ARG002 - refused
        """Refuse a new event."""
        self._refuse()

    def move(
        self,
        event: Event,  # noqa: ARG002 - refused
        start: dt.date | dt.datetime,  # noqa: ARG002 - refused
        end: dt.date | dt.datetime | None,  # noqa: ARG002 - refused
        at: TurnTime,  # noqa: ARG002 - refused
    ) -> tuple[Change, ...]:
        """Refuse another time."""
        self._refuse()

    def delete(
        self,
        event: Event,  # noqa: ARG002 - refused
        at: TurnTime,  # noqa: ARG002 - refused
        *,
        whole_series: bool = False,  # noqa: ARG002 - refused
    ) -> tuple[Change, ...]:
        """Refuse to take an event out."""
        self._refuse()
