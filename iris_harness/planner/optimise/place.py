"""Place requests: the model, the search, and where exactly everything lies."""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.contracts.day import PlanProof, ProofLevel
from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.leftover import serve_in_part
from iris_harness.planner.optimise.model import Model
from iris_harness.planner.optimise.request import Placement, Request
from iris_harness.planner.optimise.search import Search
from iris_harness.planner.optimise.settle import settle
from iris_harness.planner.optimise.state import State

MOST_NODES = 30_000
"""How many nodes a search may take: a few tenths of a second at most."""


def place_optimally(
    requests: Sequence[Request], gaps: Sequence[Span], *, most_nodes: int = MOST_NODES
) -> Placement:
    """Return the best placement of `requests`, which are by rank.

    `gaps` are free slots, by start and without overlap.
    """
    model = Model(requests, gaps)
    found, proof = Search(model, most_nodes).run()
    state = State(model)
    pieces = serve_in_part(requests, gaps, settle(state, found))
    if not state.is_sure() and proof.level is None:
        proof = PlanProof(level=ProofLevel.ORDER)
    lengths = (sum(piece.end - piece.start for piece in placed) for placed in pieces)
    return Placement(
        pieces=pieces,
        proof=proof,
        partial=tuple(one.need - length for one, length in zip(requests, lengths, strict=True)),
    )
