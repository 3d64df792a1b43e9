"""What a service tells about itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SmtpAddress:
    """Where a service receives mail."""

    host: str
    port: int


@dataclass(frozen=True)
class ServiceDescription:
    """What a service tells about itself."""

    version: str
    smtp: SmtpAddress
    local_key_file: str | None
    """The file with a key of the local account, on the machine of the service."""
