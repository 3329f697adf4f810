from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence

import pytest

from iris_harness.config.credentials import (
    has_literal_secret,
    masked,
    resolve_key,
    resolve_settings,
)
from iris_harness.contracts.canonical import Json
from iris_harness.errors import ConfigError

SECRET = "s3cret-value"  # noqa: S105 - the test's own


def _printing(code: str) -> Json:
    return {"fetch": [sys.executable, "-c", code]}


def test_a_secret_is_the_first_line_its_command_prints() -> None:
    code = f"print('{SECRET}'); print('a note')"
    settings: dict[str, Json] = {"deep": [{"password": _printing(code)}], "plain": 5}
    assert resolve_settings(settings) == {"deep": [{"password": SECRET}], "plain": 5}


def test_the_command_runs_without_a_shell() -> None:
    code = "import sys; print(sys.argv[1])"
    settings: dict[str, Json] = {"x": {"fetch": [sys.executable, "-c", code, "$HOME; echo no"]}}
    assert resolve_settings(settings) == {"x": "$HOME; echo no"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([sys.executable, "-c", f"print('{SECRET}'); raise SystemExit(3)"], "exit code 3"),
        ([sys.executable, "-c", "pass"], "printed nothing"),
        (["/no/such/program"], "cannot be run"),
        (
            [sys.executable, "-c", f"import time; print('{SECRET}', flush=True); time.sleep(60)"],
            "gave no answer in",
        ),
    ],
    ids=["fails", "silent", "missing", "hangs"],
)
def test_a_command_that_fails_is_named_and_its_output_never_is(
    command: Sequence[str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        resolve_settings(
            {"password": {"fetch": list(command)}}, "agents.settings.mail", timeout_seconds=1
        )
    assert caught.value.key == "agents.settings.mail.password"
    assert SECRET not in str(caught.value)
    # The argument holds the secret's source text, so only what the process printed is looked for.
    chain = "".join(traceback.format_exception_only(caught.value))
    assert SECRET not in chain
    assert caught.value.__context__ is None or SECRET not in repr(
        getattr(caught.value.__cause__, "output", "")
    )


@pytest.mark.parametrize("command", ["pass show mail", [], ["pass", 5]], ids=repr)
def test_a_fetch_that_is_no_argument_list_is_refused(command: Json) -> None:
    with pytest.raises(ConfigError, match="not a command"):
        resolve_settings({"password": {"fetch": command}})


def test_masking_leaves_what_is_not_secret_alone() -> None:
    value: Json = {"host": "h", "port": 1, "tls": True, "folders": ["a"], "note": None}
    assert masked(value) == value
    assert not has_literal_secret(value)


def test_a_literal_secret_is_seen_and_a_fetched_one_is_none() -> None:
    assert has_literal_secret({"mail": {"password": "x"}})
    assert has_literal_secret({"mail": {"token": {"value": ["x"]}}})
    assert not has_literal_secret({"mail": {"password": {"fetch": ["pass", "x"]}}})


def test_a_variable_stands_for_a_secret_behind_the_name_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MODEL_KEY", " sk-1 \n")
    assert resolve_settings({"api_key": {"env": "MODEL_KEY"}}) == {"api_key": "sk-1"}
    assert resolve_key({"env": "MODEL_KEY"}, "models.big.api_key") == "sk-1"
    assert resolve_settings({"shell": {"env": "MODEL_KEY"}}) == {"shell": {"env": "MODEL_KEY"}}


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_KEY", raising=False)
    with pytest.raises(ConfigError, match="MODEL_KEY is not set"):
        resolve_key({"env": "MODEL_KEY"}, "models.big.api_key")


def test_a_key_may_be_written_out_or_fetched() -> None:
    assert resolve_key("sk-1", "a.api_key") == "sk-1"
    assert resolve_key({"fetch": ["echo", "sk-2"]}, "a.api_key") == "sk-2"


def test_numbers_of_tokens_and_names_of_variables_are_no_secrets() -> None:
    value: Json = {"api_key": {"env": "MODEL_KEY"}, "budget": {"tokens": 5}, "context_tokens": 6}
    assert masked(value) == value
    assert not has_literal_secret(value)
    assert masked({"api_key": "sk-1", "tokens": "a", "token": 7, "login": {"env": "x"}}) == {
        "api_key": "********",
        "tokens": "********",
        "token": "********",
        "login": {"env": "x"},
    }
