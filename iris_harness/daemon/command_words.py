"""The words of a CI's command that are worth keeping: not what only reports, nor what is unknown."""

from __future__ import annotations

import re

_EXPRESSION = re.compile(r"\$\{\{.*?\}\}|\$\(.*?\)|\$\{\w+[^}]*\}|\$\w+", re.DOTALL)

# Options that change what is printed or written beside the tests, by the tool they belong to.
_REPORTS = tuple(
    (re.compile(tool), re.compile(noise))
    for tool, noise in (
        (r".*\b(?:mvnd?|mvnw)\b.*", r"-B|-ntp|-V|-e|-q|-U|-X|-C|-c|--batch-mode|--no-transfer-progress|--show-version|--errors|--quiet|--update-snapshots|--fail-at-end|-fae|--file=pom\.xml|-Dstyle\.color=\S+|-Dorg\.slf4j\S+|-Dhttp\.\S+|-Dmaven\.wagon\S+|--threads=\S+|-T\S*|-s|--settings=\S+|--color=\S+"),
        (r".*\bgradlew?\b.*", r"--no-daemon|--daemon|--stacktrace|--full-stacktrace|--info|--debug|--scan|--console=\S+|--continue|--build-cache|--no-build-cache|--parallel|-q|-s|-i|-S|--quiet|--warning-mode=\S+|--profile|--max-workers=\S+|--no-configuration-cache|--configuration-cache|--rerun-tasks"),
        (r"go (?:-C \S+ )?test\b.*", r"-v|-json|-cover|-coverprofile=\S+|-covermode=\S+|-coverpkg=\S+|-count=\S+|-timeout=\S+|--timeout=\S+|--coverprofile=\S+"),
        (r"cargo\b.*", r"-v|-vv|-q|--verbose|--quiet|--color=\S+|--message-format=\S+|--no-fail-fast|--target-dir=\S+|--target=\S+"),
        (r".*\b(?:pytest|py\.test)\b.*", r"--cov(?:-\S+)?(?:=\S+)?|--junit-?xml=\S+|--color=\S+|--html=\S+|--report-log=\S+|--durations=\S+|--codecov\S*|-vv*|-ra?|--no-header|--verbose"),
        (r"dotnet\b.*", r"--no-build|--no-restore|--nologo|-v=\S+|--verbosity=\S+|-l=\S+|--logger=\S+|--collect=\S+|--results-directory=\S+|-v:\S+|/p:\S*[cC]over\S*|-p:\S*[cC]over\S*|--blame\S*|--collect:\S+"),
        (r"(?:npm|pnpm|yarn|bun)\b.*", r"--silent|-s|--if-present|--no-progress|--reporter=\S+|--loglevel=\S+|--color|--ci"),
        (r".*\b(?:phpunit|pest)\b.*", r"--coverage-\S+(?:=\S+)?|--log-\S+(?:=\S+)?|--colors(?:=\S+)?|--verbose|-v|--testdox|--no-coverage|--ci"),
        (r"mix\b.*", r"--trace|--color|--cover|--slowest=\S+"),
        (r"swift\b.*", r"--enable-code-coverage|-v|--verbose|--xunit-output=\S+"),
        (r"(?:bundle exec )?(?:rspec|rake)\b.*", r"--format=\S+|--color|--colour|--force-color|--trace|--out=\S+"),
        (r"(?:deno|bun)\b.*", r"--coverage(?:=\S+)?|--reporter=\S+|--junit-path=\S+"),
        (r"(?:flutter|dart)\b.*", r"--coverage|--reporter=\S+|--machine|--no-pub"),
        (r".*\bbusted\b.*", r"--coverage|-c|--Xoutput=\S+|-v|--verbose|-o=\S+|--output=\S+"),
        (r"(?:stack|cabal)\b.*", r"--test-show-details=\S+|--no-terminal|--color=\S+"),
        (r"zig\b.*", r"--summary=\S+|-O\w+|-Doptimize=\S+|-fsummary"),
        (r"task\b.*", r"--output(?:-\S+)?=\S*|--output(?:-group-\w+)?|--verbose|-v"),
    )
)  # fmt: skip
# Those of them that take their value in the next word.
_VALUED = frozenset(
    """
    -coverprofile -covermode -coverpkg -count -timeout --coverprofile -s --settings --logger -l
    --collect --results-directory --verbosity --color --message-format --target --target-dir
    --format --out --reporter --junitxml --cov-report --durations --console --test-show-details
    --coverage-clover --coverage-html --coverage-xml --coverage-cobertura --coverage-php --log-junit
    --log-teamcity --log-events-text --cov --cov-config --cov-fail-under --junit-xml --report-log
    --max-workers --xunit-output --junit-path --results-dir --output-file -v
    --Xoutput -o --summary --output --output-group-begin --output-group-end --html -T --threads --slowest
    """.split()  # noqa: SIM905 - a word list is read as words
)
_VALUED_BY_TOOL = {"-v": "dotnet", "-o": "busted", "-s": "mvn", "-l": "dotnet", "-T": "mvn"}


