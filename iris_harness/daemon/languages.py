"""What a file's extension says about its language, for hints and for the choice of a runtime."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from iris_harness.daemon.tree import Tree, folder_of, name_of

# extension -> language. Only extensions that name one language to everybody; .h, .m, .v, .pl, .d
# and their like mean several things and are never taken for a mistake.
_LANGUAGE_OF = {
    "py": "python", "pyi": "python", "rs": "rust", "go": "go", "rb": "ruby", "java": "java",
    "kt": "kotlin", "kts": "kotlin", "scala": "scala", "groovy": "groovy", "clj": "clojure",
    "cljs": "clojure", "cs": "csharp", "fs": "fsharp", "php": "php", "swift": "swift",
    "dart": "dart", "ex": "elixir", "exs": "elixir", "erl": "erlang", "hs": "haskell",
    "lhs": "haskell", "ml": "ocaml", "mli": "ocaml", "cr": "crystal", "nim": "nim", "zig": "zig",
    "jl": "julia", "lua": "lua", "r": "r", "elm": "elm", "gleam": "gleam", "hx": "haxe",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "javascript", "tsx": "javascript", "mts": "javascript", "cts": "javascript",
    "c": "c", "cc": "c", "cpp": "c", "cxx": "c", "c++": "c",
}  # fmt: skip

# Extensions of which two files of one stem are the same thing written twice. Header and source,
# source and its style sheet are not: they belong together.
_TWINS = (
    ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"),
    ("c", "cc", "cpp", "cxx", "c++"),
    ("h", "hh", "hpp", "hxx", "h++"),
    ("java", "kt", "scala", "groovy"),
    ("ex", "exs"),
    ("yml", "yaml"),
    ("md", "mdx", "markdown"),
    ("htm", "html"),
    ("jpg", "jpeg"),
)
_TWIN_FAMILY = {extension: family for family in _TWINS for extension in family}

# Shell scripts lie about in repositories of every language: their own only where nothing else is.
_SHELL = ("sh", "bash", "bats", "zsh", "fish")


def extension_of(path: str) -> str:
    """Return what follows the last dot of the file name, in lower case; empty without one."""
    name = name_of(path)
    dot = name.rfind(".")
    return name[dot + 1 :].lower() if dot > 0 else ""


def stem_of(path: str) -> str:
    """Return the path without its last extension."""
    extension = extension_of(path)
    return path[: -len(extension) - 1] if extension else path


def language_of(path: str) -> str | None:
    """Return the language the extension names to everybody; None where there is none."""
    return _LANGUAGE_OF.get(extension_of(path))


def twin_paths(path: str) -> tuple[str, ...]:
    """Return the paths that would be the same thing as `path` under another extension."""
    extension = extension_of(path)
    stem = stem_of(path)
    return tuple(
        f"{stem}.{other}" for other in _TWIN_FAMILY.get(extension, ()) if other != extension
    )


def languages_in(tree: Tree) -> frozenset[str]:
    """Return every language that a tracked file is in."""
    named = (_LANGUAGE_OF.get(extension.lower()) for extension in tree.extensions)
    return frozenset(found for found in named if found)


def nearest_extension(tree: Tree, folder: str) -> str | None:
    """Return the extension of most code files of the nearest folder that has any.

    The folder itself, then everything below it, then its parent and so on up to the root. Equal
    counts go by the alphabet. None when the repository holds no code.
    """
    place = folder
    while True:
        if not place:  # the root's own files are settings of tools, often in another language
            return _commonest(tree.paths) or _commonest_shell(tree.paths)
        below = tree.below(place)
        beside = [path for path in below if path.find("/", len(place) + 1) < 0]
        found = _commonest(beside) or _commonest(below)
        if found:
            return found
        place = folder_of(place)


def _commonest(paths: Iterable[str]) -> str | None:
    counts = Counter(
        path.rpartition(".")[2] for path in paths if extension_of(path) in _LANGUAGE_OF
    )
    return min(counts, key=lambda ext: (-counts[ext], ext)) if counts else None


def _commonest_shell(paths: Iterable[str]) -> str | None:
    counts = Counter(found for found in map(extension_of, paths) if found in _SHELL)
    return min(counts, key=lambda ext: (-counts[ext], ext)) if counts else None
