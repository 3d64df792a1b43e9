"""Accounts, their limits and their usage."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from .keys import Key

Plan = Literal["key_only", "connected", "unlimited"]
"""The plan of an account."""


@dataclass(frozen=True)
class Account:
    """An account as its owner sees it."""

    id: str
    email: str
    name: str | None
    plan: Plan
    connected: bool
    """Whether an external account is connected."""
    created_at: datetime


@dataclass(frozen=True)
class Limits:
    """The limits of an account's plan; None where there is no limit."""

    inboxes_per_month: int | None
    inboxes_per_day: int | None
    requests_per_minute: int | None
    concurrent_waits: int | None
    webhooks: int | None
    custom_domains: int | None
    private_domains: bool
    retention_days: int | None


@dataclass(frozen=True)
class UsageToday:
    """Usage of an account today and this month, in UTC."""

    date: str
    requests: int
    inboxes: int
    inboxes_this_month: int
    month_resets_at: datetime


@dataclass(frozen=True)
class AccountOverview:
    """An account with its limits and today's usage."""

    account: Account
    limits: Limits
    usage: UsageToday


@dataclass(frozen=True)
class UsageCounts:
    """Requests and inboxes of one environment."""

    requests: int
    inboxes: int


@dataclass(frozen=True)
class UsageByEnvironment:
    """Usage by the environment of the key."""

    live: UsageCounts
    test: UsageCounts


@dataclass(frozen=True)
class UsageDay:
    """Usage on one UTC day."""

    date: str
    requests: int
    inboxes: int
    by_environment: UsageByEnvironment


@dataclass(frozen=True)
class Registration:
    """A new account with its first key; `api_key` is returned only here."""

    account: Account
    api_key: str
    key: Key


@dataclass(frozen=True)
class ConnectionStart:
    """Where an external account is connected."""

    authorization_url: str
    """To be opened in a browser."""


@dataclass(frozen=True)
class SignInLink:
    """A link that opens the dashboard signed in; it works once."""

    url: str
    expires_at: datetime


@dataclass(frozen=True)
class SignedIn:
    """A key that a sign-in link was exchanged for; `api_key` is returned only here."""

    api_key: str
    key: Key
