"""What happened to mail for an inbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

InboxState = Literal["active", "expired", "suspended"]
"""The state of an inbox; only an active one accepts mail."""

Stage = Literal[
    "inbox.created",
    "smtp.accepted",
    "smtp.refused",
    "provider.accepted",
    "provider.refused",
    "message.stored",
    "otp.detected",
    "webhook.delivered",
    "webhook.failed",
    "inbox.expired",
    "inbox.suspended",
    "near.miss",
    "fault.injected",
]
"""A stage of receiving a mail; `near.miss`: mail to a similar address was refused."""


@dataclass(frozen=True)
class DiagnosticEvent:
    """One observed stage."""

    stage: Stage
    at: datetime
    detail: str | None


@dataclass(frozen=True)
class DomainStatus:
    """The domain of an inbox, and whether it receives mail."""

    domain: str
    status: str


@dataclass(frozen=True)
class Diagnostics:
    """What happened to mail for an inbox; events with the oldest first."""

    state: InboxState
    events: tuple[DiagnosticEvent, ...]
    domain: DomainStatus
    next_steps: tuple[str, ...]


@dataclass(frozen=True)
class RejectedMessage:
    """A message that had arrived and did not match."""

    id: str
    subject: str | None
    received_at: datetime
    reason: str


@dataclass(frozen=True)
class WaitDiagnostics(Diagnostics):
    """The diagnostics of a wait that ended without a message."""

    considered: tuple[RejectedMessage, ...]
