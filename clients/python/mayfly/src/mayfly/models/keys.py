"""Keys of an account."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Environment = Literal["live", "test"]
"""The environment of a key; both see the same records, usage is counted separately."""

Role = Literal["admin", "member"]
"""The role of a key: only an admin key creates and revokes keys and registers domains."""


@dataclass(frozen=True)
class Key:
    """A key without its secret."""

    id: str
    name: str
    environment: Environment
    role: Role
    prefix: str
    """The beginning of the secret, to tell keys apart."""
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    """When a session of the dashboard ends; None for a key, which does not expire."""


@dataclass(frozen=True)
class IssuedKey:
    """A key with its secret, which is returned only here."""

    api_key: str
    key: Key
