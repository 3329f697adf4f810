"""Place requests into the gaps of a day, as well as it can be done.

The model. Time is counted in slots of the grid. A gap is a span of free slots; travel, buffers,
pinned blocks and blocks that have begun are cut out of the gaps before. A request takes `need`
slots. Each of its pieces lies in one gap and in one of its windows. It has one piece, or, when it
can be split, pieces of at least `chunk` slots each. It is served when it has all of its slots. One
that is due and ends after `due_by` is late.

The objective, each level deciding only what the levels before leave equal:

0. breaks: the most that are served;
1. deadlines: the fewest due requests that are late or not served;
2. value: the most, summed over what is served, late or not (a break has none);
3. movement: the fewest requests that a plan was shown of (`kept`) and that do not lie exactly
   where they were; one that is left out has moved;
4. choice: in rank order, each request takes the first of its choices that keeps the optimum of the
   levels and requests before it: to stay where it was; then the places in which it is in time,
   earliest first; those in which it is late, earliest first; none. A place is what a gap and a
   window share. For one that can be split, in time as well as late: the fewest pieces, then the
   earliest places, compared piece by piece;
5. start: in rank order, each request starts as early in its places as that allows. One that is
   split: its pieces in their order, each as early, then as long, as that allows.

As a last step, which changes nothing of the above, what can be split and was not served takes in
rank order what is left: earliest first, in pieces of at least `chunk` slots, each as long as it can
be without leaving a rest shorter than `chunk`. `Placement.partial` says what it still lacks.

A todo of priority p is worth (10 - p) squared: one of priority 1 (81) outweighs three of
priority 5 (25 each). One without a priority is worth 16, as priority 6: less than what was marked
as medium, because the user did mark that; more than what was marked as low, for the same reason.

The search is exact: depth first with bounds, for levels 0 to 2 as one number, then for level 3,
then in rank order for level 4; level 5 is settled last. It counts its nodes and stops at a fixed
number of them, never by a clock, so it does the same everywhere. `Placement.proof` says what is
known of the result: None, or the first level that is not proved best, with the most that could
still be gained on it.

Modules, from the ground up: `request` (values), `model` (what can be chosen), `gaps` (what one gap
holds), `board` (what lies where), `splits` (cutting into pieces), `state` (what has been chosen),
`bounds` and `prices` (what can still be gained), `search`, `settle` (level 5), `leftover` (the last
step), `place`; and for ranges of days `sharing`, `polish` and `week`.
"""

from __future__ import annotations

from iris_harness.planner.optimise.place import MOST_NODES, place_optimally
from iris_harness.planner.optimise.request import Placement, Request, worth

__all__ = ["MOST_NODES", "Placement", "Request", "place_optimally", "worth"]
