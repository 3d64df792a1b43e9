"""Domains that inboxes are created on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True)
class ReceivingDomain:
    """A domain that inboxes can be created on."""

    domain: str
    type: Literal["public", "private", "custom"]
    status: Literal["active"]


@dataclass(frozen=True)
class TxtRecord:
    """The DNS record that proves ownership of a domain."""

    name: str
    type: Literal["TXT"]
    value: str


@dataclass(frozen=True)
class MxRecord:
    """The DNS record that directs the mail of a domain to the service."""

    name: str
    type: Literal["MX"]
    value: str
    priority: int


@dataclass(frozen=True)
class Domain:
    """A receiving domain of your own."""

    domain: str
    state: Literal["pending", "verified", "active"]
    """`pending` until its TXT record is found, `active` once its MX points to the service."""
    txt_record: TxtRecord
    mx_record: MxRecord
    created_at: datetime
    verified_at: datetime | None
    active_at: datetime | None
    last_checked_at: datetime | None
    lapses_at: datetime | None
    """When the registration lapses if the TXT record stays missing; None while it is found."""
