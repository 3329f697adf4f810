"""Secrets that open doors: how they are made, and what is kept of them.

A secret has 32 random bytes and is shown once. Its SHA-256 is kept, as good as any slower digest
for what nobody can guess, and compared in a time that does not depend on what is shown.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

_BYTES = 32


def new_secret() -> str:
    """Return a new secret, safe in a URL."""
    return secrets.token_urlsafe(_BYTES)


def secret_digest(secret: str) -> str:
    """Return what is kept of a secret, or of what somebody shows as one: hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def opens(shown: str, kept: str) -> bool:
    """Return whether what is shown is the secret whose digest is kept; "" opens nothing."""
    return hmac.compare_digest(secret_digest(shown), kept) and bool(shown)
