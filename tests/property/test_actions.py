"""Any changes, undone in any order that is allowed, leave every byte as it was."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.actions import Action
from iris_harness.contracts.canonical import Json
from iris_harness.errors import ActionError, NotUndoableError, WriteError
from iris_harness.storage.records import EntryState
from tests.support import examples
from tests.unit.actions.conftest import NOW, Home

TITLES = st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
ITEMS = st.sampled_from(["Call mum", "Buy milk", "Buy bread", "Write report", "Eggs"])
EVENTS = st.sampled_from(["Dentist", "Stand-up"])
DAYS = st.sampled_from(["2026-03-26", "2026-03-27", "2026-03-29", "2026-04-02"])
LISTS = st.sampled_from(["todo", "shopping"])
ACTIONS: st.SearchStrategy[tuple[str, dict[str, Json]]] = st.one_of(
    st.tuples(st.just("todo.add"), st.fixed_dictionaries({"summary": TITLES, "list": LISTS})),
    st.tuples(
        st.sampled_from(["todo.done", "todo.delete"]), st.fixed_dictionaries({"item": ITEMS})
    ),
    st.tuples(st.just("todo.move"), st.fixed_dictionaries({"item": ITEMS, "due": DAYS})),
    st.tuples(st.just("todo.move"), st.fixed_dictionaries({"item": ITEMS, "to_list": LISTS})),
    st.tuples(
        st.just("event.add"),
        st.fixed_dictionaries(
            {
                "summary": TITLES,
                "start": st.just("2026-04-01T10:00+02:00"),
                "end": st.just("2026-04-01T11:00+02:00"),
            }
        ),
    ),
    st.tuples(
        st.just("event.move"), st.fixed_dictionaries({"item": EVENTS, "start": DAYS, "on": DAYS})
    ),
    st.tuples(st.just("event.delete"), st.fixed_dictionaries({"item": EVENTS, "on": DAYS})),
    st.tuples(st.just("plan.skip"), st.fixed_dictionaries({"item": ITEMS, "day": DAYS})),
    st.tuples(
        st.just("plan.pin"),
        st.fixed_dictionaries({"item": ITEMS, "day": DAYS, "start": st.just("15:00")}),
    ),
)


def content(home: Home) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in (home.todo, home.shopping, home.work))


@settings(max_examples=examples(15))
@given(st.lists(ACTIONS, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_whatever_was_done_is_undone_to_the_byte(
    actions: list[tuple[str, dict[str, Json]]], order: object
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        runner = home.runner()
        before = content(home)
        for kind, arguments in actions:
            try:
                runner.perform(runner.prepare(Action(kind=kind, arguments=arguments), NOW))
            except (ActionError, WriteError):
                continue  # the item is gone, is on that list already, or has no title to write
        left = [one.entry_id for one in runner.history(99) if one.state is EntryState.DONE]
        order.shuffle(left)  # type: ignore[attr-defined]  # random.Random
        for _ in range(len(left) + 1):
            left = [entry for entry in left if not _undone(home, entry)]
        assert left == []
        assert content(home) == before


def _undone(home: Home, entry: int) -> bool:
    """Undo an entry; one that a newer change stands in the way of is left for later."""
    try:
        home.do("undo", entry=entry)
    except NotUndoableError:
        return False
    return True