def clean_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without reports and without what only the CI knows."""
    known = _whole_suite(_without_unknown(words))
    text = " ".join(known)
    for tool, noise in _REPORTS:
        if tool.fullmatch(text):
            known = _without_reports(known, noise, text)
    known = _maven_phase(tuple(word for word in known if word not in {"2>&1", "|", "||"}))
    while known and known[-1] in {"--", "&&", "\\"}:
        known = known[:-1]
    return known


def _maven_phase(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return Maven's words with `verify` for what also packs or installs: the tests are the same."""
    if not words or not re.fullmatch(r"(?:\./)?mvnd?w?", words[0]) or "-f" in words:
        return words
    kept = [word for word in words if word not in {"--file", "pom.xml", "clean"}]
    phases = {"verify", "test", "package", "install"} & set(kept)
    if phases and phases <= {"package", "install"}:
        kept = ["verify" if word in phases else word for word in kept]
    return tuple(dict.fromkeys(kept))


def _whole_suite(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with Go's parts of the module widened to all of it."""
    if words[:2] != ("go", "test") or "-run" in words:
        return words
    parts = [
        word
        for word in words
        if word.startswith("./") and word.endswith("/...") and word != "./..."
    ]
    if not parts or "./..." in words:
        return words
    return (*(word for word in words if word not in parts), "./...")


def _without_unknown(words: tuple[str, ...]) -> tuple[str, ...]:
    kept: list[str] = []
    for index, word in enumerate(words):
        if not _EXPRESSION.search(word):
            kept.append(word)
            continue
        bare = _EXPRESSION.sub("", word)
        rest = bare.strip("-_=:/.,()[]\"' ")
        usable = (
            rest
            and " " not in bare
            and index > 0
            and not word.startswith("-")
            and re.fullmatch(r"[\w:./-]+", rest)
        )
        if usable:
            kept.append(rest)
        elif index == 0:
            kept.append(word)
        elif (
            len(kept) > 1
            and re.fullmatch(r"-\w|--[\w-]+", kept[-1])
            and kept[-1] not in {"--", "-m"}
        ):
            kept.pop()
    return tuple(kept)


def _without_reports(words: tuple[str, ...], noise: re.Pattern[str], text: str) -> tuple[str, ...]:
    kept: list[str] = []
    skip = False
    for word, following in zip(words, (*words[1:], "-"), strict=True):
        if skip:
            skip = False
            continue
        tool = _VALUED_BY_TOOL.get(word)
        valued = word in _VALUED and (tool is None or tool in text)
        if valued and (noise.fullmatch(f"{word}=x") or noise.fullmatch(word)):
            skip = word != "--cov" or not following.startswith("-")  # its value may be left out
        elif not (kept and noise.fullmatch(word)):
            kept.append(word)
    return tuple(kept)
