"""The output of a test command: lines without colours, and whether tests ran and failed in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

MAX_LINES = 3000
"""Lines that are looked at: the first and the last half of them."""

_MAX_LINE = 600
_LONG_LINE = 160
_MAX_LONG_LINES = 200  # of those, what a line costs grows with the square of its length
_MAX_CHARACTERS = 4_000_000
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ")  # before each line in CI logs

# What runners count. Groups: passed, failed; a missing one is none.
_SUMMARIES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?=.*\b(?P<failed>\d+) failed)?(?=.*\b(?P<passed>\d+) passed)?(?=.*\b(?P<errors>\d+) errors?)?=*\s*(?:\d+ (?:x?failed|x?passed|errors?|skipped|warnings?|deselected|rerun|subtests passed)(?:, | ))+in [\d.:]+.*",
        r"(?=.*\b(?P<failed>\d+) failed)?(?=.*\b(?P<passed>\d+) passed)(?:\d+ (?:failed|passed|skipped|errors?)(?:, )?)+",
        r"Tests?:\s+(?=.*\b(?P<failed>\d+) failed)?(?=.*\b(?P<passed>\d+) passed)?.*\d+ total",
        r"\s*Tests?\s+(?=.*\b(?P<failed>\d+) failed)?(?=.*\b(?P<passed>\d+) passed)?.*\(\d+\)",
        r"\s*(?P<passed>\d+) passing\b.*",
        r"\s*(?P<failed>\d+) failing\b.*",
        r"# pass (?P<passed>\d+)",
        r"# fail (?P<failed>\d+)",
        r"\u2139 pass (?P<passed>\d+)",
        r"\u2139 fail (?P<failed>\d+)",
        r"test result: .*?(?P<passed>\d+) passed; (?P<failed>\d+) failed.*",
        r"\s*Summary \[.*\] .*?(?P<passed>\d+) passed.*?(?:, (?P<failed>\d+) failed)?.*",
        r"(?:\S+ )?\d+ examples?, (?P<failed>\d+) failures?.*",
        r"\d+ (?:runs?|tests?), \d+ assertions?, (?P<failed>\d+) failures?, (?P<errors>\d+) errors?.*",
        r"(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?(?P<passed>\d+) tests?, (?P<failed>\d+) failures?.*",
        r"Tests: \d+, Assertions: \d+.*?(?:Failures: (?P<failed>\d+))?.*",
        r"OK \((?P<passed>\d+) tests?, .*",
        r"\s*Tests:\s+(?:(?P<failed>\d+) failed, )?.*?(?P<passed>\d+) passed.*",
        r".*Tests run: (?P<passed>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+).*",
        r"(?P<passed>\d+) tests completed(?:, (?P<failed>\d+) failed)?.*",
        r"Ran (?P<passed>\d+) tests? .*",
        r"FAILED \((?:failures=(?P<failed>\d+))?(?:, )?(?:errors=(?P<errors>\d+))?.*\)",
        r"(?:Passed|Failed)!\s+- Failed:\s+(?P<failed>\d+), Passed:\s+(?P<passed>\d+).*",
        r"\s*Passed: (?P<passed>\d+)",
        r"\s*Failed: (?P<failed>\d+)",
        r"\d+% tests passed, (?P<failed>\d+) tests? failed out of \d+",
        r"\[  PASSED  \] (?P<passed>\d+) tests?\.",
        r"\[  FAILED  \] (?P<failed>\d+) tests?, listed below:",
        r"test cases:\s+\d+ \|\s+(?P<passed>\d+) passed \|\s+(?P<failed>\d+) failed.*",
        r"\[doctest\] test cases:\s+\d+ \|\s+(?P<passed>\d+) passed \|\s+(?P<failed>\d+) failed.*",
        r"\[ FAIL (?P<failed>\d+) \| WARN \d+ \| SKIP \d+ \| PASS (?P<passed>\d+) \].*",
        r"\s*Executed (?P<passed>\d+) tests?, with (?P<failed>\d+) failures?.*",
        r".*Test run with \d+ tests? .*failed after .* with (?P<failed>\d+) issues?.*",
        r"(?:ok|FAILED) \| (?P<passed>\d+) passed.*?(?:\| (?P<failed>\d+) failed.*)?",
        r"\s*(?P<passed>\d+) pass",
        r"\s*(?P<failed>\d+) fail",
        r"(?P<passed>\d+) successes? / (?P<failed>\d+) failures? / (?P<errors>\d+) errors?.*",
        r"\d+ examples, (?P<failed>\d+) failures?, (?P<errors>\d+) errors?.*",
        r"Files=\d+, Tests=(?P<passed>\d+), .*",
        r"\d\d:\d\d \+(?P<passed>\d+)(?: ~\d+)? -(?P<failed>\d+): .*",
        r"# (?:TOTAL|PASS): +(?P<passed>\d+)",
        r"# FAIL: +(?P<failed>\d+)",
        r"Fail:\s+(?P<failed>[1-9]\d*)\s*",
        r"Ok:\s+(?P<passed>[1-9]\d*)\s*",
        r"\s*(?P<passed>\d+) (?:of|out of)\s+\d+ (?:in \S+|tests passed).*",
        r"\d+ items? had (?P<failed>)failures:",
        r"Test Summary:\s+\|.*(?P<failed>)Fail.*",
        r"(?P<passed>\d+) passed; (?P<other>\d+) skipped; (?P<failed>\d+) failed\.?",
        r"(?:\[info\] |\[error\] )?(?:Tests: succeeded|Passed: Total \d+, Failed) (?P<passed>\d+).*",
        r"\[error\] Failed: Total \d+, Failed (?P<failed>\d+).*",
        r"\[info\] Tests: succeeded (?P<passed>\d+), failed (?P<failed>\d+).*",
    )
)  # fmt: skip

# One failing test; a suite that could not be loaded is none.
_FAILING_TEST = re.compile(
    r"--- FAIL: .*|\s*not ok \d+\b.*|FAILED \S+::.*|(?:FAIL|ERROR): \w+ \(.*\)|test \S+ \.\.\. FAILED"
    r"|.*\*\*\*(?:Failed|Exception|Timeout).*|\[  FAILED  \] \S+.*|Failed example:|\s*\d+\) \S+(?:::| ).*"
    r"|thread '[^']+'.* panicked at .*|.*\b(?:AssertionError|AssertionFailedError|ComparisonFailure)\b.*"
    r"|Failed asserting that .*|\s*Assertion (?:with \S+ )?failed.*|\s*[✕✗✘\u00d7] .*\(\d+ ?m?s\).*"
    r"|.*\bAssert\.\w+\(\) Failure.*|\s*Failed \S+ \[\d+ ?m?s\].*|.*Condition not satisfied:.*"
    r"|── (?:Failure|Error) \(.*|E +assert .*|.*Snapshot `.*` mismatched.*"
)
# Lines inside the report of a failing test whose content is data.
_DATA = re.compile(
    r"\s*(?:[-+#>|]|│|\d+ \||expected\b|actual\b|got\b|want\b|left:|right:|Expected\b|Actual\b"
    r"|Received\b|Diff\b|not:|message:|text:|Got:|exp:|act:|to (?:equal|be|eq|match|include)\b).*"
    r"|.*\b(?:[Aa]ssert\w*|toEqual|toBe|to_eq|shouldBe|should be|panicked at|[Ee]xpect(?:ed|ation)?)\b.*"
    r"|FAILED \S+::\S+ - .*assert.*|\s*(?:got|want)[:= ].*"
)
_PYTEST_DATA = re.compile(
    r"E\s{2,}(?:assert\b|.*AssertionError|[-+?] |\.\.\. |where |and |Full diff|'|\")"
)
_BLOCKS = (
    (re.compile(r"\s*console\.(?:log|error|warn|info|debug|trace)\b.*"), re.compile(r"\s*[●✓✕]|\S")),
    (re.compile(r"std(?:out|err) \| .+"), re.compile(r"\s*(?:FAIL|[\u2713\u276f\u00d7\u2193]|Test Files|std(?:out|err) \||⎯).*")),
    (re.compile(r"Failed example:"), re.compile(r"\S.*(?:items? had|\*\*\*)|\*{5,}.*|\d+ items? had")),
    (re.compile(r"-+ ?Captured (?:stdout|stderr|log).*-+"), re.compile(r"[=_-]{5,}.*|E .*|FAILED .*")),
)  # fmt: skip


class Line(NamedTuple):
    """One line of the output."""

    number: int
    """1-based."""
    text: str
    """Without colours and trailing white space."""
    data: bool
    """It may be what a test compared, not what a tool said."""


class Output(NamedTuple):
    """What a test command printed, read."""

    lines: tuple[Line, ...]
    passed: int
    """Tests that passed, summed over all summaries."""
    failed: int
    """Tests that ran and failed, summed over all summaries."""
    failing: bool
    """A test ran and failed, whether or not it was counted."""

    @property
    def ran(self) -> bool:
        """Whether any test ran."""
        return self.failing or self.passed + self.failed > 0


def read_output(text: str) -> Output:
    """Return the lines of `text` and what its summaries count. Bounded, never raises."""
    raw = _numbered(text)
    passed, failed, errors = _counts([line for _, line in raw])
    failing = failed > 0 or (passed > 0 and errors > 0)
    failing = failing or any(map(_FAILING_TEST.fullmatch, (line for _, line in raw)))
    lines = tuple(
        Line(number, line, data) for (number, line), data in zip(raw, _data_flags(raw), strict=True)
    )
    return Output(lines, passed, failed, failing)


def _numbered(text: str) -> list[tuple[int, str]]:
    if len(text) > _MAX_CHARACTERS:
        half = _MAX_CHARACTERS // 2
        text = f"{text[:half]}\n{text[-half:]}"
    lines = list(enumerate(text.replace("\r\n", "\n").split("\n"), start=1))
    if len(lines) > MAX_LINES:
        lines = lines[: MAX_LINES // 2] + lines[-MAX_LINES // 2 :]
    return list(_bounded((number, _plain(line)) for number, line in lines))


def _bounded(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines; after many long ones, only the beginning of those."""
    long = 0
    for number, line in lines:
        long += len(line) > _LONG_LINE
        yield number, line if long <= _MAX_LONG_LINES else line[:_LONG_LINE]


