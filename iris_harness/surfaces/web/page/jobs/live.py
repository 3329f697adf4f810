"""The part of a page that a script asks for again, and puts in the place of what is shown."""

from __future__ import annotations

from iris_harness.curator.page.markup import Child, Markup, element

OFTEN_SECONDS = 2
SELDOM_SECONDS = 30


def live(*parts: Child, is_changing: bool) -> Markup:
    """Return the main part of a page; where something is going on, it is asked for often."""
    every = OFTEN_SECONDS if is_changing else SELDOM_SECONDS
    inner = element("div", *parts, id="live", data_every=every, between="\n")
    heard = element("p", role="status", id="heard", class_="hushed")
    return element("main", inner, heard, class_="work")
