"""iCalendar (RFC 5545) as it is in the wild, read one component at a time.

bytes -> `components` (split, before anything can fail) -> `properties` (one line at a time, by
icalendar) -> `entries` (who: UID, instance, revision) -> `moments`, `zones` (when) -> `rules`,
`recurrence` (how often) -> `events`, `todos` (the contract's values).

Nothing here raises for what a file holds: a part that cannot be understood is a `ValueError` of
the function that reads it, and becomes one warning where the component it costs is known.
"""

from __future__ import annotations
