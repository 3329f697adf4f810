"""Values behave as the frozen dataclasses that Python itself would make of them."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.values import Value


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Lean(Value):
    number: int
    words: tuple[str, ...] = ()
    inner: object = field(default=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plain:
    number: int
    words: tuple[str, ...] = ()
    inner: object = field(default=None)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Other(Value):
    number: int
    words: tuple[str, ...] = ()
    inner: object = field(default=None)


fields = st.fixed_dictionaries(
    {
        "number": st.integers(0, 2),
        "words": st.lists(st.sampled_from("ab"), max_size=2).map(tuple),
    }
)


@given(one=fields, another=fields)
def test_two_are_equal_when_their_fields_are(
    one: dict[str, object], another: dict[str, object]
) -> None:
    lean, plain = (Lean(**one), Lean(**another)), (Plain(**one), Plain(**another))  # type: ignore[arg-type]
    assert (lean[0] == lean[1]) == (plain[0] == plain[1])
    assert len(set(lean)) == len(set(plain))


@given(given=fields)
def test_it_reads_as_a_dataclass_does(given: dict[str, object]) -> None:
    lean = Lean(inner=Lean(number=7), **given)  # type: ignore[arg-type]
    plain = Plain(inner=Plain(number=7), **given)  # type: ignore[arg-type]
    assert repr(lean) == repr(plain).replace("Plain", "Lean")


def test_values_of_two_classes_are_never_equal() -> None:
    assert Lean(number=1) != Other(number=1)
    assert Lean(number=1) != 1


def test_a_value_is_frozen_and_can_be_replaced_copied_and_pickled() -> None:
    value = Lean(number=1, words=("a",))
    with pytest.raises(FrozenInstanceError):
        value.number = 2  # type: ignore[misc]
    assert replace(value, number=2) == Lean(number=2, words=("a",))
    assert copy.copy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - of this test's own
