"""The data plane: what a repository's own evidence decides, next to the checkout.

Exports nothing; import the module that decides. All decisions are pure functions over an
`evidence.Evidence`; only `gather` reads files.
"""

from __future__ import annotations
