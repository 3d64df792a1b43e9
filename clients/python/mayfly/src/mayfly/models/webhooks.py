"""Webhooks and what was delivered to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from .messages import MessageSummary, Otp

AttemptError = Literal[
    "status",
    "redirect",
    "gone",
    "dns",
    "connect",
    "tls",
    "timeout",
    "reset",
    "protocol",
    "refused",
    "secret",
    "internal",
]
"""Why an attempt failed."""


@dataclass(frozen=True)
class Webhook:
    """An endpoint that receives an event for every message."""

    id: str
    url: str
    created_at: datetime
    last_delivery_at: datetime | None
    """When an event was last sent to it."""
    last_status: int | None
    """The status of that attempt; None without a response."""
    disabled_at: datetime | None
    """When it responded with 410. Nothing is sent to it since; register it again."""


@dataclass(frozen=True)
class CreatedWebhook:
    """A new webhook with its signing secret, which is returned only here."""

    webhook: Webhook
    secret: str


@dataclass(frozen=True)
class DeliveryAttempt:
    """One attempt to deliver an event."""

    at: datetime
    status: int | None
    """The HTTP status; None without a response."""
    error: AttemptError | None
    """The kind of failure; None when it succeeded."""
    detail: str | None
    """The failure in words."""
    duration_ms: int


@dataclass(frozen=True)
class Delivery:
    """An entry of the delivery log; its id is the id of the event."""

    id: str
    webhook_id: str
    url: str
    event: str
    inbox_id: str
    message_id: str
    status: Literal["pending", "succeeded", "failed"]
    attempts: tuple[DeliveryAttempt, ...]
    created_at: datetime
    next_attempt_at: datetime | None


@dataclass(frozen=True)
class DeliveryPage:
    """One page of the delivery log, newest first; `next_cursor` is None on the last one."""

    deliveries: tuple[Delivery, ...]
    next_cursor: str | None


@dataclass(frozen=True)
class ReplayResult:
    """The result of a replay."""

    replayed: bool
    event_id: str
    delivery: Delivery
    """Its state after the attempt."""


@dataclass(frozen=True)
class TestDelivery:
    """The result of a sample event."""

    delivered: bool
    """Whether the endpoint responded with a 2xx status."""
    event_id: str
    attempt: DeliveryAttempt


@dataclass(frozen=True)
class EventInbox:
    """The inbox of an event."""

    id: str
    email_address: str


@dataclass(frozen=True)
class EventData:
    """What an event is about."""

    inbox: EventInbox
    message: MessageSummary
    otp: Otp | None


@dataclass(frozen=True)
class WebhookEvent:
    """The body of a delivery. Retries and replays have the same id."""

    id: str
    type: Literal["message.received"]
    created_at: datetime
    data: EventData
    test: bool = False
    """Whether it is a sample event."""
