"""Path hints: what a planner that never saw the repository said, and what it is in truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from iris_harness.daemon.hints import HintAnswer, Intent, Kind, Outcome, resolve_hint
from iris_harness.daemon.tree import build_tree, parse_listing
from tests.repo_scores import score_hints
from tests.support import examples

WEB = build_tree(
    [
        "README.md",
        "package.json",
        "docs/conf.py",
        "src/app/layout.tsx",
        "src/components/Footer.tsx",
        "src/components/index.ts",
        "src/pages/index.ts",
        "src/util/Dates.ts",
        "test/Footer.test.tsx",
        "test/pages/dates.test.ts",
        "test/util/dates.test.ts",
    ]
)
GO = build_tree(["go.mod", "main.go", "examples/basic.go", "web/app.ts"])


def ask(
    hint: str,
    *,
    intent: Intent | None = None,
    discovery: Sequence[str] | None = None,
) -> HintAnswer:
    return resolve_hint(hint, WEB, intent=intent, discovery=discovery)


@pytest.mark.parametrize(
    "hint",
    [
        "src/components/Footer.tsx",
        "./src/components/Footer.tsx",
        "src\\components\\Footer.tsx",
        "src//components/./Footer.tsx",
        "src/old/../components/Footer.tsx",
        "  `src/components/Footer.tsx` \n",
        '"src/components/Footer.tsx"',
        "a/src/components/Footer.tsx",
        "src/components/Footer.tsx:12:3",
        "src/components/Footer.tsx#L3-L9",
        "src/components/Footer.tsx::renders",
        "src/components/Footer.tsx, lines 3-9",
        "**src/components/Footer.tsx**",
        "[src/components/Footer.tsx](https://example.org)",
        "[the footer](src/components/Footer.tsx)",
        "`src/components/Footer.tsx`:12",
        "- `src/components/Footer.tsx` (new),",
        'File "src/components/Footer.tsx", line 3',
        "src/components/Footer.tsx:render",
        "src/components/Footer.tsx@main",
        "HEAD~2:src/components/Footer.tsx",
        "modified: src/components/Footer.tsx",
        "src/components/Footer.tsx:3:in `render'",
        "\u200bsrc/components/Footer.tsx!",
    ],
)
def test_wrapping_and_line_numbers_are_no_part_of_a_path(hint: str) -> None:
    assert ask(hint) == HintAnswer(
        outcome=Outcome.EDIT,
        kind=Kind.EXACT,
        path="src/components/Footer.tsx",
        why="it is a tracked file",
    )


@pytest.mark.parametrize(
    ("hint", "path"),
    [
        ("/home/dev/site/src/components/Footer.tsx", "src/components/Footer.tsx"),
        ("C:\\work\\site\\src\\components\\Footer.tsx", "src/components/Footer.tsx"),
        ("file:///srv/site/src/app/layout.tsx", "src/app/layout.tsx"),
        ("https://github.com/me/site/blob/main/src/app/layout.tsx#L4", "src/app/layout.tsx"),
        ("https://gitlab.com/me/site/-/blob/v1/docs/conf.py?x=1", "docs/conf.py"),
    ],
)
def test_only_the_tail_of_somebody_elses_absolute_path_is_matched(hint: str, path: str) -> None:
    answer = ask(hint)
    assert (answer.outcome, answer.path) == (Outcome.EDIT, path)


@pytest.mark.parametrize(
    "hint",
    [
        "",
        "   ",
        "/",
        "../x.py",
        "src/../../site/src/app/layout.tsx",
        ".git/config",
        "src/.GIT/hooks/post-commit",
        "~/.ssh/id_rsa",
        "$HOME/.profile",
        "%USERPROFILE%\\x",
        "src/a\0.py",
        "src/a\nb.py",
        "/etc/passwd",
        "/etc/app/layout.py",
        "src/app/layout.tsx/part.tsx",
        "x" * 5000,
    ],
)
def test_what_is_not_inside_the_repository_is_refused(hint: str) -> None:
    answer = ask(hint, intent=Intent.CREATE, discovery=())
    assert (answer.outcome, answer.path) == (Outcome.REFUSE, None)
    assert answer.why


def test_a_path_that_differs_in_case_only_is_the_tracked_file() -> None:
    answer = ask("src/util/dates.ts", intent=Intent.CREATE, discovery=())
    assert (answer.kind, answer.path) == (Kind.CASE, "src/util/Dates.ts")


def test_the_only_file_of_a_name_is_meant_wherever_the_hint_puts_it() -> None:
    assert ask("app/views/layout.tsx").path == "src/app/layout.tsx"
    assert ask("components/footer.TSX").path == "src/components/Footer.tsx"


def test_of_files_of_one_name_the_one_that_shares_more_folders_is_meant() -> None:
    answer = ask("spec/util/dates.test.ts")
    assert (answer.kind, answer.path) == (Kind.SUFFIX, "test/util/dates.test.ts")


def test_a_tie_stays_open_with_its_candidates() -> None:
    answer = ask("dates.test.ts", intent=Intent.EDIT, discovery=())
    assert (answer.outcome, answer.kind) == (Outcome.UNRESOLVED, Kind.AMBIGUOUS)
    assert answer.candidates == ("test/pages/dates.test.ts", "test/util/dates.test.ts")


def test_a_name_every_project_has_is_not_hijacked_for_a_new_file() -> None:
    new = ask("packages/plugin/README.md", intent=Intent.CREATE, discovery=())
    assert (new.outcome, new.path) == (Outcome.CREATE, "packages/plugin/README.md")
    assert ask("packages/plugin/index.ts", intent=Intent.CREATE, discovery=()).path is not None
    assert ask("packages/plugin/README.md").outcome is Outcome.UNRESOLVED
    assert ask("web/README.md", intent=Intent.EDIT).path == "README.md"
    assert ask("site/components/index.ts").path == "src/components/index.ts"


@pytest.mark.parametrize("hint", ["src/components/Footer.js", "components/Footer.jsx"])
def test_nothing_is_made_beside_its_twin_with_another_extension(hint: str) -> None:
    answer = ask(hint, intent=Intent.CREATE, discovery=())
    assert answer.outcome is Outcome.UNRESOLVED
    assert answer.candidates == ("src/components/Footer.tsx",)


@pytest.mark.parametrize("hint", ["src/app", "src/app/", "new/folder/"])
def test_a_folder_is_no_file_and_is_never_made(hint: str) -> None:
    assert ask(hint, intent=Intent.CREATE, discovery=()).outcome is Outcome.UNRESOLVED


@pytest.mark.parametrize("hint", ["src/components/Foot*.tsx", "src/**/{Footer,Header}.tsx", "Foo*"])
def test_a_pattern_is_the_only_file_that_it_matches(hint: str) -> None:
    assert resolve_hint(hint, build_tree(["a/index.ts", *WEB.paths[:5]])).path == (
        "src/components/Footer.tsx"
    )


@pytest.mark.parametrize(
    ("hint", "candidates"),
    [
        (
            "src/components/Footer.tsx and docs/conf.py",
            ("docs/conf.py", "src/components/Footer.tsx"),
        ),
        ("layout.tsx, Dates.ts", ("src/app/layout.tsx", "src/util/Dates.ts")),
        ("src/**/index.ts", ("src/components/index.ts", "src/pages/index.ts")),
        ("src/**/*.vue", ()),
        ("*a*b*c*d*e*f*g*", ()),
        ("path/to/your/file.ts", ()),
        ("src/...", ()),
        ("src/<name>.ts", ()),
        ("add dark mode to the header", ()),
        ("N/A", ()),
    ],
)
def test_of_what_names_no_single_file_nothing_is_made(
    hint: str, candidates: tuple[str, ...]
) -> None:
    answer = ask(hint, intent=Intent.CREATE, discovery=[])
    assert (answer.outcome, answer.candidates) == (Outcome.UNRESOLVED, candidates)


@pytest.mark.parametrize(
    "listing",
    [
        b"\xef\xbb\xbfsrc/a.ts\r\nsrc/b.ts\r\n",
        "\ufeffsrc/a.ts\r\nsrc/b.ts\r\n".encode("utf-16-le"),
        b"./src/a.ts\n./src/b.ts\n",
        b"src/a.ts\0src/b.ts\0",
    ],
)
def test_a_listing_is_read_however_it_was_written(listing: bytes) -> None:
    assert parse_listing(listing).paths == ("src/a.ts", "src/b.ts")


def test_a_quoted_name_may_hold_letters_that_git_did_not_escape() -> None:
    listing = '"a\\tb/\u00fc.py"\n"caf\\303\\251.py"\n'.encode()
    assert parse_listing(listing).paths == ("a\tb/\u00fc.py", "caf\u00e9.py")


def test_nothing_is_made_before_discovery_ran() -> None:
    assert ask("src/new.ts", intent=Intent.CREATE).outcome is Outcome.UNRESOLVED
    assert ask("src/new.ts", intent=Intent.CREATE, discovery=()).outcome is Outcome.CREATE
    assert ask("src/new.ts", intent=Intent.EDIT, discovery=()).outcome is Outcome.UNRESOLVED


def test_what_discovery_found_counts_only_if_it_is_tracked() -> None:
    assert (
        ask("src/new.ts", discovery=("src/app/layout.tsx", "/etc/x")).path == "src/app/layout.tsx"
    )
    both = ask("src/new.ts", discovery=("docs/conf.py", "src/app/layout.tsx"))
    assert both.candidates == ("docs/conf.py", "src/app/layout.tsx")


@pytest.mark.parametrize(
    ("hint", "outcome", "path"),
    [
        ("examples/advanced.rs", Outcome.CREATE, "examples/advanced.go"),
        ("examples/basic.rs", Outcome.EDIT, "examples/basic.go"),
        ("new/place/tool.py", Outcome.CREATE, "new/place/tool.go"),
        ("web/form.rb", Outcome.CREATE, "web/form.ts"),
        ("web/form.js", Outcome.CREATE, "web/form.js"),  # a language that is there
        ("docs/notes.md", Outcome.CREATE, "docs/notes.md"),
        ("config/app.yaml", Outcome.CREATE, "config/app.yaml"),
        ("scripts/release", Outcome.CREATE, "scripts/release"),
    ],
)
def test_a_new_file_gets_the_language_of_its_surroundings(
    hint: str, outcome: Outcome, path: str
) -> None:
    answer = resolve_hint(hint, GO, intent=Intent.CREATE, discovery=())
    assert (answer.outcome, answer.path) == (outcome, path)


def test_a_listing_may_be_quoted_hostile_and_in_no_encoding() -> None:
    data = b'"caf\\303\\251.py"\nsrc/a.py\r\n/etc/passwd\n../up\n.git/config\n\n\xff\xfe.py\n'
    tree = parse_listing(data)
    assert tree.paths == ("café.py", "src/a.py", "\ufffd\ufffd.py")
    assert parse_listing(b"a\nb.py\0c.py\0").paths == ("c.py",)


@given(
    st.text(max_size=60) | st.text("./\\~:#ab", max_size=20),
    st.lists(st.text("ab./\n\0~", max_size=9)),
)
@hypothesis_settings(max_examples=examples(200))
def test_any_hint_against_any_listing_gets_an_answer_inside_it(hint: str, paths: list[str]) -> None:
    tree = build_tree(paths)
    answer = resolve_hint(hint, tree, intent=Intent.CREATE, discovery=())
    if answer.outcome is Outcome.EDIT:
        assert answer.path in tree.files
    if answer.outcome is Outcome.CREATE:
        assert answer.path is not None
        assert answer.path not in tree.files
        assert not answer.path.startswith("/")
        assert ".." not in answer.path.split("/")
    assert set(answer.candidates) <= tree.files


@pytest.mark.corpus
def test_the_collected_hints_reach_the_bar(corpus: Path) -> None:
    score = score_hints(corpus)
    assert score.share >= 0.97, score.wrong
