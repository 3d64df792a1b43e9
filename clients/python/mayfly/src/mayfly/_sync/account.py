# Made from ../_async/account.py by tools/unasync.py: change that file instead.
"""Calls about the account of the key."""

from __future__ import annotations

from typing import Literal

from .._connection import Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.accounts import AccountOverview, ConnectionStart, SignInLink, UsageDay
from .requester import Requester

__tracebackhide__ = hidden_by_pytest


class AccountCalls:
    """Calls about the account of the key."""

    def __init__(self, requester: Requester) -> None:
        self._requester = requester

    def read(self) -> AccountOverview:
        """The account, its limits and today's usage."""
        return self._requester.model(AccountOverview, Call("GET", path("account")))

    def usage(self, *, days: int | None = None) -> list[UsageDay]:
        """Usage by day, oldest first, today last."""
        call = Call("GET", path("usage"), query={"days": days})
        return [decode(UsageDay, day) for day in self._requester.field("usage", call)]

    def connect(self, *, provider: Literal["oidc", "github"] | None = None) -> ConnectionStart:
        """The URL to open in a browser to connect an external account. Needs an admin key."""
        call = Call("POST", path("account", "connection"), body={"provider": provider})
        return self._requester.model(ConnectionStart, call)

    def disconnect(self) -> None:
        """Disconnects the external account."""
        self._requester.send(Call("DELETE", path("account", "connection")))

    def create_sign_in_link(self) -> SignInLink:
        """A link that opens the dashboard signed in to this account. Needs an admin key."""
        return self._requester.model(SignInLink, Call("POST", path("sign-in-links")))
