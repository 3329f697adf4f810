"""Calendars and todo lists on other machines: .ics files by address, and CalDAV.

What is fetched is kept as a copy in the cache folder and read from there by the readers of
`iris_harness.sources`. httpx and caldav are imported when such a source is first fetched.
"""

from __future__ import annotations
