"""Answers on their way from the running Iris to the program that asked."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import demo_setting
from iris_harness.surfaces.answer import answer_of
from iris_harness.surfaces.local.place import FOLDER, SOCKET, is_own, socket_file
from iris_harness.surfaces.local.wire import answer_from_json, answer_to_json

UTTERANCES = (
    "plan my day", "plan next week", "what is overdue", "what is on tomorrow afternoon",
    "plan my day and tell me what is overdue", "delete the report", "add buy milk", "hello",
    "why is the report at nine", "order a pizza", "",
)  # fmt: skip


@pytest.fixture(scope="module")
def iris(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iris]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        with Iris(demo_setting()) as running:
            yield running


@pytest.mark.parametrize("utterance", UTTERANCES)
def test_an_answer_arrives_as_it_was_sent(iris: Iris, utterance: str) -> None:
    answer = answer_of(iris.turn(utterance))
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer


@pytest.mark.parametrize(
    "value", [None, [], {}, {"reply": {}}, {"reply": {"text": 1}}, {"reply": "x"}]
)
def test_what_is_no_answer_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        answer_from_json(value)


def test_a_folder_whose_path_is_too_long_for_a_socket_has_none(tmp_path: Path) -> None:
    short = Path("/tmp/iris")  # noqa: S108 - nothing is made there
    assert socket_file(short) == short / FOLDER / SOCKET
    assert socket_file(tmp_path / ("deep" * 30)) is None


def test_the_other_end_is_told_by_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = socket.socketpair()
    with here, there:
        assert is_own(here)
        other = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: other)
        assert not is_own(here)
