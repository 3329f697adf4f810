"""Forms: what a browser sent, and the hidden fields that tell a form of ours from a stranger's."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

from iris_harness.curator.page.markup import Markup, element
from iris_harness.surfaces.web.page.login import Visitor

FORM_KEY = "key"
"""Name of the field that carries the visitor's form key."""

_MOST_FIELDS = 20


async def read_form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form; of two with one name the last counts, a broken form has none."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        return {}


def is_own(request: Request, form: Mapping[str, str], visitor: Visitor) -> bool:
    """Return whether a form was sent by a page of this server to this visitor.

    Browsers say where a request comes from (``Sec-Fetch-Site``, ``Origin``); the key in the form
    is what counts where neither is said.
    """
    key = form.get(FORM_KEY, "").encode("utf-8", "replace")
    return _comes_from_here(request) and hmac.compare_digest(key, visitor.form_key.encode())


def _comes_from_here(request: Request) -> bool:
    site = request.headers.get("sec-fetch-site")
    if site is not None:  # Origin is "null" then: the page's policy tells no one where it is
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is None or origin == f"{request.url.scheme}://{request.headers.get('host')}"


def hidden(**fields: str | int) -> Markup:
    """Return hidden fields of a form."""
    return Markup(
        "".join(element("input", type="hidden", name=n, value=str(v)) for n, v in fields.items())
    )
