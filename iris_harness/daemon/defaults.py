"""How each ecosystem runs its tests when neither CI nor a task runner says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from iris_harness.daemon.ecosystems import Ecosystem, has_tests
from iris_harness.daemon.evidence import Evidence
from iris_harness.daemon.packages import find_node_manager, find_python_manager
from iris_harness.daemon.targets import in_folder, load_json, load_toml, make_targets, table

CMAKE = "cmake -S . -B build && cmake --build build && ctest --test-dir build"
MESON = "meson setup build && meson compile -C build && meson test -C build"


def default_command(evidence: Evidence, ecosystem: Ecosystem) -> str | None:
    """Return the usual test command of an ecosystem, to be run in its folder; None without tests."""
    if not has_tests(evidence, ecosystem.name, ecosystem.folder):
        return None
    make = _DEFAULTS.get(ecosystem.name)
    return make(evidence, ecosystem) if make else _FIXED.get(ecosystem.name)


_FIXED: Mapping[str, str] = {
    "go": "go test ./...", "dotnet": "dotnet test", "elixir": "mix test", "gleam": "gleam test",
    "ocaml": "dune runtest", "dart": "dart test", "flutter": "flutter test", "swift": "swift test",
    "zig": "zig build test", "crystal": "crystal spec", "nim": "nimble test", "lua": "busted",
    "julia": "julia --project -e 'using Pkg; Pkg.test()'", "elm": "elm-test", "lean": "lake test",
    "solidity": "forge test", "scala": "sbt test", "clojure": "lein test",
}  # fmt: skip


def _rust(evidence: Evidence, ecosystem: Ecosystem) -> str:
    tables = load_toml(evidence, ecosystem.marker)
    return "cargo test --workspace" if "workspace" in tables else "cargo test"


def _node(evidence: Evidence, ecosystem: Ecosystem) -> str | None:
    manager = find_node_manager(evidence, ecosystem.folder)
    scripts = table(load_json(evidence, ecosystem.marker), "scripts")
    name = manager.name if manager else "npm"
    if "test" in scripts:
        # The task runner's rule has read it; where it only watches, its program runs once without.
        return _once(str(scripts["test"]), manager.run if manager else "npx")
    if name == "bun" and not scripts.get("test"):
        return "bun test"
    workspace = "workspaces" in load_json(evidence, ecosystem.marker) or evidence.has(
        in_folder(ecosystem.folder, "pnpm-workspace.yaml")
    )
    tested = [
        path for path in evidence.read("package.json")
        if "/" in path and "test" in table(load_json(evidence, path), "scripts")
    ]  # fmt: skip
    if workspace and tested:
        yarn = (
            "yarn workspaces foreach -A run test"
            if evidence.has(".yarnrc.yml")
            else "yarn workspaces run test"
        )
        return {"pnpm": "pnpm -r test", "yarn": yarn, "bun": "bun run --filter '*' test"}.get(
            name, "npm test --workspaces --if-present"
        )
    return None


def _once(script: str, run: str) -> str | None:
    found = re.fullmatch(
        r"(?:npx )?(jest|vitest|mocha|ava|tap)\b.*--watch(?:All)?(?!\S*false)\b.*", script
    )
    if found is None:
        return None
    return f"{run} {found[1]}{' run' if found[1] == 'vitest' else ''}"


def _deno(evidence: Evidence, ecosystem: Ecosystem) -> str:
    del evidence, ecosystem
    return "deno test"


def _python(evidence: Evidence, ecosystem: Ecosystem) -> str | None:
    folder = ecosystem.folder
    manager = find_python_manager(evidence, folder)
    run = f"{manager.run} " if manager and manager.run else ""
    texts = " ".join(
        evidence.text(path)
        for path in evidence.texts
        if re.search(
            r"(?:requirements[\w./-]*\.txt|\.toml|\.cfg|\.ini|setup\.py|Pipfile|conftest\.py|\.ya?ml)$",
            path,
        )
    )
    pytest = bool(re.search(r"\bpytest\b", texts)) or any(evidence.named("conftest.py"))
    if evidence.has(in_folder(folder, "manage.py")) and not pytest:
        return f"{run}python manage.py test"
    if evidence.has(in_folder(folder, "tox.ini")) and not pytest:
        return "tox"
    if pytest:
        return f"{run}pytest"
    return (
        f"{run}python -m unittest discover"
        if _has_package_tests(evidence, folder)
        else f"{run}pytest"
    )


def _has_package_tests(evidence: Evidence, folder: str) -> bool:
    """Return whether unittest finds the tests by itself: they lie in a package or at the root."""
    tests = [in_folder(folder, name) for name in ("tests/__init__.py", "test/__init__.py")]
    return evidence.first(*tests) is not None


def _ruby(evidence: Evidence, ecosystem: Ecosystem) -> str:
    folder = ecosystem.folder
    prefix = in_folder(folder, "spec/")
    specs = any(
        path.startswith(prefix) and path.endswith("_spec.rb") for path in evidence.tree.paths
    )
    if evidence.has(in_folder(folder, "bin/rails")) and not specs:
        return "bin/rails test"
    run = "bundle exec " if evidence.first(in_folder(folder, "Gemfile")) else ""
    if specs:
        return f"{run}rspec"
    return f"{run}rake test"


def _php(evidence: Evidence, ecosystem: Ecosystem) -> str | None:
    package = load_json(evidence, ecosystem.marker)
    wanted = {**table(package, "require-dev"), **table(package, "require")}
    if evidence.has(in_folder(ecosystem.folder, "artisan")):
        return "php artisan test"
    if "pestphp/pest" in wanted:
        return "vendor/bin/pest"
    configured = evidence.first(
        *(
            in_folder(ecosystem.folder, n)
            for n in ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
        )
    )
    if "phpunit/phpunit" in wanted or configured:
        return "vendor/bin/phpunit"
    return "vendor/bin/simple-phpunit" if "symfony/phpunit-bridge" in wanted else None


def _java(evidence: Evidence, ecosystem: Ecosystem) -> str:
    folder = ecosystem.folder
    if ecosystem.marker.endswith("pom.xml"):
        return "./mvnw test" if evidence.has(in_folder(folder, "mvnw")) else "mvn test"
    if ecosystem.marker.endswith("build.xml"):
        return "ant test"
    return "./gradlew test" if evidence.has(in_folder(folder, "gradlew")) else "gradle test"


def _scala(evidence: Evidence, ecosystem: Ecosystem) -> str:
    if ecosystem.marker.endswith("build.sbt"):
        return "sbt test"
    return "./mill __.test" if evidence.has("mill") else "mill __.test"


def _clojure(evidence: Evidence, ecosystem: Ecosystem) -> str:
    if ecosystem.marker.endswith("project.clj"):
        return "lein test"
    alias = re.search(
        r":test\b[^{]*\{.*?:(exec-fn|main-opts)", evidence.text(ecosystem.marker), re.DOTALL
    )
    return "clojure -M:test" if alias and alias[1] == "main-opts" else "clojure -X:test"


def _haskell(evidence: Evidence, ecosystem: Ecosystem) -> str:
    del ecosystem
    return (
        "stack test"
        if evidence.has("stack.yaml") and not evidence.has("cabal.project")
        else "cabal test all"
    )


def _erlang(evidence: Evidence, ecosystem: Ecosystem) -> str:
    del ecosystem
    suites = any(path.endswith("_SUITE.erl") for path in evidence.tree.paths)
    return "rebar3 ct" if suites else "rebar3 eunit"


def _dotnet(evidence: Evidence, ecosystem: Ecosystem) -> str:
    solutions = [
        path for path in evidence.tree.paths if path.endswith((".sln", ".slnx")) and "/" not in path
    ]
    del ecosystem
    return f"dotnet test {solutions[0]}" if len(solutions) > 1 else "dotnet test"


def _julia(evidence: Evidence, ecosystem: Ecosystem) -> str:
    del evidence, ecosystem
    return _FIXED["julia"]


def _r(evidence: Evidence, ecosystem: Ecosystem) -> str:
    testthat = any(
        path.startswith(in_folder(ecosystem.folder, "tests/testthat/"))
        for path in evidence.tree.paths
    )
    return "Rscript -e 'testthat::test_local()'" if testthat else "R CMD check ."


def _perl(evidence: Evidence, ecosystem: Ecosystem) -> str:
    if evidence.has(in_folder(ecosystem.folder, "Build.PL")):
        return "perl Build.PL && ./Build && ./Build test"
    if evidence.has(in_folder(ecosystem.folder, "Makefile.PL")):
        return "perl Makefile.PL && make && make test"
    return "prove -lr t"


def _shell(evidence: Evidence, ecosystem: Ecosystem) -> str | None:
    del ecosystem
    tests = [path for path in evidence.tree.paths if path.endswith(".bats")]
    if not tests:
        return None
    folder = tests[0].partition("/")[0] if "/" in tests[0] else "."
    own = evidence.first("bin/bats", "test/bats/bin/bats", "test/libs/bats/bin/bats")
    deep = any("/" in test.partition("/")[2] for test in tests)
    return f"{own or 'bats'} {'-r ' if deep else ''}{folder}"


def _c(evidence: Evidence, ecosystem: Ecosystem) -> str | None:
    return compose(evidence, ecosystem.folder) or _test_program(evidence, ecosystem.folder)


def compose(evidence: Evidence, folder: str) -> str | None:
    """Return the whole way from a clean checkout to the tests of a build system; None without one."""
    places = list(dict.fromkeys((folder, "")))
    for place in places:
        if evidence.has(in_folder(place, "meson.build")):
            return MESON
        if evidence.has(in_folder(place, "CMakeLists.txt")):
            return _cmake(evidence, in_folder(place, "CMakeLists.txt"))
        autotools = _autotools(evidence, place)
        if autotools:
            return autotools
        if evidence.has(in_folder(place, "Makefile.PL")):
            return "perl Makefile.PL && make && make test"
        if evidence.has(in_folder(place, "Build.PL")):
            return "perl Build.PL && ./Build && ./Build test"
    return None


def _cmake(evidence: Evidence, path: str) -> str:
    """Return CMake's way; an option that builds the tests and is off by default is switched on."""
    off = re.search(
        r"^\s*(?:option|cmake_dependent_option)\s*\(\s*(\w*(?:BUILD|ENABLE|WITH)\w*TEST\w*|\w*TESTS?(?:_ENABLED)?)\s+\"[^\"]*\"\s+(?:OFF|\$\{)",
        evidence.text(path), re.MULTILINE | re.IGNORECASE,
    )  # fmt: skip
    option = f" -D{off[1]}=ON" if off else ""
    return f"cmake -S . -B build{option} && cmake --build build && ctest --test-dir build"


