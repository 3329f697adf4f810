"""A model edits, the repository's tests decide, and nothing is paid for twice."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.model import Ability, ChatResponse, FinishReason, TokenUsage, ToolCall
from iris_harness.daemon.checkouts import CloneCache, Worktree, add_worktree
from iris_harness.daemon.failures.classify import load_classifier
from iris_harness.daemon.gather import read_evidence
from iris_harness.daemon.inspection import inspect_repository
from iris_harness.daemon.loop import Budget, EditorCommand, Ending, Journal, Worker, WorkerResult
from iris_harness.daemon.provisioning import Machine, Provisioner
from iris_harness.daemon.runner import Project
from iris_harness.daemon.sandbox import Engines, Limits, Places, open_sandbox
from iris_harness.errors import JournalError
from iris_harness.jobs.values import WorkerSpec
from iris_harness.llm.metering import Price
from iris_harness.testing import ScriptedModel

WRONG = "def add(a, b):\n    return a - b\n"
TEST = (
    "import unittest\nimport calc\n\n\nclass T(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"
)
FILES = {"calc.py": WRONG, "test_calc.py": TEST, "README.md": "# calc\n"}
COMMAND = "python3 -m unittest"
CHECKED = "python3 -c \"assert '+' in open('{}').read(); print('1 passed')\""


def call(name: str, **arguments: str) -> ChatResponse:
    return ChatResponse(
        text="",
        finish_reason=FinishReason.TOOL_CALLS,
        usage=TokenUsage(prompt_tokens=10, completion_tokens=5),
        tool_calls=(ToolCall(id=f"c-{name}", name=name, arguments=json.dumps(arguments)),),
    )


def says(text: str) -> ChatResponse:
    usage = TokenUsage(prompt_tokens=10, completion_tokens=5)
    return ChatResponse(text=text, finish_reason=FinishReason.STOP, usage=usage)


MEND = call("edit", path="calc.py", old="a - b", new="a + b")
DONE = call("finish", summary="Add adds.")


class Bench:
    """A repository, and workers on it."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder = folder
        self.origin = folder / "origin"
        for name, text in files.items():
            (self.origin / name).parent.mkdir(parents=True, exist_ok=True)
            (self.origin / name).write_text(text, encoding="utf-8")
        self._git("init", "-q")
        self.commit()

    def commit(self) -> None:
        self._git("add", ".")
        self._git("commit", "-q", "-m", "more")
        self.clone = CloneCache(self.folder / "clones").open(self.origin.as_uri())

    def _git(self, *words: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        command = ["/usr/bin/env", "git", *identity, *words]
        subprocess.run(command, cwd=self.origin, check=True)

    def worktree(self) -> Worktree:
        place = self.folder / "job" / "tree"
        return add_worktree(self.clone, place, "iris/j/w", self.clone.find_commit(None))

    def run(
        self,
        model: ScriptedModel | EditorCommand,
        *,
        file: str | None = "calc.py",
        budget: Budget | None = None,
        command: str = COMMAND,
        cancelled: Callable[[], bool] = lambda: False,
        seconds: float = 60,
        price: Price | None = None,
    ) -> WorkerResult:
        worktree = self.worktree()
        (self.folder / "job" / "home").mkdir(exist_ok=True)
        evidence = read_evidence(worktree.folder)
        project = Project(
            evidence=evidence,
            report=inspect_repository(evidence, command),
            sandbox=open_sandbox("bubblewrap", SystemClock()),
            places=Places(checkout=worktree.folder, home=self.folder / "job" / "home"),
            classifier=load_classifier(),
            machine=Machine.here(),
            limits=Limits(seconds=seconds, free_bytes=0),
            provisioner=Provisioner((), ()),
            engines=Engines(()),
        )
        spec = WorkerSpec(
            id="j-w", task="make add add", job_task="make add add", file=file, files=(), model="",
            test_cmd=None, depends_on=(), repo_url=self.clone.url, ref="", job_id="j",
        )  # fmt: skip
        journal = Journal(self.journal)
        try:
            worker = Worker(spec, project, worktree, model, journal, price)
            return worker.run(budget or Budget(), SystemClock(), cancelled)
        finally:
            journal.close()

    @property
    def journal(self) -> Path:
        return self.folder / "job" / "journal.jsonl"

    def show(self, commit: str | None, path: str) -> str:
        assert commit is not None
        return self.clone.git.run("show", f"{commit}:{path}")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, FILES)


