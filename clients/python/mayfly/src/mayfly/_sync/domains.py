# Made from ../_async/domains.py by tools/unasync.py: change that file instead.
"""Calls about receiving domains."""

from __future__ import annotations

import builtins

from .._connection import Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.domains import Domain, ReceivingDomain
from .requester import Requester

__tracebackhide__ = hidden_by_pytest


class DomainCalls:
    """Calls about receiving domains."""

    def __init__(self, requester: Requester) -> None:
        self._requester = requester

    def list(self) -> builtins.list[ReceivingDomain]:
        """Domains that an inbox can be created on."""
        domains = self._requester.field("domains", Call("GET", path("domains")))
        return [decode(ReceivingDomain, domain) for domain in domains]

    def list_custom(self) -> builtins.list[Domain]:
        """The account's own domains, with the state of each."""
        call = Call("GET", path("domains", "custom"))
        return [decode(Domain, domain) for domain in self._requester.field("domains", call)]

    def register(self, domain: str) -> Domain:
        """Registers a domain; the result names the DNS records to publish. Needs an admin key."""
        call = Call("POST", path("domains"), body={"domain": domain})
        return decode(Domain, self._requester.field("domain", call))

    def verify(self, domain: str) -> Domain:
        """Checks the DNS records; raises `txt_record_not_found` while the TXT record is missing."""
        call = Call("POST", path("domains", domain, "verify"), is_repeatable=True)
        return decode(Domain, self._requester.field("domain", call))

    def delete(self, domain: str) -> None:
        """Deletes the registration; its inboxes expire immediately. Needs an admin key."""
        self._requester.send(Call("DELETE", path("domains", domain)))
