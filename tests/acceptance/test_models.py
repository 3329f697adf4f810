"""`iris models` and what `iris doctor` says of models, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faulty_server import complains, completion, faulty_server, says
from tests.support import RunIris
from tests.tiny_gguf import write_tiny_gguf

KEY = "sk-very-secret-0123456789"
COLOUR = says(completion('{"colour": "blue"}'))
HELLO = says(completion("Hello \x1b[31mthere!\nHow are you?"))
PAINT = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "paint", "arguments": '{"colour": "green"}'}}],
}
CALL = says(completion("", message=PAINT, finish_reason="tool_calls"))
BIG = """\
models:
  available:
    - name: big
      type: openai
      base_url: {base_url}
      model: gpt-test
      api_key: {{env: MODEL_KEY}}
      retries: 0
      price: {{input_per_million: 0.15, output_per_million: 0.60}}
      budget: {{tokens: 5000, money: 0.5}}
"""


@pytest.fixture
def settings(home: Path) -> Path:
    file = home / ".config" / "iris" / "config.yaml"
    file.parent.mkdir(parents=True)
    return file


def test_without_a_model_nothing_is_wrong(iris: RunIris) -> None:
    result = iris("models")
    assert result.returncode == 0
    assert "nothing needs one" in result.stdout
    assert iris("models", "test").returncode == 2


def test_a_model_on_a_server_is_listed_with_what_leaves_and_what_it_costs(
    iris: RunIris, settings: Path
) -> None:
    settings.write_text(BIG.format(base_url="https://models.example.org/v1"))
    result = iris("models", "list")
    assert result.stdout == (
        "big (default)\n"
        "  gpt-test at models.example.org; what you ask it leaves this machine\n"
        "  price of a million tokens: 0.15 sent, 0.6 made, USD\n"
        "  one run may spend 5000 tokens and 0.5 USD\n"
    )
    (listed,) = json.loads(iris("models", "list", "--json").stdout)
    assert (listed["name"], listed["leaves_this_machine"], listed["problem"]) == ("big", True, "")


def test_a_server_is_tried_and_the_cost_is_told(iris: RunIris, settings: Path) -> None:
    with faulty_server(HELLO, COLOUR, CALL) as server:
        settings.write_text(BIG.format(base_url=server.base_url))
        result = iris("models", "test", MODEL_KEY=KEY)
    lines = [line.partition(" (")[0] for line in result.stdout.splitlines()]
    assert lines == [
        "big: gpt-test at 127.0.0.1; nothing leaves this machine",
        '  ok  answers: "Hello there! How are you?"',
        "  ok  fills in a form: blue",
        '  ok  calls a tool: paint {"colour": "green"}',
        "  spent 33 tokens sent and 9 made, 0.00001035 USD",
    ]
    assert result.returncode == 0
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}


def test_what_a_server_cannot_do_is_told_and_counts_as_degraded(
    iris: RunIris, settings: Path
) -> None:
    with faulty_server(HELLO) as server:
        settings.write_text(BIG.format(base_url=server.base_url))
        result = iris("models", "test", "--json", MODEL_KEY=KEY)
    told = json.loads(result.stdout)
    assert [trial["ok"] for trial in told["trials"]] == [True, False, False]
    assert result.returncode == 3


def test_a_wrong_key_is_one_clear_line_without_the_key(iris: RunIris, settings: Path) -> None:
    with faulty_server(complains(401, f"Incorrect API key: {KEY}")) as server:
        settings.write_text(BIG.format(base_url=server.base_url))
        result = iris("models", "test", MODEL_KEY=KEY)
    assert result.returncode == 1
    assert "no  answers: big does not accept the key (check its api_key)" in result.stdout
    assert KEY not in result.stdout + result.stderr


def test_a_name_that_the_server_does_not_know_is_answered_with_those_it_knows(
    iris: RunIris, settings: Path
) -> None:
    unknown = complains(404, "model not found")
    with faulty_server(unknown, says({"data": [{"id": "tiny"}, {"id": "grand"}]})) as server:
        settings.write_text(BIG.format(base_url=server.base_url))
        result = iris("models", "test", MODEL_KEY=KEY)
    assert result.returncode == 1
    assert "no  answers: big is not there: model not found" in result.stdout
    assert "  the server offers tiny, grand\n" in result.stdout


def test_a_variable_that_is_not_set_is_named(iris: RunIris, settings: Path) -> None:
    settings.write_text(BIG.format(base_url="https://models.example.org/v1"))
    result = iris("models", "test")
    assert result.returncode == 2
    assert "the variable MODEL_KEY is not set" in result.stderr


def test_a_model_in_a_file_is_run_on_this_machine(iris: RunIris, settings: Path) -> None:
    write_tiny_gguf(settings.parent / "tiny.gguf")
    settings.write_text(
        "models: {available: [{name: small, type: llama_cpp, path: tiny.gguf, "
        "context_tokens: 2048}]}\n"
    )
    result = iris("models", "test", "small")
    assert result.returncode == 0, result.stdout
    assert result.stdout.startswith(f"small: {settings.parent}/tiny.gguf, run by llama.cpp;")
    assert "ok  keeps to a grammar" in result.stdout


def test_a_name_that_is_none_has_a_nearest(iris: RunIris, settings: Path) -> None:
    settings.write_text(BIG.format(base_url="https://models.example.org/v1"))
    result = iris("models", "test", "bgi")
    assert result.returncode == 2
    assert "did you mean 'big'?" in result.stderr


def test_doctor_says_what_leaves_and_what_cannot_be_asked(iris: RunIris, settings: Path) -> None:
    more = "    - {name: gone, type: llama_cpp, path: nowhere.gguf}\n"
    settings.write_text(BIG.format(base_url="https://models.example.org/v1") + more)
    settings.chmod(0o600)
    told = json.loads(iris("doctor", "--json").stdout)
    assert told["facts"]["leaves this machine"].startswith(
        "models.example.org: told what the model big is asked, with your key"
    )
    assert [one["title"] for one in told["problems"]] == ["the model gone cannot be asked"]


def test_the_settings_are_shown_without_the_key(iris: RunIris, settings: Path) -> None:
    text = BIG.format(base_url="https://models.example.org/v1").replace("{env: MODEL_KEY}", KEY)
    settings.write_text(text)
    shown = iris("config", "show").stdout
    assert KEY not in shown
    assert "budget: {tokens: 5000, money: '0.5'}" in shown
    iris("plan", "--date", "2025-03-03")
    kept = settings.parent.parent.parent / ".cache"
    assert all(KEY.encode() not in file.read_bytes() for file in kept.rglob("*") if file.is_file())


def test_a_day_is_told_by_a_model_that_can_only_tell_it_truly(
    iris: RunIris, settings: Path
) -> None:
    write_tiny_gguf(settings.parent / "tiny.gguf", context=16_384)
    settings.write_text(
        "models: {available: [{name: small, type: llama_cpp, path: tiny.gguf, "
        "context_tokens: 16384}]}\n"
    )
    result = iris("plan", "--demo", "--tell")
    assert (result.returncode, result.stderr) == (0, "")
    assert '"Dentist"' in result.stdout
    assert "Vendor demo" not in result.stdout  # it was declined


def test_a_day_that_a_model_gets_wrong_is_told_in_other_words(
    iris: RunIris, settings: Path
) -> None:
    with faulty_server(says(completion("You have nothing to do, enjoy!"))) as server:
        settings.write_text(BIG.format(base_url=server.base_url))
        result = iris("plan", "--demo", "--tell", "big", MODEL_KEY=KEY)
    assert result.returncode == 0
    assert result.stdout == iris("plan", "--demo", "--speech").stdout
    assert (
        "told in Iris' own words: big said a sentence that tells not exactly one" in result.stderr
    )


def test_telling_a_day_goes_with_no_other_form(iris: RunIris) -> None:
    for other in ("--json", "--week", "--speech"):
        assert iris("plan", "--demo", "--tell", other).returncode == 2
    result = iris("plan", "--demo", "--tell")
    assert result.returncode == 2
    assert "no language model is set up" in result.stderr
