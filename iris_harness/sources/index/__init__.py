"""An index of calendars that lets a reading skip work, and never decides anything.

What a calendar means is decided in `iris_harness.sources.ical` alone. The index remembers which
bytes it was shown and what it said of them: for the days of a stretch, its events, or that it
must be asked again. `files` tells which files changed, `refresh` splits what did, `listing` has
days listed by the reader, `index` puts an answer together, `port` is the calendar that uses it
and reads without it whenever anything is in the way.

The file is ``cache.db`` in the folder of what can be rebuilt. It is never trusted over a
calendar, never backed up, and may be deleted at any time.
"""

from __future__ import annotations
