"""Calls about receiving domains."""

from __future__ import annotations

import builtins

from .._connection import Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.domains import Domain, ReceivingDomain
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest


class AsyncDomainCalls:
    """Calls about receiving domains."""

    def __init__(self, requester: AsyncRequester) -> None:
        self._requester = requester

    async def list(self) -> builtins.list[ReceivingDomain]:
        """Domains that an inbox can be created on."""
        domains = await self._requester.field("domains", Call("GET", path("domains")))
        return [decode(ReceivingDomain, domain) for domain in domains]

    async def list_custom(self) -> builtins.list[Domain]:
        """The account's own domains, with the state of each."""
        call = Call("GET", path("domains", "custom"))
        return [decode(Domain, domain) for domain in await self._requester.field("domains", call)]

    async def register(self, domain: str) -> Domain:
        """Registers a domain; the result names the DNS records to publish. Needs an admin key."""
        call = Call("POST", path("domains"), body={"domain": domain})
        return decode(Domain, await self._requester.field("domain", call))

    async def verify(self, domain: str) -> Domain:
        """Checks the DNS records; raises `txt_record_not_found` while the TXT record is missing."""
        call = Call("POST", path("domains", domain, "verify"), is_repeatable=True)
        return decode(Domain, await self._requester.field("domain", call))

    async def delete(self, domain: str) -> None:
        """Deletes the registration; its inboxes expire immediately. Needs an admin key."""
        await self._requester.send(Call("DELETE", path("domains", domain)))
