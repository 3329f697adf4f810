"""Signs in a change that the proof of it is worth less: what turns a test or a check off. Pure.

A sign that ordinary code uses as well (``.skip(2)`` of an iterator, ``.fit(x)`` of a model) counts in
tests only.
"""

from __future__ import annotations

import re

TEST_FILE = re.compile(
    r"(?:.*/)?(?:tests?|specs?|__tests__|testing|e2e|cypress)/.*|(?:.*/)?(?:test_[^/]*|[^/]*_(?:test|spec)|[^/]*[._-](?:test|spec|cy)|[^/]*Tests?|[^/]*Specs?|Test[A-Z][^/]*)\.\w+"
    r"|(?:.*/)?conftest\.py"
)
SETTINGS = re.compile(
    r"\.(?:github|gitea|forgejo|circleci|buildkite|woodpecker)/.*|\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.ya?ml|Jenkinsfile|bitbucket-pipelines\.yml"
    r"|\.?appveyor\.yml|\.cirrus\.(?:yml|star)|\.drone\.yml|\.woodpecker\.ya?ml|cloudbuild\.ya?ml|codecov\.ya?ml|\.codecov\.ya?ml"
    r"|(?:.*/)?\.git(?:attributes|modules)|\.lfsconfig"
    r"|(?:.*/)?(?:tox\.ini|\.?pytest\.(?:ini|toml)|\.coveragerc|noxfile\.py|conftest\.py|setup\.cfg|ruff\.toml|\.ruff\.toml|mypy\.ini|\.mypy\.ini|\.flake8|\.pylintrc|pyrightconfig\.json"
    r"|\.eslintrc[\w.]*|\.eslintignore|eslint\.config\.\w+|\.?(?:jest|vitest|karma|playwright|cypress|wdio|ava|web-test-runner|vite|nyc|c8|stryker)[\w.]*\.(?:config|conf|workspace|setup)[\w.]*"
    r"|(?:jest|vitest)\.setup\.\w+|cypress\.json|\.mocharc[\w.]*|\.nycrc[\w.]*|\.c8rc[\w.]*|\.taprc|biome\.jsonc?|\.prettierrc[\w.]*|\.stylelintrc[\w.]*|bunfig\.toml"
    r"|tsconfig[\w.]*\.json|\.golangci\.ya?ml|\.?clippy\.toml|\.?nextest\.toml|rustfmt\.toml|\.clang-tidy|phpunit[\w.]*\.xml(?:\.dist)?|phpstan[\w.]*\.neon(?:\.dist)?|psalm[\w.]*\.xml"
    r"|\.rspec|\.rubocop[\w.]*|spec_helper\.rb|rails_helper\.rb|test_helper\.(?:rb|exs)|\.credo\.exs|\.formatter\.exs|detekt[\w.]*\.ya?ml|checkstyle[\w.]*\.xml|\.runsettings|.*\.runsettings"
    r"|\.pre-commit-config\.yaml|GNUmakefile|[Mm]akefile|\.?justfile|Justfile|Taskfile\.ya?ml|Rakefile|\.?mise\.toml)"
    # A module of these names is found in place of the runner.
    r"|(?:sitecustomize|usercustomize|pytest|_pytest|unittest|nose2?|coverage|pluggy|tox|nox)(?:\.py|/.*)"
)
TEST = re.compile(
    r"^[ \t]*(?:async\s+)?(?:def\s+test\w*|func\s+Test\w*|(?:it|test|specify)(?:\.each\b.*)?\s*\(|(?:it|specify)\s+[\"']|#\[(?:\w+::)?test(?:\([^)]*\))?\]|@(?:Test|ParameterizedTest|RepeatedTest)\b"
    r"|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|test\s+[\"']|@test\s+[\"']|TEST(?:_F|_P|_CASE)?\s*\(|(?:public\s+)?function\s+test\w*|(?:public\s+)?(?:fun|func)\s+test\w*)",
    re.MULTILINE,
)
ASSERTION = re.compile(
    r"\b(?:[Aa]ssert\w*!?(?:\.\w+)?|expect\s*\(|should\b|t\.(?:Error|Fatal)f?|require\.\w+|EXPECT_\w+|ASSERT_\w+|REQUIRE\w*|CHECK\w*|XCTAssert\w*|refute\w*|must_\w+)"
)
HOLLOW = re.compile(
    r"\bassert\s*(?:\(\s*)?(?:True|true|1|not\s+False|1\s*==\s*1|True\s*==\s*True|\"[^\"]*\"|'[^']*')\s*\)?\s*(?:[,;#].*)?$"
    r"|\bassert!\s*\(\s*true\s*[,)]|\bassert_eq!\s*\(\s*(?P<one>\w+)\s*,\s*(?P=one)\s*[,)]"
    r"|\bassert(?:True|_true|That)?\s*\(\s*(?:True|true|1)\s*[,)]|\bassert(?:False|_false)\s*\(\s*(?:False|false|0)\s*[,)]"
    r"|\bassert(?:Equals?|_equal|Same|Is)?\s*\(\s*(?P<two>[\w\"']+)\s*,\s*(?P=two)\s*[,)]|\bassert\s+(?P<three>\w+)\s*==\s*(?P=three)\s*$"
    r"|\bexpect\s*\(\s*(?P<four>true|false|\d+|[\"'][^\"']*[\"'])\s*\)\s*\.(?:toBe|toEqual|toStrictEqual|to\.(?:be|equal|eq)|to eq)\s*\(?\s*(?P=four)"
    r"|\bexpect\s*\(\s*true\s*\)\s*\.(?:toBeTruthy|to\.be\.true|toBeDefined)|\bAssert\.(?:True|IsTrue)\s*\(\s*true\s*[,)]|\b(?:ASSERT|EXPECT)_TRUE\s*\(\s*(?:true|1)\s*\)"
    r"|\bassert\.(?:ok|equal|strictEqual)\s*\(\s*(?:true|1)\s*(?:,\s*(?:true|1)\s*)?\)|\bXCTAssert(?:True)?\s*\(\s*true\s*\)|\brefute\s+false\b",
    re.MULTILINE,
)
"""An assertion that nothing can break."""

