"""Calls about the account of the key."""

from __future__ import annotations

from typing import Literal

from .._connection import Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.accounts import AccountOverview, ConnectionStart, SignInLink, UsageDay
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest


class AsyncAccountCalls:
    """Calls about the account of the key."""

    def __init__(self, requester: AsyncRequester) -> None:
        self._requester = requester

    async def read(self) -> AccountOverview:
        """The account, its limits and today's usage."""
        return await self._requester.model(AccountOverview, Call("GET", path("account")))

    async def usage(self, *, days: int | None = None) -> list[UsageDay]:
        """Usage by day, oldest first, today last."""
        call = Call("GET", path("usage"), query={"days": days})
        return [decode(UsageDay, day) for day in await self._requester.field("usage", call)]

    async def connect(
        self, *, provider: Literal["oidc", "github"] | None = None
    ) -> ConnectionStart:
        """The URL to open in a browser to connect an external account. Needs an admin key."""
        call = Call("POST", path("account", "connection"), body={"provider": provider})
        return await self._requester.model(ConnectionStart, call)

    async def disconnect(self) -> None:
        """Disconnects the external account."""
        await self._requester.send(Call("DELETE", path("account", "connection")))

    async def create_sign_in_link(self) -> SignInLink:
        """A link that opens the dashboard signed in to this account. Needs an admin key."""
        return await self._requester.model(SignInLink, Call("POST", path("sign-in-links")))