def _autotools(evidence: Evidence, folder: str) -> str | None:
    has = {
        name
        for name in (
            "configure",
            "configure.ac",
            "configure.in",
            "autogen.sh",
            "bootstrap",
            "bootstrap.sh",
            "buildconf",
        )
        if evidence.has(in_folder(folder, name))
    }
    if not has & {"configure", "configure.ac", "configure.in"}:
        return None
    start = ""
    if "configure" not in has:
        script = next(
            (
                name
                for name in ("autogen.sh", "bootstrap", "bootstrap.sh", "buildconf")
                if name in has
            ),
            None,
        )
        start = f"./{script} && " if script else "autoreconf -fi && "
    target = (
        "test"
        if re.search(r"^test\s*:", evidence.text(in_folder(folder, "Makefile.in")), re.MULTILINE)
        else "check"
    )
    return f"{start}./configure && make && make {target}"


def _test_program(evidence: Evidence, folder: str) -> str | None:
    """Return how to build and run the test program that a makefile builds but does not run."""
    for name, target in make_targets(evidence, folder).items():
        linked = re.search(rf"-o\s+(?:\$@|{re.escape(name)}\b)", " ".join(target.body))
        if (
            linked
            and re.search(r"(?:^|[-_])tests?(?:$|[-_])|^tests?\w*$", name)
            and "/" not in name
        ):
            return f"make {name} && ./{name}"
    return None


_DEFAULTS: Mapping[str, Callable[[Evidence, Ecosystem], str | None]] = {
    "rust": _rust, "node": _node, "bun": _node, "deno": _deno, "python": _python, "ruby": _ruby,
    "php": _php, "java": _java, "scala": _scala, "clojure": _clojure, "haskell": _haskell,
    "erlang": _erlang, "dotnet": _dotnet, "julia": _julia, "r": _r, "perl": _perl, "shell": _shell, "c": _c,
}  # fmt: skip
