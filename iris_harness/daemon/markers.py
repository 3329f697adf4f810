"""Which files decide: manifests, lockfiles' names aside, CI files, version files, devcontainers."""

from __future__ import annotations

import re

from iris_harness.daemon.tree import name_of

_MAX_DEPTH = 4
_NAMES = frozenset(
    """
    package.json pnpm-workspace.yaml lerna.json nx.json turbo.json bunfig.toml deno.json deno.jsonc
    .npmrc .yarnrc .yarnrc.yml .nvmrc .node-version vitest.config.ts vitest.config.js vitest.config.mts
    vite.config.ts vite.config.js jest.config.js jest.config.ts jest.config.cjs .mocharc.json
    .mocharc.yml .mocharc.yaml .mocharc.js .mocharc.cjs karma.conf.js angular.json tsconfig.json
    pyproject.toml setup.py setup.cfg tox.ini tox.toml noxfile.py pytest.ini conftest.py Pipfile
    requirements.txt requirements-dev.txt dev-requirements.txt requirements-test.txt manage.py
    .python-version runtime.txt environment.yml environment.yaml uv.toml poetry.toml
    go.mod go.work .go-version magefile.go Cargo.toml rust-toolchain rust-toolchain.toml clippy.toml
    .clippy.toml Gemfile Rakefile .ruby-version .rspec Appraisals composer.json phpunit.xml
    phpunit.xml.dist phpunit.dist.xml .php-version pom.xml build.gradle build.gradle.kts
    settings.gradle settings.gradle.kts gradle.properties gradle-wrapper.properties
    libs.versions.toml maven-wrapper.properties .java-version .sdkmanrc build.sbt build.properties
    plugins.sbt build.sc build.mill project.clj deps.edn bb.edn shadow-cljs.edn build.xml jvm.config
    global.json Directory.Build.props Directory.Packages.props nuget.config NuGet.config build.ps1
    Build.ps1 build.cake build.fsx mix.exs .formatter.exs rebar.config gleam.toml .tool-versions
    mise.toml .mise.toml config.toml cabal.project stack.yaml package.yaml dune-project dune
    pubspec.yaml melos.yaml analysis_options.yaml .fvmrc fvm_config.json Package.swift
    .swift-version build.zig build.zig.zon .zigversion .zig-version shard.yml .crystal-version
    Project.toml DESCRIPTION NAMESPACE Makefile.PL Build.PL cpanfile dist.ini META.json minil.toml
    .busted .luarc.json elm.json foundry.toml hardhat.config.js hardhat.config.ts lakefile.lean
    lakefile.toml lean-toolchain Makefile makefile GNUmakefile justfile Justfile .justfile
    Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml CMakeLists.txt
    CMakePresets.json meson.build meson_options.txt meson.options configure.ac configure.in
    Makefile.am conanfile.txt conanfile.py vcpkg.json BUILD.bazel MODULE.bazel WORKSPACE .bazelversion
    SConstruct wscript xmake.lua devcontainer.json .devcontainer.json Dockerfile docker-compose.yml
    docker-compose.yaml compose.yml compose.yaml flake.nix shell.nix default.nix devbox.json
    .gitlab-ci.yml .travis.yml azure-pipelines.yml azure-pipelines.yaml appveyor.yml .appveyor.yml
    .cirrus.yml .drone.yml .woodpecker.yml bitbucket-pipelines.yml Jenkinsfile .build.yml
    .gitmodules .env.example .env.sample .env.template Procfile Brewfile apt.txt
    .pre-commit-config.yaml action.yml action.yaml pixi.toml hatch.toml .gvmrc .nycrc
    """.split()  # noqa: SIM905 - a word list is read as words
)
_ENDINGS = re.compile(
    r".*\.(?:gemspec|csproj|fsproj|vbproj|sln|slnx|slnf|cabal|nimble|opam|rockspec)|requirements[\w./-]*\.txt"
)
_CI = re.compile(
    r"\.(?:github|forgejo|gitea)/(?:workflows/[^/]+\.ya?ml|workflows/\.[\w-]+|actions/.+/action\.ya?ml)"
    r"|\.circleci/config\.yml|\.buildkite/[^/]+\.ya?ml|\.woodpecker/[^/]+\.ya?ml|\.azure[\w-]*/.+\.ya?ml"
    r"|\.devcontainer/(?:[^/]+/)?(?:devcontainer\.json|Dockerfile)"
)
_SCRIPT = re.compile(
    r".*(?:/|^)[\w.-]+(?:\.(?:sh|bash|py|rb|pl|ps1|js|mjs|cjs|ts|mk|bats|cmd))|(?:.*/)?[\w-]+"
)


def is_marker(path: str) -> bool:
    """Return whether a file of this path is read when decisions are made."""
    if path.startswith(".") and _CI.fullmatch(path):
        return True
    name = name_of(path)
    if name not in _NAMES and not _ENDINGS.fullmatch(name):
        return False
    return path.count("/") <= _MAX_DEPTH and "/node_modules/" not in f"/{path}"


def is_script(path: str) -> bool:
    """Return whether a tracked file may be a script that a CI file or a target names."""
    return bool(_SCRIPT.fullmatch(path))