OFF = re.compile(
    r"pytest\.mark\.(?:skip|xfail)|pytest\.(?:skip|xfail|importorskip|exit)\s*\(|unittest\.(?:skip|expectedFailure|SkipTest)|@skip\b|\braise\s+SkipTest|\.skipTest\s*\(|__test__\s*=\s*False"
    r"|\bcollect_ignore\w*\s*=|\b(?:it|test|describe|context|suite|specify)\.(?:skip|todo|only|failing|fails|fixme|skipIf|runIf)\b|#\[ignore|#\[should_panic|#\[cfg\(any\(\)\)\]|\bt\.Skip\w*\(|\bt\.SkipNow\(|testing\.Short\(\)"
    r"|@(?:Disabled\w*|Ignore|EnabledIf\w*)\b|\[(?:Ignore|Explicit)\b|\[(?:Fact|Theory)\s*\(\s*Skip\s*=|Assert\.(?:Ignore|Inconclusive)\s*\(|markTest(?:Skipped|Incomplete)|XCTSkip\w*|XCTExpectFailure|withKnownIssue|GTEST_SKIP|\bDISABLED_\w+"
    r"|@(?:module)?tag\s+:skip|\[![\w]*(?:shouldfail|mayfail)\]|doctest::skip|@test_(?:skip|broken)\b|SkipZigTest|pendingWith"
    r"|//\s*go:build\s+ignore|//\s*\+build\s+ignore"
    r"|# *(?:type: ignore|noqa|pragma: no cover|pylint: disable|nosec|pyright: ignore)|eslint-disable|biome-ignore|prettier-ignore|@ts-(?:ignore|nocheck|expect-error)|//\s*nolint|(?:istanbul|v8|c8) ignore|rubocop:disable|@phpstan-ignore|@psalm-suppress|NOSONAR|NOLINT"
    r"|skipTests|maven\.test\.skip|testFailureIgnore|ignoreFailures\s*=?\s*true|passWithNoTests|autotests\s*=\s*false|WILL_FAIL|continue-on-error:\s*true|allow_failure:\s*true"
)
OFF_IN_TESTS = re.compile(
    r"(?<![.\w])x(?:it|describe|test|specify|context)\b\s*[(\"']|(?<![.\w])f(?:it|describe|context)\b\s*[(\"']|(?<![.\w])(?:skip|pending|skip_\w+)\s*(?:\(|[\"'])|^[ \t]*(?:skip|pending)\s*$|\b(?:skip|todo|pending)\s*:\s*(?:true|[\"'])|\bthis\.skip\s*\("
    r"|\bassume(?:True|That|False)?\s*\(\s*(?:false|False|true\s*==)|^[ \t]*if\s*\(?\s*(?:False|false|0)\s*\)?\s*[:{]"
    r"|except\s*(?:\(?\s*(?:AssertionError|Exception|BaseException)[^:]*)?:[ \t]{0,40}(?:#.*)?\n?[ \t]{0,80}pass\b|suppress\s*\(\s*(?:AssertionError|Exception|BaseException)|catch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\s*\(\s*\(\w*\)\s*=>\s*\{?\s*\}?\s*\)|\|\|\s*true\b"
    r"|^[ \t]*(?:async\s+)?def\s+test\w*\([^)]*\)[^:\n]*:\s*(?:return\b|pass\b|\.\.\.)|(?<![.\w])(?:it|test)\s*\(\s*[\"'][^\"']*[\"']\s*,\s*(?:async\s*)?\(\s*\)\s*=>\s*\{\s*(?:return;?\s*)?\}",
    re.MULTILINE,
)
EXIT = re.compile(
    r"\b(?:os\._exit|sys\.exit|process\.exit|os\.Exit|std::process::exit|System\.exit|Environment\.Exit|_exit|exit!|quit)\s*\(\s*0?\s*\)|\bos\.kill\s*\(|\bprocess\.exitCode\s*=\s*0"
)
SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}|\bxox[abprs]-[\w-]{10,}|\b(?:sk|rk|pk)_live_\w{16,}|\bsk-[A-Za-z0-9_-]{32,}"
    r"|\bAIza[\w-]{30,}|\bglpat-[\w-]{20,}|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}|\bnpm_[A-Za-z0-9]{36}\b|\bpypi-AgEI\w{20,}|\bhf_[A-Za-z]{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bdop_v1_[0-9a-f]{40,}"
)  # fmt: skip