def test_a_bug_is_mended_and_the_proof_is_a_commit(bench: Bench) -> None:
    result = bench.run(ScriptedModel([call("read", path="calc.py"), MEND, DONE]))
    assert result.ending is Ending.DONE, result
    assert result.changed == ("calc.py",)
    assert bench.show(result.commit, "calc.py") == "def add(a, b):\n    return a + b"
    assert result.summary == "Add adds."
    assert (result.attempts, result.usage.prompt_tokens, result.confined) == (1, 30, True)


def test_what_fails_goes_back_to_the_model(bench: Bench) -> None:
    wrong = call("edit", path="calc.py", old="a - b", new="a * b")
    right = call("edit", path="calc.py", old="a * b", new="a + b")
    model = ScriptedModel([wrong, DONE, right, DONE])
    result = bench.run(model)
    assert (result.ending, result.attempts) == (Ending.DONE, 2)
    told = model.requests[2].messages[-1].content
    assert "AssertionError: 2 != 3" in told


def test_a_test_that_is_weakened_is_no_proof(bench: Bench) -> None:
    weaker = call(
        "edit",
        path="test_calc.py",
        old="        self.assertEqual(calc.add(1, 2), 3)\n",
        new="        pass\n",
    )
    model = ScriptedModel([weaker, DONE, DONE, DONE])
    result = bench.run(model, budget=Budget(attempts=3))
    assert result.ending is Ending.NOT_DONE
    assert "1 assertions fewer" in result.why
    assert result.commit is None


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("pytest.ini", "[pytest]\naddopts = --deselect x\n", "decides how the work is tested"),
        ("keys.py", "KEY = 'AKIAABCDEFGHIJKLMNOP'\n", "looks like a secret"),
        ("test_more.py", "import os\nos._exit(0)\n", "ends the tests by itself"),
        (
            "test_skip.py",
            "import unittest\n@unittest.skip('x')\nclass T: pass\n",
            "turns a check off",
        ),
    ],
)
def test_what_makes_the_proof_worth_less_is_refused(
    bench: Bench, path: str, content: str, said: str
) -> None:
    model = ScriptedModel([MEND, call("create", path=path, content=content), DONE])
    result = bench.run(model, budget=Budget(attempts=1))
    assert result.ending is Ending.NOT_DONE
    assert said in result.why


def test_a_change_of_nothing_is_not_done(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FILES | {"calc.py": "def add(a, b):\n    return a + b\n"})
    result = bench.run(ScriptedModel([DONE]), budget=Budget(attempts=1))
    assert (result.ending, result.why) == (Ending.NOT_DONE, "after 1 attempts nothing was changed")


def test_a_file_that_may_be_several_ends_before_anything_is_run_or_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FILES | {"a/store.py": "", "b/store.py": ""})
    model = ScriptedModel([])
    result = bench.run(model, file="store.py")
    assert result.ending is Ending.UNRESOLVED
    assert "a/store.py, b/store.py" in result.why
    assert model.requests == []


@pytest.mark.parametrize(
    ("files", "hint", "meant"),
    [
        ({"go.mod": "module x\n", "cmd/calc.go": WRONG}, "cmd/calc.rs", "cmd/calc.go"),
        ({"src/calc.py": WRONG}, "app/src/calc.py", "src/calc.py"),
        ({"src/calc.py": WRONG}, "src/Calc.py", "src/calc.py"),
        ({"src/calc.py": WRONG}, "/home/ada/project/src/calc.py:12", "src/calc.py"),
        ({"src/calc.py": WRONG}, "src", "src/"),
    ],
)
def test_a_hint_that_is_nearly_right_is_put_right(
    tmp_path: Path, files: dict[str, str], hint: str, meant: str
) -> None:
    bench = Bench(tmp_path, files)
    path = list(files)[-1]
    script = [call("edit", path=path, old="a - b", new="a + b"), DONE]
    if hint.endswith(".rs"):
        script.insert(0, says('{"file": ""}'))
    model = ScriptedModel(script, abilities=[Ability.TOOLS, Ability.JSON_SCHEMA])
    result = bench.run(model, file=hint, command=CHECKED.format(path))
    assert result.ending is Ending.DONE, result
    assert f"It is about: {meant}\n" in model.requests[-1].messages[1].content


