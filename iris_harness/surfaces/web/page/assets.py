"""The page's style sheet, script and icon: each under a name that its content decides.

What a browser has kept under such a name is right for ever; a new version has a new name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from iris_harness.curator.page.style import style_sheet

_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable"}
_DIGITS = 16


class Asset(NamedTuple):
    """One file."""

    path: str
    """Its address on the server."""
    content: bytes
    media_type: str


class Assets(NamedTuple):
    """All files of the page."""

    style: Asset
    script: Asset
    live: Asset
    icon: Asset

    def routes(self) -> Iterator[Route]:
        """Yield a route for each file; there is no way to any other."""
        for asset in self:
            answer = Response(asset.content, media_type=asset.media_type, headers=_HEADERS)
            yield Route(asset.path, answer, methods=["GET"])


def load_assets() -> Assets:
    """Read the files that come with this package."""
    sheet = f"{style_sheet()}\n{_read('style.css')}"
    return Assets(
        style=_asset("style", "css", sheet, "text/css"),
        script=_asset("script", "js", _read("script.js"), "text/javascript"),
        live=_asset("live", "js", _read("live.js"), "text/javascript"),
        icon=_asset("icon", "svg", _read("icon.svg"), "image/svg+xml"),
    )


def _read(name: str) -> str:
    return files(__package__).joinpath("static", name).read_text(encoding="utf-8")


def _asset(name: str, ending: str, text: str, media_type: str) -> Asset:
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
    return Asset(f"/static/{name}-{digest}.{ending}", content, media_type)
