"""A plan as one web page that needs nothing else: no script, no font, no request.

`document` writes the page from the sections that every view shows; `chart` draws the hours, with
`axis` (how high an hour is) and `lanes` (what stands side by side); `palette` and `style` are the
looks; `markup` is the only place that writes a tag, so nothing can forget to escape.
"""

from __future__ import annotations
