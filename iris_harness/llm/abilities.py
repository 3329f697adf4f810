"""Whether a request can be put to a model at all."""

from __future__ import annotations

from iris_harness.contracts.model import Ability, ChatModel, ChatRequest
from iris_harness.errors import ModelRefusedError


def refuse_what_is_missing(request: ChatRequest, model: ChatModel) -> None:
    """Refuse a request that `model` could only ignore part of.

    Raises:
        ModelRefusedError: it asks for a form or for tools that the backend does not enforce.
        ValueError: it asks for two forms at once, for no tokens, or for a call without tools.
    """
    wanted = {
        Ability.JSON_SCHEMA: request.json_schema is not None,
        Ability.GRAMMAR: request.grammar is not None,
        Ability.TOOLS: bool(request.tools),
    }
    if wanted[Ability.JSON_SCHEMA] and wanted[Ability.GRAMMAR]:
        raise ValueError("a request has a schema or a grammar, not both")
    if request.max_tokens < 1 or (request.must_call_tool and not request.tools):
        raise ValueError("a request has max_tokens, and tools where one must be called")
    for ability, is_wanted in wanted.items():
        if is_wanted and ability not in model.abilities:
            raise ModelRefusedError(
                f"{model.name} does not take {_SAID[ability]}",
                model=model.name,
                hint=f"if it does, add {ability.value} to its supports in the settings",
            )


_SAID = {
    Ability.JSON_SCHEMA: "a JSON schema",
    Ability.GRAMMAR: "a grammar",
    Ability.TOOLS: "tools",
}
