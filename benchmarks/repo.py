"""How long all decisions on a repository take, without and with reading it.

A repository of the given number of files is made up: several ecosystems, a CI of ten workflows,
folders as deep as in large projects. The bars are 150 ms for 10,000 files and 1 s for 50,000.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _support import describe_machine, measure_ms, print_table

from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.gather import read_evidence
from iris_harness.daemon.hints import Intent, resolve_hint
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.tree import build_tree

_SIZES = ((10_000, 150), (50_000, 1_000))
_HINTS = (
    "services/m7/src/handlers/view_42.py", "view_42.py", "src/handlers/View_7.py", "README.md",
    "/home/somebody/work/services/m3/src/handlers/view_3.py", "services/m1/new_thing.rs",
)  # fmt: skip
_WORKFLOW = """on: [push, pull_request]
jobs:
  test{number}:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11", "3.12", "3.13"]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {{python-version: "${{{{ matrix.python }}}}"}}
      - run: |
          pip install -e .
          ruff check .
          pytest -q
      - run: make test
      - run: scripts/test --all
"""


def made_up_files(count: int) -> dict[str, str]:
    """Return `count` paths; those that decide have a text."""
    texts = {
        "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.11"\n',
        "Makefile": "test:\n\tpytest -q\n"
        + "".join(f"t{n}: t{n + 1}\n\techo\n" for n in range(300)),
        "scripts/test": '#!/bin/sh\npytest "$@"\n',
        "web/package.json": '{"scripts": {"test": "vitest run"}}',
        "web/package-lock.json": "",
    }
    texts |= {f".github/workflows/w{n}.yml": _WORKFLOW.format(number=n) for n in range(10)}
    texts |= {f"services/m{n}/pyproject.toml": f'[project]\nname = "m{n}"\n' for n in range(40)}
    number = 0
    while len(texts) < count:
        kind = ("src/handlers/view", "tests/test", "src/models/model")[number % 3]
        texts[f"services/m{number % 97}/{kind}_{number}.py"] = ""
        number += 1
    return texts


def main() -> int:
    """Print a table; return 1 when a bar is missed."""
    print(describe_machine())
    rows, missed = [], False
    for count, bar in _SIZES:
        files = made_up_files(count)
        decided = measure_cpu_ms(lambda files=files: decide(files))
        with tempfile.TemporaryDirectory() as folder:
            checkout(Path(folder), files)
            read = measure_ms(lambda place=Path(folder): read_evidence(place), 3)
        missed |= decided > bar
        rows.append((f"{count:,} files", f"{decided:.0f} ms", f"{bar} ms", f"{read:.0f} ms"))
    print_table(("", "all decisions (CPU)", "bar", "reading the checkout"), rows)
    return int(missed)


def measure_cpu_ms(call: Callable[[], object]) -> float:
    """Return the least CPU time of five calls: they are pure, and others use the machine too."""
    samples = []
    for _ in range(5):
        start = time.process_time()
        call()
        samples.append(time.process_time() - start)
    return min(samples) * 1e3


def decide(files: dict[str, str]) -> None:
    """Make every decision once: the tree and its indexes, the report, six hints."""
    texts = {path: text for path, text in files.items() if text}
    evidence = Evidence(tree=build_tree(files), texts=texts)
    inspect_repository(evidence)
    for hint in _HINTS:
        resolve_hint(hint, evidence.tree, intent=Intent.CREATE, discovery=())


def checkout(folder: Path, files: dict[str, str]) -> None:
    """Write the files and let git track them."""
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    for arguments in (("init", "-q"), ("add", "-A")):
        git = ["git", "-C", str(folder), *arguments]
        subprocess.run(git, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
