"""Coverage-guided fuzzing of the readers: no input makes a reading raise, hang or lie.

`make soak` runs it for some minutes; what it finds becomes a case in tests/acceptance/day_cases
or tests/unit/sources. By hand:

    .venv/bin/python tests/fuzz/fuzz_sources.py -max_total_time=60
"""

from __future__ import annotations

import datetime as dt
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["iris_harness"]):
    from iris_harness.contracts.ports import ReadWindow
    from iris_harness.sources.calendars import IcsCalendar
    from iris_harness.sources.contacts import VcardBook
    from iris_harness.sources.todo_lists import VtodoList
    from iris_harness.sources.todotxt import TodoTxtList

PROJECT = Path(__file__).resolve().parents[2]
LONGEST_INPUT = 4096
START = dt.datetime(2026, 3, 29, tzinfo=dt.timezone(dt.timedelta(hours=1)))
WINDOW = ReadWindow(
    start=START, end=START + dt.timedelta(hours=23), timezone="Europe/Berlin", now=START
)
SCRATCH = Path(tempfile.mkdtemp(prefix="iris-fuzz-"))


def read_everything(data: bytes) -> None:
    """Give `data` to each reader as a file, and hold what it says of itself."""
    for suffix, reader in (
        (".ics", lambda path: IcsCalendar("fuzz", (path,), ("jo@example.org",)).read(WINDOW)),
        (".ics", lambda path: VtodoList("fuzz", path).read(WINDOW)),
        (".txt", lambda path: TodoTxtList("fuzz", path).read(WINDOW)),
        (".vcf", lambda path: VcardBook("fuzz", path).read(WINDOW)),
    ):
        path = SCRATCH / f"input{suffix}"
        path.write_bytes(data)
        reading = reader(path)
        if not reading.status.was_read and reading.items:
            raise AssertionError("a source that failed gave items")
        if "could not be read (" in reading.status.detail:  # the boundary that catches our mistakes
            raise AssertionError(f"a reading broke: {reading.status.detail}")


def seeds(folder: Path) -> None:
    """Write the project's own cases as the corpus to start from."""
    cases = PROJECT / "tests" / "acceptance" / "day_cases"
    for number, path in enumerate(sorted(cases.rglob("*.ics"))):
        (folder / f"case-{number}").write_bytes(path.read_bytes()[:LONGEST_INPUT])


def main() -> None:
    """Fuzz until the time given on the command line is over."""
    corpus = SCRATCH / "corpus"
    corpus.mkdir()
    seeds(corpus)
    arguments = [
        sys.argv[0],
        f"-max_len={LONGEST_INPUT}",
        "-timeout=20",
        *sys.argv[1:],
        str(corpus),
    ]
    atheris.Setup(arguments, read_everything)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
