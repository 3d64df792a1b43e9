"""Information about the service."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SmtpAddress:
    """Where a service receives mail."""

    host: str
    port: int


@dataclass(frozen=True)
class ServiceDescription:
    """Information about the service."""

    version: str
    smtp: SmtpAddress
    catch_all_inbox_id: str | None
    """The catch-all inbox that is shown without a key; None where a key is needed."""
    has_external_accounts: bool
    """Whether external accounts can be connected."""
    local_key_file: str | None
    """The file with a key of the local account, on the machine of the service."""
