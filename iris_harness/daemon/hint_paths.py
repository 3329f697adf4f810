"""What a hint says, without its wrapping: quotes, line numbers, addresses, foreign separators."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

_MAX_LENGTH = 4096
_WRAPPING = {
    "`": "`", '"': '"', "'": "'", "<": ">", "(": ")", "[": "]",
    "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb", "\u201e": "\u201c",
}  # fmt: skip
# Emphasis; a glob and a dunder name begin and end with the same characters.
_EMPHASIS = re.compile(r"(?P<mark>\*\*|\*|__)(?P<inner>[^*/\s][^*]*[./][^*]*[^*/\s_])(?P=mark)")
_LINK = re.compile(r"\[(?P<label>[^\[\]]*)\]\((?P<target>[^()\s]*)\)")
# What a list, a diff, a traceback, git or a sentence puts before a path.
_BEFORE = re.compile(
    r"(?:[-*+\u2022]|\d+[.)]|-->|\+{3}|-{3}|[AMDRU?]{1,2})\s+(?=\S)"
    r"|(?:(?:the )?(?:new )?(?:file|path|filename|module)|modified|deleted|renamed|in|at|see|edit|update|open)"
    r"(?::\s*(?!/)|\s+)(?=\S)"
    r"|(?:HEAD|main|master|origin/[\w.-]+)[~^\d]*:(?=[\w.])",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s+\((?:new|modified|deleted|edit|lines? [\d, -]+|L\d+)\)$|(?<=[\w)\]`'\"])[,;.!?]+$"
)
_UNSEEN = "\ufeff\u200b\u200c\u200d\u2060"
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://(?P<rest>.*)", re.DOTALL)
# What shows one file of a forge: /owner/name/blob/<ref>/path and its relatives.
_FORGE_FILE = re.compile(
    r"[^/]+/[^/]+/[^/]+/(?:blob|tree|raw|src|blame|edit)/(?P<tail>.+)"
    r"|.+/-/(?:blob|tree|raw|blame|edit)/(?P<below>.+)"
)
# Places in a file: #L10-L20, :10, :10:5, :10-20, (12,3), ::test_name.
_PLACE = re.compile(
    r"(?:#L?\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?|::[\w\[\]:.\-]+|:\d+(?:[:.-]\d+)*:?|\(\d+(?:,\s*\d+)?\)"
    r"|,? (?:at |on )?lines? \d+(?:\s*-\s*\d+)?|:? (?:lines? |L)\d+(?:\s*-\s*L?\d+)?|[:+|]L?\d+"
    r"|:\d+:in\b.*"
    r"|(?<=[A-Za-z]{2}|\.[A-Za-z])(?:#[A-Za-z][\w-]*|@[A-Za-z][\w.-]*|:[A-Za-z_]\w*(?:\(\))?))$"
)
_DRIVE = re.compile(r"[A-Za-z]:/")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# A home folder is never inside a repository, however it is spelt.
_HOME = re.compile(r"~|\$\{?HOME\b|%USERPROFILE%|%HOMEPATH%", re.IGNORECASE)


class HintPath(NamedTuple):
    """A hint that may name something inside a repository."""

    path: str
    """Segments joined by ``/``, without ``.``, ``..`` and empty ones."""
    absolute: bool = False
    """It stood at the root of some machine or server: only its tail may be matched."""
    folder: bool = False
    """It ended with a separator."""


class HintRefusal(NamedTuple):
    """A hint that must not be followed, and why."""

    why: str


def parse_hint(text: str) -> HintPath | HintRefusal:
    """Return the path that `text` names, or why it is refused. Touches no file."""
    bare = _unwrapped(text)
    if _CONTROL.search(bare):
        return HintRefusal("it holds a control character")
    if len(bare) > _MAX_LENGTH:
        return HintRefusal(f"it is longer than {_MAX_LENGTH} characters")
    bare, remote = _without_address(bare)
    bare = bare.replace("\\", "/")
    bare = _without_place(bare)
    if _HOME.match(bare):
        return HintRefusal("it is in a home folder")
    absolute = remote or bare.startswith("/") or bool(_DRIVE.match(bare))
    bare = _DRIVE.sub("/", bare, count=1)
    return _collapsed(bare, absolute=absolute)


def _unwrapped(text: str) -> str:
    """Return `text` without what surrounds a path, however often it is wrapped."""
    before, bare = "", text
    while bare != before:
        before, bare = bare, _peeled(bare)
    return bare


def _peeled(text: str) -> str:
    bare = text.strip().strip(_UNSEEN)
    link = _LINK.fullmatch(bare)
    if link:
        named = "/" in link["label"] or "." in link["label"]
        return link["label"] if named else link["target"]
    if len(bare) > 1 and _WRAPPING.get(bare[0]) == bare[-1]:
        return bare[1:-1]
    emphasis = _EMPHASIS.fullmatch(bare)
    if emphasis:
        return emphasis["inner"]
    before = _BEFORE.match(bare)
    bare = _AFTER.sub("", bare[before.end() :] if before else bare)
    return _without_place(bare) if bare[:1] in _WRAPPING else bare


def _without_address(text: str) -> tuple[str, bool]:
    """Return the path of an address, and whether it was one."""
    address = _ADDRESS.fullmatch(text)
    if not address:
        return text, False
    path = unquote(address["rest"].partition("?")[0])
    if _CONTROL.search(path):
        return "", True
    found = _FORGE_FILE.fullmatch(path)
    return f"/{(found['tail'] or found['below']) if found else path.partition('#')[0]}", True


def _without_place(text: str) -> str:
    while (match := _PLACE.search(text)) and match.start() > 0:
        text = text[: match.start()]
    return text.rstrip() if text.strip() else text


def _collapsed(path: str, *, absolute: bool) -> HintPath | HintRefusal:
    kept: list[str] = []
    for segment in path.split("/"):
        if segment in {"", "."}:
            continue
        if segment == "..":
            if not kept:
                return HintRefusal("it leaves the repository")
            kept.pop()
            continue
        if segment.rstrip(". ").lower() == ".git" or segment.lower() == "git~1":
            return HintRefusal("it is inside .git")
        kept.append(segment)
    if not kept:
        return HintRefusal("it names nothing")
    return HintPath("/".join(kept), absolute=absolute, folder=path.endswith("/"))
