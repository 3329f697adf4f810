"""What makes the proof of a change worth less, and what does not."""

from __future__ import annotations

import time

import pytest

from iris_harness.daemon.loop.review import Change, find_complaints

CHECK = "    assert calc.add(1, 2) == 3\n"
PYTHON = "import calc\n\ndef test_add():\n" + CHECK
SCRIPT = "import { add } from './calc';\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"
PACKAGE = '{"scripts": {"test": "jest", "unit": "jest unit", "build": "tsc"}, "jest": {}}'
PROJECT = '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-ra"\n'


def complaints(path: str, before: str | None, after: str | None, command: str = "") -> str:
    return "; ".join(find_complaints([Change(path=path, before=before, after=after)], [], command))


@pytest.mark.parametrize(
    "after",
    [
        PYTHON.replace("assert calc.add(1, 2) == 3", "assert True"),
        PYTHON.replace("assert calc.add(1, 2) == 3", "assert 1 == 1"),
        PYTHON.replace("assert calc.add(1, 2) == 3", "assert (True, calc.add(1, 2) == 3)"),
        PYTHON.replace("assert calc", "# assert_calc").replace("# assert_calc", "print(calc") + ")",
        PYTHON.replace("def test_add", "def _test_add"),
        PYTHON.replace("():\n    assert", "(): return\n    assert"),
        PYTHON.replace("    assert", "    if False:\n        assert"),
        PYTHON.replace(CHECK, f"    try:\n    {CHECK}    except AssertionError:\n        pass\n"),
        PYTHON.replace("    assert", "    with contextlib.suppress(AssertionError): assert"),
        "import pytest\npytestmark = pytest.mark.skip\n" + PYTHON,
        "import pytest\npytest.importorskip('nothing')\n" + PYTHON,
        "__test__ = False\n" + PYTHON,
        PYTHON.replace("    assert", "    pytest.xfail('later')\n    assert"),
        PYTHON.replace("    assert", "    os._exit(0)\n    assert"),
        PYTHON.replace("    assert", "    os.kill(os.getppid(), 9)\n    assert"),
        "",
        None,
    ],
)  # fmt: skip
def test_a_python_test_that_proves_less_is_noticed(after: str | None) -> None:
    assert complaints("tests/test_calc.py", PYTHON, after)


