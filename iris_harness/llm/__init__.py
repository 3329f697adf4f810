"""Language-model backends; the only room that imports them.

`openai_compatible` speaks to any server of OpenAI's kind, `llama` runs llama.cpp in a process of
its own. Around either: `metering` (budgets), `structured` (answers in a form that is checked),
`tools` (calls of tools, also from models that know none), `gbnf` (grammars).
"""

from __future__ import annotations