def test_what_no_rule_finds_a_model_looks_for_after_the_tests_ran(bench: Bench) -> None:
    model = ScriptedModel(
        [says('{"file": "sums.py"}'), says('{"file": "calc.py"}'), MEND, DONE],
        abilities=[Ability.TOOLS, Ability.JSON_SCHEMA],
    )
    result = bench.run(model, file="src/adder.py")
    assert result.ending is Ending.DONE
    assert "src/adder.py" in model.requests[0].messages[1].content
    assert "sums.py is not in the list" in model.requests[1].messages[-1].content
    assert "It is about: calc.py\n" in model.requests[2].messages[1].content


def test_what_is_nowhere_is_made_where_it_was_said(bench: Bench) -> None:
    made = call("create", path="sums/add.py", content="from calc import add\n")
    model = ScriptedModel(
        [says('{"file": ""}'), made, MEND, DONE], abilities=[Ability.TOOLS, Ability.JSON_SCHEMA]
    )
    result = bench.run(model, file="sums/add.py")
    assert result.changed == ("calc.py", "sums/add.py")
    assert "To be made: sums/add.py" in model.requests[1].messages[1].content


def test_a_file_is_never_made_beside_its_twin(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FILES | {"Footer.tsx": "x"})
    twin = call("create", path="Footer.jsx", content="y")
    model = ScriptedModel([twin, MEND, DONE])
    assert bench.run(model).changed == ("calc.py",)
    assert "Footer.tsx is the same" in model.requests[1].messages[-1].content
    none = ScriptedModel([says('{"file": ""}')], abilities=[Ability.TOOLS, Ability.JSON_SCHEMA])
    bench.journal.unlink()
    result = bench.run(none, file="Footer.jsx")
    assert (result.ending, result.can_do) == (Ending.UNRESOLVED, "name one of them")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "python3 -c \"import urllib.request as r; r.urlopen('https://example.org')\"",
            "resolution",
        ),
        ("sleep 100", "took longer than 2 s"),
    ],
)
def test_tests_that_cannot_be_won_cost_nothing(bench: Bench, command: str, said: str) -> None:
    model = ScriptedModel([])
    result = bench.run(model, command=command, seconds=2)
    assert result.ending is Ending.IMPOSSIBLE
    assert said in result.why
    assert (model.requests, result.usage.prompt_tokens) == ([], 0)


def test_money_is_bounded_where_the_price_is_known_and_only_there(bench: Bench) -> None:
    budget = Budget(money=Decimal("0.0001"))
    price = Price(input_per_million=Decimal(1), output_per_million=Decimal(20), currency="EUR")
    model = ScriptedModel([call("read", path="calc.py"), MEND, DONE])
    result = bench.run(model, budget=budget, price=price)
    assert (result.ending, result.why) == (Ending.BUDGET, "0.0001 EUR are used up")
    assert len(model.requests) == 1
    unknown = bench.run(ScriptedModel([]), budget=budget)
    assert "is not known" in unknown.why


def test_tests_that_cannot_run_cost_nothing(bench: Bench) -> None:
    model = ScriptedModel([])
    result = bench.run(model, command="frobnicate")
    assert result.ending is Ending.IMPOSSIBLE
    assert "frobnicate: command not found" in result.why
    assert (model.requests, result.usage.prompt_tokens) == ([], 0)


def test_a_model_that_goes_in_circles_is_warned_and_then_ended(bench: Bench) -> None:
    model = ScriptedModel([call("read", path="nothing.py")] * 9)
    result = bench.run(model)
    assert result.ending is Ending.STUCK
    assert len(model.requests) == 5
    assert "Do something else" in model.requests[3].messages[-1].content


def test_tokens_that_are_used_up_end_the_work(bench: Bench) -> None:
    model = ScriptedModel([call("grep", pattern=str(n), folder=".") for n in range(50)])
    result = bench.run(model, budget=Budget(tokens=100))
    assert result.ending is Ending.BUDGET
    assert result.usage.prompt_tokens + result.usage.completion_tokens == 105


def test_a_worker_that_is_cancelled_ends(bench: Bench) -> None:
    result = bench.run(ScriptedModel([MEND, DONE]), cancelled=lambda: True)
    assert result.ending is Ending.CANCELLED


