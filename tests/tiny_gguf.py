"""A random model of llama.cpp's kind: it knows no language, but runs the real engine in 10 ms.

Its vocabulary is every printable ASCII character and every byte, so that it can be held to any
grammar. Source: the GGUF specification of ggml, written with its own package.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
CONTEXT = 2048
_WIDTH, _HEADS, _INNER = 32, 2, 64
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6  # kinds of tokens


def write_tiny_gguf(
    path: Path, *, template: str = TEMPLATE, context: int = CONTEXT, seed: int = 0
) -> Path:
    """Write the model and return `path`; without a template it is a base model."""
    tokens = ["<unk>", "<s>", "</s>"]
    kinds = [_UNKNOWN, _CONTROL, _CONTROL]
    tokens += [f"<0x{byte:02X}>" for byte in range(256)]
    kinds += [_BYTE] * 256
    letters = [chr(code) for code in range(33, 127)] + ["▁"]  # what the tokenizer makes of a blank
    tokens += letters
    kinds += [_NORMAL] * len(letters)
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer, context)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_vocab_size(len(tokens))
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    if template:
        writer.add_chat_template(template)
    _add_weights(writer, len(tokens), seed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _describe(writer: gguf.GGUFWriter, context: int) -> None:
    writer.add_context_length(context)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)


def _add_weights(writer: gguf.GGUFWriter, words: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    shapes = {
        "token_embd": (words, _WIDTH),
        "output_norm": (_WIDTH,),
        "output": (words, _WIDTH),
        "blk.0.attn_norm": (_WIDTH,),
        "blk.0.ffn_norm": (_WIDTH,),
        "blk.0.ffn_gate": (_INNER, _WIDTH),
        "blk.0.ffn_up": (_INNER, _WIDTH),
        "blk.0.ffn_down": (_WIDTH, _INNER),
    }
    shapes |= {f"blk.0.attn_{part}": (_WIDTH, _WIDTH) for part in ("q", "k", "v", "output")}
    for name, shape in shapes.items():
        weights = random.standard_normal(shape).astype(np.float32) * 0.3
        writer.add_tensor(f"{name}.weight", weights)
