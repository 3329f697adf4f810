"""Edit a resource in memory, step by step, into edits that can be made later and taken back."""

from __future__ import annotations

from iris_harness.contracts.changes import Edit, Place
from iris_harness.errors import WriteError
from iris_harness.sources.writing.text import (
    Format,
    Piece,
    Step,
    digest,
    edited,
    find_line_end,
    line_end_at,
    occurrences,
    place_of,
    step_made,
)
from iris_harness.sources.writing.wrapping import lossless_encoding


class Redraft:
    """Edits the plain bytes of a resource in memory, step by step, and notes each step."""

    def __init__(self, data: bytes, kind: Format) -> None:
        """Take what the resource holds."""
        self._original = data
        self._data = data
        self._kind = kind
        self._steps: list[Step] = []
        self._shifts: list[tuple[int, int]] = []

    @property
    def data(self) -> bytes:
        """What the resource will hold."""
        return self._data

    def replace(self, piece: Piece, text: bytes | None) -> None:
        """Put `text` in the place of a piece of the original; None takes it out."""
        here = self._moved(piece)
        pieces = self._kind.find_pieces(self._data)
        if here not in pieces:
            raise WriteError("has an item whose end cannot be told", hint="mend the file first")
        self._step(self._data[here.begin : here.end], text, place_of(self._data, here, pieces))
        self._shifts.append((piece.begin, len(self._data) - self._length_before))

    def append(self, text: bytes) -> None:
        """Put `text` after everything else."""
        end = self._kind.find_end(self._data)
        self._step(None, text, _place_at_end(self._data, end))

    def insert_after(self, piece: Piece, text: bytes) -> None:
        """Put `text` after a piece of the original that is still there, replaced or not."""
        pieces = self._kind.find_pieces(self._data)
        here = next(found for found in pieces if found.begin == self._moved(piece).begin)
        line_end = line_end_at(self._data, here.end) or find_line_end(self._data)
        number = pieces.index(here) + 1
        following = pieces[number] if number < len(pieces) else None
        place = Place(
            prior=digest(self._data[here.begin : here.end] + line_end),
            gap=len(line_end),
            follow=digest(self._data[following.begin : following.end]) if following else "",
            number=number,
            trail=line_end.decode(),
        )
        self._step(None, text, place)
        self._shifts.append((piece.begin, len(self._data) - self._length_before))

    def edits(self) -> tuple[tuple[Edit, ...], str]:
        """Return the steps, and the encoding in which their texts are bytes again.

        Raises:
            WriteError: taking them back would not give the original, as in a file that is broken
                so that taking a piece out makes other pieces of the rest.
        """
        texts = [text for step in self._steps for text in (step.before, step.after) if text]
        encoding = lossless_encoding(texts)
        edits = tuple(self._edit(step, encoding) for step in self._steps)
        back = [edit.inverse() for edit in reversed(edits)]
        try:
            is_undoable = edited(self._data, back, encoding, self._kind) == self._original
        except WriteError:
            is_undoable = False
        if not is_undoable:
            raise WriteError(
                "is broken in a way in which this could not be undone", hint="mend the file first"
            )
        return edits, encoding

    def _step(self, before: bytes | None, after: bytes | None, place: Place) -> None:
        self._length_before = len(self._data)
        step = Step(before, after, place)
        self._data = step_made(self._data, step, self._kind)
        self._steps.append(step)

    def _moved(self, piece: Piece) -> Piece:
        by = sum(shift for begin, shift in self._shifts if begin < piece.begin)
        return Piece(piece.begin + by, piece.end + by)

    def _edit(self, step: Step, encoding: str) -> Edit:
        before, after = (
            None if text is None else text.decode(encoding) for text in (step.before, step.after)
        )
        return Edit(
            before=before,
            after=after,
            place=step.place,
            before_twins=self._count(step.before, 1),
            after_twins=self._count(step.after, 0),
        )

    def _count(self, text: bytes | None, own: int) -> int:
        return max(len(occurrences(self._original, text)) - own, 0) if text else 0


def _place_at_end(data: bytes, position: int) -> Place:
    """Return the place of a new item at `position`, with the line ends that the text around has."""
    line_end = find_line_end(data).decode()
    if position == len(data) and data and not data.endswith(b"\n"):
        return Place(lead=line_end)
    return Place(trail=line_end)