@pytest.mark.parametrize("by", ["a model", "a program"])
def test_what_installing_and_testing_leave_behind_is_no_part_of_the_work(
    bench: Bench, tmp_path: Path, by: str
) -> None:
    littering = "touch left; mkdir -p calc.egg-info; touch calc.egg-info/x; echo more >> README.md"
    author: ScriptedModel | EditorCommand = ScriptedModel(
        [call("list", folder="."), MEND, call("run_tests"), DONE]
    )
    if by == "a program":
        author = editor(tmp_path, "sed -i 's/a - b/a + b/' calc.py")
    result = bench.run(author, command=f"{littering}; {COMMAND}")
    assert result.changed == ("calc.py",)
    assert bench.show(result.commit, "README.md") == "# calc"
    if isinstance(author, ScriptedModel):
        listed = author.requests[1].messages[-1].content
        assert "left" not in listed


def test_a_file_that_git_ignores_is_not_made(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FILES | {".gitignore": "*.env\n"})
    model = ScriptedModel([call("create", path="a.env", content="x"), MEND, DONE])
    assert bench.run(model).changed == ("calc.py",)
    assert "git ignores a.env" in model.requests[1].messages[-1].content


def test_tests_that_were_ended_with_their_worker_prove_nothing(bench: Bench) -> None:
    slow = f"sleep 1 && {COMMAND}"
    answers = iter([False])
    ended = bench.run(ScriptedModel([]), command=slow, cancelled=lambda: next(answers, True))
    assert ended.ending is Ending.CANCELLED
    assert bench.run(ScriptedModel([MEND, DONE]), command=slow).ending is Ending.DONE


def test_what_was_paid_for_counts_though_it_was_asked_differently_before(bench: Bench) -> None:
    script = [call("read", path="calc.py"), MEND, DONE]
    first = bench.run(ScriptedModel(script))
    lines = bench.journal.read_bytes().splitlines(keepends=True)
    bench.journal.write_bytes(lines[0])  # an effect that nobody asks for again comes first
    journal = Journal(bench.journal)
    journal.note("of an older version", {})
    journal.close()
    bench.run(ScriptedModel(script))
    again = ScriptedModel([])
    assert bench.run(again).usage == first.usage
    assert again.requests == []


