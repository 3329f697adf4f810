"""Replace pieces of a text: whole lines, found by what they say, and every other byte kept.

A piece is a line of a todo.txt or a component of a calendar: bytes that begin a line and end one,
without the line end of the last.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from iris_harness.contracts.changes import Edit, Place, Standing
from iris_harness.errors import ChangedOutsideError

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


def line_end_at(data: bytes, position: int) -> bytes:
    """Return the line end that stands at `position`; empty when none does."""
    found = _LINE_END.match(data, position)
    return found[0] if found else b""


def occurrences(data: bytes, text: bytes) -> list[Piece]:
    """Return every place where the whole lines `text` stand."""
    found: list[Piece] = []
    position = data.find(text) if text else -1
    while position >= 0:
        end = position + len(text)
        starts = position == 0 or data[position - 1 : position] == b"\n"
        if starts and (end == len(data) or line_end_at(data, end)):
            found.append(Piece(position, end))
            position = data.find(text, end)
        else:
            position = data.find(text, position + 1)
    return found


def place_of(data: bytes, piece: Piece, pieces: Sequence[Piece]) -> Place:
    """Return where `piece`, one of `pieces`, stands."""
    trail = line_end_at(data, piece.end)
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


class Step(NamedTuple):
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
        data = step_made(data, Step(before, after, edit.place), kind)
    return data


def step_made(data: bytes, step: Step, kind: Format) -> bytes:
    """Return `data` after one step; see `edited`."""
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
        end += len(line_end_at(data, end))
    return data[:begin] + data[end:]


def _with(data: bytes, text: bytes, place: Place, kind: Format) -> bytes:
    position = _position(data, place, kind)
    lead = b""
    if position and data[position - 1 : position] != b"\n":
        lead = place.lead.encode() or find_line_end(data)
    trail = place.trail.encode()
    if not trail and position < len(data) and not line_end_at(data, position):
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
    """Return whether all of `edits` are still to be made in `data`, or all are made.

    A text that one edit takes and another brings (the next time of a recurring todo may read as
    this time did) stands there before and after: it tells neither.
    """
    passed_on = {edit.before for edit in edits} & {edit.after for edit in edits} - {None}
    count = _Counter(data, encoding)
    if any(count.of(text) == 0 for text in passed_on):
        return Standing.CHANGED
    telling = [_without_texts(edit, passed_on) for edit in edits]
    stands = {_standing(edit, count) for edit in telling if edit.before != edit.after}
    return stands.pop() if len(stands) == 1 else Standing.CHANGED


class _Counter(NamedTuple):
    """Counts whole lines of `data`."""

    data: bytes
    encoding: str

    def of(self, text: str | None) -> int:
        return 0 if text is None else len(occurrences(self.data, text.encode(self.encoding)))


def _without_texts(edit: Edit, texts: AbstractSet[str | None]) -> Edit:
    return dataclasses.replace(
        edit,
        before=None if edit.before in texts else edit.before,
        after=None if edit.after in texts else edit.after,
    )


def _standing(edit: Edit, count: _Counter) -> Standing:
    before, after = count.of(edit.before), count.of(edit.after)
    if edit.before is None:
        return Standing.DONE if after > edit.after_twins else Standing.PENDING
    if before > edit.before_twins:
        return Standing.PENDING
    if edit.after is None or after > edit.after_twins:
        return Standing.DONE
    return Standing.CHANGED