@pytest.mark.parametrize(
    "after",
    [
        SCRIPT.replace("it(", "it.skip("),
        SCRIPT.replace("it(", "it.failing("),
        SCRIPT.replace("it(", "xit("),
        SCRIPT.replace("it('adds', () => {", "it('adds', { skip: true }, () => {"),
        SCRIPT.replace("it('adds'", "it.only('other', () => {});\nit('adds'"),
        SCRIPT.replace("expect(add(1, 2)).toBe(3)", "expect(true).toBe(true)"),
        SCRIPT.replace("expect(add(1, 2)).toBe(3);", ""),
        SCRIPT.replace("  expect", "  try { expect").replace("(3);", "(3); } catch (e) {}"),
        SCRIPT.replace("  expect", "  process.exit(0);\n  expect"),
        "/* istanbul ignore file */\n" + SCRIPT,
    ],
)
def test_a_test_in_javascript_that_proves_less_is_noticed(after: str) -> None:
    assert complaints("src/calc.test.ts", SCRIPT, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a_test.go", "func TestA(t *testing.T) {\n", "func TestA(t *testing.T) {\n t.SkipNow()\n"),
        ("a_test.go", "package a\n", "//go:build ignore\n\npackage a\n"),
        ("tests/a.rs", "#[test]\nfn a() {", "#[test]\n#[should_panic]\nfn a() {"),
        ("src/lib.rs", "#[test]\nfn a() {", "#[test]\n#[ignore]\nfn a() {"),
        ("src/test/java/ATest.java", "@Test void a()", "@Test @Disabled void a()"),
        ("src/test/java/ATest.java", "assertEquals(3, add(1, 2));", "assertTrue(true);"),
        ("tests/ATests.cs", "[Fact] void A()", '[Fact(Skip = "x")] void A()'),
        ("tests/ATests.cs", "Assert.Equal(3, Add(1, 2));", "Assert.True(true);"),
        ("spec/a_spec.rb", "it 'adds' do", "xit 'adds' do"),
        ("spec/a_spec.rb", "it 'adds' do\n", "it 'adds' do\n  skip 'later'\n"),
        ("spec/a_spec.rb", "expect(add(1, 2)).to eq(3)", "expect(true).to eq(true)"),
        ("tests/ATest.php", "function testA() {", "function testA() { markTestIncomplete();"),
        ("test/a_test.exs", 'test "a" do', '@tag :skip\n  test "a" do'),
        ("Tests/ATests.swift", "func testA() {", "func testA() throws { throw XCTSkip()"),
        ("test/a_test.cc", "TEST(A, B) {", "TEST(A, DISABLED_B) {"),
        ("test/a_test.cc", "EXPECT_EQ(3, Add(1, 2));", "EXPECT_TRUE(true);"),
        ("pom.xml", "<x/>", "<skipTests>true</skipTests>"),
        ("pyproject.toml", PROJECT, PROJECT.replace("-ra", "-ra --deselect x")),
        ("pyproject.toml", PROJECT, PROJECT + "[tool.coverage.report]\nfail_under = 1\n"),
        ("package.json", PACKAGE, PACKAGE.replace('"test": "jest"', '"test": "true"')),
        ("package.json", PACKAGE, PACKAGE.replace("jest unit", "true")),
        ("package.json", PACKAGE, PACKAGE.replace('"jest": {}', '"jest": {"bail": 1}')),
        ("package.json", PACKAGE, PACKAGE.replace('"build"', '"pretest": "x", "build"')),
        ("vite.config.ts", "a", "b"),
        ("karma.conf.js", "a", "b"),
        ("GNUmakefile", None, "test:\n\ttrue\n"),
        ("pytest.py", None, "print('3 passed in 0.1s')\n"),
        ("sitecustomize.py", None, "import os\n"),
        (".gitea/workflows/ci.yml", "a", "b"),
    ],
)  # fmt: skip
def test_in_every_language_and_setting_it_is_noticed(
    path: str, before: str | None, after: str
) -> None:
    assert complaints(path, before, after)


def test_a_script_that_the_test_command_runs_is_a_setting() -> None:
    command = "sh ./scripts/check.sh --all && python tools/run.py"
    assert complaints("scripts/check.sh", "pytest\n", "true\n", command)
    assert complaints("tools/run.py", "a = 1\n", "a = 2\n", command)
    assert not complaints("tools/walk.py", "a = 1\n", "a = 2\n", command)
    assert not complaints("calc.py", "a = 1\n", "a = 2\n", "python calc.py")
    change = Change(path="ci/run.sh", before="a", after="b")
    assert find_complaints([change], ["ci/"], "sh ci/run.sh") == ()


def test_a_link_out_of_the_repository_and_a_repository_in_it_are_noticed() -> None:
    found = find_complaints([Change(path="a", before=None, after="/etc", leaves=True)], [])
    assert "leads out of the repository" in found[0]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("src/take.rs", "a.iter()", "a.iter().skip(2)"),
        ("src/main/java/A.java", "s", "s.stream().skip(1)"),
        ("model.py", "m = Model()\n", "m = Model()\nm.fit(x, y)\n"),
        ("src/form.ts", "", "const pending = (x) => x; pending(1); xit; skip: true"),
        ("src/cli.py", "", "import sys\nsys.exit(0)\n"),
        ("src/io.py", "", "try:\n    f()\nexcept Exception:\n    pass\n"),
        ("tests/test_calc.py", PYTHON, PYTHON + "def test_more():\n" + CHECK),
        ("tests/test_calc.py", PYTHON, PYTHON.replace("== 3", "== 4")),
        ("src/calc.test.ts", SCRIPT, SCRIPT.replace("adds", "adds numbers")),
        ("package.json", PACKAGE, PACKAGE.replace('"build"', '"docs": "typedoc", "build"')),
        ("package.json", PACKAGE, PACKAGE.replace('"scripts"', '"version": "2.0.0", "scripts"')),
        ("pyproject.toml", PROJECT, PROJECT.replace('"a"', '"a"\ndependencies = ["rich"]')),
        ("src/attest.py", "", "def attestation():\n    return contest()\n"),
    ],
)  # fmt: skip
def test_ordinary_work_is_no_matter(path: str, before: str, after: str) -> None:
    assert not complaints(path, before, after)


def test_tests_may_move_between_files() -> None:
    moved = [
        Change(path="tests/test_all.py", before=PYTHON, after="import calc\n"),
        Change(path="tests/test_calc.py", before=None, after=PYTHON),
    ]
    assert find_complaints(moved, []) == ()


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", ["assert ", "except ", "expect(true) ", "def test(", "'\"", "catch (", "eyJ.", " \n"]
)
def test_a_hostile_file_is_looked_at_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    complaints("tests/test_a.py", "", piece * (200_000 // len(piece)))
    assert time.process_time() - started < 10
