"""Replace pieces of a text: whole lines, found by what they say, and every other byte kept.

A piece is a line of a todo.txt or a component of a calendar: bytes that begin a line and end one,
without the line end of the last.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.changes import Edit, Place, Standing
from iris_harness.errors import ChangedOutsideError, WriteError
from iris_harness.sources.writing.wrapping import lossless_encoding

_DIGEST_LENGTH = 16
_LINE_END = re.compile(rb"\r*\n")


class Piece(NamedTuple):
    """Where an item stands in the plain bytes of a resource."""

    begin: int
    end: int
    """Without its last line end."""


FindPieces = Callable[[bytes], Sequence[Piece]]
"""Finds the items of a resource, in order."""

FindEnd = Callable[[bytes], int]
"""Finds where an item is put that belongs nowhere else."""


class Format(NamedTuple):
    """What a kind of resource is made of."""

    find_pieces: FindPieces
    find_end: FindEnd


def digest(data: bytes) -> str:
    """Return what tells two pieces apart."""
    return hashlib.sha256(data).hexdigest()[:_DIGEST_LENGTH]


def find_line_end(data: bytes) -> bytes:
    """Return how the lines of `data` end; LF when it has no line end."""
    found = _LINE_END.search(data)
    return found[0] if found else b"\n"


def _line_end_at(data: bytes, position: int) -> bytes:
    found = _LINE_END.match(data, position)
    return found[0] if found else b""


def occurrences(data: bytes, text: bytes) -> list[Piece]:
    """Return every place where the whole lines `text` stand."""
    found: list[Piece] = []
    position = data.find(text) if text else -1
    while position >= 0:
        end = position + len(text)
        starts = position == 0 or data[position - 1 : position] == b"\n"
        if starts and (end == len(data) or _line_end_at(data, end)):
            found.append(Piece(position, end))
            position = data.find(text, end)
        else:
            position = data.find(text, position + 1)
    return found


def place_of(data: bytes, piece: Piece, pieces: Sequence[Piece]) -> Place:
    """Return where `piece`, one of `pieces`, stands."""
    trail = _line_end_at(data, piece.end)
    number = pieces.index(piece)
    before = pieces[number - 1] if number else Piece(0, 0)
    after = pieces[number + 1] if number + 1 < len(pieces) else None
    return Place(
        prior=digest(data[before.begin : piece.begin]),
        gap=piece.begin - before.end,
        follow=digest(data[after.begin : after.end]) if after else "",
        number=number,
        trail=trail.decode(),
    )


def _place_at_end(data: bytes, position: int) -> Place:
    """Return the place of a new item at `position`, with the line ends that the text around has."""
    line_end = find_line_end(data).decode()
    if position == len(data) and data and not data.endswith(b"\n"):
        return Place(lead=line_end)
    return Place(trail=line_end)


class _Step(NamedTuple):
    """An `Edit` in bytes."""

    before: bytes | None
    after: bytes | None
    place: Place


def edited(data: bytes, edits: Iterable[Edit], encoding: str, kind: Format) -> bytes:
    """Return `data` with `edits` made, one after another.

    Raises:
        ChangedOutsideError: a text that is to be replaced does not stand in it.
    """
    for edit in edits:
        before, after = (
            None if text is None else text.encode(encoding) for text in (edit.before, edit.after)
        )
        data = _made(data, _Step(before, after, edit.place), kind)
    return data


def _made(data: bytes, step: _Step, kind: Format) -> bytes:
    if step.before is None:
        return _with(data, step.after or b"", step.place, kind)
    piece = _find(data, step.before, step.place, kind)
    if step.after is None:
        return _without(data, piece, step.place)
    return data[: piece.begin] + step.after + data[piece.end :]


def _find(data: bytes, text: bytes, place: Place, kind: Format) -> Piece:
    found = occurrences(data, text)
    if not found:
        raise ChangedOutsideError(
            "is no longer as it was read; nothing was written", hint="look at it again, then retry"
        )
    if len(found) == 1:
        return found[0]
    pieces = kind.find_pieces(data)
    same = [piece for piece in found if piece in pieces]
    return max(same or found, key=lambda piece: _likeness(data, piece, pieces, place))


def _likeness(data: bytes, piece: Piece, pieces: Sequence[Piece], place: Place) -> tuple[int, int]:
    """Return how well a piece fits a place: by its neighbours, then by its number."""
    if piece not in pieces:
        return 0, -piece.begin
    here = place_of(data, piece, pieces)
    neighbours = 2 * (here.prior == place.prior) + (here.follow == place.follow)
    return neighbours, -abs(here.number - place.number)


def _without(data: bytes, piece: Piece, place: Place) -> bytes:
    begin, end = piece
    lead = place.lead.encode()
    if lead and data[:begin].endswith(lead):
        begin -= len(lead)
    else:
        end += len(_line_end_at(data, end))
    return data[:begin] + data[end:]


def _with(data: bytes, text: bytes, place: Place, kind: Format) -> bytes:
    position = _position(data, place, kind)
    lead = b""
    if position and data[position - 1 : position] != b"\n":
        lead = place.lead.encode() or find_line_end(data)
    trail = place.trail.encode()
    if not trail and position < len(data) and not _line_end_at(data, position):
        trail = find_line_end(data)
    if lead and trail and position == len(data):
        trail = b""  # a text whose last line has no end keeps it so
    return data[:position] + lead + text + trail + data[position:]


def _position(data: bytes, place: Place, kind: Format) -> int:
    """Return where an item belongs: where it stood, else after or before its old neighbour."""
    if not place.prior and not place.follow:
        return kind.find_end(data)
    pieces = kind.find_pieces(data)
    after = list(_positions_after(data, place, pieces))
    if after:
        return max(after)[-1]
    before = [piece.begin for piece in pieces if _is(data, piece, place.follow)]
    return before[0] if before else kind.find_end(data)


def _positions_after(
    data: bytes, place: Place, pieces: Sequence[Piece]
) -> Iterator[tuple[bool, int, int]]:
    """Yield where the old neighbour stands before: how well that fits, and the position."""
    followings: list[Piece | None] = [*pieces, None]
    for number, (piece, following) in enumerate(
        zip([Piece(0, 0), *pieces], followings, strict=True)
    ):
        position = piece.end + place.gap
        if position > (following.begin if following else len(data)):
            continue
        if digest(data[piece.begin : position]) == place.prior:
            fits = _is(data, following, place.follow) if following else not place.follow
            yield fits, -abs(number - place.number), position


def _is(data: bytes, piece: Piece, wanted: str) -> bool:
    return digest(data[piece.begin : piece.end]) == wanted


def standing(data: bytes, edits: Sequence[Edit], encoding: str) -> Standing:
    """Return whether all of `edits` are still to be made in `data`, or all are made."""
    stands = {_standing(data, edit, encoding) for edit in edits}
    return stands.pop() if len(stands) == 1 else Standing.CHANGED


def _standing(data: bytes, edit: Edit, encoding: str) -> Standing:
    before, after = (
        0 if text is None else len(occurrences(data, text.encode(encoding)))
        for text in (edit.before, edit.after)
    )
    if edit.before is None:
        return Standing.DONE if after > edit.after_twins else Standing.PENDING
    if before > edit.before_twins:
        return Standing.PENDING
    if edit.after is None or after > edit.after_twins:
        return Standing.DONE
    return Standing.CHANGED


class Redraft:
    """Edits the plain bytes of a resource in memory, step by step, and notes each step."""

    def __init__(self, data: bytes, kind: Format) -> None:
        """Take what the resource holds."""
        self._original = data
        self._data = data
        self._kind = kind
        self._steps: list[_Step] = []
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
        line_end = _line_end_at(self._data, here.end) or find_line_end(self._data)
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
        step = _Step(before, after, place)
        self._data = _made(self._data, step, self._kind)
        self._steps.append(step)

    def _moved(self, piece: Piece) -> Piece:
        by = sum(shift for begin, shift in self._shifts if begin < piece.begin)
        return Piece(piece.begin + by, piece.end + by)

    def _edit(self, step: _Step, encoding: str) -> Edit:
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
