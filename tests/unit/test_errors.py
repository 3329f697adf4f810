"""Errors carry their facts and a message for people, also to another process."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Iterator

import pytest

from iris_harness import errors
from iris_harness.errors import (
    ActionError,
    AmbiguousIdError,
    AmbiguousItemError,
    CanonicalError,
    ChangedOutsideError,
    ConfigError,
    DatabaseNewerError,
    DeliveryError,
    GraphError,
    IdempotencyError,
    IntegrationError,
    IrisError,
    JobError,
    JobPlanError,
    JobStateError,
    JournalError,
    LeaseLostError,
    ManifestError,
    ModelAnswerError,
    ModelBudgetError,
    ModelError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    NotUndoableError,
    PlanError,
    ReadOnlySourceError,
    RecordNotFoundError,
    RegistryError,
    RepositoryError,
    RequestError,
    SandboxError,
    ServerError,
    SourceError,
    StorageError,
    TaskError,
    TokenRefusedError,
    TurnCancelledError,
    UnconfirmedError,
    UnknownItemError,
    UnknownJobError,
    UsageError,
    WorkOutdatedError,
    WorkTooLargeError,
    WriteError,
)

EXAMPLES: list[IrisError] = [
    IrisError("it went wrong", hint="try again"),
    UsageError("2025-02-30 is no date"),
    ConfigError(
        "unknown key",
        file="config.yaml",
        line=7,
        key="executor.max_wokers",
        expected="a known key",
        nearest="max_workers",
    ),
    GraphError("a circle", nodes=("a", "b", "a"), hint="cut it"),
    PlanError("a circle", nodes=("a", "a")),
    RegistryError("two of a name", name="todo", distribution="iris-todo", hint="remove one"),
    CanonicalError("a float", path="$.x[3]"),
    SourceError("no such file", source="work", hint="look at the path"),
    WriteError("the disk is full", source="work"),
    ReadOnlySourceError("it is an address", source="work", hint="copy it"),
    ChangedOutsideError("it was changed", source="work", hint="look again"),
    ActionError("the demonstration cannot be changed"),
    UnknownItemError("no todo is called milk", words="milk", nearest=("buy milk",)),
    AmbiguousItemError("two todos fit", words="buy", candidates=("buy milk", "buy bread")),
    UnconfirmedError("it was not confirmed", hint="say --yes"),
    NotUndoableError("change 3 was undone already"),
    StorageError("the disk is full"),
    DatabaseNewerError("written by version 9"),
    RecordNotFoundError("no plan 7"),
    AmbiguousIdError("abcdef", ("abcdef01", "abcdef02")),
    JobError("jobs are closed"),
    RequestError("the task is empty", field="task", hint="say what is to be done"),
    JobPlanError("a -> a", problem="cycle", nodes=("a", "a"), hint="leave one out"),
    IdempotencyError("monday", "4f21"),
    ManifestError("it is damaged", manifest_id="c0ffee", hint="restore a backup"),
    UnknownJobError("there is no job 7"),
    JobStateError("it is done"),
    LeaseLostError("4f21-w1", 3),
    WorkOutdatedError("4f21", "a" * 40),
    WorkTooLargeError(3 * 2**20, 2**20),
    TokenRefusedError("the token is revoked"),
    JournalError("a line was changed", hint="start anew"),
    IntegrationError("it conflicts in a.py", hint="retry it", output="CONFLICT"),
    RepositoryError("git fetch failed", hint="look at the address", output="fatal: no"),
    SandboxError("there is none", hint="install bubblewrap"),
    DeliveryError("no network", hint="try again", may_retry=True),
    ServerError("the port is taken", hint="choose another"),
    ModelError("no answer", model="local", attempts=2, prompt_tokens=9, completion_tokens=1),
    ModelBudgetError("it could cost 2 USD", model="big", hint="raise the budget"),
    ModelTimeoutError("nothing in 60 s", model="local"),
    ModelUnavailableError("overloaded", model="big", status=503, retry_after_seconds=7.5),
    ModelRefusedError("the key is wrong", model="big", status=401, hint="give another"),
    ModelAnswerError("no JSON", model="local", text="{"),
    TaskError("the list is locked"),
    TurnCancelledError("the turn was cancelled"),
]


def every_kind() -> Iterator[type[IrisError]]:
    for _, kind in inspect.getmembers(errors, inspect.isclass):
        assert issubclass(kind, IrisError)
        yield kind


def test_all_errors_are_one_tree_and_each_has_an_example_here() -> None:
    assert set(every_kind()) == {type(error) for error in EXAMPLES}


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = re.findall(r"^ *[│├└─ ]*(\w+Error) ", errors.__doc__ or "", re.MULTILINE)
    assert sorted(drawn) == sorted(kind.__name__ for kind in every_kind())


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_survives_pickling_with_all_its_facts(error: IrisError, protocol: int) -> None:
    there = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301 - pickled in this line
    assert type(there) is type(error)
    assert there.__dict__ == error.__dict__
    assert there.args == error.args
    assert str(there) == str(error)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_can_be_copied(error: IrisError) -> None:
    assert str(copy.deepcopy(error)) == str(error)


def test_a_hint_follows_the_message() -> None:
    assert str(IrisError("no zone", hint="set one")) == "no zone (set one)"
    assert str(IrisError("no zone")) == "no zone"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            EXAMPLES[2],
            (
                "config.yaml:7: executor.max_wokers: unknown key; expected a known key; "
                "did you mean 'max_workers'?"
            ),
        ),
        (ConfigError("not a number", key="a.b", expected="a number"),
         "a.b: not a number; expected a number"),
        (ConfigError("cannot be read", file="x.yaml"), "x.yaml: cannot be read"),
        (ConfigError("cannot be read"), "cannot be read"),
    ],
)  # fmt: skip
def test_a_config_error_says_place_key_expectation_and_nearest_key(
    error: ConfigError, said: str
) -> None:
    assert str(error) == said


def test_an_error_is_caught_by_the_name_of_what_it_is_a_kind_of() -> None:
    with pytest.raises(GraphError):
        raise PlanError("a circle")
    with pytest.raises(StorageError):
        raise RecordNotFoundError("no plan 7")
