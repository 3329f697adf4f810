"""Where personal data is read: calendars and todo lists."""

from __future__ import annotations
