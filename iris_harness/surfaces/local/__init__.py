"""The Unix socket by which this user's own programs ask a running Iris instead of starting one.

One JSON object a line, in both directions. The server begins with ``{"iris": identity}``; a client
of another identity leaves. ``{"ask": words}`` is answered by any number of ``{"progress": event}``
and one ``{"answer": …}``, ``{"confirm": true}`` by ``{"reply": …}``; what goes wrong is
``{"error": …}``. A client that hangs up cancels what it asked.

`client` needs the standard library only: it is on the path of every ``iris ask``.
"""

from __future__ import annotations
