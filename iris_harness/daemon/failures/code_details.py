"""What kind of failure of the code it is; only for people, nothing is decided by it."""

from __future__ import annotations

import re

from iris_harness.daemon.failures.model import Failure
from iris_harness.daemon.failures.output import Output

# (pattern for one line, detail). The first line that fits any of them gives the detail.
_DETAILS = tuple(
    (re.compile(pattern), detail)
    for pattern, detail in (
        (r".*(?:AddressSanitizer|UndefinedBehaviorSanitizer|ThreadSanitizer|LeakSanitizer|Segmentation fault|SIGSEGV|core dumped).*", "crash"),
        (r"panic: test timed out after .*|.*(?:exceeded timeout of|Timeout of) \d+ ?ms.*|.*Timeout >\d+.*|E +Failed: Timeout .*", "test_timeout"),
        (r".*coverage threshold.*not met.*|.*FAIL Required test coverage.*|ERROR: Coverage for .*|.*Coverage failure:.*|Line coverage .* below .*", "coverage"),
        (r".*(?:[Ss]napshot .*(?:mismatch|obsolete|failed)|toMatchSnapshot|snapshots? (?:failed|do(?:es)? not match)).*|.*snapshot assertion .*", "snapshot"),
        (r".*ERR_REQUIRE_ESM.*|.*Cannot use import statement outside a module.*|.*require is not defined in ES module scope.*|.*ERR_UNSUPPORTED_DIR_IMPORT.*", "module_system"),
        (r".*has no exported member .*|.*does not provide an export named.*|.*(?:unresolved import|no `\w+` in the root).*(?:help|similar).*|ImportError: cannot import name .*", "import_typo"),
        (r".*error\[E043[23]\]: (?:unresolved import|failed to resolve).*`(?P<name>[\w:]+)`.*", "import_own_module:{name}"),
        (r".*Error: Unbound module (?P<name>[\w.]+).*", "import_own_module:{name}"),
        (r"Error: Class \"(?P<name>[\w\\]+)\" not found.*|.*Class ['\"](?P<other>[\w\\]+)['\"] not found.*", "import_own_module:{name}"),
        (r".*Error when reading '(?P<name>[^']+)': No such file or directory.*", "import_own_module:{name}"),
        (r".*could not find function \"(?P<name>\w+)\".*", "undefined:{name}"),
        (r".*Call to undefined (?:function|method) (?P<name>[\w\\:]+)\(\).*", "undefined:{name}"),
        (r".*FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<name>[^']+)'.*", "missing_own_file:{name}"),
        (r".*ENOENT: no such file or directory, open '(?P<name>[^']+)'.*", "missing_own_file:{name}"),
        (r".*(?:✖ \d+ problems?|\d+ errors? and \d+ warnings? potentially fixable|Found \d+ lint|golangci-lint|rubocop|offenses? detected|would reformat|Code style issues).*", "lint"),
        (r"\./?\S+\.go:\d+:\d+: \S+ (?:format %|call has|composite literal|result of).*|.*: (?:fmt\.)?Printf format .*", "lint"),
        (r".*(?:SyntaxError|IndentationError|CompileError|TokenMissingError)\b.*", "compile"),
        (r".*(?:error(?:\[\w+\])?:|error TS\d+|error CS\d+|: error |undefined: |cannot find symbol|does not exist$|COMPILATION ERROR|could not compile|Compilation failed|\[build failed\]|syntax error).*", "compile"),
    )
)  # fmt: skip
_CMAKE_FILE = re.compile(r"Cannot find source file:")


def code_detail(failure: Failure, output: Output) -> str:
    """Return the kind of failure, as ``kind`` or ``kind:name``; `assertion` where nothing says."""
    lines = [line.text.strip() for line in output.lines if line.text.strip()]
    for index, text in enumerate(lines):
        if _CMAKE_FILE.fullmatch(text) and index + 1 < len(lines):
            return f"missing_own_file:{lines[index + 1]}"
    wanted = _DETAILS if not output.ran else _DETAILS[:13]
    for pattern, detail in wanted:
        for text in lines:
            match = pattern.fullmatch(text)
            if match:
                return detail.replace("{name}", _name(match))
    return "assertion" if failure.output.strip() else "no_output"


def _name(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next((value for value in groups.values() if value), "")
