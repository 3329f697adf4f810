"""A CalDAV server of a few lines, for what Radicale does not do: no tokens, refusals, odd names."""

from __future__ import annotations

import re
from urllib.parse import unquote

from tests.remote_servers import Answer, Asked
from tests.unit.sources.remote.conftest import calendar_text


def multistatus(*responses: str) -> Answer:
    body = "".join(responses)
    text = (
        '<?xml version="1.0"?><multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" '
        f'xmlns:S="http://calendarserver.org/ns/">{body}</multistatus>'
    )
    return Answer(status=207, headers={"Content-Type": "text/xml"}, body=text.encode())


def response(href: str, properties: str) -> str:
    return (
        f"<response><href>{href}</href><propstat><prop>{properties}</prop>"
        "<status>HTTP/1.1 200 OK</status></propstat></response>"
    )


IS_CALENDAR = "<resourcetype><collection/><C:calendar/></resourcetype>"


class SimpleServer:
    """A CalDAV server without sync-collection; `broken` collections refuse everything."""

    def __init__(self, *collections: str) -> None:
        self.items = {name: {"a.ics": name} for name in collections}
        self.broken: set[str] = set()
        self.ctag = True

    def __call__(self, asked: Asked) -> Answer:
        name = asked.path.strip("/")
        if not name:
            found = [response("/", "<resourcetype><collection/></resourcetype>")]
            if asked.headers["Depth"] == "1":
                found += [self._about(name) for name in self.items]
            return multistatus(*found)
        if name in self.broken or b"sync-collection" in asked.body:
            return Answer(status=403)
        if asked.method == "REPORT":
            return multistatus(*(self.item(name, i, data=True) for i in self._named(asked, name)))
        items = [self.item(name, i) for i in self.items[name]]
        return multistatus(response(f"/{name}/", IS_CALENDAR), *items)

    def _named(self, asked: Asked, name: str) -> list[str]:
        hrefs = re.findall(r":href[^>]*>([^<]*)</", asked.body.decode())
        paths = {unquote(href) for href in hrefs}
        return [item for item in self.items[name] if unquote(f"/{name}/{item}") in paths]

    def _about(self, name: str) -> str:
        version = "-".join(self.items[name].values())
        ctag = f"<S:getctag>{version}</S:getctag>" if self.ctag else ""
        return response(f"/{name}/", f"{IS_CALENDAR}<displayname>{name}</displayname>{ctag}")

    def item(self, name: str, item: str, *, data: bool = False) -> str:
        summary = self.items[name][item]
        text = f"<C:calendar-data>{calendar_text(summary).decode()}</C:calendar-data>"
        etag = f"<getetag>&quot;{summary}&quot;</getetag>"
        return response(f"/{name}/{item}", etag + (text if data else ""))
