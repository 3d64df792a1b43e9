"""Calls about keys."""

from __future__ import annotations

from .._connection import Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.keys import Environment, IssuedKey, Key, Role
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest


class AsyncKeyCalls:
    """Calls about keys."""

    def __init__(self, requester: AsyncRequester) -> None:
        self._requester = requester

    async def create(
        self, *, name: str, environment: Environment | None = None, role: Role | None = None
    ) -> IssuedKey:
        """Creates a key, by default `live` and `member`; needs an admin key."""
        body = {"name": name, "environment": environment, "role": role}
        return await self._requester.model(IssuedKey, Call("POST", path("keys"), body=body))

    async def list(self) -> list[Key]:
        """The active keys."""
        keys = await self._requester.field("keys", Call("GET", path("keys")))
        return [decode(Key, key) for key in keys]

    async def rotate(self) -> IssuedKey:
        """Replaces the secret of this client's key and uses the new one; the old is invalid."""
        issued = await self._requester.model(IssuedKey, Call("POST", path("keys", "rotate")))
        self._requester.api_key = issued.api_key
        return issued

    async def revoke(self, key_id: str) -> None:
        """Revokes a key immediately; needs an admin key."""
        await self._requester.send(Call("DELETE", path("keys", key_id)))
