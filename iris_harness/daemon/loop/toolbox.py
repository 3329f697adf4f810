"""The tools that a model edits with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import ToolCall, ToolSpec
from iris_harness.daemon.loop.workspace import Workspace
from iris_harness.llm.tools import checked_arguments

FINISH = "finish"
RUN_TESTS = "run_tests"


def _tool(name: str, description: str, **parameters: str) -> ToolSpec:
    kinds = {key: key in {"start", "end"} for key in parameters}
    properties: dict[str, Json] = {
        key: {"type": "integer" if kinds[key] else "string", "description": text}
        for key, text in parameters.items()
    }
    required: list[Json] = [key for key in parameters if not kinds[key]]
    return ToolSpec(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
    )


TOOLS = (
    _tool("list", "List the files below a folder.", folder="A path; . is the repository."),
    _tool(
        "read", "Read lines of a file, numbered.", path="The file.",
        start="First line, 1 by default.", end="Last line.",
    ),
    _tool(
        "grep", "Find lines by a regular expression.", pattern="The expression.",
        folder="Where; . is the repository.",
    ),
    _tool(
        "edit", "Replace an exact text, which must be in the file exactly once.",
        path="The file.", old="The text as it is.", new="The text as it is to be.",
    ),
    _tool("create", "Make a new file.", path="The file.", content="All of it."),
    _tool(RUN_TESTS, "Run the repository's tests."),
    _tool(FINISH, "Say that the work is done; it is then tested.", summary="What was done."),
)  # fmt: skip


class Toolbox:
    """Answers calls of tools with text."""

    def __init__(self, workspace: Workspace, run_tests: Callable[[], str]) -> None:
        """Take the files, and what runs the tests."""
        self._workspace = workspace
        self._run_tests = run_tests

    def answer(self, call: ToolCall) -> str:
        """Do what a call asks for, and return what the model is told; never raises for its faults."""
        try:
            given = checked_arguments(call, TOOLS)
            return self._do(call.name, given)
        except ValueError as error:
            return f"error: {error}"

    def _do(self, name: str, given: Mapping[str, Any]) -> str:
        files = self._workspace
        match name:
            case "list":
                return files.list(given["folder"])
            case "read":
                return files.read(given["path"], given.get("start", 1), given.get("end", 0))
            case "grep":
                return files.grep(given["pattern"], given["folder"])
            case "edit":
                files.edit(given["path"], given["old"], given["new"])
                return "done"
            case "create":
                files.create(given["path"], given["content"])
                return "done"
            case _:
                return self._run_tests()
