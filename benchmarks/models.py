"""What asking a model costs beside the model itself, next to the packages people use for it.

Run it with ``make bench`` or ``python benchmarks/models.py``. The first table asks the same
llama-server, with the same random model, through Iris and through the openai package: the import, a
call, and a stream of 50 tokens. The second runs llama.cpp in the process, by Iris' own loop and by
llama-cpp-python's completion (only where that is installed). Peers take turns within a round; a
figure is the lowest of the rounds' medians. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from _support import as_installed, describe_machine, measure_ms, print_table, run_program

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from iris_harness.clock import SystemClock
from iris_harness.contracts.model import ChatMessage, ChatRequest
from iris_harness.llm.openai_compatible import OpenAICompatibleModel, ServerSettings
from tests.llama_server import llama_server
from tests.tiny_gguf import write_tiny_gguf

ROUNDS = 5
CALLS = 40
TEXT = "Say hello."
CALL_BAR = 1.1
STREAM_BAR = 1.1
IMPORT_BAR = 0.3
LOOP_BAR = 0.5
Peer = Callable[[], object]


def main() -> int:
    """Measure and print; return the exit code."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        model = write_tiny_gguf(Path(folder) / "tiny.gguf")
        with llama_server(model) as base_url:
            held = [_imports(), _calls(base_url), _streams(base_url)]
        if importlib.util.find_spec("llama_cpp") is not None:
            held.append(_loops(model))
        else:
            print("\nllama-cpp-python is not installed: its completion is not measured")
    return 0 if all(held) else 1


def _compare(what: str, ours: Peer, peer: tuple[str, Peer], bar: float, times: int = CALLS) -> bool:
    """Measure two in turn, print a row, and return whether the bar is held."""
    name, theirs = peer
    rounds = [(measure_ms(ours, times), measure_ms(theirs, times)) for _ in range(ROUNDS)]
    mine, other = min(one for one, _ in rounds), min(two for _, two in rounds)
    ratio = mine / other
    row = (what, f"{mine:.2f}", f"{other:.2f}", f"{ratio:.2f}", f"<= {bar:g}")
    print()
    print_table(("", "iris ms", f"{name} ms", "ratio", "bar"), [row])
    return ratio <= bar


def _imports() -> bool:
    def importing(module: str) -> Peer:
        return lambda: run_program([sys.executable, "-c", f"import {module}"], as_installed({}))

    nothing = measure_ms(importing("sys"), 5)
    print(f"\nan empty Python takes {nothing:.0f} ms of each import below")
    ours = importing("iris_harness.llm.openai_compatible")
    return _compare("import", ours, ("openai", importing("openai")), IMPORT_BAR, 3)


def _request(max_tokens: int) -> ChatRequest:
    message = ChatMessage(role="user", content=TEXT)
    return ChatRequest(messages=(message,), max_tokens=max_tokens)


def _model(base_url: str) -> OpenAICompatibleModel:
    settings = ServerSettings(name="tiny", base_url=base_url, model="tiny", key=lambda: "k")
    return OpenAICompatibleModel(settings, SystemClock())


def _openai(base_url: str, options: Mapping[str, object]) -> Callable[[], object]:
    import openai

    client = openai.OpenAI(base_url=base_url, api_key="k")
    messages = [{"role": "user", "content": TEXT}]
    return lambda: client.chat.completions.create(
        model="tiny", messages=messages, temperature=0, **options
    )


def _calls(base_url: str) -> bool:
    model = _model(base_url)
    theirs = _openai(base_url, {"max_tokens": 8})
    return _compare("a call", lambda: model.complete(_request(8)), ("openai", theirs), CALL_BAR)


def _streams(base_url: str) -> bool:
    model = _model(base_url)
    open_stream = _openai(base_url, {"max_tokens": 50, "stream": True})
    return _compare(
        "a stream of 50 tokens",
        lambda: list(model.stream(_request(50))),
        ("openai", lambda: list(open_stream())),  # type: ignore[call-overload] # a stream
        STREAM_BAR,
    )


def _loops(path: Path) -> bool:
    from llama_cpp import Llama

    from iris_harness.llm.llama.llama_cpp_engine import LlamaCppEngine

    llama = Llama(model_path=str(path), n_ctx=2048, n_threads=1, verbose=False)
    engine = LlamaCppEngine(str(path), 2048, 1)
    body = {"messages": [{"role": "user", "content": TEXT}], "max_tokens": 150}

    def theirs() -> None:
        pieces = llama.create_chat_completion(
            messages=body["messages"], max_tokens=150, temperature=0, stream=True
        )
        for _ in pieces:
            pass

    def ours() -> None:
        engine.run(body, lambda _chunk: None, lambda: False)

    return _compare("150 tokens", ours, ("completion", theirs), LOOP_BAR, 3)


if __name__ == "__main__":
    sys.exit(main())