def _plain(line: str) -> str:
    line = line.rpartition("\r")[2] if "\r" in line.rstrip("\r") else line
    if "\x1b" in line:
        line = _ESCAPES.sub("", line)
    return _STAMP.sub("", line[:_MAX_LINE], count=1).rstrip()


def _counts(lines: Sequence[str]) -> tuple[int, int, int]:
    totals = {"passed": 0, "failed": 0, "errors": 0}
    for line in lines:
        if not any(char.isdigit() for char in line) and "Test Summary" not in line:
            continue
        for summary in _SUMMARIES:
            match = summary.fullmatch(line)
            if match:
                for name, found in match.groupdict().items():
                    if name in totals and found is not None:
                        totals[name] += int(found or 1) if found.isdecimal() or not found else 0
                break
    return totals["passed"], totals["failed"], totals["errors"]


def _data_flags(lines: Sequence[tuple[int, str]]) -> Iterator[bool]:
    end: re.Pattern[str] | None = None
    for _, line in lines:
        if end is not None:
            if not line or not end.match(line):
                yield True
                continue
            end = None
        for start, stop in _BLOCKS:
            if start.fullmatch(line):
                end = stop
                break
        yield end is not None or bool(_DATA.fullmatch(line) or _PYTEST_DATA.match(line))
