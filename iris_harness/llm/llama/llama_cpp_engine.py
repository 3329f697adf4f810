"""llama-cpp-python: llama.cpp built for the machine it runs on.

Its own completion turns all tokens into text again after each: 300 tokens of a tiny model take 9 s
of Python, and one that ends in half a character never reaches `max_tokens`. So tokens are taken one
by one here, and their bytes as they come.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import llama_cpp
from llama_cpp import Llama, LlamaGrammar
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from iris_harness.llm.llama.engines import Body, Chunk, RefusedError
from iris_harness.llm.llama.stops import StopText

_TURN = "\nuser:"
"""Where a base model, which knows no roles, begins to speak for the other side."""


def load(path: str, context_tokens: int, threads: int) -> LlamaCppEngine:
    """Load a model."""
    return LlamaCppEngine(path, context_tokens, threads)


class LlamaCppEngine:
    """A loaded model; implements `Engine`."""

    def __init__(self, path: str, context_tokens: int, threads: int) -> None:
        """Load the model."""
        self._llama = Llama(
            model_path=path,
            n_ctx=context_tokens,
            n_threads=threads,
            n_threads_batch=threads,
            verbose=False,
        )
        self._vocab = llama_cpp.llama_model_get_vocab(self._llama.model)
        template = self._llama.metadata.get("tokenizer.chat_template")
        self._format = template and Jinja2ChatFormatter(
            template=template,
            bos_token=self._special(self._llama.token_bos()),
            eos_token=self._special(self._llama.token_eos()),
        )

    def _special(self, token: int) -> str:
        text: bytes = self._llama.detokenize([token], special=True)
        return text.decode("utf-8", "replace")

    def run(self, body: Body, emit: Callable[[Chunk], None], stopped: Callable[[], bool]) -> None:
        """Answer a request; see `Engine.run`."""
        prompt = self._prompt(body["messages"])
        limit = min(body["max_tokens"], self._room(prompt))
        text, made, reason = StopText("" if self._format else _TURN), 0, "length"
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for token in self._tokens(prompt, body):
            if stopped():
                return
            if llama_cpp.llama_vocab_is_eog(self._vocab, token):
                reason = "stop"
                break
            made += 1
            _emit_text(text.add(decoder.decode(self._llama.detokenize([token]))), emit)
            if text.found or made == limit:
                reason = "stop" if text.found else "length"
                break
        _emit_text(text.add(decoder.decode(b"", final=True)) + text.rest(), emit)
        emit({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        usage = {"prompt_tokens": len(prompt), "completion_tokens": made}
        emit({"choices": [], "usage": usage})

    def _room(self, prompt: Sequence[int]) -> int:
        """Return how many tokens an answer may have."""
        room: int = self._llama.n_ctx() - len(prompt)
        if room < 1:
            said = f"the request has {len(prompt)} tokens, the context {self._llama.n_ctx()}"
            raise RefusedError(said)
        return room

    def _tokens(self, prompt: Sequence[int], body: Body) -> Iterator[int]:
        self._llama.set_seed(body.get("seed", 0))
        try:
            grammar = _grammar(body)
        except ValueError as error:
            raise RefusedError(str(error)) from error
        tokens: Iterator[int] = self._llama.generate(
            prompt, temp=body.get("temperature", 0.0), grammar=grammar
        )
        return tokens

    def _prompt(self, messages: Sequence[Mapping[str, Any]]) -> list[int]:
        if self._format:
            said = self._format(messages=[dict(message) for message in messages])
            text, add_bos, special = said.prompt, not said.added_special, True
        else:
            lines = [f"{one['role']}: {one['content']}\n" for one in messages]
            text, add_bos, special = "".join(lines) + "assistant:", True, False
        tokens: list[int] = self._llama.tokenize(text.encode(), add_bos=add_bos, special=special)
        return tokens


def _emit_text(text: str, emit: Callable[[Chunk], None]) -> None:
    if text:
        delta = {"content": text}
        emit({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def _grammar(body: Body) -> object:
    if (written := body.get("grammar")) is not None:
        return LlamaGrammar.from_string(written, verbose=False)
    form = body.get("response_format")
    if form is None:
        return None
    schema = json.dumps(form["json_schema"]["schema"])
    return LlamaGrammar.from_json_schema(schema, verbose=False)