def test_wherever_it_was_killed_it_goes_on_and_pays_for_nothing_twice(bench: Bench) -> None:
    wrong = call("edit", path="calc.py", old="a - b", new="a * b")
    right = call("edit", path="calc.py", old="a * b", new="a + b")
    script = [call("list", folder="."), wrong, call("run_tests"), DONE, right, DONE]
    whole = bench.run(ScriptedModel(script))
    assert whole.ending is Ending.DONE
    lines = bench.journal.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        half = lines[kept][: len(lines[kept]) // 2]  # the line that was being written
        bench.journal.write_bytes(b"".join(lines[:kept]) + half)
        paid = sum(b'"kind": "reply"' in line for line in lines[:kept])
        model = ScriptedModel(script[paid:])
        again = bench.run(model)
        assert (again.ending, again.usage, again.attempts) == (whole.ending, whole.usage, 2)
        assert len(model.requests) == len(script) - paid
        assert bench.show(again.commit, "calc.py") == bench.show(whole.commit, "calc.py")


def test_a_journal_that_was_changed_is_not_believed(bench: Bench) -> None:
    bench.run(ScriptedModel([MEND, DONE]))
    text = bench.journal.read_text(encoding="utf-8")
    bench.journal.write_text(text.replace('"sent": 10', '"sent": 0', 1), encoding="utf-8")
    with pytest.raises(JournalError, match="line 2 "):
        bench.run(ScriptedModel([]))


def test_a_model_without_tools_of_its_own_does_the_same(bench: Bench) -> None:
    said = [
        {"tool": "edit", "arguments": {"path": "calc.py", "old": "a - b", "new": "a + b"}},
        {"tool": "finish", "arguments": {"summary": "Done."}},
    ]
    model = ScriptedModel(map(json.dumps, said), abilities=[])
    assert bench.run(model).ending is Ending.DONE


def test_an_answer_that_cannot_be_read_is_told_and_counted(bench: Bench) -> None:
    right = {"tool": "edit", "arguments": {"path": "calc.py", "old": "a - b", "new": "a + b"}}
    done = {"tool": "finish", "arguments": {"summary": "Done."}}
    script = ["I shall edit it now.", json.dumps(right), json.dumps(done)]
    model = ScriptedModel(script, abilities=[])
    result = bench.run(model)
    assert result.ending is Ending.DONE
    assert "Use the tools." in model.requests[1].messages[-1].content
    assert result.usage.prompt_tokens > 0


def test_no_path_of_a_model_leads_out_of_the_checkout(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a password", encoding="utf-8")
    (bench.origin / "link").symlink_to(secret)
    bench.commit()
    paths = [
        "../../secret",
        str(secret),
        "link",
        ".git/config",
        ".GIT/config",
        "a/../../secret",
        "",
    ]
    calls = [call("read", path=path) for path in paths]
    calls += [call("create", path=path, content="x") for path in paths]
    calls += [call("edit", path=path, old="a", new="b") for path in paths]
    model = ScriptedModel([*calls, MEND, DONE])
    assert bench.run(model).ending is Ending.DONE
    told = [message for message in model.requests[-1].messages if message.role == "tool"]
    assert all(message.content.startswith("error: ") for message in told[: len(calls)])
    assert secret.read_text(encoding="utf-8") == "a password"


@pytest.mark.parametrize(
    ("pattern", "folder", "told"),
    [
        (r"return a\b", ".", "calc.py:2:     return a - b"),
        (r"return a\b", "calc.py", "calc.py:2:     return a - b"),
        ("return a", "nowhere", "nothing matches"),
        ("return a", "../..", "error: "),
        ("(return", ".", "error: this cannot be searched for: "),
        ("(a|aa)+$", "long.txt", "error: this cannot be searched for: "),
        ("password", ".", "nothing matches"),
    ],
)
def test_a_search_is_bounded_and_stays_inside(
    bench: Bench, tmp_path: Path, pattern: str, folder: str, told: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a password", encoding="utf-8")
    (bench.origin / "link").symlink_to(secret)
    (bench.origin / "long.txt").write_text("a" * 60 + "b", encoding="utf-8")
    bench.commit()
    model = ScriptedModel([call("grep", pattern=pattern, folder=folder), MEND, DONE])
    assert bench.run(model).ending is Ending.DONE
    answer = next(m.content for m in model.requests[-1].messages if m.role == "tool")
    assert answer.startswith(told)


def editor(tmp_path: Path, script: str) -> EditorCommand:
    program = tmp_path / "tools" / "edit"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return EditorCommand(words=(str(program), "--task={task}"), readable=(program.parent,))


def test_a_program_of_the_users_may_edit_and_is_proved_like_all(
    bench: Bench, tmp_path: Path
) -> None:
    ran = editor(tmp_path, """
task="${1#--task=}"
grep -q "The task: make add add" "$task" || exit 9
if grep -q "AssertionError: 2 != 3" "$task"
then sed -i 's/a . b/a + b/' calc.py
else sed -i 's/a - b/a * b/' calc.py
fi
echo Done.
""")  # fmt: skip
    result = bench.run(ran)
    assert (result.ending, result.summary, result.changed) == (Ending.DONE, "Done.", ("calc.py",))
    assert (result.attempts, result.usage.prompt_tokens) == (2, 0)
    (tmp_path / "tools" / "edit").write_text("exit 9\n", encoding="utf-8")
    again = bench.run(ran)  # what it did is kept: it is not started again
    assert bench.show(again.commit, "calc.py") == bench.show(result.commit, "calc.py")


def test_a_program_that_edits_sees_nothing_else_of_the_users(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a password", encoding="utf-8")
    ran = editor(tmp_path, f"cat {tmp_path}/secret && sed -i 's/a - b/a + b/' calc.py")
    result = bench.run(ran)
    assert result.ending is Ending.MODEL
    assert "No such file" in result.why


def test_what_a_program_costs_is_not_bounded_by_money(bench: Bench, tmp_path: Path) -> None:
    result = bench.run(editor(tmp_path, "true"), budget=Budget(money=Decimal(1)))
    assert (result.ending, result.can_do) == (
        Ending.MODEL, "take `money` out of jobs.budget; it has to keep within it itself",
    )  # fmt: skip
